// Completion of groth16ctl for the shells of Debian, written from the program's own tree of commands: the packages are
// built with it, so none can miss a verb or an option.
//
// All three follow the words of the command line from command to command; a word that does not lead on is an argument.
// What is offered for the next word is the commands that it may be, options where it begins with "-", else files.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace groth16d::ctl {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);   // to lie as _groth16ctl in a folder of $fpath
std::string fish_completion(const CLI::App& app);  // to lie as groth16ctl.fish

}  // namespace groth16d::ctl
