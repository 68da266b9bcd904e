// A reader that hands out keys one by one and then refuses what nobody asked for: so a misspelt key is never a silent
// default.
#include "supervisor/config.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>
#include <span>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace groth16d::supervisor {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array kSizeUnits{Unit{"B", 1}, Unit{"KiB", std::uint64_t{1} << 10}, Unit{"MiB", std::uint64_t{1} << 20},
                                Unit{"GiB", std::uint64_t{1} << 30}, Unit{"TiB", std::uint64_t{1} << 40}};
constexpr std::array kTimeUnits{Unit{"ms", 1}, Unit{"s", 1'000}, Unit{"min", 60'000}, Unit{"h", 3'600'000},
                                Unit{"d", 86'400'000}};

// An integer, optional spaces, one of the units.
Result<std::uint64_t> parse_quantity(std::string_view text, std::span<const Unit> units, const char* what) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const auto known =
      std::find_if(units.begin(), units.end(), [&](const Unit& candidate) { return candidate.name == unit; });
  if (error != std::errc{} || known == units.end()) {
    std::string names;
    for (const Unit& candidate : units) names += fmt::format("{}{}", names.empty() ? "" : ", ", candidate.name);
    return failure(ErrorCode::malformed, "config.value",
                   fmt::format("\"{}\" is not a {}: a whole number and one of {}", text, what, names));
  }
  if (number > std::numeric_limits<std::int64_t>::max() / known->factor)
    return failure(ErrorCode::malformed, "config.value",
                   fmt::format("\"{}\" is larger than any {} can be", text, what));
  return number * known->factor;
}

// Hands out the keys of one table; the first error wins and stays.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string file, std::string prefix)
      : table_(table), file_(std::move(file)), prefix_(std::move(prefix)) {}

  void text(std::string_view key, auto&& accept) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    if (const auto value = node->value_exact<std::string>()) return keep(*node, key, accept(*value));
    refuse(*node, key, "a string is expected");
  }

  void path(std::string_view key, std::filesystem::path& out) {
    text(key, [&](const std::string& value) -> Result<void> {
      if (!value.starts_with('/')) return bad(fmt::format("\"{}\" is not an absolute path", value));
      out = value;
      return {};
    });
  }

  void paths(std::string_view key, std::vector<std::filesystem::path>& out) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    if (list == nullptr) return refuse(*node, key, "a list of absolute paths is expected");
    for (const toml::node& entry : *list) {
      const auto value = entry.value_exact<std::string>();
      if (!value || !value->starts_with('/')) return refuse(entry, key, "each entry must be an absolute path");
      out.emplace_back(*value);
    }
  }

  void count(std::string_view key, std::uint32_t least, std::uint32_t most, std::uint32_t& out) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < least || *value > most)
      return refuse(*node, key, fmt::format("a whole number from {} to {} is expected", least, most));
    out = static_cast<std::uint32_t>(*value);
  }

  // "auto" (0) or a number.
  void count_or_auto(std::string_view key, std::uint32_t most, std::uint32_t& out) {
    const toml::node* node = table_.get(key);
    if (node != nullptr && node->value_exact<std::string>() == "auto") {
      seen_.emplace(key);
      out = 0;
      return;
    }
    count(key, 1, most, out);
  }

  // A number of bytes or a string with a unit; "auto" only where `automatic` is given.
  void size(std::string_view key, std::uint64_t least, auto&& store, bool automatic = false) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const auto word = node->value_exact<std::string>();
    if (automatic && word == "auto") return;
    const auto number = node->value_exact<std::int64_t>();
    if (!word && (!number || *number < 0))
      return refuse(*node, key, "a number of bytes or a string such as \"8 GiB\" is expected");
    const Result<std::uint64_t> bytes =
        word ? parse_size(*word) : Result<std::uint64_t>(static_cast<std::uint64_t>(*number));
    if (!bytes) return refuse(*node, key, bytes.error().text);
    if (*bytes < least)
      return refuse(*node, key, fmt::format("{} bytes is less than the least possible, {}", *bytes, least));
    store(*bytes);
  }

  void duration(std::string_view key, std::chrono::milliseconds& out) {
    text(key, [&](const std::string& value) -> Result<void> {
      const auto parsed = parse_duration(value);
      if (!parsed) return tl::unexpected(parsed.error());
      if (parsed->count() == 0) return bad("a duration of zero is impossible here");
      out = *parsed;
      return {};
    });
  }

  void table(std::string_view key, auto&& read) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const toml::table* inner = node->as_table();
    if (inner == nullptr) return refuse(*node, key, "a table is expected");
    TableReader reader(*inner, file_, fmt::format("{}{}.", prefix_, key));
    read(reader);
    if (auto done = reader.finish(); !done && !error_) error_ = done.error();
  }

  // After every key was asked for: the first error, or the first key that nobody knows.
  Result<void> finish() {
    for (const auto& [key, node] : table_) {
      if (error_) break;
      if (!seen_.contains(std::string(key.str())))
        error_ = Error{ErrorCode::malformed, "config.unknown_key",
                       fmt::format("{}:{}: unknown key {}{}", file_, key.source().begin.line, prefix_, key.str())};
    }
    if (error_) return tl::unexpected(*error_);
    return {};
  }

  static tl::unexpected<Error> bad(std::string text) {
    return failure(ErrorCode::malformed, "config.value", std::move(text));
  }

 private:
  const toml::node* take(std::string_view key) {
    seen_.emplace(key);
    return table_.get(key);
  }

  void refuse(const toml::node& node, std::string_view key, std::string_view why) {
    if (error_) return;
    error_ = Error{ErrorCode::malformed, "config.value",
                   fmt::format("{}:{}: {}{}: {}", file_, node.source().begin.line, prefix_, key, why)};
  }

  void keep(const toml::node& node, std::string_view key, const Result<void>& result) {
    if (!result) refuse(node, key, result.error().text);
  }

  const toml::table& table_;
  std::string file_;
  std::string prefix_;
  std::set<std::string, std::less<>> seen_;
  std::optional<Error> error_;
};

Result<void> accept_level(const std::string& value, std::string& out) {
  static constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};
  if (std::find(kLevels.begin(), kLevels.end(), value) == kLevels.end())
    return TableReader::bad(fmt::format("\"{}\" is not one of debug, info, warning, error", value));
  out = value;
  return {};
}

// heartbeat_timeout is kept as a number of missed heartbeats, rounded up.
void read_deadlines(TableReader& reader, CoreConfig& out) {
  reader.duration("heartbeat", out.heartbeat);
  std::chrono::milliseconds timeout = out.heartbeat * out.heartbeats_missed;
  reader.duration("heartbeat_timeout", timeout);
  out.heartbeats_missed =
      static_cast<std::uint32_t>(std::min<std::int64_t>((timeout.count() - 1) / out.heartbeat.count() + 1, 1'000'000));
  reader.duration("start", out.start_deadline);
  reader.duration("cancel", out.cancel_grace);
  reader.duration("drain", out.drain_deadline);
  for (const Stage stage : {Stage::inspect, Stage::load, Stage::synth, Stage::prove, Stage::b2, Stage::assemble})
    reader.duration(to_string(stage), out.stall[static_cast<std::size_t>(stage)]);
}

constexpr std::array kConfiguredRoles{Role::load, Role::synth, Role::cpu, Role::final};

// 64 slots of a role and 4096 threads are beyond any machine this was made for; more is a typing error.
constexpr std::uint32_t kMostSlots = 64;
constexpr std::uint32_t kMostThreads = 4096;

Result<Config> read_tables(const toml::table& root, const std::string& name) {
  Config config;
  for (RoleConfig& role : config.core.roles) role.threads = 0;
  TableReader reader(root, name, "");
  reader.path("state_dir", config.state_dir);
  reader.path("runtime_dir", config.runtime_dir);
  reader.paths("roots", config.roots);
  reader.size(
      "budget", std::uint64_t{1} << 20, [&](std::uint64_t bytes) { config.budget_bytes = bytes; }, true);
  reader.size("critical_reserved", 0, [&](std::uint64_t bytes) { config.core.critical_reserved_bytes = bytes; });
  reader.count("max_queued_jobs", 1, 1'000'000, config.core.max_queued_jobs);
  reader.size("max_spool", 1, [&](std::uint64_t bytes) { config.max_spool_bytes = bytes; });
  reader.duration("retention", config.core.retention);
  reader.text("log_level", [&](const std::string& value) { return accept_level(value, config.log_level); });
  reader.table("slots", [&](TableReader& slots) {
    for (const Role role : kConfiguredRoles)
      slots.count(to_string(role), role == Role::cpu ? 0 : 1, kMostSlots, config.core.role(role).slots);
  });
  reader.table("threads", [&](TableReader& threads) {
    for (const Role role : kConfiguredRoles)
      threads.count_or_auto(to_string(role), kMostThreads, config.core.role(role).threads);
  });
  reader.table("deadlines", [&](TableReader& deadlines) { read_deadlines(deadlines, config.core); });
  if (auto done = reader.finish(); !done) return tl::unexpected(done.error());
  return config;
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) { return parse_quantity(text, kSizeUnits, "size"); }

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  return parse_quantity(text, kTimeUnits, "duration").map([](std::uint64_t ms) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
  });
}

Result<Config> parse_config(std::string_view text, const std::string& name) {
  try {
    return read_tables(toml::parse(text, name), name);
  } catch (const toml::parse_error& error) {
    return failure(ErrorCode::malformed, "config.syntax",
                   fmt::format("{}:{}: {}", name, error.source().begin.line, error.description()));
  }
}

Result<Config> read_config(const std::filesystem::path& file) {
  try {
    return read_tables(toml::parse_file(file.string()), file.string());
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    if (line == 0)
      return failure(ErrorCode::not_found, "config.open", fmt::format("{}: {}", file.string(), error.description()));
    return failure(ErrorCode::malformed, "config.syntax",
                   fmt::format("{}:{}: {}", file.string(), line, error.description()));
  }
}

Result<void> check_config(const Config& config) {
  const auto bad = [](std::string text) { return failure(ErrorCode::malformed, "config.value", std::move(text)); };
  // sun_path holds 108 bytes with its end; "operator.sock" is the longest name made here.
  constexpr std::size_t kLongestRuntimeDir = 107 - sizeof("/operator.sock");
  if (config.runtime_dir.native().size() > kLongestRuntimeDir)
    return bad(fmt::format("runtime_dir is {} bytes long; sockets in it need it to be at most {}",
                           config.runtime_dir.native().size(), kLongestRuntimeDir));
  if (!config.state_dir.is_absolute() || !config.runtime_dir.is_absolute())
    return bad("state_dir and runtime_dir must be absolute");
  if (config.state_dir.lexically_normal() == config.runtime_dir.lexically_normal())
    return bad("state_dir and runtime_dir must differ");
  if (config.core.heartbeats_missed < 3)
    return bad("deadlines.heartbeat_timeout must be at least 3 times deadlines.heartbeat");
  if (config.core.role(Role::cpu).slots + config.core.role(Role::gpu).slots == 0)
    return bad("slots.cpu is 0 and there is no other prove slot");
  return {};
}

void resolve_threads(CoreConfig& config, unsigned cores) {
  constexpr std::array<std::uint64_t, kRoles> kWeights{1, 2, 4, 2, 1};  // in the order of Role
  std::uint64_t total = 0;
  for (std::size_t role = 0; role < kRoles; ++role) total += kWeights[role] * config.roles[role].slots;
  for (std::size_t role = 0; role < kRoles; ++role)
    if (config.roles[role].threads == 0)
      config.roles[role].threads = static_cast<std::uint32_t>(
          std::max<std::uint64_t>(1, cores * kWeights[role] / std::max<std::uint64_t>(1, total)));
}

}  // namespace groth16d::supervisor
