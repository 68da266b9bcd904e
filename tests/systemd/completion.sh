#!/usr/bin/env bash
# Every verb that `groth16ctl --help` lists, at every depth, is completed by bash, and by zsh and fish where they are
# installed, and has its section in the manual; so are its options completed. The manual pages are ones that man can show
# without a warning, where it is installed.
#
#   tests/systemd/completion.sh BUILD-FOLDER
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
build=$1
ctl=$build/bin/groth16ctl
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The names below "Subcommands:" of a help text.
verbs() { "$ctl" "$@" --help | awk '/^Subcommands:/ { inside = 1; next } /^[^ ]/ { inside = 0 } inside && /^  [a-z]/ { print $1 }'; }
options() { "$ctl" "$@" --help | grep -oE '^ +(-[a-z],)?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+'; }

manual=$("$ctl" describe man)
declare -A expected  # by "|" and a line that is to be completed: words that must be offered
checked=0
learn() {
  local verb
  for verb in $(verbs "$@"); do
    expected["|${*:+$* }"]+=" $verb"
    expected["|${*:+$* }$verb --"]=$(options "$@" "$verb" | tr '\n' ' ')
    if [[ -z $(verbs "$@" "$verb") ]]; then
      grep -qF ".SS \"$(echo "$@" "$verb")\"" <<<"$manual" || { echo "not in the manual: $* $verb"; exit 1; }
    fi
    checked=$((checked + 1))
    learn "$@" "$verb"
  done
}
learn
((checked > 30)) || { echo "only $checked verbs were found"; exit 1; }

# compare SHELL: its answers, a line and a tab and words, are on standard input; every line has one.
compare() {
  local shell=$1 line offered word answers=0
  while IFS=$'\t' read -r line offered; do
    answers=$((answers + 1))
    for word in ${expected["$line"]}; do
      [[ " $offered " == *" $word "* ]] || { echo "not completed by $shell: $line: $word; offered: $offered"; exit 1; }
    done
  done
  ((answers == ${#expected[@]})) || { echo "$shell answered $answers of ${#expected[@]} lines"; exit 1; }
}

source <("$ctl" describe bash)
for line in "${!expected[@]}"; do
  read -ra words <<<"${line#|}"
  [[ $line == *[\ \|] ]] && words+=("")
  COMP_WORDS=(groth16ctl "${words[@]}") COMP_CWORD=${#words[@]} COMPREPLY=()
  _groth16ctl
  printf '%s\t%s\n' "$line" "${COMPREPLY[*]}"
done >"$folder/bash.txt"
compare bash <"$folder/bash.txt"

shells=bash
printf '%s\n' "${!expected[@]}" | sed 's/^|//' >"$folder/lines"
if command -v zsh >/dev/null; then
  "$ctl" describe zsh >"$folder/_groth16ctl"
  zsh -f "$here/completion.zsh" "$folder" <"$folder/lines" | sed 's/^/|/' >"$folder/zsh.txt"
  compare zsh <"$folder/zsh.txt"
  shells+=", zsh"
fi
if command -v fish >/dev/null; then
  "$ctl" describe fish >"$folder/groth16ctl.fish"
  HOME=$folder fish --no-config "$here/completion.fish" "$folder/groth16ctl.fish" <"$folder/lines" | sed 's/^/|/' >"$folder/fish.txt"
  compare fish <"$folder/fish.txt"
  shells+=", fish"
fi

# groff's own warnings, where it is there.
if command -v man >/dev/null; then
  for page in "$build"/packages/man/*.[158]; do
    said=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null) || true
    [[ -z $said ]] || { echo "$page: $said"; exit 1; }
  done
fi
echo "$checked verbs in $shells"
