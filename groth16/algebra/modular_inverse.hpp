// 1/x modulo an odd p by division steps, 62 at a time on the low words (Bernstein, Yang 2019, "Fast constant-time gcd
// computation and modular inversion", in the variable-time form with the bounds of Wuille 2021): a tenth of the time of
// Fermat's power. Its time depends on x.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "groth16/algebra/uint.hpp"

namespace groth16 {

template <std::size_t N>
class DivisionSteps {
 public:
  // The inverse of x modulo p; 0 for 0. Needs x < p; p is odd and leaves two bits of its top word free, or one.
  static constexpr UInt<N> inverse(const UInt<N>& x, const UInt<N>& p) {
    const Number modulus = split(p);
    const std::uint64_t p_inverse = inverse_modulo_2_62(p.limb[0]);
    Number f = modulus, g = split(x), d{}, e{};
    e.limb[0] = 1;
    std::int64_t eta = -1;
    while (!g.is_zero()) {
      const Matrix t = steps(eta, static_cast<std::uint64_t>(f.limb[0]), static_cast<std::uint64_t>(g.limb[0]));
      apply_modulo(t, d, e, modulus, p_inverse);
      apply(t, f, g);
    }
    return join(normalised(d, f.is_negative(), modulus));
  }

 private:
  static constexpr unsigned kBits = 62;
  static constexpr std::size_t kLimbs = (64 * N + 1 + kBits - 1) / kBits;
  static constexpr std::int64_t kMask = (std::int64_t{1} << kBits) - 1;

  // Limbs of 62 bits, the last one signed.
  struct Number {
    std::int64_t limb[kLimbs];
    constexpr bool is_negative() const { return limb[kLimbs - 1] < 0; }
    constexpr bool is_zero() const {
      std::int64_t any = 0;
      for (const std::int64_t l : limb) any |= l;
      return any == 0;
    }
  };

  // 62 steps take (f, g) to (u f + v g, q f + r g) / 2^62.
  struct Matrix {
    std::int64_t u, v, q, r;
  };

  static constexpr Number split(const UInt<N>& value) {
    Number out{};
    UInt<N> rest = value;
    for (auto& limb : out.limb) {
      limb = static_cast<std::int64_t>(rest.limb[0]) & kMask;
      rest = rest >> kBits;
    }
    return out;
  }
  static constexpr UInt<N> join(const Number& value) {
    UInt<N> out{};
    for (std::size_t i = kLimbs; i-- > 0;) {
      out = out << kBits;
      out.limb[0] |= static_cast<std::uint64_t>(value.limb[i]);
    }
    return out;
  }

  static constexpr std::uint64_t inverse_modulo_2_62(std::uint64_t p) {
    std::uint64_t inverse = 1;
    for (int i = 0; i < 6; ++i) inverse *= 2 - p * inverse;
    return inverse & static_cast<std::uint64_t>(kMask);
  }

  // The matrix of the next 62 steps from the low words alone; eta is the negated delta of the paper.
  static constexpr Matrix steps(std::int64_t& eta, std::uint64_t f, std::uint64_t g) {
    std::uint64_t u = 1, v = 0, q = 0, r = 1;
    int left = kBits;
    while (true) {
      // g is even as often as it has low zeros: halve it so many times at once.
      const int zeros = std::countr_zero(g | (~std::uint64_t{0} << left));
      g >>= zeros;
      u <<= zeros;
      v <<= zeros;
      eta -= zeros;
      left -= zeros;
      if (left == 0)
        return {std::bit_cast<std::int64_t>(u), std::bit_cast<std::int64_t>(v), std::bit_cast<std::int64_t>(q),
                std::bit_cast<std::int64_t>(r)};
      // Both odd. Add the multiple of f that clears up to 6 (after a swap) or 4 low bits of g.
      std::uint64_t factor = 0;
      unsigned cleared = 4;
      if (eta < 0) {
        eta = -eta;
        g = ~std::exchange(f, g) + 1;
        q = ~std::exchange(u, q) + 1;
        r = ~std::exchange(v, r) + 1;
        factor = f * g * (f * f - 2);  // -g / f modulo 64
        cleared = 6;
      } else {
        factor = (~(f + (((f + 1) & 4) << 1)) + 1) * g;  // -g / f modulo 16
      }
      const auto allowed = static_cast<unsigned>(eta + 1 > left ? left : eta + 1);
      factor &= (std::uint64_t{1} << (allowed < cleared ? allowed : cleared)) - 1;
      g += f * factor;
      q += u * factor;
      r += v * factor;
    }
  }

  static constexpr void apply(const Matrix& t, Number& f, Number& g) {
    Int128 cf = Int128{t.u} * f.limb[0] + Int128{t.v} * g.limb[0];
    Int128 cg = Int128{t.q} * f.limb[0] + Int128{t.r} * g.limb[0];
    cf >>= kBits;  // the low 62 bits are zero
    cg >>= kBits;
    for (std::size_t i = 1; i < kLimbs; ++i) {
      cf += Int128{t.u} * f.limb[i] + Int128{t.v} * g.limb[i];
      cg += Int128{t.q} * f.limb[i] + Int128{t.r} * g.limb[i];
      f.limb[i - 1] = static_cast<std::int64_t>(cf) & kMask;
      g.limb[i - 1] = static_cast<std::int64_t>(cg) & kMask;
      cf >>= kBits;
      cg >>= kBits;
    }
    f.limb[kLimbs - 1] = static_cast<std::int64_t>(cf);
    g.limb[kLimbs - 1] = static_cast<std::int64_t>(cg);
  }

  // The same on d and e modulo p: the multiples of p that make the division by 2^62 exact are added. d and e stay in
  // (-2p, p).
  static constexpr void apply_modulo(const Matrix& t, Number& d, Number& e, const Number& p, std::uint64_t p_inverse) {
    const std::int64_t d_sign = d.limb[kLimbs - 1] >> 63, e_sign = e.limb[kLimbs - 1] >> 63;
    std::int64_t md = (t.u & d_sign) + (t.v & e_sign), me = (t.q & d_sign) + (t.r & e_sign);
    Int128 cd = Int128{t.u} * d.limb[0] + Int128{t.v} * e.limb[0];
    Int128 ce = Int128{t.q} * d.limb[0] + Int128{t.r} * e.limb[0];
    const auto correction = [&](Int128 low, std::int64_t m) {
      const std::uint64_t bits = p_inverse * static_cast<std::uint64_t>(low) + static_cast<std::uint64_t>(m);
      return static_cast<std::int64_t>(bits & static_cast<std::uint64_t>(kMask));
    };
    md -= correction(cd, md);
    me -= correction(ce, me);
    cd = (cd + Int128{p.limb[0]} * md) >> kBits;
    ce = (ce + Int128{p.limb[0]} * me) >> kBits;
    for (std::size_t i = 1; i < kLimbs; ++i) {
      cd += Int128{t.u} * d.limb[i] + Int128{t.v} * e.limb[i] + Int128{p.limb[i]} * md;
      ce += Int128{t.q} * d.limb[i] + Int128{t.r} * e.limb[i] + Int128{p.limb[i]} * me;
      d.limb[i - 1] = static_cast<std::int64_t>(cd) & kMask;
      e.limb[i - 1] = static_cast<std::int64_t>(ce) & kMask;
      cd >>= kBits;
      ce >>= kBits;
    }
    d.limb[kLimbs - 1] = static_cast<std::int64_t>(cd);
    e.limb[kLimbs - 1] = static_cast<std::int64_t>(ce);
  }

  // From (-2p, p), negated or not, to [0, p).
  static constexpr Number normalised(Number d, bool negate, const Number& p) {
    if (d.is_negative()) d = plus(d, p);
    if (negate) {
      for (auto& limb : d.limb) limb = -limb;
      d = plus(d, Number{});
    }
    return d.is_negative() ? plus(d, p) : d;
  }
  static constexpr Number plus(const Number& a, const Number& b) {
    Number out;
    std::int64_t carry = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) {
      carry += a.limb[i] + b.limb[i];
      out.limb[i] = i + 1 < kLimbs ? carry & kMask : carry;
      carry >>= kBits;
    }
    return out;
  }
};

}  // namespace groth16
