// doctor: is this machine fit for groth16d, and what is to be done where it is not.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "client/ctl/command.hpp"
#include "client/ctl/examination.hpp"

namespace groth16d::ctl {
namespace {

struct DoctorArguments {
  std::string config = "/etc/groth16d/groth16d.toml";
  std::string root = "/";
};

std::string text_of(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    std::string weight(to_string(finding.weight));
    weight.resize(9, ' ');
    text += weight + finding.area + ": " + finding.text + "\n";
    if (!finding.advice.empty()) text += "         -> " + finding.advice + "\n";
  }
  return text;
}

void run_doctor(Session& session, const DoctorArguments& arguments) {
  const Findings findings = examine(Machine(arguments.root), arguments.config);
  const auto problems = std::ranges::count(findings, Weight::problem, &Finding::weight);
  Json json = {{"problems", problems}, {"findings", Json::array()}};
  for (const Finding& finding : findings)
    json["findings"].push_back({{"weight", to_string(finding.weight)},
                                {"area", finding.area},
                                {"text", finding.text},
                                {"advice", finding.advice}});
  session.print(json, text_of(findings));
  if (problems > 0) session.exit_code = ExitCode::failed;
}

}  // namespace

void add_doctor_command(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<DoctorArguments>();
  auto* doctor = app.add_subcommand("doctor", "is this machine fit for groth16d, and what is to be done; 1 where not");
  doctor->add_option("--config", arguments->config, "the daemon's configuration file")->type_name("FILE");
  doctor->add_option("--root", arguments->root, "examine the system below this folder, an image")->type_name("DIR");
  doctor->callback([&session, arguments] { run_doctor(session, *arguments); });
}

}  // namespace groth16d::ctl
