# A private daemon for the scripts of this folder, which source it: the programs that lie beside them, a work folder that
# goes with the script, and the daemon's log for whoever fails. log_lines: how many of its last lines die shows, as tail
# takes them; all unless the script says otherwise.
# shellcheck shell=bash
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/groth16d-gpu-XXXXXX")
daemon=
log_lines=+1

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

# start_daemon OPTION ...: with one GPU slot, whatever else the options say.
start_daemon() {
  mkdir -m 700 "$work/run" "$work/state"
  "$programs/groth16d" --private --state-dir "$work/state" --runtime-dir "$work/run" --root "$work" --gpu 1 \
    --log-level debug "$@" 2>"$work/daemon.log" &
  daemon=$!
}
end_daemon() {
  kill -TERM "$daemon"
  wait "$daemon" || die "the daemon ended with $?"
  daemon=
}

# column_of_gpu N: of the line of gpu-0 in the list of workers: 2 state, 3 process.
column_of_gpu() { ctl worker list | awk -v column="$1" '$1 == "gpu-0" { print $column }'; }
gpu_is() { [[ $(column_of_gpu 2) == "$1" ]]; }
