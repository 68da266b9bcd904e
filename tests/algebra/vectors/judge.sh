#!/bin/sh
# Lets node write the vectors, then lets the test program compare: judge.sh TEST_PROGRAM FOLDER_FOR_THE_VECTORS.
# Exit code 77 means skipped: node or the judges' packages are not installed.
set -eu
here=$(dirname "$0")
vectors="$2/algebra_vectors.json"
if ! command -v node >/dev/null || [ ! -d "$here/../../judges/node_modules" ]; then
  echo "skipped: node or tests/judges/node_modules is missing (npm ci --ignore-scripts in tests/judges)"
  exit 77
fi
node "$here/make_vectors.mjs" >"$vectors"
GROTH16D_ALGEBRA_VECTORS="$vectors" "$1"
