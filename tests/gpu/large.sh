#!/usr/bin/env bash
# One partition after another of a circuit of bits with 2^LOG2 rows and as many wires, 1.5 % of them full-size: the time
# from its sealed witness to its verified proof, what it holds of the host's memory meanwhile, and how soon a killed
# worker's successor proves.
#
#   large.sh [LOG2 [JOBS [MEMORY_MAX]]]     default 2^24 rows (needs 40 GiB of memory and 20 of disk), 5 jobs, all of the
#                                           card's memory; with less of it the key is streamed
set -euo pipefail

readonly kLog2=${1:-24} kJobs=${2:-5} kMemoryMax=${3:-}
# shellcheck source=tests/gpu/daemon.sh
source "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
log_lines=40

prove() {
  ctl submit --job "$1" --circuit bits "$work/bits/witness-1.wtns" >/dev/null
  ctl wait "$1" >/dev/null
  verify "$1" bits 1
}
# The stages of a job: name, begin and end in milliseconds since it was accepted, a line each. (What a stage holds has
# no name of a stage.)
stages() {
  ctl --json status "$1" | tr -d '\n' | grep -oE '"(begin_ms|end_ms|stage)": *("[a-z0-9]+"|[0-9]+)' | tr -d '" ' |
    awk -F: '{ value[$1] = $2; ++seen } seen == 3 { print value["stage"], value["begin_ms"], value["end_ms"]; seen = 0 }'
}
# From the end of the synthesis to the end of the assembly, which verifies.
report() {
  stages "$1" | awk -v job="$1" '
    $1 == "synth" { sealed = $3 }
    $1 != "inspect" { text = text sprintf(", %s %d", $1, $3 - $2) }
    $1 == "assemble" { verified = $3 }
    END { printf "%s: %d ms from sealed witness to verified proof%s\n", job, verified - sealed, text }'
}
another_is() { [[ $(column_of_gpu 3) != "$victim" ]] && gpu_is "$1"; }

if [[ -n $kMemoryMax ]]; then
  printf '[gpu]\nmemory_max = "%s"\n' "$kMemoryMax" >"$work/groth16d.toml"
  start_daemon --synth 1 --final 2 --b-g2 gpu --config "$work/groth16d.toml"
else
  start_daemon --synth 1 --final 2 --b-g2 gpu
fi
begin=$(milliseconds)
add_circuit bits bls12381 "$kLog2" 1 bits
printf 'circuit, witness and key made in %d ms\n' $(($(milliseconds) - begin))
begin=$(milliseconds)
await 300 circuit_is bits resident
printf 'resident after %d ms more\n' $(($(milliseconds) - begin))
ctl circuit list bits

prove first
for number in $(seq "$kJobs"); do
  prove "job-$number"
  report "job-$number"
done
ctl status "job-$kJobs"
awk '/^Rss(Anon|Shmem):/ { printf "gpu-0 %s %d MiB\n", $1, $2 / 1024 }' "/proc/$(column_of_gpu 3)/status"

victim=$(column_of_gpu 3)
ctl submit --job killed --circuit bits "$work/bits/witness-1.wtns" >/dev/null
await 10 gpu_is busy
kill -KILL "$victim"
begin=$(milliseconds)
await 60 another_is busy
printf 'a successor has the partition %d ms after the kill\n' $(($(milliseconds) - begin))
ctl wait killed >/dev/null
printf 'its proof is there %d ms after the kill\n' $(($(milliseconds) - begin))
verify killed bits 1
report killed
died_once killed
grep -oE 'circuit on the card.*' "$work/daemon.log"
grep -oE 'the card computed.*' "$work/daemon.log" | tail -n 3
end_daemon
printf '\nevery proof was verified\n'
