// porep parameters: which published parameters are in the cache, and on request whether they are what was published.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "client/ctl/command.hpp"
#include "client/ctl/porep_files.hpp"
#include "client/ctl/render_text.hpp"
#include "groth16/circuits/parameter_files.hpp"
#include "groth16/formats/input_file.hpp"

namespace groth16d::ctl {
namespace {

namespace circuits = groth16::circuits;
namespace formats = groth16::formats;

struct ParametersArguments {
  std::string sector_size;  // "": every published one
  bool check = false;
};

Result<void> check_digest(const std::string& path) {
  const auto file = formats::InputFile::open(path, formats::Access::map);
  if (!file) return tl::unexpected<Error>(file.error());
  return circuits::check_published(std::filesystem::path(path).filename().string(), file->bytes());
}

Result<std::vector<circuits::SectorShape>> sectors_of(const std::string& size) {
  if (!size.empty()) return circuits::sector_of_name(size).map([](const auto& sector) { return std::vector{sector}; });
  std::vector<circuits::SectorShape> sectors;
  for (const circuits::SectorShape& sector : circuits::known_sectors()) {
    if (circuits::published_digest(circuits::porep_parameter_stem(sector) + ".vk")) sectors.push_back(sector);
  }
  return sectors;
}

// Every file is looked at, and the last one that is not what was published ends the command with its error.
void run_parameters(Session& session, const ParametersArguments& arguments) {
  const auto sectors = sectors_of(arguments.sector_size);
  if (!sectors) return session.fail(sectors.error(), ExitCode::usage);
  Json json = Json::array();
  std::vector<std::vector<std::string>> rows;
  std::optional<Error> fault;
  const auto add = [&](const std::string& circuit, const std::string& path, bool is_there) {
    std::string state = is_there ? "present" : "absent";
    if (is_there && arguments.check) {
      const auto checked = check_digest(path);
      state = checked ? "published" : checked.error().name;
      if (!checked) fault = checked.error();
    }
    json.push_back({{"circuit", circuit}, {"file", path}, {"state", state}});
    rows.push_back({circuit, state, path});
  };
  for (const circuits::SectorShape& sector : *sectors) {
    const std::string circuit = "porep-" + circuits::sector_name(sector.sector_bytes());
    const CachedParameters files = published_parameters(circuits::porep_parameter_stem(sector));
    add(circuit, files.params, files.has_params);
    add(circuit, files.vk, files.has_vk);
  }
  session.print(json, table(rows));
  if (!fault) return;
  session.exit_code = ExitCode::failed;
  say(fault->text + " [" + fault->name + "]");
}

}  // namespace

void add_porep_parameters_command(CLI::App& porep, Session& session) {
  auto arguments = std::make_shared<ParametersArguments>();
  auto* parameters = porep.add_subcommand("parameters", "which published parameters are in the cache");
  parameters->add_option("--sector-size,sector-size", arguments->sector_size, "2KiB ... 64GiB; else all")
      ->type_name("SIZE");
  parameters->add_flag("--check", arguments->check, "whether their BLAKE2b digests are the published ones");
  parameters->callback([&session, arguments] { run_parameters(session, *arguments); });
}

}  // namespace groth16d::ctl
