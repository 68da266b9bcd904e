# A Debian 12 booted in systemd-nspawn, for the tests of units and packages. Sourced; everything lies under $work.
#
#   need_machine                ends with 77, skipped, where none can be booted
#   make_base BASE              debootstrap once, kept for the next run
#   boot BASE PACKAGES          a throw-away copy with the packages in /packages, booted; waits until it runs
#   inside COMMAND ...          as root in it, with its own namespaces
#   inside_as USER COMMAND ...  as that user
#   shut_down                   ends it, whatever state it is in
container_pid='' nspawn_pid=''

need_machine() {
  [[ $(id -u) == 0 ]] && command -v debootstrap >/dev/null && command -v systemd-nspawn >/dev/null && return 0
  echo 'SKIPPED: root, debootstrap and systemd-nspawn are needed'
  exit 77
}

make_base() {
  local base=$1
  [[ -f $base/.complete ]] && return 0
  rm -rf "$base"
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,libnss-systemd,procps,ca-certificates \
    bookworm "$base" http://deb.debian.org/debian >"$work/debootstrap.log" 2>&1 || {
    tail -n 20 "$work/debootstrap.log" >&2
    return 1
  }
  touch "$base/.complete"
}

# nspawn wants a /run that is a tmpfs and a machine of its own; both exist only in the namespace made here.
boot() {
  local base=$1 packages=$2
  rm -rf "$work/root"
  cp -a "$base" "$work/root"
  mkdir -p "$work/root/packages" "$work/root/srv/groth16d"
  cp "$packages"/*.deb "$work/root/packages/"
  setsid unshare --mount --propagation private bash -c '
    mount -t tmpfs tmpfs /run
    exec systemd-nspawn --quiet --directory="$0" --register=no --keep-unit --resolv-conf=copy-host --console=passive --boot
  ' "$work/root" >"$work/boot.log" 2>&1 </dev/null &
  nspawn_pid=$!
  local turn
  for ((turn = 0; turn < 600; ++turn)); do
    find_leader && inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded' && return 0
    kill -0 "$nspawn_pid" 2>/dev/null || break
    sleep 0.2
  done
  tail -n 30 "$work/boot.log" >&2
  return 1
}

# The process 1 of the container: the child of nspawn's child-less tree that is systemd.
find_leader() {
  [[ -n $container_pid ]] && kill -0 "$container_pid" 2>/dev/null && return 0
  local pid
  for pid in $(pgrep -x systemd); do
    [[ $(readlink "/proc/$pid/root") == "$work/root" || $(stat -Lc %d:%i "/proc/$pid/root" 2>/dev/null) == $(stat -c %d:%i "$work/root") ]] || continue
    [[ $(awk '/^NSpid:/ { print $NF }' "/proc/$pid/status") == 1 ]] || continue
    container_pid=$pid
    return 0
  done
  return 1
}

inside() { nsenter --target "$container_pid" --mount --uts --ipc --net --pid --root --wdns=/ -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
inside_as() {
  local user=$1
  shift
  inside setpriv --reuid="$user" --regid="$user" --init-groups --reset-env -- "$@"
}

shut_down() {
  [[ -z ${nspawn_pid:-} ]] || kill -KILL "$nspawn_pid" 2>/dev/null || true
  [[ -z $container_pid ]] || kill -KILL "$container_pid" 2>/dev/null || true
  wait "${nspawn_pid:-}" 2>/dev/null || true
  container_pid='' nspawn_pid=''
}
