#include "client/ctl/completion.hpp"

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "client/ctl/command_tree.hpp"

namespace groth16d::ctl {
namespace {

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options())
    for (std::string& spelling : spellings(*option)) words.push_back(std::move(spelling));
  return words;
}

// Every path of commands but the empty one, each as a quoted word.
std::vector<std::string> quoted_paths(const CLI::App& app) {
  std::vector<std::string> paths;
  visit_all(app, [&](const CLI::App&, const std::string& path) {
    if (!path.empty()) paths.push_back("\"" + path + "\"");
  });
  return paths;
}

// Inside single quotes, where `apostrophe` is how a shell writes one.
std::string quoted(std::string_view text, std::string_view apostrophe) {
  std::string word = "'";
  for (const char letter : text) {
    if (letter == '\'')
      word += apostrophe;
    else if (letter == '\\')
      word += "\\\\";
    else
      word += letter;
  }
  return word + "'";
}

// ---------------------------------------------------------------- zsh

// "name:what it is", as _describe wants it.
std::string zsh_item(const std::string& name, const std::string& what) { return quoted(name + ":" + what, "'\\''"); }

std::vector<std::string> zsh_options(const CLI::App& app) {
  std::vector<std::string> items;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& spelling : spellings(*option))
      items.push_back(zsh_item(spelling, option->get_description()));
  return items;
}

// ---------------------------------------------------------------- fish

std::string fish_text(std::string_view text) { return quoted(text, "\\'"); }

std::string fish_option(const std::string& condition, const CLI::Option& option) {
  std::string line = "complete -c groth16ctl" + condition;
  for (const std::string& name : option.get_snames()) line += " -s " + name;
  for (const std::string& name : option.get_lnames()) line += " -l " + name;
  return line + (takes_value(option) ? " -r" : "") + " -d " + fish_text(option.get_description()) + "\n";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string words;
  visit_all(app, [&](const CLI::App& command, const std::string& path) {
    std::vector<std::string> next;
    for (const CLI::App* sub : commands_of(command)) next.push_back(sub->get_name());
    words += "    \"" + path + "\") commands=\"" + joined(next, " ") + "\" options=\"" +
             joined(options_of(command), " ") + "\" ;;\n";
  });
  return "# bash completion for groth16ctl, written by `groth16ctl describe bash`\n"
         "_groth16ctl() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} path= word commands= options= place\n"
         "  for ((place = 1; place < COMP_CWORD; ++place)); do\n"
         "    word=${path:+$path }${COMP_WORDS[place]}\n"
         "    case $word in\n"
         "    " +
         joined(quoted_paths(app), " | ") +
         ") path=$word ;;\n"
         "    esac\n"
         "  done\n"
         "  case $path in\n" +
         words +
         "  esac\n"
         "  [[ $current == -* ]] && commands=\"$options " +
         joined(options_of(app), " ") +
         "\"\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$current\")\n"
         "}\n"
         "complete -o default -F _groth16ctl groth16ctl\n";
}

// "trail", for zsh's own $path is $PATH.
std::string zsh_completion(const CLI::App& app) {
  std::string words;
  visit_all(app, [&](const CLI::App& command, const std::string& path) {
    std::vector<std::string> next;
    for (const CLI::App* sub : commands_of(command)) next.push_back(zsh_item(sub->get_name(), sub->get_description()));
    words += "    \"" + path + "\")\n      commands=(" + joined(next, " ") + ")\n      options=(" +
             joined(path.empty() ? std::vector<std::string>() : zsh_options(command), " ") + ") ;;\n";
  });
  return "#compdef groth16ctl\n"
         "# zsh completion for groth16ctl, written by `groth16ctl describe zsh`\n"
         "_groth16ctl() {\n"
         "  local trail= word place\n"
         "  local -a commands options\n"
         "  for ((place = 2; place < CURRENT; ++place)); do\n"
         "    word=${trail:+$trail }${words[place]}\n"
         "    case $word in\n"
         "    " +
         joined(quoted_paths(app), " | ") +
         ") trail=$word ;;\n"
         "    esac\n"
         "  done\n"
         "  case $trail in\n" +
         words +
         "  esac\n"
         "  options+=(" +
         joined(zsh_options(app), " ") +
         ")\n"
         "  if [[ ${words[CURRENT]} == -* ]]; then\n"
         "    _describe -o option options\n"
         "  elif (( $#commands )); then\n"
         "    _describe command commands\n"
         "  else\n"
         "    _files\n"
         "  fi\n"
         "}\n"
         "_groth16ctl \"$@\"\n";
}

std::string fish_completion(const CLI::App& app) {
  std::string lines;
  visit_all(app, [&](const CLI::App& command, const std::string& path) {
    const std::string condition = " -n '__groth16ctl_at \"" + path + "\"'";
    for (const CLI::App* sub : commands_of(command))
      lines += "complete -c groth16ctl" + condition + " -f -a " + sub->get_name() + " -d " +
               fish_text(sub->get_description()) + "\n";
    for (const CLI::Option* option : command.get_options())
      if (!spellings(*option).empty()) lines += fish_option(path.empty() ? "" : condition, *option);
  });
  return "# fish completion for groth16ctl, written by `groth16ctl describe fish`\n"
         "function __groth16ctl_at\n"
         "  set -l trail ''\n"
         "  for word in (commandline -opc)[2..]\n"
         "    set -l next (string trim -- \"$trail $word\")\n"
         "    if contains -- \"$next\" " +
         joined(quoted_paths(app), " ") +
         "\n"
         "      set trail $next\n"
         "    end\n"
         "  end\n"
         "  test \"$trail\" = \"$argv\"\n"
         "end\n" +
         lines;
}

}  // namespace groth16d::ctl
