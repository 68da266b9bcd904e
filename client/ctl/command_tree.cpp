#include "client/ctl/command_tree.hpp"

#include <CLI/CLI.hpp>

namespace groth16d::ctl {
namespace {

void visit_below(const CLI::App& app, const std::string& path, const Visit& visit) {
  visit(app, path);
  for (const CLI::App* sub : commands_of(app))
    visit_below(*sub, path + (path.empty() ? "" : " ") + sub->get_name(), visit);
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  return all;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

void visit_all(const CLI::App& app, const Visit& visit) { visit_below(app, "", visit); }

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

}  // namespace groth16d::ctl
