// describe: the program's own tree of commands and options, written down for a shell (completion) and for man. Packages
// are built with it, so neither can miss a verb.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "client/ctl/command.hpp"
#include "client/ctl/command_tree.hpp"
#include "client/ctl/completion.hpp"

namespace groth16d::ctl {
namespace {

std::string roff(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '\\') {
      escaped += "\\e";
    } else if (letter == '-') {
      escaped += "\\-";
    } else {
      if ((letter == '.' || letter == '\'') && (escaped.empty() || escaped.back() == '\n')) escaped += "\\&";
      escaped += letter;
    }
  }
  return escaped;
}

std::string value_name(const CLI::Option& option) {
  if (!takes_value(option)) return "";
  const std::string type = option.get_type_name();
  return type.empty() ? "VALUE" : type;
}

std::string options_text(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    const std::string value = value_name(*option);
    const std::string name = option->get_positional() ? "" : joined(spellings(*option), ", ");
    if (name.empty()) continue;
    text += ".TP\n.B " + roff(name) + (value.empty() ? "" : " \\fI" + roff(value) + "\\fR") + "\n" +
            roff(option->get_description()) + "\n";
  }
  return text;
}

std::string synopsis(const CLI::App& app, const std::string& path) {
  std::string line = ".B " + roff("groth16ctl " + path);
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string value =
        roff(option->get_type_name().empty() ? option->get_single_name() : option->get_type_name());
    line += option->get_required() ? " \\fI" + value + "\\fR" : " [\\fI" + value + "\\fR]";
  }
  return line + "\n";
}

std::string man_page(const CLI::App& app) {
  std::string page =
      ".TH GROTH16CTL 1 \"\" \"groth16d\" \"User Commands\"\n"
      ".SH NAME\ngroth16ctl \\- proofs, circuits and workers of groth16d\n"
      ".SH SYNOPSIS\n.B groth16ctl\n[\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]\n"
      ".SH DESCRIPTION\nThe command of users and operators of the Groth16 proving daemon. Some commands ask a daemon; "
      "verify, vk, calldata, setup, keygen and doctor work alone; prove needs no daemon, either: where none runs, one "
      "process makes the proof. Results go to standard output, everything else to standard error. "
      "/usr/share/doc/groth16d\\-client/CLIENT.md tells more.\n"
      ".SH OPTIONS OF EVERY COMMAND\n" +
      options_text(app) + ".SH COMMANDS\n";
  visit_all(app, [&](const CLI::App& command, const std::string& path) {
    if (path.empty() || !commands_of(command).empty()) return;
    page += ".SS \"" + path + "\"\n" + synopsis(command, path) + ".PP\n" + roff(command.get_description()) + "\n" +
            options_text(command);
  });
  page +=
      ".SH EXIT STATUS\n0 done, 1 failed or not valid, 2 wrong usage, 3 no daemon answers, 4 the daemon refuses, 66 no "
      "verdict, 75 busy: try again later, 130 interrupted.\n"
      ".SH ENVIRONMENT\n.TP\n.B GROTH16D_RUNTIME_DIR\nthe daemon's runtime directory; else /run/groth16d\n"
      ".TP\n.B GROTH16D_SERVER_KEY\nwith tcp://: the daemon's public key, where \\-\\-server\\-key does not say it\n"
      ".TP\n.B GROTH16D_KEY\nwith tcp://: the file of our own secret key, where \\-\\-key does not say it\n"
      ".TP\n.B FIL_PROOFS_PARAMETER_CACHE\nthe folder of Filecoin's published parameters; else "
      "/var/tmp/filecoin\\-proof\\-parameters\n"
      ".SH SEE ALSO\n.BR groth16d (8),\n.BR groth16d.toml (5)\n";
  return page;
}

}  // namespace

void add_describe_command(CLI::App& app) {
  auto* describe = app.add_subcommand("describe", "this program's commands for a shell or for man");
  describe->group("");  // for packages
  describe->require_subcommand(1);
  describe->add_subcommand("bash", "completion for bash")->callback([&app] { std::cout << bash_completion(app); });
  describe->add_subcommand("zsh", "completion for zsh")->callback([&app] { std::cout << zsh_completion(app); });
  describe->add_subcommand("fish", "completion for fish")->callback([&app] { std::cout << fish_completion(app); });
  describe->add_subcommand("man", "the manual page")->callback([&app] { std::cout << man_page(app); });
}

}  // namespace groth16d::ctl
