// The extension fields of a pairing: Fp2 = F[u]/(u^2 + 1), Fp6 = Fp2[v]/(v^3 - xi), Fp12 = Fp6[w]/(w^2 - v). Both
// curves share the shape and differ in xi, which a tower description T names:
//
//   struct T { using Fq2 = Fp2<...>; static constexpr Fq2 mul_by_xi(const Fq2&); };
//
// Formulas: Devegili, O hEigeartaigh, Scott, Dahab 2006, "Multiplication and squaring on pairing-friendly fields";
// Granger, Scott 2010, "Faster squaring in the cyclotomic subgroup of sixth degree extensions".
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "groth16/algebra/field.hpp"
#include "groth16/algebra/portability.hpp"

namespace groth16 {

// c0 + c1 u with u^2 = -1.
template <class F>
struct Fp2 {
  using Prime = F;
  F c0, c1;

  GROTH16_HD static constexpr Fp2 zero() { return {F::zero(), F::zero()}; }
  GROTH16_HD static constexpr Fp2 one() { return {F::one(), F::zero()}; }
  GROTH16_HD static constexpr Fp2 from_u64(std::uint64_t value) { return {F::from_u64(value), F::zero()}; }

  GROTH16_HD constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  GROTH16_HD constexpr bool is_one() const { return *this == one(); }
  friend GROTH16_HD constexpr bool operator==(const Fp2& a, const Fp2& b) { return a.c0 == b.c0 && a.c1 == b.c1; }

  friend GROTH16_HD constexpr Fp2 operator+(const Fp2& a, const Fp2& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
  friend GROTH16_HD constexpr Fp2 operator-(const Fp2& a, const Fp2& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
  // Karatsuba's three products, or four with two reductions where the kernel merges products.
  friend GROTH16_HD constexpr Fp2 operator*(const Fp2& a, const Fp2& b) {
    if constexpr (F::Kernel::kMergesProducts) {
      const auto &a0 = a.c0.limbs(), &a1 = a.c1.limbs(), &b0 = b.c0.limbs(), &b1 = b.c1.limbs();
      return {F::called_sum(a0, b0, a1, F::Kernel::complement(b1)), F::called_sum(a0, b1, a1, b0)};
    }
    const F low = a.c0 * b.c0;
    const F high = a.c1 * b.c1;
    return {low - high, (a.c0 + a.c1) * (b.c0 + b.c1) - low - high};
  }
  GROTH16_HD constexpr Fp2 operator-() const { return {-c0, -c1}; }
  GROTH16_HD constexpr Fp2& operator+=(const Fp2& other) { return *this = *this + other; }
  GROTH16_HD constexpr Fp2& operator-=(const Fp2& other) { return *this = *this - other; }
  GROTH16_HD constexpr Fp2& operator*=(const Fp2& other) { return *this = *this * other; }

  // a * b - c * d.
  friend GROTH16_HD constexpr Fp2 difference_of_products(const Fp2& a, const Fp2& b, const Fp2& c, const Fp2& d) {
    if constexpr (F::Kernel::kMergesProducts) {
      using Kernel = typename F::Kernel;
      const auto &a0 = a.c0.limbs(), &a1 = a.c1.limbs(), &c_low = c.c0.limbs(), &c_high = c.c1.limbs();
      const auto &b0 = b.c0.limbs(), &b1 = b.c1.limbs(), &d1 = d.c1.limbs();
      const auto minus_d0 = Kernel::complement(d.c0.limbs()), minus_d1 = Kernel::complement(d1);
      return {F::called_sum(a0, b0, a1, Kernel::complement(b1), c_low, minus_d0, c_high, d1),
              F::called_sum(a0, b1, a1, b0, c_low, minus_d1, c_high, minus_d0)};
    } else {
      return a * b - c * d;
    }
  }

  GROTH16_HD constexpr Fp2 scaled(const F& factor) const { return {c0 * factor, c1 * factor}; }
  GROTH16_HD constexpr Fp2 doubled() const { return {c0.doubled(), c1.doubled()}; }
  GROTH16_HD constexpr Fp2 square() const {
    const F sum = c0 + c1, difference = c0 - c1;
    if constexpr (F::Kernel::kMergesProducts) {
      return {F::called_product(sum.limbs(), difference.limbs()), F::called_product(c0.limbs(), c1.limbs()).doubled()};
    }
    return {sum * difference, (c0 * c1).doubled()};
  }

  // The Frobenius map x -> x^p.
  GROTH16_HD constexpr Fp2 conjugate() const { return {c0, -c1}; }
  GROTH16_HD constexpr F norm() const { return c0.square() + c1.square(); }
  GROTH16_HD constexpr Fp2 inverse() const { return conjugate().scaled(norm().inverse()); }

  template <std::size_t M>
  GROTH16_HD constexpr Fp2 pow(const UInt<M>& exponent) const {
    return power(*this, exponent);
  }

  // A square root, either of the two; nothing for a non-square. By the norm: for x = a + bu a root c + du has
  // c^2 = (a + sqrt(a^2 + b^2)) / 2 for one of the two signs of the inner root.
  constexpr std::optional<Fp2> sqrt() const {
    if (c1.is_zero()) {
      if (const auto real = c0.sqrt()) return Fp2{*real, F::zero()};
      if (const auto imaginary = (-c0).sqrt()) return Fp2{F::zero(), *imaginary};
      return std::nullopt;
    }
    const auto length = norm().sqrt();
    if (!length) return std::nullopt;
    const F half = F::from_u64(2).inverse();
    auto real = ((c0 + *length) * half).sqrt();
    if (!real) real = ((c0 - *length) * half).sqrt();
    if (!real) return std::nullopt;
    const Fp2 root{*real, c1 * half * real->inverse()};
    if (root.square() == *this) return root;
    return std::nullopt;
  }

  // The "sign" of compressed points: that of c1, or of c0 when c1 is zero.
  GROTH16_HD constexpr bool is_larger_half() const { return c1.is_zero() ? c0.is_larger_half() : c1.is_larger_half(); }
};

// c0 + c1 v + c2 v^2 with v^3 = xi.
template <class T>
struct Fp6 {
  using Fq2 = typename T::Fq2;
  Fq2 c0, c1, c2;

  GROTH16_HD static constexpr Fp6 zero() { return {Fq2::zero(), Fq2::zero(), Fq2::zero()}; }
  GROTH16_HD static constexpr Fp6 one() { return {Fq2::one(), Fq2::zero(), Fq2::zero()}; }

  GROTH16_HD constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero() && c2.is_zero(); }
  friend GROTH16_HD constexpr bool operator==(const Fp6& a, const Fp6& b) {
    return a.c0 == b.c0 && a.c1 == b.c1 && a.c2 == b.c2;
  }

  friend GROTH16_HD constexpr Fp6 operator+(const Fp6& a, const Fp6& b) {
    return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
  }
  friend GROTH16_HD constexpr Fp6 operator-(const Fp6& a, const Fp6& b) {
    return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2};
  }
  GROTH16_HD constexpr Fp6 operator-() const { return {-c0, -c1, -c2}; }
  friend GROTH16_HD constexpr Fp6 operator*(const Fp6& a, const Fp6& b) {
    const Fq2 t0 = a.c0 * b.c0, t1 = a.c1 * b.c1, t2 = a.c2 * b.c2;
    return {t0 + T::mul_by_xi((a.c1 + a.c2) * (b.c1 + b.c2) - t1 - t2),
            (a.c0 + a.c1) * (b.c0 + b.c1) - t0 - t1 + T::mul_by_xi(t2), (a.c0 + a.c2) * (b.c0 + b.c2) - t0 - t2 + t1};
  }
  GROTH16_HD constexpr Fp6 square() const {
    const Fq2 s0 = c0.square(), s1 = (c0 * c1).doubled(), s2 = (c0 - c1 + c2).square(), s3 = (c1 * c2).doubled(),
              s4 = c2.square();
    return {s0 + T::mul_by_xi(s3), s1 + T::mul_by_xi(s4), s1 + s2 + s3 - s0 - s4};
  }
  GROTH16_HD constexpr Fp6 scaled(const Fq2& factor) const { return {c0 * factor, c1 * factor, c2 * factor}; }
  // Times b0 + b1 v.
  GROTH16_HD constexpr Fp6 mul_by_pair(const Fq2& b0, const Fq2& b1) const {
    const Fq2 t0 = c0 * b0, t1 = c1 * b1;
    return {t0 + T::mul_by_xi(c2 * b1), (c0 + c1) * (b0 + b1) - t0 - t1, t1 + c2 * b0};
  }
  GROTH16_HD constexpr Fp6 mul_by_v() const { return {T::mul_by_xi(c2), c0, c1}; }

  GROTH16_HD constexpr Fp6 inverse() const {
    const Fq2 t0 = c0.square() - T::mul_by_xi(c1 * c2);
    const Fq2 t1 = T::mul_by_xi(c2.square()) - c0 * c1;
    const Fq2 t2 = c1.square() - c0 * c2;
    const Fq2 norm = c0 * t0 + T::mul_by_xi(c2 * t1 + c1 * t2);
    return Fp6{t0, t1, t2}.scaled(norm.inverse());
  }
};

// c0 + c1 w with w^2 = v. As a polynomial in w over Fq2 its coefficients are c0.c0, c1.c0, c0.c1, c1.c1, c0.c2, c1.c2.
template <class T>
struct Fp12 {
  using Fq2 = typename T::Fq2;
  using Fq6 = Fp6<T>;
  using Fq = typename Fq2::Prime;
  Fq6 c0, c1;

  GROTH16_HD static constexpr Fp12 zero() { return {Fq6::zero(), Fq6::zero()}; }
  GROTH16_HD static constexpr Fp12 one() { return {Fq6::one(), Fq6::zero()}; }

  GROTH16_HD constexpr bool is_one() const { return *this == one(); }
  friend GROTH16_HD constexpr bool operator==(const Fp12& a, const Fp12& b) { return a.c0 == b.c0 && a.c1 == b.c1; }

  friend GROTH16_HD constexpr Fp12 operator+(const Fp12& a, const Fp12& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
  friend GROTH16_HD constexpr Fp12 operator-(const Fp12& a, const Fp12& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
  friend GROTH16_HD constexpr Fp12 operator*(const Fp12& a, const Fp12& b) {
    const Fq6 low = a.c0 * b.c0, high = a.c1 * b.c1;
    return {low + high.mul_by_v(), (a.c0 + a.c1) * (b.c0 + b.c1) - low - high};
  }
  // Times (low.b0 + low.b1 v) + (high.b0 + high.b1 v) w, the shape of a line.
  struct Pair {
    Fq2 b0, b1;
  };
  GROTH16_HD constexpr Fp12 mul_by_pairs(const Pair& low, const Pair& high) const {
    const Fq6 low_product = c0.mul_by_pair(low.b0, low.b1), high_product = c1.mul_by_pair(high.b0, high.b1);
    return {low_product + high_product.mul_by_v(),
            (c0 + c1).mul_by_pair(low.b0 + high.b0, low.b1 + high.b1) - low_product - high_product};
  }
  GROTH16_HD constexpr Fp12 square() const {
    const Fq6 cross = c0 * c1;
    return {(c0 + c1) * (c0 + c1.mul_by_v()) - cross - cross.mul_by_v(), cross + cross};
  }
  GROTH16_HD constexpr Fp12 inverse() const {
    const Fq6 scale = (c0.square() - c1.square().mul_by_v()).inverse();
    return {c0 * scale, -(c1 * scale)};
  }

  // x -> x^(p^6); the inverse of an element of the cyclotomic subgroup.
  GROTH16_HD constexpr Fp12 conjugate() const { return {c0, -c1}; }

  template <std::size_t M>
  GROTH16_HD constexpr Fp12 pow(const UInt<M>& exponent) const {
    return power(*this, exponent);
  }

  // The square of an element of the cyclotomic subgroup (what the easy part of the final exponentiation yields).
  GROTH16_HD constexpr Fp12 cyclotomic_square() const {
    const Square4 a = square4(c0.c0, c1.c1), b = square4(c1.c0, c0.c2), c = square4(c0.c1, c1.c2);
    return {{triple_minus_double(a.low, c0.c0), triple_minus_double(b.low, c0.c1), triple_minus_double(c.low, c0.c2)},
            {triple_plus_double(T::mul_by_xi(c.high), c1.c0), triple_plus_double(a.high, c1.c1),
             triple_plus_double(b.high, c1.c2)}};
  }

  // x -> x^p. Host only: its constants are computed once at first use.
  Fp12 frobenius() const {
    const auto& gamma = frobenius_constants();
    return {{c0.c0.conjugate(), c0.c1.conjugate() * gamma[2], c0.c2.conjugate() * gamma[4]},
            {c1.c0.conjugate() * gamma[1], c1.c1.conjugate() * gamma[3], c1.c2.conjugate() * gamma[5]}};
  }
  Fp12 frobenius(unsigned times) const {
    Fp12 out = *this;
    for (unsigned i = 0; i < times; ++i) out = out.frobenius();
    return out;
  }

  // gamma[i] = xi^(i (p-1) / 6) = w^(i (p-1)).
  static const std::array<Fq2, 6>& frobenius_constants() {
    static const std::array<Fq2, 6> constants = [] {
      auto exponent = Fq::modulus() - Fq::Integer::from_u64(1);
      exponent.div_word_in_place(6);
      const Fq2 first = T::mul_by_xi(Fq2::one()).pow(exponent);
      std::array<Fq2, 6> out{};
      out[0] = Fq2::one();
      for (std::size_t i = 1; i < 6; ++i) out[i] = out[i - 1] * first;
      return out;
    }();
    return constants;
  }

 private:
  // (a + b s)^2 = low + high s in the quartic extension Fq2[s]/(s^2 - xi).
  struct Square4 {
    Fq2 low, high;
  };
  GROTH16_HD static constexpr Square4 square4(const Fq2& a, const Fq2& b) {
    const Fq2 a2 = a.square(), b2 = b.square();
    return {a2 + T::mul_by_xi(b2), (a + b).square() - a2 - b2};
  }
  GROTH16_HD static constexpr Fq2 triple_minus_double(const Fq2& t, const Fq2& z) { return (t - z).doubled() + t; }
  GROTH16_HD static constexpr Fq2 triple_plus_double(const Fq2& t, const Fq2& z) { return (t + z).doubled() + t; }
};

}  // namespace groth16
