#!/usr/bin/env bash
# A whole replication proof of a sector, as a client asks for it: the key made on the card from a recipe, a synthetic C1
# submitted over ZeroMQ, every partition proven on the card and verified against the public inputs that follow from the
# statement. Prints where the time went, and what the processes took.
#
#   flagship.sh SECTOR [PROOFS [BUDGET]]     32GiB needs 120 GiB of memory, and a card with 140; default 3 proofs, 112 GiB
set -euo pipefail

readonly kSector=$1 kProofs=${2:-3} kBudget=${3:-112 GiB}
# shellcheck source=tests/gpu/daemon.sh
source "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
log_lines=40

# Processor seconds and memory of every process of the daemon.
processes() {
  local pid
  for pid in "$daemon" $(pgrep -P "$daemon"); do
    printf '%-14s %5.1f core-seconds' "$(cat "/proc/$pid/comm")" \
      "$(awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15) / hz }' "/proc/$pid/stat")"
    awk '/^Rss(Anon|Shmem):/ { printf ", %s %d MiB", $1, $2 / 1024 }' "/proc/$pid/status"
    printf '\n'
  done
  printf 'shared memory of the machine: %.0f MiB\n' "$(awk '/^Shmem:/ { print $2 / 1024 }' /proc/meminfo)"
}

start_daemon --synth 4 --final 2 --b-g2 gpu --budget "$kBudget"

printf -- '-- the key of porep-%s\n' "$kSector"
# Of small sectors the same key's files are made here, too, and proofs are verified with these.
files=()
[[ $kSector == *GiB ]] || files=(--params "$work/key.params" --vk "$work/key.vk")
begin=$(milliseconds)
ctl setup --insecure --circuit "porep-$kSector" --seed 7 --recipe "$work/key.recipe" --register porep "${files[@]}"
until circuit_is porep resident; do
  ! circuit_is porep failed || die "no key: $(ctl circuit list porep)"
  kill -0 "$daemon" || die "the daemon is gone"
  sleep 0.2
done
printf 'resident after %d ms\n' $(($(milliseconds) - begin))
ctl circuit list porep
processes

begin=$(milliseconds)
ctl porep synth-c1 --sector-size "$kSector" --out "$work/c1.json"
printf 'C1 made in %d ms\n' $(($(milliseconds) - begin))

for number in $(seq "$kProofs"); do
  printf -- '-- proof %d\n' "$number"
  begin=$(milliseconds)
  ctl porep prove --c1 "$work/c1.json" --miner 1000 --sector 1 --circuit porep --job "proof-$number" --out "$work/proof-$number" ||
    die "proof $number failed"
  printf 'proof %d: %d ms, %d bytes\n' "$number" $(($(milliseconds) - begin)) "$(stat -c %s "$work/proof-$number")"
  ((${#files[@]} == 0)) ||
    ctl porep verify --c1 "$work/c1.json" --miner 1000 --sector 1 --proof "$work/proof-$number" --vk "$work/key.vk" ||
    die "proof $number does not verify with the key's files"
  ctl status "proof-$number"
  processes
done
printf -- '-- the GPU worker is killed while it proves\n'
victim=$(column_of_gpu 3)
ctl porep prove --c1 "$work/c1.json" --miner 1000 --sector 1 --circuit porep --job killed --out "$work/killed" &
waiting=$!
await 60 gpu_is busy
kill -KILL "$victim"
begin=$(milliseconds)
another_is_busy() { [[ $(column_of_gpu 3) != "$victim" ]] && gpu_is busy; }
await 120 another_is_busy
printf 'another worker has the partition after %d ms\n' $(($(milliseconds) - begin))
wait "$waiting" || die "the job that was under way is lost"
ctl status killed | grep -E 'prove|b_g2'
died_once killed

grep -E 'circuit on the card|the card computed|B2' "$work/daemon.log" | tail -n 40
end_daemon
printf '\nevery partition was verified\n'
