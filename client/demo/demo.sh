#!/usr/bin/env bash
# The demonstration: a private daemon with CPU workers proves a bundled circuit on both curves, by the same commands that
# a user types. Prints each proof, the verdict on it and where the time went.
#
#   client/demo/demo.sh FOLDER-OF-THE-PROGRAMS
set -euo pipefail

readonly kDomainLog2=14
readonly kPartitions=2
programs=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/groth16d-demo-XXXXXX")
daemon=

stop() {
  if [[ -n $daemon ]]; then
    kill -TERM "$daemon" 2>/dev/null || true
    wait "$daemon" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap stop EXIT

ctl() { "$programs/groth16ctl" --runtime-dir "$work/run" "$@"; }
title() { printf '\n-- %s\n' "$*"; }

mkdir -m 700 "$work/run" "$work/state"
title "groth16d with one loading, one synthesis, one CPU prove and one final worker"
"$programs/groth16d" --private --state-dir "$work/state" --runtime-dir "$work/run" --root "$work" \
  --synth 1 --cpu 1 --final 1 2>"$work/daemon.log" &
daemon=$!
for _ in $(seq 300); do
  [[ -S $work/run/client.sock ]] && break
  kill -0 "$daemon" 2>/dev/null || break
  sleep 0.1
done
ctl worker list || { cat "$work/daemon.log" >&2; exit 1; }

for curve in bn128 bls12381; do
  here=$work/$curve
  mkdir "$here"
  title "$curve: who knows the key that turns a public plaintext into a public ciphertext? (2^$kDomainLog2 rows)"
  "$programs/groth16-demo-circuit" "$curve" "$kDomainLog2" "$kPartitions" "$here"
  ctl setup --insecure --r1cs "$here/circuit.r1cs" --zkey "$here/circuit.zkey" --vk "$here/verification_key.json" \
    >/dev/null
  ctl circuit add "demo-$curve" --zkey "$here/circuit.zkey" --r1cs "$here/circuit.r1cs" --allow-insecure-key \
    >/dev/null
  ctl submit --job "demo-$curve" --circuit "demo-$curve" "$here"/witness-*.wtns >/dev/null
  ctl wait "demo-$curve" >/dev/null
  ctl result "demo-$curve" --proof "$here/proof.json" --public "$here/public.json"
  title "$curve: the proof of partition 0"
  cat "$here/proof-0.json"
  printf '\n'
  title "$curve: the verdicts"
  for partition in $(seq 0 $((kPartitions - 1))); do
    printf 'partition %d: ' "$partition"
    "$programs/groth16ctl" verify "$here/verification_key.json" "$here/public-$partition.json" \
      "$here/proof-$partition.json"
  done
  title "$curve: where the time went"
  ctl status "demo-$curve"
done
