#!/usr/bin/env bash
# browser.sh PROGRAMS: the dashboard in Debian's Chromium, over a daemon that proves 30 jobs. Exit code 77, skipped,
# where there is no chromium, no node or no playwright-core. GROTH16D_SCREENSHOTS=FOLDER keeps the pictures.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
for needed in chromium node; do
  command -v "$needed" >/dev/null || { echo "skipped: there is no $needed (./run slow-tests installs it)"; exit 77; }
done
[[ -d $here/node_modules/playwright-core ]] || { echo "skipped: tests/web/node_modules is not installed"; exit 77; }
exec node "$here/browser.mjs" "$(realpath "$1")"
