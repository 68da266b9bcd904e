// Fp<P>: the prime field of modulus P::modulus(), in Montgomery form. An element is exactly its limbs, little-endian,
// so an array of elements is an array of the "LEM" values of a zkey file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "groth16/algebra/limb_kernel.hpp"
#include "groth16/algebra/modular_inverse.hpp"
#include "groth16/algebra/portability.hpp"
#include "groth16/algebra/uint.hpp"

namespace groth16 {

// value^exponent by squaring, most significant bit first; for any type with one(), square() and *.
template <class F, std::size_t M>
GROTH16_HD constexpr F power(const F& value, const UInt<M>& exponent) {
  F result = F::one();
  for (std::size_t i = exponent.bit_length(); i > 0; --i) {
    result = result.square();
    if (exponent.bit(i - 1)) result = result * value;
  }
  return result;
}

template <class P>
class Fp {
 public:
  static constexpr std::size_t kLimbs = P::kLimbs;
  static constexpr std::size_t kBytes = 8 * kLimbs;
  using Params = P;
  using Kernel = LimbKernel<P>;
  using Constants = MontgomeryConstants<P>;
  using Integer = UInt<kLimbs>;
  using Prime = Fp;  // the prime field below this one: itself

  Fp() = default;  // indeterminate, as an int is; Fp{} is zero

  GROTH16_HD static constexpr Integer modulus() { return P::modulus(); }
  GROTH16_HD static constexpr Fp zero() { return Fp(Integer{}); }
  GROTH16_HD static constexpr Fp one() {
    constexpr Integer r = Constants::r();
    return Fp(r);
  }

  // Whether an integer names an element: value < p.
  GROTH16_HD static constexpr bool is_canonical(const Integer& value) { return value < modulus(); }

  GROTH16_HD static constexpr Fp from_u64(std::uint64_t value) { return from_uint(Integer::from_u64(value)); }

  // The element that a number stands for. A number that is not canonical is reduced.
  GROTH16_HD static constexpr Fp from_uint(const Integer& value) {
    constexpr Integer r_squared = Constants::r_squared();
    return Fp(Kernel::mul(r_squared, value));
  }
  GROTH16_HD constexpr Integer to_uint() const { return Kernel::mul(limbs_, Integer::from_u64(1)); }

  // The limbs as they lie in memory and in files. from_montgomery_limbs needs limbs that are canonical (below p).
  GROTH16_HD static constexpr Fp from_montgomery_limbs(const Integer& limbs) { return Fp(limbs); }
  GROTH16_HD constexpr const Integer& limbs() const { return limbs_; }

  GROTH16_HD constexpr bool is_zero() const { return limbs_.is_zero(); }
  GROTH16_HD constexpr bool is_one() const { return *this == one(); }
  friend GROTH16_HD constexpr bool operator==(const Fp& a, const Fp& b) { return a.limbs_ == b.limbs_; }

  friend GROTH16_HD constexpr Fp operator+(const Fp& a, const Fp& b) { return Fp(Kernel::add(a.limbs_, b.limbs_)); }
  friend GROTH16_HD constexpr Fp operator-(const Fp& a, const Fp& b) { return Fp(Kernel::sub(a.limbs_, b.limbs_)); }
  friend GROTH16_HD constexpr Fp operator*(const Fp& a, const Fp& b) { return Fp(Kernel::mul(a.limbs_, b.limbs_)); }
  GROTH16_HD constexpr Fp operator-() const { return zero() - *this; }
  GROTH16_HD constexpr Fp& operator+=(const Fp& other) { return *this = *this + other; }
  GROTH16_HD constexpr Fp& operator-=(const Fp& other) { return *this = *this - other; }
  GROTH16_HD constexpr Fp& operator*=(const Fp& other) { return *this = *this * other; }

  GROTH16_HD constexpr Fp square() const { return Fp(Kernel::sqr(limbs_)); }
  GROTH16_HD constexpr Fp doubled() const { return *this + *this; }

  // a * b + c * d and a * b - c * d: one reduction instead of two where the kernel merges products.
  friend GROTH16_HD constexpr Fp sum_of_products(const Fp& a, const Fp& b, const Fp& c, const Fp& d) {
    if constexpr (Kernel::kMergesProducts) {
      return Fp(Kernel::template sum_of_products<2>({a.limbs_, c.limbs_}, {b.limbs_, d.limbs_}));
    } else {
      return a * b + c * d;
    }
  }
  friend GROTH16_HD constexpr Fp difference_of_products(const Fp& a, const Fp& b, const Fp& c, const Fp& d) {
    if constexpr (Kernel::kMergesProducts) {
      return Fp(Kernel::template sum_of_products<2>({a.limbs_, c.limbs_}, {b.limbs_, Kernel::complement(d.limbs_)}));
    } else {
      return a * b - c * d;
    }
  }

  // Sums of products as calls, for a kernel that merges products; factors up to p. An extension field's arithmetic is
  // made of these: as straight-line code it would overflow a device's instruction cache. Each factor is an argument of
  // its own, because a large structure would travel through memory.
  GROTH16_HD static GROTH16_CALLED Fp called_product(Integer a, Integer b) { return Fp(Kernel::mul(a, b)); }
  GROTH16_HD static GROTH16_CALLED Fp called_sum(Integer a0, Integer b0, Integer a1, Integer b1) {
    return Fp(Kernel::template sum_of_products<2>({a0, a1}, {b0, b1}));
  }
  GROTH16_HD static GROTH16_CALLED Fp called_sum(Integer a0, Integer b0, Integer a1, Integer b1, Integer a2, Integer b2,
                                                 Integer a3, Integer b3) {
    return Fp(Kernel::template sum_of_products<4>({a0, a1, a2, a3}, {b0, b1, b2, b3}));
  }

  // The Montgomery product with a raw integer: limbs * raw / R mod p. A value stored as v R^2 times a raw w gives the
  // element v w, which is how the coefficients of a zkey meet a witness.
  GROTH16_HD constexpr Fp mul_raw(const Integer& raw) const { return Fp(Kernel::mul(limbs_, raw)); }

  template <std::size_t M>
  GROTH16_HD constexpr Fp pow(const UInt<M>& exponent) const {
    return power(*this, exponent);
  }
  GROTH16_HD constexpr Fp pow(std::uint64_t exponent) const { return power(*this, UInt<1>::from_u64(exponent)); }

  // 1/x; 0 for 0. On a device by Fermat's little theorem.
  GROTH16_HD constexpr Fp inverse() const {
#if defined(__CUDA_ARCH__)
    constexpr Integer exponent = P::modulus() - Integer::from_u64(2);
    return pow(exponent);
#else
    constexpr Integer r_cubed = Kernel::mul(Constants::r_squared(), Constants::r_squared());
    return Fp(Kernel::mul(DivisionSteps<kLimbs>::inverse(limbs_, modulus()), r_cubed));  // (1 / xR) R^3 / R
#endif
  }

  // A square root, either of the two; nothing for a non-residue.
  constexpr std::optional<Fp> sqrt() const {
    const Fp root = (modulus().limb[0] & 3) == 3 ? pow(quarter_of_successor()) : tonelli_shanks();
    if (root.square() == *this) return root;
    return std::nullopt;
  }

  // Whether the canonical value is above (p-1)/2: the "sign" of compressed points.
  GROTH16_HD constexpr bool is_larger_half() const { return to_uint() > (modulus() >> 1); }

 private:
  GROTH16_HD explicit constexpr Fp(const Integer& limbs) : limbs_(limbs) {}

  static constexpr Integer quarter_of_successor() { return (modulus() >> 2) + Integer::from_u64(1); }

  // For p = 2^s t + 1 (Cohen, "A course in computational algebraic number theory", algorithm 1.5.1). The result's
  // square is *this when *this is a square, and something else otherwise.
  constexpr Fp tonelli_shanks() const {
    const Integer p_minus_one = modulus() - Integer::from_u64(1);
    std::size_t two_adicity = 0;
    while (!p_minus_one.bit(two_adicity)) ++two_adicity;
    const Integer odd = p_minus_one >> two_adicity;

    Fp non_residue = from_u64(2);
    while (non_residue.pow(p_minus_one >> 1).is_one() || non_residue.is_zero()) non_residue += one();
    Fp generator = non_residue.pow(odd);  // order exactly 2^two_adicity
    Fp root = pow((odd + Integer::from_u64(1)) >> 1);
    Fp error = pow(odd);  // root^2 = *this * error
    for (std::size_t order = two_adicity; order > 1; --order) {
      Fp probe = error;
      for (std::size_t i = 0; i + 2 < order; ++i) probe = probe.square();
      if (!probe.is_one()) {
        root *= generator;
        error *= generator.square();
      }
      generator = generator.square();
    }
    return root;
  }

  Integer limbs_;
};

// Inverts every element in place, 0 staying 0, with one inversion for each 256 elements (Montgomery's trick).
template <class F>
void batch_inverse(std::span<F> values) {
  constexpr std::size_t kBlock = 256;
  F prefix[kBlock];
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const auto block = values.subspan(first, values.size() - first < kBlock ? values.size() - first : kBlock);
    F product = F::one();
    for (std::size_t i = 0; i < block.size(); ++i) {
      prefix[i] = product;
      if (!block[i].is_zero()) product = product * block[i];
    }
    F rest = product.inverse();
    for (std::size_t i = block.size(); i-- > 0;) {
      if (block[i].is_zero()) continue;
      const F inverse = rest * prefix[i];
      rest = rest * block[i];
      block[i] = inverse;
    }
  }
}

}  // namespace groth16
