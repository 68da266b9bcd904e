#include "client/ctl/usage.hpp"

#include <CLI/CLI.hpp>
#include <string>

namespace groth16d::ctl {
namespace {

// The command that was understood last, and the words that lead to it.
struct Reached {
  const CLI::App* command;
  std::string words;
};

Reached deepest(const CLI::App& app) {
  Reached reached{&app, ""};
  while (!reached.command->get_subcommands().empty()) {
    reached.command = reached.command->get_subcommands().front();
    reached.words += (reached.words.empty() ? "" : " ") + reached.command->get_name();
  }
  return reached;
}

std::string commands_of(const CLI::App& command) {
  std::string names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    names += (names.empty() ? "" : ", ") + sub->get_name();
  return names;
}

// The first word that nobody took and that is no option: CLI11 keeps it, and complains of something else.
std::string first_stray_word(const CLI::App& app) {
  for (const std::string& word : app.remaining(true))
    if (!word.starts_with('-')) return word;
  return "";
}

}  // namespace

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const Reached reached = deepest(app);
  const std::string begin = reached.words.empty() ? "" : reached.words + ": ";
  const bool wants_command = reached.command->get_require_subcommand_min() > 0;
  const std::string known = commands_of(*reached.command);
  if (!wants_command)
    return {ErrorCode::malformed, "usage.arguments",
            begin + error.what() + "; `groth16ctl " + reached.words + " --help` tells more"};
  const std::string stray = first_stray_word(app);
  if (!stray.empty())
    return {ErrorCode::malformed, "usage.unknown_command",
            begin + "there is no command \"" + stray + "\"; expected one of " + known};
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return {ErrorCode::malformed, "usage.arguments", begin + "a command is needed: one of " + known};
  return {ErrorCode::malformed, "usage.arguments", begin + error.what()};
}

}  // namespace groth16d::ctl
