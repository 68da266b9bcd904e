#!/usr/bin/env bash
# The units as they are shipped: systemd-analyze verify finds nothing to say about them, and their exposure is 2.5 at
# most. Ends with 77, skipped, where systemd-analyze is absent.
#
#   tests/systemd/units.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v systemd-analyze >/dev/null || { echo 'SKIPPED: systemd-analyze is absent'; exit 77; }
root=$(mktemp -d "${TMPDIR:-/tmp}/groth16d-units-XXXXXX")
trap 'rm -rf "$root"' EXIT

# The system's own units and commands are what ours refer to.
mkdir -p "$root"/{lib,usr/sbin,usr/bin,usr/lib,usr/libexec/groth16d}
cp -r /lib/systemd "$root/lib/"
cp -r /lib/systemd "$root/usr/lib/"
cp systemd/*.service systemd/*.socket systemd/*.slice "$root/lib/systemd/system/"
cp systemd/*.service systemd/*.socket systemd/*.slice "$root/usr/lib/systemd/system/"
for command in usr/sbin/groth16d usr/bin/groth16ctl usr/libexec/groth16d/groth16-web; do install -m 755 /bin/true "$root/$command"; done

complaints_about() { systemd-analyze --man=no --root="$root" verify "$1" 2>&1 | grep -i groth16 || true; }

# What says nothing of a key that systemd 252 does not know proves nothing.
sed 's/^Type=notify$/Type=notify-reload/' systemd/groth16d.service >"$root/usr/lib/systemd/system/groth16d-broken.service"
cp "$root/usr/lib/systemd/system/groth16d-broken.service" "$root/lib/systemd/system/"
[[ -n $(complaints_about groth16d-broken.service) ]] || { echo 'verify overlooks a wrong unit'; exit 1; }

failures=0
for unit in systemd/*.service systemd/*.socket systemd/*.slice; do
  said=$(complaints_about "$(basename "$unit")")
  [[ -z $said ]] || { printf '%s\n' "$said"; failures=$((failures + 1)); }
done
for unit in systemd/*.service; do
  measured=$(systemd-analyze security --no-pager --offline=true --threshold=25 "$unit" 2>&1) || {
    printf '%s\n' "$measured" | tail -n 2
    failures=$((failures + 1))
  }
  printf '%s\n' "$measured" | grep 'Overall exposure' || { echo "$unit was not measured"; failures=$((failures + 1)); }
done
((failures == 0))
