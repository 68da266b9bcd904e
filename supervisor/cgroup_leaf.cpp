#include "supervisor/cgroup_leaf.hpp"

#include <charconv>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "common/posix.hpp"

namespace groth16d::supervisor {
namespace {

constexpr std::uint64_t kMostBytesOfControl = 1 << 16;  // of a control file

std::optional<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

std::uint64_t read_number(const std::filesystem::path& file) {
  const auto text = read_text_file(file.string(), kMostBytesOfControl);
  return text ? number_in(*text).value_or(0) : 0;
}

// Lines of "name value".
std::uint64_t read_named(const std::filesystem::path& file, std::string_view name) {
  const auto text = read_text_file(file.string(), kMostBytesOfControl);
  if (!text) return 0;
  std::istringstream lines(*text);
  std::string word;
  for (std::uint64_t value = 0; lines >> word >> value;)
    if (word == name) return value;
  return 0;
}

bool is_present(const std::filesystem::path& file) { return ::access(file.c_str(), F_OK) == 0; }

// A kernel without swap accounting lacks the file; then there is nothing to limit.
Result<void> write_where_present(const std::filesystem::path& file, const std::string& value) {
  return is_present(file) ? write_control(file, value) : Result<void>{};
}

// v1 keeps memory + swap at or above memory, so the order depends on the direction.
Result<void> limit_v1(const std::filesystem::path& folder, std::uint64_t bytes, bool raise) {
  const std::string value = std::to_string(bytes);
  const auto memory = [&] { return write_control(folder / "memory.limit_in_bytes", value); };
  const auto with_swap = [&] { return write_where_present(folder / "memory.memsw.limit_in_bytes", value); };
  return raise ? with_swap().and_then(memory) : memory().and_then(with_swap);
}

}  // namespace

Result<void> write_control(const std::filesystem::path& file, const std::string& value) {
  const auto descriptor = open_file(file.string(), O_WRONLY);
  if (!descriptor) return tl::unexpected(descriptor.error());
  const auto written = ::write(descriptor->get(), value.data(), value.size());
  if (written != static_cast<ssize_t>(value.size()))
    return system_failure("write", fmt::format("\"{}\" to {}", value, file.string()));
  return {};
}

Result<CgroupLeaf> CgroupLeaf::adopt(std::filesystem::path folder, CgroupVersion version) {
  auto procs = open_file((folder / "cgroup.procs").string(), O_WRONLY);
  if (!procs) return tl::unexpected(procs.error());
  // A witness that is swapped out is a leak and a stall.
  auto without_swap = version == CgroupVersion::v2 ? write_where_present(folder / "memory.swap.max", "0")
                                                   : write_where_present(folder / "memory.swappiness", "0");
  if (!without_swap) return tl::unexpected(without_swap.error());
  auto as_group = version == CgroupVersion::v2 ? write_control(folder / "memory.oom.group", "1")
                                               : write_control(folder / "memory.oom_control", "0");
  if (!as_group) return tl::unexpected(as_group.error());
  CgroupLeaf leaf(std::move(folder), version, std::move(*procs));
  leaf.oom_kills_before_ = leaf.counters().oom_kills;
  return leaf;
}

Result<void> CgroupLeaf::limit(std::uint64_t bytes) {
  if (bytes == limit_bytes_) return {};
  const bool raise = limit_bytes_ > 0 && bytes > limit_bytes_;
  if (!raise && counters().current_bytes >= bytes) return {};
  auto set = version_ == CgroupVersion::v2 ? write_control(folder_ / "memory.max", std::to_string(bytes))
                                           : limit_v1(folder_, bytes, raise);
  if (set) limit_bytes_ = bytes;
  return set;
}

LeafCounters CgroupLeaf::read_counters(const std::filesystem::path& folder, CgroupVersion version) {
  if (version == CgroupVersion::v2)
    return {read_number(folder / "memory.current"), read_number(folder / "memory.peak"),
            read_named(folder / "memory.events", "oom_kill")};
  return {read_number(folder / "memory.usage_in_bytes"), read_number(folder / "memory.max_usage_in_bytes"),
          read_named(folder / "memory.oom_control", "oom_kill")};
}

Result<void> CgroupLeaf::remove() {
  procs_.reset();
  if (::rmdir(folder_.c_str()) != 0 && errno != ENOENT) return system_failure("rmdir", folder_.string());
  return {};
}

}  // namespace groth16d::supervisor
