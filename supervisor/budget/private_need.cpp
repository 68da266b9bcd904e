#include "supervisor/budget/private_need.hpp"

#include <algorithm>

namespace groth16d::supervisor {
namespace {

std::uint64_t corrected(std::uint64_t formula, const ObservedPeak& peak, std::uint64_t margin_bytes) {
  const std::uint64_t with_margin = peak.bytes + peak.bytes / 20 + margin_bytes;
  if (peak.bytes > formula) return with_margin;
  return peak.assignments > 0 ? std::min(with_margin, formula) : formula;
}

}  // namespace

std::uint64_t PrivateNeeds::after_synthesis(bool prove_is_open, bool b2_is_open) const {
  const PrivateNeeds& need = *this;
  return std::max((prove_is_open ? need[Stage::prove] : 0) + (b2_is_open ? need[Stage::b2] : 0), need[Stage::assemble]);
}

std::uint64_t PrivateNeeds::whole_life() const { return std::max((*this)[Stage::synth], after_synthesis(true, true)); }

PrivateNeeds formula_needs(const CircuitFacts& facts) {
  PrivateNeeds needs;
  needs[Stage::load] = facts.load_private_bytes;
  needs[Stage::synth] = facts.synth_private_bytes;
  needs[Stage::prove] = facts.prove_private_bytes;
  needs[Stage::b2] = facts.b2_private_bytes;
  needs[Stage::assemble] = facts.assemble_private_bytes;
  return needs;
}

void ObservedPeaks::observe(Stage stage, std::uint64_t bytes, bool complete) {
  ObservedPeak& peak = peaks_[static_cast<std::size_t>(stage)];
  peak.bytes = std::max(peak.bytes, bytes);
  peak.assignments += complete ? 1 : 0;
}

PrivateNeeds ObservedPeaks::corrected(const PrivateNeeds& formula, std::uint64_t margin_bytes) const {
  PrivateNeeds needs;
  for (std::size_t s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    needs[stage] = supervisor::corrected(formula[stage], peaks_[s], margin_bytes);
  }
  return needs;
}

}  // namespace groth16d::supervisor
