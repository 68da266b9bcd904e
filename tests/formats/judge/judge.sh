#!/bin/sh
# Lets the program write its files, then lets snarkjs judge them: judge.sh PROGRAM FOLDER. Exit code 77 means skipped:
# node or the judges' packages are not installed.
set -eu
here=$(dirname "$0")
if ! command -v node >/dev/null || [ ! -d "$here/../../judges/node_modules" ]; then
  echo "skipped: node or tests/judges/node_modules is missing (npm ci --ignore-scripts in tests/judges)"
  exit 77
fi
"$1" "$2"
node "$here/judge.mjs" "$2"
