// One addition a window: [s] P = sum over windows w of table[w][digit w of s].
#include "groth16/proof/fixed_base.hpp"

#include <algorithm>

namespace groth16 {

template <class F>
FixedBase<F>::FixedBase(const Affine<F>& base) : table_(kWindows * kDigits) {
  std::vector<Jacobian<F>> multiples(kDigits);
  auto window_base = Jacobian<F>::from_affine(base);
  for (std::size_t window = 0; window < kWindows; ++window) {
    auto multiple = Jacobian<F>::infinity();
    for (auto& entry : multiples) entry = multiple += window_base;
    window_base += multiple;  // 255 + 1 times the old one
    batch_to_affine(std::span<const Jacobian<F>>(multiples),
                    std::span<Affine<F>>(table_).subspan(window * kDigits, kDigits));
  }
}

template <class F>
Jacobian<F> FixedBase<F>::times(const UInt<4>& scalar) const {
  auto sum = Xyzz<F>::infinity();
  for (std::size_t window = 0; window < kWindows; ++window) {
    const std::uint32_t digit = scalar.bits(window * kWindowBits, kWindowBits);
    if (digit != 0) sum += table_[window * kDigits + digit - 1];
  }
  return sum.to_jacobian();
}

template <class F>
template <class Fr>
void FixedBase<F>::multiply(std::span<const Fr> scalars, std::span<Affine<F>> out, const Compute& compute) const {
  constexpr std::size_t kBlock = 256;  // what batch_to_affine inverts together
  const auto blocks = [&](std::size_t begin, std::size_t end) {
    std::vector<Jacobian<F>> multiples(std::min(kBlock, end - begin));
    for (std::size_t first = begin; first < end; first += kBlock) {
      const std::size_t count = std::min(kBlock, end - first);
      for (std::size_t i = 0; i < count; ++i) multiples[i] = times(scalars[first + i].to_uint());
      batch_to_affine(std::span<const Jacobian<F>>(multiples).first(count), out.subspan(first, count));
    }
  };
  compute.parallel_for(scalars.size(), blocks, kBlock);
}

#define GROTH16_DEFINE_FIXED_BASE(F, Fr) \
  template class FixedBase<F>;           \
  template void FixedBase<F>::multiply(std::span<const Fr>, std::span<Affine<F>>, const Compute&) const;
GROTH16_DEFINE_FIXED_BASE(Bn254::Fq, Bn254::Fr)
GROTH16_DEFINE_FIXED_BASE(Bn254::Fq2, Bn254::Fr)
GROTH16_DEFINE_FIXED_BASE(Bls12_381::Fq, Bls12_381::Fr)
GROTH16_DEFINE_FIXED_BASE(Bls12_381::Fq2, Bls12_381::Fr)

}  // namespace groth16
