// One thread a scalar walks its windows upward, carrying.
#include "cuda/msm_digits.cuh"

#include "cuda/cuda_call.cuh"
#include "cuda/threads.cuh"

namespace groth16::device {

namespace {

__global__ void pairs_of_scalars(const UInt<4>* scalars, UInt<4> modulus, MsmPlan plan, unsigned first_set,
                                 std::uint32_t* keys, std::uint32_t* values) {
  const std::size_t i = thread_index();
  if (i >= plan.points) return;
  UInt<4> scalar = load16_constant(scalars + i);
  UInt<4> folded = modulus;
  folded.sub_in_place(scalar);
  const bool is_folded = folded < scalar;
  if (is_folded) scalar = folded;

  const std::uint32_t half = 1u << (plan.window_bits - 1);
  const std::uint32_t none = plan.sets_at_once * half;
  std::uint32_t carry = 0;
  for (unsigned window = 0, table = 0, set = 0; table < plan.tables; ++window) {
    std::uint32_t digit = 0;
    if (window < plan.windows) digit = scalar.bits(window * plan.window_bits, plan.window_bits) + carry;
    const bool is_negative = digit > half;
    carry = is_negative ? 1 : 0;
    if (is_negative) digit = 2 * half - digit;
    if (set >= first_set && set < first_set + plan.sets_at_once) {
      const unsigned slot = set - first_set;
      const std::size_t place = table * plan.points + i;
      const std::size_t at = (std::size_t{table} * plan.sets_at_once + slot) * plan.points + i;
      keys[at] = digit == 0 ? none : slot * half + digit - 1;
      values[at] = static_cast<std::uint32_t>(2 * place) | (is_negative != is_folded ? 1u : 0u);
    }
    if (++set == plan.sets) {
      set = 0;
      ++table;
    }
  }
}

}  // namespace

void make_pairs(const UInt<4>* scalars, const UInt<4>& modulus, const MsmPlan& plan, unsigned first_set,
                std::uint32_t* keys, std::uint32_t* values, cudaStream_t stream) {
  constexpr unsigned kThreads = 256;
  pairs_of_scalars<<<blocks_for(plan.points, kThreads), kThreads, 0, stream>>>(scalars, modulus, plan, first_set, keys,
                                                                               values);
  check_launch("pairs_of_scalars");
}

}  // namespace groth16::device
