#!/usr/bin/env bash
# The demonstration of Filecoin's commit phase 2: seals nothing and still proves. The C1 of an honestly sealed 2 KiB
# sector, from the repository, becomes a proof of 192 bytes, which is verified for the sector and refused for another.
#
#   client/demo/porep.sh FOLDER-OF-THE-PROGRAMS
#
# The first run makes parameters without a ceremony, 1.1 GB, and keeps them in $FIL_PROOFS_PARAMETER_CACHE, else in
# build/parameters.
set -euo pipefail

programs=$(realpath "$1")
c1=$(realpath tests/circuits/data/c1_2kib_v1_1.json)
export FIL_PROOFS_PARAMETER_CACHE=${FIL_PROOFS_PARAMETER_CACHE:-$PWD/build/parameters}
work=$(mktemp -d "${TMPDIR:-/tmp}/groth16d-porep-XXXXXX")
trap 'rm -rf "$work"' EXIT

ctl() { "$programs/groth16ctl" "$@"; }
title() { printf '\n-- %s\n' "$*"; }

title "a sealed sector of 2 KiB"
ctl porep inspect "$c1" --miner t01000

title "its replication, proven by a private daemon"
ctl porep prove --private --c1 "$c1" --miner t01000 --out "$work/proof" >/dev/null
od -An -v -tx1 -w32 "$work/proof"

title "the verdict"
ctl porep verify --c1 "$c1" --miner t01000 --proof "$work/proof"

title "the verdict on the same proof for a sector that was never sealed"
ctl porep synth-c1 --sector-size 2KiB --out "$work/other.json" >/dev/null
if ctl porep verify --c1 "$work/other.json" --proof "$work/proof"; then
  echo "a proof of another sector was accepted" >&2
  exit 1
fi
