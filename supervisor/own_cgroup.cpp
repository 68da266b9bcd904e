#include "supervisor/own_cgroup.hpp"

#include <sstream>

#include "common/posix.hpp"

namespace groth16d::supervisor {
namespace {

constexpr std::uint64_t kMostBytesOfMembership = 1 << 20;

}  // namespace

Result<std::vector<OwnCgroup>> own_cgroups(const std::filesystem::path& file) {
  const auto text = read_text_file(file.string(), kMostBytesOfMembership);
  if (!text) return tl::unexpected(text.error());
  std::vector<OwnCgroup> found;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    found.push_back(
        {line.substr(first + 1, second - first - 1), std::filesystem::path(line.substr(second + 1)).relative_path()});
  }
  return found;
}

}  // namespace groth16d::supervisor
