# What fish offers at the end of each line of standard input: the line, a tab, and the offered words.
#
#   fish --no-config tests/systemd/completion.fish groth16ctl.fish
source $argv[1]
while read -l -d \n line
    printf '%s\t%s\n' $line (complete -C "groth16ctl $line" | string split -f 1 \t | string join ' ')
end
