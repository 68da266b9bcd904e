#include "supervisor/config.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "common/config.hpp"
#include "supervisor/host.hpp"

namespace groth16d::supervisor {
namespace {

// 64 slots of a role and 4096 threads are beyond any machine this was made for; more is a typing error.
constexpr std::uint64_t kMostSlots = 64;
constexpr std::uint64_t kMostThreads = 4096;
constexpr std::uint64_t kLeastBudget = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastWorkerMemory = std::uint64_t{16} << 20;  // a worker that has only started holds 10 MiB
constexpr std::uint64_t kMostJobs = 1'000'000;
constexpr std::uint64_t kMostConfiguredInFlight = 100'000;

constexpr std::array kConfiguredRoles{Role::load, Role::synth, Role::cpu, Role::final, Role::gpu};
constexpr std::array kStagesInOrder{Stage::inspect, Stage::load, Stage::synth,
                                    Stage::prove,   Stage::b2,   Stage::assemble};
constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};

void read_duration(ConfigFile& file, const std::string& key, Millis& out) {
  out = Millis(static_cast<std::int64_t>(file.duration_ms(key, static_cast<std::uint64_t>(out.count()))));
}

void read_folders(ConfigFile& file, Config& config) {
  for (const auto& [key, out] : {std::pair{"state_dir", &config.state_dir}, {"runtime_dir", &config.runtime_dir}}) {
    *out = file.text(key, out->string());
    if (!out->is_absolute()) file.refuse(key, fmt::format("\"{}\" is not an absolute path", out->string()));
  }
  config.cache_dir = file.text("cache_dir", "");
  if (!config.cache_dir.empty() && !config.cache_dir.is_absolute())
    file.refuse("cache_dir", fmt::format("\"{}\" is not an absolute path", config.cache_dir.string()));
  for (std::string& root : file.texts("roots", {})) {
    if (!root.starts_with('/')) file.refuse("roots", fmt::format("\"{}\" is not an absolute path", root));
    config.roots.emplace_back(std::move(root));
  }
}

void read_limits(ConfigFile& file, Config& config) {
  if (!file.is("budget", "auto")) {
    const std::uint64_t bytes = file.bytes("budget", 0);
    if (file.has("budget") && bytes < kLeastBudget)
      file.refuse("budget", fmt::format("{} bytes; \"auto\" or at least {} is expected", bytes, kLeastBudget));
    if (file.has("budget")) config.budget_bytes = bytes;
  }
  config.core.critical_reserved_bytes = file.bytes("critical_reserved", config.core.critical_reserved_bytes);
  config.core.max_jobs_per_client = static_cast<std::uint32_t>(file.count("max_jobs_per_client", 0, 0, kMostJobs));
  config.spool.max_bytes = file.bytes("max_spool", config.spool.max_bytes);
  config.spool.max_bytes_per_client = file.bytes("max_spool_per_client", config.spool.max_bytes_per_client);
  read_duration(file, "upload_expiry", config.upload_expiry);
  config.cache_max_bytes = file.bytes("cache_max", config.cache_max_bytes);
  config.core.max_queued_jobs =
      static_cast<std::uint32_t>(file.count("max_queued_jobs", config.core.max_queued_jobs, 1, kMostJobs));
  config.core.max_in_flight =
      static_cast<std::uint32_t>(file.count("max_in_flight", config.core.max_in_flight, 0, kMostConfiguredInFlight));
  read_duration(file, "ageing", config.core.ageing);
  read_duration(file, "retention", config.core.retention);
  config.log_level = file.text("log_level", config.log_level);
  if (std::find(kLevels.begin(), kLevels.end(), config.log_level) == kLevels.end())
    file.refuse("log_level", fmt::format("\"{}\" is not one of debug, info, warning, error", config.log_level));
}

void read_isolation(ConfigFile& file, Config& config) {
  config.cgroup = file.text("cgroup", config.cgroup);
  if (config.cgroup != "auto" && config.cgroup != "off" && !config.cgroup.starts_with('/'))
    file.refuse("cgroup", fmt::format("\"{}\" is not auto, off or an absolute path", config.cgroup));
  if (file.is("worker_memory_max", "auto") || !file.has("worker_memory_max")) return;
  const std::uint64_t bytes = file.bytes("worker_memory_max", 0);
  if (bytes < kLeastWorkerMemory)
    file.refuse("worker_memory_max",
                fmt::format("{} bytes; \"auto\" or at least {} is expected", bytes, kLeastWorkerMemory));
  config.worker_memory_max_bytes = bytes;
}

void read_b_g2(ConfigFile& file, CoreConfig& core) {
  const std::string place = file.text("gpu.b_g2", std::string(to_string(core.b_g2)));
  for (const BG2 b_g2 : {BG2::cpu, BG2::gpu, BG2::automatic}) {
    if (to_string(b_g2) == place) return void(core.b_g2 = b_g2);
  }
  file.refuse("gpu.b_g2", fmt::format("\"{}\" is not auto, cpu or gpu", place));
}

// Without keys nothing listens, on loopback neither.
void read_remote(ConfigFile& file, Config& config) {
  RemoteConfig& remote = config.remote;
  remote.listen = file.text("remote.listen", "");
  remote.secret_key = file.text("remote.secret_key", "");
  remote.clients_file = file.text("remote.clients", "");
  if (!remote.listen.empty() && !remote.listen.starts_with("tcp://"))
    file.refuse("remote.listen", fmt::format("\"{}\" is not like tcp://127.0.0.1:9817", remote.listen));
  for (const auto& [key, path] :
       {std::pair{"remote.secret_key", &remote.secret_key}, {"remote.clients", &remote.clients_file}}) {
    if (remote.listen.empty() == path->empty() && (path->empty() || path->is_absolute())) continue;
    file.refuse(file.has(key) ? key : "remote.listen",
                fmt::format("remote.listen needs secret_key and clients, absolute paths: without keys nothing listens "
                            "over TCP; {} is \"{}\"",
                            key, path->string()));
  }
}

// A card has a UUID, and so has a part of one (MIG); a number would name another card for every tool that counts.
void read_cards(ConfigFile& file, Config& config) {
  config.gpu_devices = file.texts("gpu.devices", {});
  const std::set<std::string> distinct(config.gpu_devices.begin(), config.gpu_devices.end());
  if (distinct.size() != config.gpu_devices.size()) file.refuse("gpu.devices", "a card is named twice");
  for (const std::string& device : distinct)
    if (!device.starts_with("GPU-") && !device.starts_with("MIG-"))
      file.refuse("gpu.devices", fmt::format("\"{}\" is no UUID as nvidia-smi -L prints it, \"GPU-...\"", device));
  const std::size_t named = config.gpu_devices.size();
  RoleConfig& gpu = config.core.role(Role::gpu);
  gpu.slots = static_cast<std::uint32_t>(file.count("slots.gpu", named, 0, kMostSlots));
  if (named > kMostSlots || (named > 0 && gpu.slots != named))
    file.refuse(file.has("slots.gpu") ? "slots.gpu" : "gpu.devices",
                fmt::format("{} slots and {} named cards; one card a slot, {} at most, is expected", gpu.slots, named,
                            kMostSlots));
  if (gpu.slots > 0) config.core.role(Role::cpu).slots = 0;  // unless the file wants both
  if (!file.is("gpu.memory_max", "auto") && file.has("gpu.memory_max"))
    config.gpu_memory_max_bytes = file.bytes("gpu.memory_max", 0);
  read_b_g2(file, config.core);
}

void read_roles(ConfigFile& file, CoreConfig& core) {
  const bool has_cards = core.role(Role::gpu).slots > 0;
  for (const Role role : kConfiguredRoles) {
    RoleConfig& out = core.role(role);
    const std::uint64_t least = role == Role::gpu || (role == Role::cpu && has_cards) ? 0 : 1;
    out.slots =
        static_cast<std::uint32_t>(file.count(fmt::format("slots.{}", to_string(role)), out.slots, least, kMostSlots));
    const std::string threads = fmt::format("threads.{}", to_string(role));
    if (!file.is(threads, "auto") && file.has(threads))
      out.threads = static_cast<std::uint32_t>(file.count(threads, 0, 1, kMostThreads));
  }
}

// heartbeat_timeout is kept as a number of missed heartbeats, rounded up.
void read_deadlines(ConfigFile& file, CoreConfig& core) {
  read_duration(file, "deadlines.heartbeat", core.heartbeat);
  Millis timeout = core.heartbeat * core.heartbeats_missed;
  read_duration(file, "deadlines.heartbeat_timeout", timeout);
  const std::int64_t missed = (timeout.count() - 1) / core.heartbeat.count() + 1;
  if (missed < 3 || missed > 1'000)
    file.refuse("deadlines.heartbeat_timeout", "3 to 1000 times deadlines.heartbeat is expected");
  core.heartbeats_missed = static_cast<std::uint32_t>(missed);
  read_duration(file, "deadlines.start", core.start_deadline);
  read_duration(file, "deadlines.cancel", core.cancel_grace);
  read_duration(file, "deadlines.drain", core.drain_deadline);
  for (const Stage stage : kStagesInOrder)
    read_duration(file, fmt::format("deadlines.{}", to_string(stage)), core.stall[static_cast<std::size_t>(stage)]);
}

Config read_every_key(ConfigFile& file) {
  Config config = default_config();
  read_folders(file, config);
  read_limits(file, config);
  read_isolation(file, config);
  read_remote(file, config);
  read_cards(file, config);
  read_roles(file, config.core);
  read_deadlines(file, config.core);
  return config;
}

Result<Config> read_keys(Result<ConfigFile> file) {
  if (!file) return tl::unexpected(file.error());
  Config config = read_every_key(*file);
  if (auto finished = file->finish(); !finished) return tl::unexpected(finished.error());
  return config;
}

}  // namespace

Config default_config() {
  Config config;
  for (RoleConfig& role : config.core.roles) role.threads = 0;
  return config;
}

Result<Config> parse_config(std::string_view text, const std::string& name) {
  return read_keys(ConfigFile::parse(text, name));
}

Result<Config> read_config(const std::filesystem::path& file) { return read_keys(ConfigFile::read(file.string())); }

std::vector<std::string> known_keys() {
  auto empty = ConfigFile::parse("", "");
  read_every_key(*empty);
  return empty->asked();
}

std::filesystem::path cache_folder(const Config& config) {
  return config.cache_dir.empty() ? config.state_dir / "cache" : config.cache_dir;
}

Result<void> check_config(const Config& config) {
  const auto bad = [](std::string text) { return failure(ErrorCode::malformed, "config.value", std::move(text)); };
  // sun_path holds 108 bytes with its end; "operator.sock" is the longest name made here.
  constexpr std::size_t kLongestRuntimeDir = 107 - sizeof("/operator.sock");
  const std::size_t length = config.runtime_dir.native().size();
  if (length > kLongestRuntimeDir)
    return bad(fmt::format("runtime_dir is {} bytes long; sockets in it need it to be at most {}", length,
                           kLongestRuntimeDir));
  if ((config.state_dir / "").lexically_normal() == (config.runtime_dir / "").lexically_normal())
    return bad("state_dir and runtime_dir must differ");
  return resolve(config).and_then([](const Config& resolved) { return check(resolved.core); });
}

Result<Config> resolve(Config config) {
  resolve_threads(config.core, usable_cores());
  if (!config.remote.listen.empty()) {
    auto clients = read_remote_clients(config.remote.clients_file.string());
    if (!clients) return tl::unexpected(clients.error());
    config.remote.clients = std::move(*clients);
  }
  if (config.budget_bytes) {
    config.core.budget_total_bytes = *config.budget_bytes;
    return config;
  }
  const auto usable = usable_memory_bytes();
  if (!usable) return tl::unexpected(usable.error());
  config.core.budget_total_bytes = automatic_budget_bytes(*usable);
  return config;
}

void resolve_threads(CoreConfig& config, unsigned cores) {
  constexpr std::array<std::uint64_t, kRoles> kWeights{1, 2, 4, 2, 1};  // in the order of Role
  std::uint64_t total = 0;
  for (std::size_t role = 0; role < kRoles; ++role) total += kWeights[role] * config.roles[role].slots;
  for (std::size_t role = 0; role < kRoles; ++role) {
    const std::uint64_t share = cores * kWeights[role] / std::max<std::uint64_t>(1, total);
    if (config.roles[role].threads == 0)
      config.roles[role].threads = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, share));
  }
}

}  // namespace groth16d::supervisor
