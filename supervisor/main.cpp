// groth16d, the supervisor: it owns every worker, every segment and every promise to a client.
//
// What this process may never do: parse what clients send beyond the envelope of a request, compute with field elements
// or touch a GPU (it links neither groth16 nor cuda), read a segment's contents, wait for a client, a worker or a disk
// on its loop, or reply before the commit that the reply rests on. What it must: outlive every worker's death, and lose
// nothing by its own.
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include "common/build.hpp"
#include "common/config.hpp"
#include "common/hygiene.hpp"
#include "common/log.hpp"
#include "common/program.hpp"
#include "supervisor/daemon.hpp"
#include "supervisor/host.hpp"

namespace {

using namespace groth16d;
using namespace groth16d::supervisor;

struct Flags {
  std::string config_file;
  bool check_config = false;
  bool end_with_parent = false;
  bool one_shot = false;
  std::string state_dir, runtime_dir, cache_dir, budget, log_level;
  std::vector<std::string> roots;
  std::optional<std::uint32_t> synth, cpu, final, gpu;
  std::optional<BG2> b_g2;
};

void describe(CLI::App& app, Flags& flags) {
  app.set_version_flag("--version", "groth16d " + version_text());
  app.add_option("--config", flags.config_file, "read this TOML file; what it does not say has a default")
      ->type_name("FILE");
  app.add_flag("--check-config", flags.check_config, "check the configuration and exit: 0 good, 78 bad");
  app.add_flag("--private", flags.end_with_parent, "end when the process that started this one ends");
  app.add_flag("--one-shot", flags.one_shot,
               "for one job, whose state is removed after it: sync nothing to the disk, give each stage every core");
  app.add_option("--state-dir", flags.state_dir, "journal and spool")->type_name("DIR");
  app.add_option("--runtime-dir", flags.runtime_dir, "the sockets")->type_name("DIR");
  app.add_option("--cache-dir", flags.cache_dir, "converted circuits; --private keeps none without it")
      ->type_name("DIR");
  app.add_option("--root", flags.roots, "files that clients name lie beneath this; may be given again")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
  app.add_option("--budget", flags.budget, "memory for jobs and keys: \"8 GiB\"")->type_name("SIZE");
  app.add_option("--log-level", flags.log_level, "debug, info, warning or error")->type_name("LEVEL");
  app.add_option("--synth", flags.synth, "number of synth slots")->type_name("N");
  app.add_option("--cpu", flags.cpu, "number of cpu slots")->type_name("N");
  app.add_option("--final", flags.final, "number of final slots")->type_name("N");
  app.add_option("--gpu", flags.gpu, "number of gpu slots, on cards 0, 1, ...; without --cpu no cpu slot is left")
      ->type_name("N");
  const std::map<std::string, BG2> places{{"auto", BG2::automatic}, {"cpu", BG2::cpu}, {"gpu", BG2::gpu}};
  app.add_option("--b-g2", flags.b_g2, "who sums b_g2_msm: auto, cpu or gpu")
      ->type_name("PLACE")
      ->transform(CLI::CheckedTransformer(places));
}

Result<void> apply_slots(const std::optional<std::uint32_t>& wanted, Role role, Config& config) {
  if (!wanted) return {};
  if (*wanted == 0 || *wanted > 64)
    return failure(ErrorCode::malformed, "config.value", "--" + std::string(to_string(role)) + ": expected 1 to 64");
  config.core.role(role).slots = *wanted;
  return {};
}

Result<Config> configure(const Flags& flags) {
  auto config = flags.config_file.empty() ? Result<Config>(default_config()) : read_config(flags.config_file);
  if (!config) return config;
  const auto absolute = [](const std::string& path) { return std::filesystem::absolute(path).lexically_normal(); };
  if (!flags.state_dir.empty()) config->state_dir = absolute(flags.state_dir);
  if (!flags.runtime_dir.empty()) config->runtime_dir = absolute(flags.runtime_dir);
  if (!flags.cache_dir.empty()) config->cache_dir = absolute(flags.cache_dir);
  if (flags.end_with_parent && config->cache_dir.empty()) config->cache_max_bytes = 0;
  for (const std::string& root : flags.roots) config->roots.push_back(absolute(root));
  if (!flags.log_level.empty()) config->log_level = flags.log_level;
  if (!flags.budget.empty()) {
    const auto budget = parse_bytes(flags.budget);
    if (!budget) return tl::unexpected(budget.error());
    config->budget_bytes = *budget;
  }
  if (flags.one_shot) {
    for (RoleConfig& role : config->core.roles)
      if (role.threads == 0) role.threads = usable_cores();
  }
  if (flags.gpu) {
    config->gpu_devices.clear();
    config->core.role(Role::cpu).slots = 0;
  }
  if (flags.b_g2) config->core.b_g2 = *flags.b_g2;
  for (const auto& [wanted, role] : {std::pair{flags.synth, Role::synth},
                                     {flags.cpu, Role::cpu},
                                     {flags.final, Role::final},
                                     {flags.gpu, Role::gpu}})
    if (auto applied = apply_slots(wanted, role, *config); !applied) return tl::unexpected(applied.error());
  if (auto checked = check_config(*config); !checked) {
    if (!flags.config_file.empty()) checked.error().text = flags.config_file + ": " + checked.error().text;
    return tl::unexpected(checked.error());
  }
  return config;
}

int fail(const Error& error) {
  std::cerr << "groth16d: " << error.text << '\n';
  return static_cast<int>(exit_code_of(error));
}

// Who started a daemon for one job removes its folders; where that process is killed, nobody else would, and a witness
// lies in them.
void remove_orphaned_state(const Config& config) {
  std::error_code ignored;  // they are in a temporary folder of this user
  std::filesystem::remove_all(config.state_dir, ignored);
  std::filesystem::remove_all(config.runtime_dir, ignored);
  const std::filesystem::path around = config.state_dir.parent_path();
  if (around != config.runtime_dir.parent_path()) return;
  std::filesystem::remove(around / "log", ignored);  // this program's own
  std::filesystem::remove(around, ignored);          // only if it is empty
}

int run(const Flags& flags) {
  const pid_t owner = ::getppid();
  const auto config = configure(flags);
  if (!config) {
    fail(config.error());
    return static_cast<int>(ExitCode::configuration);
  }
  if (flags.check_config) {
    std::cout << "the configuration is good\n";
    return static_cast<int>(ExitCode::orderly);
  }
  start_log({"groth16d", config->log_level});
  if (auto hardened = harden_process(); !hardened) return fail(hardened.error());
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const auto read_config = [flags]() -> Result<Config> {
    if (!flags.config_file.empty()) return configure(flags);
    return failure(ErrorCode::not_found, "config.no_file", "groth16d was started without --config: there is no file");
  };
  const auto durability = flags.one_shot ? Durability::ephemeral : Durability::durable;
  const auto code =
      run_daemon({*config, read_config, self.parent_path(), flags.end_with_parent, durability, version_text()});
  if (flags.one_shot && flags.end_with_parent && ::getppid() != owner) remove_orphaned_state(*config);
  return code ? *code : fail(code.error());
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app("groth16d: a proving daemon for Groth16", "groth16d");
  describe(app, flags);
  return parse_and_run(app, argc, argv, [&flags] { return run(flags); });
}
