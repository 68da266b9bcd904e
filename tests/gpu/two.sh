#!/usr/bin/env bash
# Several cards: mixed jobs over all of them against one, a worker that is killed, and a card that returns wrong points.
# Every proof is verified by groth16ctl.
#
#   two.sh [JOBS [LEAST_RATIO [LOG2 ...]]]     default 40 jobs, 1.8 times one card's throughput, circuits of 2^14, 2^16
#                                              and 2^18 rows; the last part needs a build with failpoints
set -euo pipefail

readonly kJobs=${1:-40} kLeastRatio=${2:-1.8} kPartitions=4
sizes=("${@:3}")
((${#sizes[@]} > 0)) || sizes=(14 16 18)
# shellcheck source=tests/gpu/daemon.sh
source "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
log_lines=60

title() { printf '\n-- %s\n' "$*"; }
circuit_of() { printf 'rows-%s' "${sizes[$(($1 % ${#sizes[@]}))]}"; }
# submit JOB CIRCUIT [TIMES]: a partition for each witness, so many times.
submit() {
  local inputs=("$work/$2"/witness-*.wtns) all=()
  for _ in $(seq "${3:-1}"); do all+=("${inputs[@]}"); done
  ctl submit --job "$1" --circuit "$2" "${all[@]}" >/dev/null
}
start() { start_daemon --synth 4 --final 4 --b-g2 gpu; }
register_all() {
  local size
  for size in "${sizes[@]}"; do register_circuit "rows-$size"; done
  for size in "${sizes[@]}"; do await 60 circuit_is "rows-$size" resident; done
}
# warm: every circuit is on every card.
warm() {
  local number size
  for size in "${sizes[@]}"; do
    for number in 1 2; do submit "warm-$size-$number" "rows-$size"; done
    for number in 1 2; do ctl wait "warm-$size-$number" >/dev/null; done
  done
}
# mixed NAME: kJobs jobs of all sizes, submitted by four clients; the time from the first submission to the last proof is
# left in `took`. One proof of each is verified by groth16ctl, all are by the daemon.
mixed() {
  local number begin client submitters=()
  warm
  begin=$(milliseconds)
  for client in 0 1 2 3; do
    for number in $(seq $((client + 1)) 4 "$kJobs"); do submit "$1-$number" "$(circuit_of "$number")" 4; done &
    submitters+=($!)
  done
  wait "${submitters[@]}"
  for number in $(seq "$kJobs"); do ctl wait "$1-$number" >/dev/null; done
  took=$(($(milliseconds) - begin))
  for number in $(seq "$kJobs"); do verify "$1-$number" "$(circuit_of "$number")" "$((4 * kPartitions))" 1; done
  printf '%d jobs of %d partitions on %d cards: %d ms\n' "$kJobs" $((4 * kPartitions)) "$cards" "$took"
}
partitions_of() { grep -c "$1: the card computed" "$work/daemon.log"; }

title "circuits"
start
for size in "${sizes[@]}"; do add_circuit "rows-$size" bls12381 "$size" "$kPartitions"; done
for size in "${sizes[@]}"; do await 120 circuit_is "rows-$size" resident; done

title "one card"
mixed one
one=$took
end_daemon

title "two cards"
cards=2
start
register_all
ctl worker list
mixed two
printf 'gpu-0 %d partitions, gpu-1 %d\n' "$(partitions_of gpu-0)" "$(partitions_of gpu-1)"
ratio=$(awk -v one="$one" -v two="$took" 'BEGIN { printf "%.2f", one / two }')
printf '%s times the throughput of one\n' "$ratio"
awk -v ratio="$ratio" -v least="$kLeastRatio" 'BEGIN { exit ratio < least }' || die "at least $kLeastRatio was expected"

title "a worker is killed while it proves"
largest=rows-${sizes[-1]}
victim=$(column_of gpu-1 3)
for number in 1 2 3 4; do submit "killed-$number" "$largest"; done
await 10 slot_is gpu-1 busy
kill -KILL "$victim"
for number in 1 2 3 4; do
  ctl wait "killed-$number" >/dev/null
  verify "killed-$number" "$largest" "$kPartitions"
done
for number in 1 2 3 4; do ctl status "killed-$number" | grep -E 'died' || true; done
[[ $(for number in 1 2 3 4; do ctl status "killed-$number"; done | grep -c ' died$') == 1 ]] ||
  die "one partition and no more was to be done again"
await 60 slot_is gpu-1 ready
end_daemon

title "gpu-1 returns wrong points"
if ! grep -q 'prove\.wrong_point' "$programs/groth16-gpu"; then
  printf 'left out: this build has no failpoints\n'
  exit 0
fi
faulty=$work/programs
mkdir "$faulty"
for program in "$programs"/groth16*; do ln -s "$program" "$faulty"; done
rm "$faulty/groth16-gpu" "$faulty/groth16d"
cp "$programs/groth16d" "$faulty"  # its programs lie beside it
[[ ! -d $programs/lib ]] || ln -s "$programs/lib" "$faulty/lib"
cat >"$faulty/groth16-gpu" <<END
#!/bin/sh
[ "\$GROTH16D_SLOT" != gpu-1 ] || export GROTH16D_FAILPOINTS='prove.wrong_point=error+'
exec "$programs/groth16-gpu" "\$@"
END
chmod 755 "$faulty/groth16-gpu"
programs=$faulty
start
register_all
for number in $(seq 60); do
  submit "wrong-$number" "rows-${sizes[0]}"
  ctl wait "wrong-$number" >/dev/null
  verify "wrong-$number" "rows-${sizes[0]}" "$kPartitions"
  ! slot_is gpu-1 failed || break
done
ctl worker list
slot_is gpu-1 failed || die "gpu-1 returned wrong points for $number jobs and is still there"
printf 'gpu-1 was taken out after %d jobs, all of which were proven\n' "$number"
grep -m 3 -F 'did not verify' "$work/daemon.log"
submit after "$largest"
ctl wait after >/dev/null
verify after "$largest" "$kPartitions"
end_daemon
printf '\nevery proof was verified\n'
