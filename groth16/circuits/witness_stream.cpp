#include "groth16/circuits/witness_stream.hpp"

#include <bit>
#include <string>

namespace groth16::circuits {

// Nearly all masks are ones from bit 0 up. The others come from constant bits at the start of a hash.
void WitnessStream::put_masked(std::uint64_t value, std::uint64_t mask) {
  value &= mask;
  if ((mask & (mask + 1)) == 0) return put_bits(value, static_cast<unsigned>(std::popcount(mask)));
  while (mask != 0) {
    const auto run_start = static_cast<unsigned>(std::countr_zero(mask));
    const auto run = static_cast<unsigned>(std::countr_one(mask >> run_start));
    const std::uint64_t run_mask = run == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << run) - 1);
    put_bits((value >> run_start) & run_mask, run);
    mask &= ~(run_mask << run_start);
  }
}

groth16d::Result<void> WitnessStream::finish(const ConstraintSystem<Bls12_381>& system) const {
  if (n_public_ == system.n_public() && n_bits_ == system.n_boolean() && n_full_ == system.n_full()) return {};
  return groth16d::failure(groth16d::ErrorCode::internal, "witness.generator",
                           "witness generator: " + std::to_string(n_public_) + " public values, " +
                               std::to_string(n_bits_) + " bits and " + std::to_string(n_full_) +
                               " numbers; its system has " + std::to_string(system.n_public()) + ", " +
                               std::to_string(system.n_boolean()) + " and " + std::to_string(system.n_full()));
}

}  // namespace groth16::circuits
