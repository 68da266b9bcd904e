#!/bin/sh
# The whole GPU suite on a machine with a GPU: tests, then small ones under compute-sanitizer, which is 100 times slower.
#   run.sh FOLDER      of test_gpu: build/release/tests, or that of a bundle
set -eu
test_gpu=${1:?usage: run.sh FOLDER-OF-test_gpu}/test_gpu
"$test_gpu"
command -v compute-sanitizer >/dev/null || { echo "run.sh: no compute-sanitizer here" >&2; exit 77; }
compute-sanitizer --tool memcheck --leak-check full --error-exitcode 1 "$test_gpu" "boolean wires that are no bits*"
compute-sanitizer --tool memcheck --error-exitcode 1 "$test_gpu" "a key that does not fit*"
compute-sanitizer --tool memcheck --error-exitcode 1 "$test_gpu" "[ntt]~[large]"
compute-sanitizer --tool racecheck --error-exitcode 1 "$test_gpu" "[ntt]~[large]"
compute-sanitizer --tool racecheck --error-exitcode 1 "$test_gpu" "boolean wires that are no bits*"
