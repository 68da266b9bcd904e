#include "supervisor/cgroup.hpp"

#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/posix.hpp"
#include "supervisor/core/types.hpp"
#include "supervisor/own_cgroup.hpp"

namespace groth16d::supervisor {
namespace {

constexpr std::uint64_t kMostBytesOfHierarchy = 1 << 20;
constexpr char kSupervisorLeaf[] = "supervisor";

struct Found {
  std::filesystem::path folder;
  CgroupVersion version = CgroupVersion::v2;
};

tl::unexpected<Error> not_delegated(std::string why) {
  return failure(ErrorCode::unavailable, "cgroup.not_delegated", std::move(why));
}

bool contains_word(const std::string& text, const std::string& wanted) {
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (word == wanted) return true;
  return false;
}

std::string control_text(const std::filesystem::path& file) {
  return read_text_file(file.string(), kMostBytesOfHierarchy).value_or("");
}

std::optional<CgroupVersion> version_of(const std::filesystem::path& folder) {
  if (::access((folder / "cgroup.controllers").c_str(), F_OK) == 0) return CgroupVersion::v2;
  if (::access((folder / "memory.limit_in_bytes").c_str(), F_OK) == 0) return CgroupVersion::v1;
  return std::nullopt;
}

// Where v1 has the memory controller, v2 cannot.
Result<Found> own_cgroup(const CgroupFiles& files) {
  const auto cgroups = own_cgroups(files.own_cgroup);
  if (!cgroups) return tl::unexpected(cgroups.error());
  std::optional<Found> v1;
  std::optional<Found> v2;
  for (const auto& [controllers, path] : *cgroups) {
    if (controllers.empty()) v2 = Found{files.root / path, CgroupVersion::v2};
    if (controllers == "memory") v1 = Found{files.root / "memory" / path, CgroupVersion::v1};
    if (path.empty() && (controllers == "memory" || (controllers.empty() && !v1)))
      return not_delegated("groth16d runs in the root cgroup, which is not its own");
  }
  if (v1) return *v1;
  if (v2) return *v2;
  return not_delegated(fmt::format("{} names no cgroup with memory", files.own_cgroup.string()));
}

// Only what nobody else lives in is ours to divide.
Result<void> check_alone(const std::filesystem::path& folder) {
  std::istringstream pids(control_text(folder / "cgroup.procs"));
  for (pid_t pid = 0; pids >> pid;)
    if (pid != ::getpid())
      return not_delegated(fmt::format("{} holds other processes than groth16d ({})", folder.string(), pid));
  return {};
}

Result<void> check_writable(const Found& found) {
  for (const char* name : {"", "cgroup.procs", "cgroup.subtree_control"}) {
    if (found.version == CgroupVersion::v1 && std::string_view(name) == "cgroup.subtree_control") continue;
    if (::access((found.folder / name).c_str(), W_OK) != 0)
      return not_delegated(fmt::format("{} is not writable", (found.folder / name).string()));
  }
  if (found.version == CgroupVersion::v2 && !contains_word(control_text(found.folder / "cgroup.controllers"), "memory"))
    return not_delegated(fmt::format("{} has no memory controller (Delegate=memory)", found.folder.string()));
  return {};
}

Result<void> join(const std::filesystem::path& folder) { return write_control(folder / "cgroup.procs", "0"); }

Result<void> make_folder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return system_failure("mkdir", folder.string());
}

}  // namespace

Result<Cgroup> Cgroup::take(const std::string& setting, const CgroupFiles& files) {
  const auto own = own_cgroup(files);
  if (setting == "auto") {
    if (!own) return tl::unexpected(own.error());
    if (auto alone = check_alone(own->folder); !alone) return tl::unexpected(alone.error());
  }
  Found found = setting == "auto" ? *own : Found{std::filesystem::path(setting).lexically_normal(), {}};
  if (setting != "auto") {
    const auto version = version_of(found.folder);
    if (!version) return failure(ErrorCode::malformed, "cgroup.path", fmt::format("{} is no cgroup", setting));
    found.version = *version;
  }
  if (auto writable = check_writable(found); !writable) return tl::unexpected(writable.error());
  Cgroup cgroup(found.folder, found.version);
  cgroup.sweep();
  if (auto divided = cgroup.divide(own && own->folder == found.folder); !divided)
    return tl::unexpected(divided.error());
  return cgroup;
}

// What a predecessor that was killed left: its workers died with it, so their leaves are empty.
void Cgroup::sweep() const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory(error) || (!parse_slot(name) && name != kSupervisorLeaf)) continue;
    if (::rmdir(entry.path().c_str()) != 0) spdlog::debug("cgroup {} stays: it is in use", entry.path().string());
  }
}

Result<void> Cgroup::divide(bool we_are_inside) {
  if (we_are_inside) {
    const auto own = folder_ / kSupervisorLeaf;
    auto joined = make_folder(own).and_then([&] { return join(own); });
    if (!joined) return joined;
    moved_ = true;
  }
  if (version_ == CgroupVersion::v1 || contains_word(control_text(folder_ / "cgroup.subtree_control"), "memory"))
    return {};
  auto enabled = write_control(folder_ / "cgroup.subtree_control", "+memory");
  enabled_ = enabled.has_value();
  return enabled;
}

Cgroup::Cgroup(Cgroup&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      version_(other.version_),
      moved_(std::exchange(other.moved_, false)),
      enabled_(std::exchange(other.enabled_, false)) {}

Cgroup::~Cgroup() {
  if (folder_.empty()) return;
  sweep();
  if (!moved_) return;
  // The reverse of divide(): an inner node of v2 takes no process while it hands controllers on.
  Result<void> left;
  if (enabled_) left = write_control(folder_ / "cgroup.subtree_control", "-memory");
  left = left.and_then([&] { return join(folder_); });
  if (!left) spdlog::warn("the cgroup leaf {} stays: {}", kSupervisorLeaf, left.error().text);
  ::rmdir((folder_ / kSupervisorLeaf).c_str());
}

Result<CgroupLeaf> Cgroup::leaf(const std::string& name) const {
  const auto folder = folder_ / name;
  if (auto made = make_folder(folder); !made) return tl::unexpected(made.error());
  return CgroupLeaf::adopt(folder, version_);
}

}  // namespace groth16d::supervisor
