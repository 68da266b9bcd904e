// Which pair adder serves a level.
#include "groth16/algebra/pair_adder.hpp"

#include "groth16/algebra/adx_field.hpp"
#include "groth16/algebra/pair_adder_lanes.hpp"
#include "groth16/algebra/pair_adder_steps.hpp"

namespace groth16 {

template <class F>
std::unique_ptr<PairAdder<F>> make_pair_adder(CpuLevel level) {
#if defined(GROTH16_HAS_IFMA)
  if (level == CpuLevel::ifma) return std::make_unique<LanePairAdder<F>>();
#endif
#if defined(GROTH16_HAS_ADX)
  if (level >= CpuLevel::adx) return std::make_unique<StepPairAdder<F, AdxField<F>>>();
#endif
  static_cast<void>(level);
  return std::make_unique<StepPairAdder<F, PlainField<F>>>();
}

#define GROTH16_DEFINE_PAIR_ADDER(F) template std::unique_ptr<PairAdder<F>> make_pair_adder(CpuLevel level);
GROTH16_FOR_EACH_POINT_FIELD(GROTH16_DEFINE_PAIR_ADDER)

}  // namespace groth16
