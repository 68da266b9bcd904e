#include "supervisor/reload.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

namespace groth16d::supervisor {
namespace {

enum class When { at_once, at_restart };

struct Key {
  std::string name;
  When when;
  std::function<std::string(const Config&)> text;
};

std::string bytes_word(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes > 0 && bytes % 1024 == 0 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

std::string duration_word(Millis duration) {
  if (duration.count() % 1000 != 0) return fmt::format("{} ms", duration.count());
  return fmt::format("{} s", duration.count() / 1000);
}

std::string paths_word(const std::vector<std::filesystem::path>& paths) {
  std::string text;
  for (const auto& path : paths) text += (text.empty() ? "" : ":") + path.string();
  return text;
}

std::string names_word(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// A key by its first letters: enough to tell which one went or came.
std::string clients_word(const std::vector<RemoteClient>& clients) {
  std::string text;
  for (const RemoteClient& client : clients)
    text += fmt::format("{}{} {} {}...", text.empty() ? "" : ", ", client.name, to_string(client.right),
                        client.key.substr(0, 8));
  return text;
}

void add_roles(std::vector<Key>& keys) {
  for (const Role role : {Role::load, Role::synth, Role::cpu, Role::final, Role::gpu}) {
    keys.push_back({fmt::format("slots.{}", to_string(role)), When::at_restart,
                    [role](const Config& c) { return std::to_string(c.core.role(role).slots); }});
    keys.push_back({fmt::format("threads.{}", to_string(role)), When::at_once,
                    [role](const Config& c) { return std::to_string(c.core.role(role).threads); }});
  }
}

void add_deadlines(std::vector<Key>& keys) {
  // Workers beat at the pace that WELCOME told them.
  keys.push_back(
      {"deadlines.heartbeat", When::at_restart, [](const Config& c) { return duration_word(c.core.heartbeat); }});
  keys.push_back({"deadlines.heartbeat_timeout", When::at_once,
                  [](const Config& c) { return duration_word(c.core.heartbeat * c.core.heartbeats_missed); }});
  for (const auto& [name, member] : {std::pair{"start", &CoreConfig::start_deadline},
                                     {"cancel", &CoreConfig::cancel_grace},
                                     {"drain", &CoreConfig::drain_deadline}})
    keys.push_back({fmt::format("deadlines.{}", name), When::at_once,
                    [member = member](const Config& c) { return duration_word(c.core.*member); }});
  for (const Stage stage : {Stage::inspect, Stage::load, Stage::synth, Stage::prove, Stage::b2, Stage::assemble})
    keys.push_back({fmt::format("deadlines.{}", to_string(stage)), When::at_once,
                    [stage](const Config& c) { return duration_word(c.core.stall[static_cast<std::size_t>(stage)]); }});
}

// A key of config.hpp that is missing here would be a change that nobody sees: a test reads every one of them.
std::vector<Key> all_keys() {
  std::vector<Key> keys{
      {"state_dir", When::at_restart, [](const Config& c) { return c.state_dir.string(); }},
      {"runtime_dir", When::at_restart, [](const Config& c) { return c.runtime_dir.string(); }},
      {"roots", When::at_once, [](const Config& c) { return paths_word(c.roots); }},
      {"budget", When::at_once, [](const Config& c) { return bytes_word(c.core.budget_total_bytes); }},
      {"critical_reserved", When::at_once, [](const Config& c) { return bytes_word(c.core.critical_reserved_bytes); }},
      {"max_in_flight", When::at_once, [](const Config& c) { return std::to_string(c.core.max_in_flight); }},
      {"ageing", When::at_restart, [](const Config& c) { return duration_word(c.core.ageing); }},
      {"max_queued_jobs", When::at_once, [](const Config& c) { return std::to_string(c.core.max_queued_jobs); }},
      {"max_spool", When::at_once, [](const Config& c) { return bytes_word(c.spool.max_bytes); }},
      {"max_spool_per_client", When::at_once, [](const Config& c) { return bytes_word(c.spool.max_bytes_per_client); }},
      {"upload_expiry", When::at_once, [](const Config& c) { return duration_word(c.upload_expiry); }},
      {"cache_dir", When::at_restart, [](const Config& c) { return c.cache_dir.string(); }},
      {"cache_max", When::at_restart, [](const Config& c) { return bytes_word(c.cache_max_bytes); }},
      {"retention", When::at_once, [](const Config& c) { return duration_word(c.core.retention); }},
      {"log_level", When::at_once, [](const Config& c) { return c.log_level; }},
      {"gpu.b_g2", When::at_once, [](const Config& c) { return std::string(to_string(c.core.b_g2)); }},
      {"max_jobs_per_client", When::at_once,
       [](const Config& c) { return std::to_string(c.core.max_jobs_per_client); }},
      {"remote.listen", When::at_restart, [](const Config& c) { return c.remote.listen; }},
      {"remote.secret_key", When::at_restart, [](const Config& c) { return c.remote.secret_key.string(); }},
      {"remote.clients", When::at_once,
       [](const Config& c) { return c.remote.clients_file.string() + ": " + clients_word(c.remote.clients); }},
      {"gpu.devices", When::at_restart, [](const Config& c) { return names_word(c.gpu_devices); }},
      {"gpu.memory_max", When::at_restart,
       [](const Config& c) { return c.gpu_memory_max_bytes ? bytes_word(*c.gpu_memory_max_bytes) : "auto"; }},
      {"cgroup", When::at_restart, [](const Config& c) { return c.cgroup; }},
      {"worker_memory_max", When::at_restart, [](const Config& c) {
         return c.worker_memory_max_bytes ? bytes_word(*c.worker_memory_max_bytes) : std::string("auto");
       }}};
  add_roles(keys);
  add_deadlines(keys);
  return keys;
}

std::vector<ConfigChange> differences(const Config& before, const Config& after, std::optional<When> only) {
  std::vector<ConfigChange> changes;
  for (const Key& key : all_keys()) {
    if (only && key.when != *only) continue;
    ConfigChange change{key.name, key.text(before), key.text(after)};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace

std::vector<ConfigChange> changes_between(const Config& before, const Config& after) {
  return differences(before, after, std::nullopt);
}

bool needs_restart(const std::string& key) {
  const auto keys = all_keys();
  return std::ranges::any_of(keys, [&](const Key& one) { return one.name == key && one.when == When::at_restart; });
}

Result<CoreConfig> Reload::propose(ReplyToken token, Config next) {
  if (proposed_) return failure(ErrorCode::busy, "reload.busy", "another reload is under way");
  std::string keys;
  for (const ConfigChange& change : differences(in_force_, next, When::at_restart))
    keys += fmt::format("{}{} ({} -> {})", keys.empty() ? "" : ", ", change.key, change.before, change.after);
  if (!keys.empty())
    return failure(ErrorCode::conflict, "config.needs_restart",
                   fmt::format("needs a restart of groth16d: {}; nothing was changed", keys));
  proposed_ = std::move(next);
  token_ = token;
  return proposed_->core;
}

std::vector<ConfigChange> Reload::accept() {
  auto changes = changes_between(in_force_, *proposed_);
  in_force_ = std::move(*proposed_);
  proposed_.reset();
  return changes;
}

}  // namespace groth16d::supervisor
