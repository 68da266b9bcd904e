// What every command line of ours refuses: the name of a file that is empty, as a script's unset variable leaves it.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace groth16d::client {

// For every option of `app` and of its commands whose value is called a file or a folder. After all are added.
inline void refuse_empty_file_names(CLI::App& app) {
  static constexpr std::array<std::string_view, 7> kNames = {"FILE", "DIR", "FOLDER", "OUT", "PROOF", "PUBLIC", "VK"};
  const auto not_empty = [](const std::string& name) {
    return std::string(name.empty() ? "the file's name is empty" : "");
  };
  for (CLI::Option* option : app.get_options())
    if (std::find(kNames.begin(), kNames.end(), option->get_type_name()) != kNames.end()) option->check(not_empty);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) refuse_empty_file_names(*command);
}

}  // namespace groth16d::client
