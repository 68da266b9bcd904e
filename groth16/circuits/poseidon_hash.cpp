#include "groth16/circuits/poseidon_hash.hpp"

namespace groth16::circuits {

Fr poseidon_by_definition(const PoseidonConstants& constants, std::span<const Fr> inputs) {
  constexpr unsigned kHalf = PoseidonConstants::kFullRounds / 2;
  const std::size_t width = constants.width();
  poseidon_detail::State state;
  state[0] = constants.domain_tag;
  for (std::size_t i = 1; i < width; ++i) state[i] = inputs[i - 1];

  const unsigned n_rounds = PoseidonConstants::kFullRounds + constants.partial_rounds;
  for (unsigned round = 0; round < n_rounds; ++round) {
    const bool is_partial = round >= kHalf && round < kHalf + constants.partial_rounds;
    for (std::size_t i = 0; i < width; ++i) {
      state[i] += constants.round_constants[round * width + i];
      if (i == 0 || !is_partial) state[i] = state[i].pow(5);
    }
    poseidon_detail::mix(constants.mix, state);
  }
  return state[1];
}

}  // namespace groth16::circuits
