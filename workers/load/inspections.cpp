#include "workers/load/inspections.hpp"

#include <algorithm>

namespace groth16d::worker {

namespace {

constexpr std::size_t kMost = 64;  // circuits that wait for memory between their INSPECT and their LOAD

}  // namespace

void Inspections::remember(const SourceIdentity& source, const CircuitDigests& digests) {
  std::erase_if(latest_, [&](const auto& known) { return known.first == source; });
  if (latest_.size() == kMost) latest_.pop_front();
  latest_.emplace_back(source, digests);
}

bool Inspections::knows(const SourceIdentity& source, const CircuitDigests& digests) const {
  return std::ranges::any_of(latest_, [&](const auto& known) { return known == std::pair(source, digests); });
}

}  // namespace groth16d::worker
