#!/usr/bin/env bash
# The packages and units of groth16d on a booted Debian 12, from installation to purge: one line a step, exit code 1 when
# one of them failed. Needs root, debootstrap and systemd-container; memory limits by delegation cannot be shown in it.
#
#   tests/systemd/run.sh [BUILD-FOLDER]     default build/release, whose programs are built already
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
build=$(realpath "${1:-build/release}")
mkdir -p build/nspawn
work=$(realpath build/nspawn)/run
source tests/systemd/container.sh
need_machine

failures=0 number=0
# step NAME FUNCTION: its output is shown only where it fails.
step() {
  local name=$1 log=$work/step.log begin=$SECONDS
  number=$((number + 1))
  if ("$2") >"$log" 2>&1; then
    printf 'ok   %2d %s (%d s)\n' "$number" "$name" $((SECONDS - begin))
  else
    printf 'FAIL %2d %s\n' "$number" "$name"
    sed 's/^/       /' "$log" | tail -n 30
    failures=$((failures + 1))
  fi
}

# --- words of the steps -----------------------------------------------------------------------------------------------

alice() { inside_as alice groth16ctl "$@"; }
oscar() { inside_as oscar groth16ctl "$@"; }
property() { inside systemctl show --value -p "$1" groth16d.service; }
state_of() { alice --json status "$1" | json '["state"]'; }
json() { /usr/bin/python3 -c "import json,sys; print(json.load(sys.stdin)$1)"; }
slot() { alice --json worker list | /usr/bin/python3 -c "
import json, sys
for w in json.load(sys.stdin):
    if w['slot'] == '$1': print(w['$2'])"; }
must() { "$@" || { echo "failed: $*"; return 1; }; }
must_not() { ! "$@" || { echo "should have failed: $*"; return 1; }; }
equal() { [[ $1 == "$2" ]] || { echo "found \"$1\", expected \"$2\""; return 1; }; }
# within SECONDS COMMAND ...: until it succeeds.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || { echo "not in time: $*"; return 1; }
    sleep 0.3
  done
}
active() { [[ $(property ActiveState) == active ]]; }
submit() { alice submit --job "$1" --circuit demo /srv/groth16d/witness-1.wtns /srv/groth16d/witness-2.wtns /srv/groth16d/witness-3.wtns; }
proven() {
  must alice wait "$1" --at-most 300 && must inside_as alice rm -rf "/tmp/$1" && must alice result "$1" --out "/tmp/$1" &&
    must alice verify /srv/groth16d/vk.json "/tmp/$1/public-0.json" "/tmp/$1/proof-0.json"
}
install() { inside bash -c "apt-get install -q -y --no-install-recommends -o Dpkg::Options::=--force-confold $*"; }
configure() { inside sed -i -E "s|^#?$1 = .*|$1 = $2|" /etc/groth16d/groth16d.toml; }

# --- the steps --------------------------------------------------------------------------------------------------------

make_packages() {
  rm -rf "$work/deb-1" "$work/deb-2"
  local release
  for release in 1 2; do
    cpack --config "$build/CPackConfig.cmake" -B "$work/deb-$release" -D CPACK_DEBIAN_PACKAGE_RELEASE=$release \
      -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip || return 1
    rm -rf "$work/deb-$release/_CPack_Packages"
  done
}

# Downloaded packages are kept for the next run.
install_packages() {
  mkdir -p "$work/../apt"
  cp "$work"/../apt/*.deb "$work/root/var/cache/apt/archives/" 2>/dev/null
  inside apt-get update -q || return 1
  install '/packages/groth16d_*.deb' '/packages/groth16d-client_*.deb' || return 1
  cp -u "$work"/root/var/cache/apt/archives/*.deb "$work/../apt/"
}

surprise_nobody() {
  equal "$(inside systemctl is-enabled groth16d.service groth16d-client.socket groth16d-web.service | sort -u)" disabled &&
    equal "$(property ActiveState)" inactive &&
    must inside id groth16d && must inside getent group groth16d-clients groth16d-operators &&
    must inside test -L /usr/share/man/man8/groth16-synth.8.gz
}

verify_units() {
  local said
  said=$(inside bash -c 'systemd-analyze verify --man=no /lib/systemd/system/groth16d*' 2>&1) || true
  equal "$said" ""
}

measure_exposure() {
  must inside systemd-analyze security --no-pager --threshold=25 groth16d.service &&
    must inside systemd-analyze security --no-pager --threshold=25 groth16d-worker@synth-0.service &&
    must inside systemd-analyze security --no-pager --threshold=25 groth16d-web.service
}

start_service() {
  inside useradd --groups groth16d-clients alice
  inside useradd --groups groth16d-clients,groth16d-operators oscar
  inside useradd bob
  configure roots '["/srv/groth16d"]'
  configure budget '"1 GiB"'
  inside mkdir -p /etc/systemd/system/groth16d.service.d
  printf '[Service]\nWatchdogSec=6s\n' >"$work/root/etc/systemd/system/groth16d.service.d/test.conf"
  inside systemctl daemon-reload
  must inside systemctl start groth16d.service && must active &&
    equal "$(inside stat -c '%a %U %G' /run/groth16d/client.sock)" "660 groth16d groth16d-clients" &&
    equal "$(inside stat -c '%a %U %G' /run/groth16d/operator.sock)" "660 groth16d groth16d-operators" &&
    equal "$(inside stat -c '%a %U %G' /run/groth16d/events.sock)" "660 groth16d groth16d-clients" &&
    equal "$(inside stat -c '%a %U' /var/lib/groth16d /var/cache/groth16d | sort -u)" "700 groth16d" &&
    [[ $(property StatusText) == ready:* ]]
}

separate_groups() {
  must alice status && must_not inside_as bob groth16ctl --timeout 2 status && must_not alice reload && must oscar reload
}

prove_as_client() {
  inside groth16-demo-circuit bn128 13 3 /srv/groth16d &&
    inside groth16ctl setup --insecure --r1cs /srv/groth16d/circuit.r1cs --zkey /srv/groth16d/circuit.zkey \
      --vk /srv/groth16d/vk.json &&
    must oscar circuit add demo --zkey /srv/groth16d/circuit.zkey --r1cs /srv/groth16d/circuit.r1cs --allow-insecure-key &&
    submit first && proven first
}

# bob is nobody's client: one process makes his proof, or a daemon of his own.
prove_without_daemon() {
  inside install -d -m 777 /srv/bob || return 1
  local by proof n=0
  for by in --runtime-dir=/nowhere --private; do
    proof=/srv/bob/proof$((++n)).json
    must inside_as bob groth16ctl prove "$by" --allow-insecure-key --zkey /srv/groth16d/circuit.zkey \
      --wtns /srv/groth16d/witness-1.wtns --proof "$proof" --public "$proof.public" &&
      must inside groth16ctl verify --vk /srv/groth16d/vk.json --public "$proof.public" --proof "$proof" || return 1
  done
}

restart_worker_by_systemctl() {
  local before
  before=$(slot synth-0 epoch)
  must inside systemctl restart groth16d-worker@synth-0.service && [[ $(slot synth-0 epoch) -gt $before ]] || return 1
  before=$(slot synth-0 epoch)
  must inside systemctl restart groth16d-worker@synth-0.service && [[ $(slot synth-0 epoch) -gt $before ]] || return 1
  must inside systemctl stop groth16d-worker@synth-0.service && equal "$(slot synth-0 state)" disabled &&
    must inside systemctl start groth16d-worker@synth-0.service && equal "$(slot synth-0 state)" ready
}

kill_workers_under_load() {
  submit killed || return 1
  local role
  for _ in 1 2; do
    for role in cpu-0 final-0 synth-0; do
      inside kill -KILL "$(slot $role pid)"
      sleep 0.5
    done
  done
  proven killed && equal "$(property NRestarts)" 0
}

block_loop() {
  submit blocked || return 1
  local restarts
  restarts=$(property NRestarts)
  inside kill -STOP "$(property MainPID)"
  restarted() { [[ $(property NRestarts) -gt $restarts ]] && active; }
  within 60 restarted && proven blocked &&
    must grep -q 'Watchdog timeout' <(inside journalctl -u groth16d.service --no-pager)
}

# A client that speaks while the daemon is away waits; nobody is refused.
keep_clients_waiting() {
  inside systemctl restart groth16d.service &
  sleep 0.3
  must alice --timeout 60 status || return 1
  wait
  must active
}

reload_configuration() {
  configure budget '"900 MiB"'
  must inside systemctl reload groth16d.service &&
    equal "$(alice --json status | json '["budget_total_bytes"]')" $((900 << 20)) || return 1
  configure budget '"900 Megabytes"'
  must_not inside systemctl reload groth16d.service && must active &&
    equal "$(alice --json status | json '["budget_total_bytes"]')" $((900 << 20)) &&
    [[ -n $(inside journalctl -u groth16d.service EVENT=config.refused --no-pager --quiet -o cat) ]] || return 1
  configure budget '"1 GiB"'
  must inside systemctl reload groth16d.service
}

find_in_journal() {
  [[ -n $(inside journalctl JOB=first -o cat --no-pager --quiet) ]] &&
    [[ -n $(inside journalctl SLOT=synth-0 EVENT=slot.spawned -o cat --no-pager --quiet) ]] &&
    [[ -n $(inside journalctl SLOT=cpu-0 EVENT=slot.ended -o cat --no-pager --quiet) ]]
}

upgrade_under_load() {
  local job before
  before=$(property MainPID)
  for job in one two three four; do submit "up-$job" || return 1; done
  cp "$work"/deb-2/*.deb "$work/root/packages/"
  must install '/packages/groth16d_*-2_*.deb' '/packages/groth16d-client_*-2_*.deb' || return 1
  [[ $(property MainPID) != "$before" ]] && must active &&
    equal "$(inside dpkg-query -W -f '${Version}' groth16d)" "$(inside dpkg-query -W -f '${Version}' groth16d-client)" || return 1
  for job in one two three four; do proven "up-$job" || return 1; done
}

# Metrics without a token, on loopback.
scrape_metrics() {
  inside systemctl start groth16d-web.service
  scraped() { inside bash -c 'exec 3<>/dev/tcp/127.0.0.1/9816; printf "GET /metrics HTTP/1.0\r\nHost: 127.0.0.1:9816\r\n\r\n" >&3; cat <&3' 2>/dev/null | grep -q '^groth16d_up 1'; }
  within 20 scraped
}

examine_machine() { inside groth16ctl --json doctor | json '["findings"][0]["area"]'; }

stop_with_drain() {
  submit parked || return 1
  must inside systemctl stop groth16d-client.socket groth16d.service && equal "$(property Result)" success &&
    equal "$(property ActiveState)" inactive && must_not inside pgrep -u groth16d || return 1
  must inside systemctl start groth16d.service && proven parked
}

compile_client() {
  install '/packages/libgroth16d-client-dev_*.deb' g++ pkg-config || return 1
  cp -u "$work"/root/var/cache/apt/archives/*.deb "$work/../apt/"
  cat >"$work/root/root/ask.cpp" <<'CPP'
#include <client/lib/client.hpp>
#include <cstdio>
int main() {
  auto address = groth16d::client::address_in("/run/groth16d");
  auto client = groth16d::client::Client::connect(address, 10'000);
  auto workers = client->workers();
  std::printf("%zu\n", workers ? workers->size() : 0);
}
CPP
  inside bash -c 'g++ /root/ask.cpp -o /usr/local/bin/ask $(pkg-config --cflags --libs groth16d-client)' &&
    equal "$(inside_as alice ask)" 4
}

purge() {
  must inside apt-get purge -q -y groth16d groth16d-client libgroth16d-client-dev &&
    must_not inside pgrep -u groth16d || return 1
  local left
  left=$(inside find / -xdev \( -path /proc -o -path /srv -o -path /packages -o -path /tmp -o -path /var/log \
    -o -path /var/cache/apt -o -path /sys -o -path /usr/local -o -path /etc/systemd/system/groth16d.service.d \
    -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /home \) -prune -o -name '*groth16*' -print)
  equal "$left" ""
}

mkdir -p "$work"
trap 'shut_down; rm -rf "$work/root"' EXIT
step 'make the packages, and a second release of them' make_packages
make_base "$work/../debian" && boot "$work/../debian" "$work/deb-1" || { echo 'FAIL the machine does not boot'; exit 1; }
step 'install with apt' install_packages
((failures == 0)) || exit 1
step 'nothing is enabled or started by the installation' surprise_nobody
step 'systemd-analyze verify has nothing to say' verify_units
step 'systemd-analyze security: exposure at most 2.5' measure_exposure
step 'start: ready, sockets of the right groups' start_service
step 'clients ask, operators operate, others neither' separate_groups
step 'a member of groth16d-clients proves' prove_as_client
step 'who has no daemon proves without' prove_without_daemon
step 'systemctl restarts, stops and starts one worker' restart_worker_by_systemctl
step 'workers are killed under load, the job completes' kill_workers_under_load
step 'the loop is blocked: watchdog, restart, job completes' block_loop
step 'a client that asks during a restart waits' keep_clients_waiting
step 'a good configuration is reloaded, a bad one refused' reload_configuration
step 'the journal finds by job, slot and event' find_in_journal
step 'groth16-web serves metrics' scrape_metrics
step 'doctor examines the machine' examine_machine
step 'upgrade under load, no job is lost' upgrade_under_load
step 'stop drains, a later start goes on' stop_with_drain
step 'a program compiles with the client library' compile_client
step 'purge leaves nothing' purge
printf '%d steps, %d failed\n' "$number" "$failures"
((failures == 0))
