#!/usr/bin/env bash
# Instructions of each kernel of instructions.txt, counted by callgrind; fails where one has 3 percent more than the
# table says. The counts are those of portable arithmetic: valgrind's processor has no ADX and no AVX-512.
#
#   instructions.sh PROGRAM [--write]     --write: make the table anew
set -euo pipefail
shopt -s inherit_errexit
program=$(realpath -e "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"

command -v valgrind >/dev/null || {
  echo "valgrind is not installed"
  exit 77
}
export GROTH16D_CPU=portable
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# instructions CURVE KERNEL TIMES
instructions() {
  valgrind --tool=callgrind --callgrind-out-file="$work/out" "$program" "$@" 2>"$work/log" || {
    cat "$work/log" >&2
    exit 1
  }
  sed -nE 's/^summary: ([0-9]+).*/\1/p' "$work/out"
}

own() {
  local once twice
  once=$(instructions "$1" "$2" 1)
  twice=$(instructions "$1" "$2" 2)
  echo $((twice - once))
}

if [[ ${2:-} == --write ]]; then
  for curve in bn128 bls12381; do
    for kernel in fr_product fq_product fq_inverse msm_1024 ntt_4096; do
      found=$(own "$curve" "$kernel")
      printf '%-9s %-11s %d\n' "$curve" "$kernel" "$found"
    done
  done >"$work/table"
  cp "$work/table" instructions.txt
  exit
fi

worse=0
while read -r curve kernel expected; do
  found=$(own "$curve" "$kernel")
  printf '%-9s %-11s %12d, the table says %12d\n' "$curve" "$kernel" "$found" "$expected"
  ((found * 100 <= expected * 103)) || worse=1
done <instructions.txt
exit "$worse"
