// The program's own tree of commands and options, for what is written from it: completion and the manual page.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace groth16d::ctl {

// Those that a help text lists.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

// "--json" and "-v", as they are typed; none for a positional argument.
std::vector<std::string> spellings(const CLI::Option& option);

bool takes_value(const CLI::Option& option);

// Each command with its path of words ("worker restart"; "" for the program), before its own commands.
using Visit = std::function<void(const CLI::App&, const std::string& path)>;
void visit_all(const CLI::App& app, const Visit& visit);

std::string joined(const std::vector<std::string>& words, const std::string& between);

}  // namespace groth16d::ctl
