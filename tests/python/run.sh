#!/usr/bin/env bash
# run.sh PROGRAMS FOLDER: installs client/python into FOLDER as pip does, and runs the tests on it. Exit code 77,
# skipped, where python3-zmq, python3-protobuf or pip are absent.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
programs=$(realpath "$1")
python=/usr/bin/python3  # Debian's, which has Debian's modules
for needed in zmq google.protobuf pip setuptools; do
  $python -c "import $needed" 2>/dev/null || { echo "skipped: python3 has no $needed"; exit 77; }
done
rm -rf "$2"
# Debian's own pyzmq and protobuf are used, so nothing is fetched.
"$python" -m pip install --quiet --no-deps --no-build-isolation --no-index --target "$2" "$here/../../client/python"
rm -rf "$here/../../client/python/build" "$here"/../../client/python/*.egg-info
PYTHONPATH=$2 GROTH16D_PROGRAMS=$programs "$python" -B -m unittest discover -s "$here" -p 'test_*.py' -v
