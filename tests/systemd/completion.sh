#!/usr/bin/env bash
# Every verb that `groth16ctl --help` lists, at every depth, is completed by bash and has its section in the manual; so
# are its options completed. The manual pages are ones that man can show without a warning, where it is installed.
#
#   tests/systemd/completion.sh BUILD-FOLDER
set -euo pipefail
build=$1
ctl=$build/bin/groth16ctl
source <("$ctl" describe bash)

# completed WORD ...: what is offered for the last of them.
completed() {
  COMP_WORDS=(groth16ctl "$@") COMP_CWORD=$# COMPREPLY=()
  _groth16ctl
  printf '%s\n' "${COMPREPLY[@]}"
}

# The names below "Subcommands:" of a help text.
verbs() { "$ctl" "$@" --help | awk '/^Subcommands:/ { inside = 1; next } /^[^ ]/ { inside = 0 } inside && /^  [a-z]/ { print $1 }'; }
options() { "$ctl" "$@" --help | grep -oE '^ +(-[a-z],)?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+'; }

manual=$("$ctl" describe man)
checked=0
check() {
  local verb option
  for verb in $(verbs "$@"); do
    completed "$@" "" | grep -x "$verb" >/dev/null || { echo "not completed: $* $verb"; exit 1; }
    if [[ -z $(verbs "$@" "$verb") ]]; then
      grep -qF ".SS \"$(echo "$@" "$verb")\"" <<<"$manual" || { echo "not in the manual: $* $verb"; exit 1; }
    fi
    for option in $(options "$@" "$verb"); do
      completed "$@" "$verb" -- | grep -x -- "$option" >/dev/null || { echo "not completed: $* $verb $option"; exit 1; }
    done
    checked=$((checked + 1))
    check "$@" "$verb"
  done
}
check
((checked > 30)) || { echo "only $checked verbs were found"; exit 1; }

# groff's own warnings, where it is there.
if command -v man >/dev/null; then
  for page in "$build"/packages/man/*.[158]; do
    said=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null) || true
    [[ -z $said ]] || { echo "$page: $said"; exit 1; }
  done
fi
echo "$checked verbs"
