# What zsh offers at the end of each line of standard input: the line, a tab, and the offered words. Its completion
# system loads the function by itself; only what is shown is caught.
#
#   zsh -f tests/systemd/completion.zsh FOLDER-OF-_groth16ctl
fpath=($1 $fpath)
autoload -Uz compinit
compinit -u -D
[[ ${_comps[groth16ctl]} == _groth16ctl ]] || { print -u2 "zsh does not know whose completion this is"; exit 1 }

_describe() { local name=${@[-1]}; offered=("${(@P)name}") }
_files() { offered=(FILES) }
while IFS= read -r line; do
  words=(groth16ctl "${(@s: :)line}")
  CURRENT=$#words
  offered=()
  _groth16ctl
  print -r -- "$line"$'\t'"${(j: :)${(@)offered%%:*}}"
done
