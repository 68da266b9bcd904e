// The control group that the daemon may divide: a leaf for each worker, and one for itself.
//
// Found, never made: systemd delegates one (Delegate=memory), or an operator names one. It counts as delegated when we
// may write to it and no process but ours is in it. v2 wants no process in an inner node, so the supervisor moves to
// the leaf `supervisor` before it hands memory on to its children (systemd 252 has no DelegateSubgroup=). That leaf has
// no limit: the supervisor is alone in it, so an OOM kill there could only take the supervisor; its segments are
// bounded by the budget.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "supervisor/cgroup_leaf.hpp"

namespace groth16d::supervisor {

// Where to look; tests give their own tree.
struct CgroupFiles {
  std::filesystem::path own_cgroup = "/proc/self/cgroup";
  std::filesystem::path root = "/sys/fs/cgroup";
};

class Cgroup {
 public:
  // `setting`: "auto" (the cgroup that we are in, where it is delegated) or the absolute path of one. Leaves that a
  // killed predecessor left are removed. Errors: unavailable "cgroup.not_delegated" saying why (with auto no reason not
  // to start), malformed "cgroup.path", system.
  static Result<Cgroup> take(const std::string& setting, const CgroupFiles& files = {});

  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&&) = delete;
  // Back to where we were, and nothing of ours is left.
  ~Cgroup();

  // A leaf of this name, without a limit yet; one that is there already is taken over. Error: system.
  Result<CgroupLeaf> leaf(const std::string& name) const;

  const std::filesystem::path& folder() const { return folder_; }
  CgroupVersion version() const { return version_; }

 private:
  Cgroup(std::filesystem::path folder, CgroupVersion version) : folder_(std::move(folder)), version_(version) {}
  void sweep() const;
  Result<void> divide(bool we_are_inside);

  std::filesystem::path folder_;  // empty once moved from
  CgroupVersion version_;
  bool moved_ = false;    // we are in the leaf `supervisor`
  bool enabled_ = false;  // v2: memory was handed on by us
};

}  // namespace groth16d::supervisor
