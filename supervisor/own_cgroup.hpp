// The cgroups that this process is in, one for each hierarchy, as /proc/self/cgroup lists them (cgroups(7)).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/error.hpp"

namespace groth16d::supervisor {

struct OwnCgroup {
  std::string controllers;     // "" for v2, "memory" or "cpu,cpuacct" for v1
  std::filesystem::path path;  // below the hierarchy's root; empty: the root itself
};

// Lines "0::/path" and "5:memory:/path" of `file`; others are left out. Errors of read_text_file.
Result<std::vector<OwnCgroup>> own_cgroups(const std::filesystem::path& file);

}  // namespace groth16d::supervisor
