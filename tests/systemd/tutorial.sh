#!/usr/bin/env bash
# docs/TUTORIAL.md as a new user reads it: every block of it, in order, on a freshly installed Debian 12 that is booted
# in systemd-nspawn. One line a command; exit code 1 at the first that fails. Needs what run.sh needs.
#
#   tests/systemd/tutorial.sh [BUILD-FOLDER]     default build/release
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
build=$(realpath "${1:-build/release}")
mkdir -p build/nspawn/tutorial build/nspawn/apt
work=$(realpath build/nspawn/tutorial)
source tests/systemd/container.sh
need_machine
trap 'shut_down; rm -rf "$work"' EXIT

# The commands of the page: the lines of its blocks that are marked sh.
commands() { awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/TUTORIAL.md; }

if ! cpack --config "$build/CPackConfig.cmake" -B "$work/deb" >"$work/cpack.log" 2>&1; then
  cat "$work/cpack.log"
  exit 1
fi
make_base "$work/../debian" && boot "$work/../debian" "$work/deb" || exit 1
cp build/nspawn/apt/*.deb "$work/root/var/cache/apt/archives/" 2>/dev/null
count=0
while IFS= read -r command; do
  if ! inside bash -o pipefail -c "cd /root; $command" >"$work/command.log" 2>&1 </dev/null; then
    printf 'FAIL %s\n' "$command"
    sed 's/^/     /' "$work/command.log"
    exit 1
  fi
  printf 'ok   %s\n' "$command"
  count=$((count + 1))
done < <(commands)
((count > 20)) || { echo "FAIL only $count commands were found"; exit 1; }
printf '%d commands of the tutorial did what it says\n' "$count"
