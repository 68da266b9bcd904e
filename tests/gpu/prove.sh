#!/usr/bin/env bash
# The whole daemon on a machine with a GPU: proves the demonstration's circuit on both curves with one GPU slot, kills the
# GPU worker while it proves, and looks at what stays allocated. Every proof is verified by groth16ctl too.
#
#   prove.sh [DOMAIN_LOG2 [JOBS [B_G2]]]   default 2^16 rows, 40 further jobs, b_g2 auto; needs nothing but the folder
#                                          that it lies in
set -euo pipefail

readonly kDomainLog2=${1:-16} kJobs=${2:-40} kB2=${3:-auto} kPartitions=4
# shellcheck source=tests/gpu/daemon.sh
source "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"

title() { printf '\n-- %s\n' "$*"; }
# prove JOB CURVE: a job of the curve's witnesses, waited for, each proof verified.
prove() {
  local here=$work/$2
  ctl submit --job "$1" --circuit "$2" "$here"/witness-*.wtns >/dev/null
  ctl wait "$1" >/dev/null
  check "$1" "$2"
}
check() { verify "$1" "$2" "$kPartitions"; }
# MiB of the card's memory that are taken; nothing where nobody can tell.
card_mib() {
  command -v nvidia-smi >/dev/null || return 0
  nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | head -n 1
}
# What the worker has of the host's memory for itself, and of the card's, in MiB.
memory() {
  awk '/^RssAnon:/ { printf "RssAnon %d MiB", $2 / 1024 }' "/proc/$(column_of_gpu 3)/status"
  printf ', card %s MiB\n' "$(card_mib)"
}

title "groth16d with one GPU slot and no CPU slot, b_g2 $kB2"
start_daemon --synth 2 --final 2 --b-g2 "$kB2"
ctl worker list
memory

for curve in bn128 bls12381; do
  title "$curve: 2^$kDomainLog2 rows, $kPartitions partitions"
  begin=$(milliseconds)
  add_circuit "$curve" "$curve" "$kDomainLog2" "$kPartitions"
  printf 'circuit and key made in %d ms\n' $(($(milliseconds) - begin))
  prove "first-$curve" "$curve"
  ctl status "first-$curve"
done

title "the circuit changes with every job"
begin=$(milliseconds)
for number in 1 2 3; do
  prove "swap-bn128-$number" bn128
  prove "swap-bls12381-$number" bls12381
done
printf '6 jobs in %d ms\n' $(($(milliseconds) - begin))
memory

title "the GPU worker is killed while it proves"
victim=$(column_of_gpu 3)
ctl submit --job killed --circuit bn128 "$work"/bn128/witness-*.wtns >/dev/null
await 10 gpu_is busy  # it has to load the circuit first
kill -KILL "$victim"
begin=$(milliseconds)
another() { [[ $(column_of_gpu 3) != "$victim" ]] && { gpu_is ready || gpu_is busy; }; }
await 60 another
printf 'another worker after %d ms\n' $(($(milliseconds) - begin))
ctl wait killed >/dev/null
check killed bn128
ctl status killed
died_once killed

title "$kJobs more jobs leave nothing behind"
memory
begin=$(milliseconds)
for number in $(seq "$kJobs"); do
  ctl submit --job "more-$number" --circuit bls12381 "$work"/bls12381/witness-*.wtns >/dev/null
done
after_three=
for number in $(seq "$kJobs"); do
  ctl wait "more-$number" >/dev/null
  [[ $number != 3 ]] || after_three=$(card_mib)
done
printf '%d partitions in %d ms\n' $((kJobs * kPartitions)) $(($(milliseconds) - begin))
check "more-$kJobs" bls12381
memory
[[ -n $(card_mib) ]] || die "nvidia-smi does not say how much of the card's memory is taken"
[[ $(card_mib) == "$after_three" ]] || die "the card has $(card_mib) MiB taken, $after_three after three jobs"
ctl status "more-$kJobs" | grep b_g2_msm

title "the end"
end_daemon
grep -E 'gpu-0: ' "$work/daemon.log" | grep -v 'the card computed'
printf 'card at work and without work, milliseconds, the last ten partitions:\n'
grep -oE 'the card computed.*' "$work/daemon.log" | tail -n 10
printf '\nevery proof was verified\n'
