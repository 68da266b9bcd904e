# A private daemon for the scripts of this folder, which source it: the programs that lie beside them, a work folder that
# goes with the script, and the daemon's log for whoever fails. log_lines: how many of its last lines die shows, as tail
# takes them; all unless the script says otherwise. cards: how many GPU slots.
# shellcheck shell=bash
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/groth16d-gpu-XXXXXX")
daemon=
log_lines=+1
cards=1

stop() {
  [[ -z $daemon ]] || kill -KILL "$daemon" 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT
ctl() { "$programs/groth16ctl" --runtime-dir "$work/run" "$@"; }
milliseconds() { date +%s%3N; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  tail -n "$log_lines" "$work/daemon.log" >&2
  exit 1
}

# await SECONDS COMMAND ...: until the command succeeds; there is no waiting for a daemon that is gone.
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    kill -0 "$daemon" 2>/dev/null || die "the daemon is gone"
    ((SECONDS < end)) || die "waited in vain: $*"
    sleep 0.02
  done
}

# start_daemon OPTION ...: with GPU slots, and whatever else the options say; ready when it returns.
start_daemon() {
  rm -rf "$work/run" "$work/state"
  mkdir -m 700 "$work/run" "$work/state"
  "$programs/groth16d" --private --state-dir "$work/state" --runtime-dir "$work/run" --root "$work" --gpu "$cards" \
    --log-level debug "$@" 2>"$work/daemon.log" &
  daemon=$!
  await 30 test -S "$work/run/client.sock"
  await 60 gpus_are_ready
}
end_daemon() {
  kill -TERM "$daemon"
  wait "$daemon" || die "the daemon ended with $?"
  daemon=
}

# column_of SLOT N: of the slot's line in the list of workers: 2 state, 3 process.
column_of() { ctl worker list | awk -v slot="$1" -v column="$2" '$1 == slot { print $column }'; }
column_of_gpu() { column_of gpu-0 "$1"; }
slot_is() { [[ $(column_of "$1" 2) == "$2" ]]; }
gpu_is() { slot_is gpu-0 "$1"; }
gpus_are_ready() { [[ $(ctl worker list | awk '$1 ~ /^gpu-/ && $2 == "ready"' | wc -l) == "$cards" ]]; }

# add_circuit NAME CURVE DOMAIN_LOG2 WITNESSES [bits]: a demonstration's circuit with a key of no ceremony, registered.
add_circuit() {
  local here=$work/$1
  mkdir "$here"
  "$programs/groth16-demo-circuit" "$2" "$3" "$4" "$here" ${5+"$5"}
  ctl setup --insecure --r1cs "$here/circuit.r1cs" --zkey "$here/circuit.zkey" --vk "$here/verification_key.json" \
    >/dev/null
  register_circuit "$1"
}
register_circuit() {
  ctl circuit add "$1" --zkey "$work/$1/circuit.zkey" --r1cs "$work/$1/circuit.r1cs" --allow-insecure-key >/dev/null
}
circuit_is() { ctl circuit list "$1" | grep -qE "^state +$2"; }
# verify JOB CIRCUIT PARTITIONS [FIRST]: each proof of a job that is done, or the first so many, by groth16ctl.
verify() {
  local here=$work/$2 partition
  ctl result "$1" --proof "$here/proof.json" --public "$here/public.json" >/dev/null || die "job $1 has no result"
  for partition in $(seq 0 $((${4:-$3} - 1))); do
    if (($3 == 1)); then partition=; fi
    ctl verify "$here/verification_key.json" "$here/public${partition:+-$partition}.json" \
      "$here/proof${partition:+-$partition}.json" >/dev/null || die "proof $partition of job $1 is not valid"
  done
}
# died_once JOB: the kill met a stage of the job, and cost no other.
died_once() {
  [[ $(ctl status "$1" | grep -c ' died$') == 1 ]] || die "one stage of $1 and no more was to end with its worker"
}
