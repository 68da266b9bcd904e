#include "tests/core/coverage.hpp"

#include "tests/core/trace.hpp"

namespace groth16d::supervisor::test {

void Coverage::add(const Coverage& other) {
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t e = 0; e < kEvents; ++e) counts_[r][e] += other.counts_[r][e];
}

std::size_t Coverage::pairs() const {
  std::size_t reached = 0;
  for (const auto& row : counts_)
    for (const std::uint64_t count : row) reached += count > 0;
  return reached;
}

void Coverage::print(std::FILE* file) const {
  for (std::size_t r = 0; r < kRows; ++r) {
    const Subject subject{static_cast<Subject::Kind>(r / Subject::kStates),
                          static_cast<std::uint8_t>(r % Subject::kStates)};
    std::string line;
    for (std::size_t e = 0; e < kEvents; ++e)
      if (counts_[r][e] > 0) line += " " + event_name(e) + " " + std::to_string(counts_[r][e]);
    const std::string name = to_string(subject);
    if (!name.empty()) std::fprintf(file, "%-26s%s\n", name.c_str(), line.empty() ? " never" : line.c_str());
  }
}

}  // namespace groth16d::supervisor::test
