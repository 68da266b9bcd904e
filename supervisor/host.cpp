#include "supervisor/host.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <sched.h>

#include "common/posix.hpp"
#include "supervisor/own_cgroup.hpp"

namespace groth16d::supervisor {
namespace {

constexpr std::uint64_t kMostBytesOfProc = 1 << 20;  // of a file under /proc
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

// A limit file that is missing, or says "max", limits nothing.
std::uint64_t limit_in(const std::filesystem::path& file) {
  const auto text = read_text_file(file.string(), kMostBytesOfProc);
  return text ? leading_number(*text).value_or(kNoLimit) : kNoLimit;
}

// The tightest limit from `leaf` up to `root`.
std::uint64_t tightest(const std::filesystem::path& root, std::filesystem::path leaf, const char* file) {
  std::uint64_t least = limit_in(root / file);
  for (; !leaf.empty(); leaf = leaf.parent_path()) least = std::min(least, limit_in(root / leaf / file));
  return least;
}

std::uint64_t cgroup_limit(const HostFiles& files) {
  const auto cgroups = own_cgroups(files.own_cgroup);
  if (!cgroups) return kNoLimit;
  std::uint64_t least = kNoLimit;
  for (const auto& [controllers, leaf] : *cgroups) {
    if (controllers.empty()) least = std::min(least, tightest(files.cgroup_root, leaf, "memory.max"));
    if (controllers == "memory")
      least = std::min(least, tightest(files.cgroup_root / "memory", leaf, "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace

Result<std::uint64_t> usable_memory_bytes(const HostFiles& files) {
  const auto text = read_text_file(files.meminfo.string(), kMostBytesOfProc);
  if (!text) return tl::unexpected(text.error());
  constexpr std::string_view kLabel = "MemTotal:";
  const auto place = text->find(kLabel);
  const auto kib =
      place == std::string::npos ? std::nullopt : leading_number(std::string_view(*text).substr(place + kLabel.size()));
  if (!kib) return failure(ErrorCode::system, "host.memory", fmt::format("{}: no MemTotal", files.meminfo.string()));
  return std::min(*kib * 1024, cgroup_limit(files));
}

std::uint64_t automatic_budget_bytes(std::uint64_t usable_bytes) {
  const std::uint64_t margin = std::max(usable_bytes / 20, std::uint64_t{5} << 30);
  return usable_bytes - std::min(margin, usable_bytes / 4);
}

unsigned usable_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace groth16d::supervisor
