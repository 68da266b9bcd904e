// The Miller loop with affine points on the twist, all pairs in step: every step needs the slopes of all pairs, and one
// inversion serves them all. Then the final exponentiation, its hard part by the curve's polynomial.
#include "groth16/algebra/pairing.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace groth16 {

namespace {

// The non-adjacent form of a number, least significant digit first: fewer additions than its bits.
struct SignedDigits {
  std::array<signed char, 68> digit{};
  std::size_t count = 0;
};

constexpr SignedDigits non_adjacent_form(UInt<2> value) {
  SignedDigits out;
  while (!value.is_zero()) {
    if (value.bit(0)) {
      out.digit[out.count] = value.bit(1) ? -1 : 1;
      if (value.bit(1)) {
        value.add_in_place(UInt<2>::from_u64(1));
      } else {
        value.sub_in_place(UInt<2>::from_u64(1));
      }
    }
    value = value >> 1;
    ++out.count;
  }
  return out;
}

constexpr SignedDigits kBn254Parameter = non_adjacent_form(UInt<2>::from_u64(Bn254::parameter));
constexpr SignedDigits kBls12_381Parameter = non_adjacent_form(UInt<2>::from_u64(Bls12_381::parameter));

// What a line is made of, from its slope and a point (x, y) on it, both on the twist, and P = (px, py) on the curve.
//
// BN254 has a D-twist, (x, y) -> (x w^2, y w^3), so the line at P is py - slope px w + (slope x - y) w^3.
inline void multiply_by_line(Bn254::Fq12& f, const Bn254::Fq2& slope, const Bn254::G2& on_line, const Bn254::G1& p) {
  using Fq2 = Bn254::Fq2;
  f = f.mul_by_pairs({Fq2{p.y, Bn254::Fq::zero()}, Fq2::zero()}, {-slope.scaled(p.x), slope * on_line.x - on_line.y});
}

// BLS12-381 has an M-twist, (x, y) -> (x w^-2, y w^-3); times w^3, which the final exponentiation removes, the line is
// (slope x - y) - slope px w^2 + py w^3.
inline void multiply_by_line(Bls12_381::Fq12& f, const Bls12_381::Fq2& slope, const Bls12_381::G2& on_line,
                             const Bls12_381::G1& p) {
  using Fq2 = Bls12_381::Fq2;
  f = f.mul_by_pairs({slope * on_line.x - on_line.y, -slope.scaled(p.x)},
                     {Fq2::zero(), Fq2{p.y, Bls12_381::Fq::zero()}});
}

// The running state of a Miller loop over several pairs.
template <class C>
class MillerLoop {
 public:
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  using Fq2 = typename C::Fq2;
  using Fq12 = typename C::Fq12;

  explicit MillerLoop(std::span<const std::pair<G1, G2>> pairs) {
    for (const auto& [p, q] : pairs) {
      if (p.is_infinity() || q.is_infinity()) continue;  // their pairing is one
      p_.push_back(p);
      q_.push_back(q);
    }
    t_ = q_;
    slopes_.resize(q_.size());
  }

  void run(const SignedDigits& digits) {
    for (std::size_t i = digits.count - 1; i-- > 0;) {
      f_ = f_.square();
      double_step();
      if (digits.digit[i] == 1) add_step([](const G2& q) { return q; });
      if (digits.digit[i] == -1) add_step([](const G2& q) { return -q; });
    }
  }

  // f *= the line through T and map(Q), T += map(Q), for each pair.
  template <class Map>
  void add_step(Map map) {
    for (std::size_t i = 0; i < t_.size(); ++i) slopes_[i] = t_[i].x - map(q_[i]).x;
    batch_inverse(std::span<Fq2>(slopes_));
    for (std::size_t i = 0; i < t_.size(); ++i) {
      const G2 q = map(q_[i]);
      advance(i, (t_[i].y - q.y) * slopes_[i], q.x);
    }
  }

  const Fq12& value() const { return f_; }

 private:
  void double_step() {
    for (std::size_t i = 0; i < t_.size(); ++i) slopes_[i] = t_[i].y.doubled();
    batch_inverse(std::span<Fq2>(slopes_));
    for (std::size_t i = 0; i < t_.size(); ++i) {
      const Fq2 square = t_[i].x.square();
      advance(i, (square.doubled() + square) * slopes_[i], t_[i].x);
    }
  }

  // T moves along the line of this slope that also meets the point with x coordinate other_x.
  void advance(std::size_t i, const Fq2& slope, const Fq2& other_x) {
    multiply_by_line(f_, slope, t_[i], p_[i]);
    const Fq2 x = slope.square() - t_[i].x - other_x;
    t_[i] = {x, slope * (t_[i].x - x) - t_[i].y};
  }

  std::vector<G1> p_;
  std::vector<G2> q_, t_;
  std::vector<Fq2> slopes_;
  Fq12 f_ = Fq12::one();
};

// value^|x| in the cyclotomic subgroup, where an inverse is a conjugate.
template <class Fq12>
Fq12 cyclotomic_power(const Fq12& value, const SignedDigits& digits) {
  Fq12 result = value;
  for (std::size_t i = digits.count - 1; i-- > 0;) {
    result = result.cyclotomic_square();
    if (digits.digit[i] == 1) result = result * value;
    if (digits.digit[i] == -1) result = result * value.conjugate();
  }
  return result;
}

// value^((q^6 - 1)(q^2 + 1)), an element of the cyclotomic subgroup.
template <class Fq12>
Fq12 easy_part(const Fq12& value) {
  const Fq12 t = value.conjugate() * value.inverse();
  return t.frobenius(2) * t;
}

// The loop runs over 6x + 2, then over the images of Q under Frobenius and minus its square.
Bn254::Fq12 run_miller_loop(MillerLoop<Bn254>& loop) {
  static constexpr UInt<2> kSixX = UInt<2>::from_u64(Bn254::parameter) + (UInt<2>::from_u64(Bn254::parameter) << 2) +
                                   UInt<2>::from_u64(Bn254::parameter);
  static constexpr SignedDigits kLength = non_adjacent_form(kSixX + UInt<2>::from_u64(2));
  loop.run(kLength);
  loop.add_step([](const Bn254::G2& q) { return Bn254::psi(q); });
  loop.add_step([](const Bn254::G2& q) { return -Bn254::psi(Bn254::psi(q)); });
  return loop.value();
}

// The loop runs over x; for its negative sign the value is inverted, which in the end is a conjugate.
Bls12_381::Fq12 run_miller_loop(MillerLoop<Bls12_381>& loop) {
  loop.run(kBls12_381Parameter);
  return loop.value().conjugate();
}

// The power l0 + l1 q + l2 q^2 + l3 q^3, which is 2x (6x^2 + 3x + 1) (q^4 - q^2 + 1) / r (Fuentes-Castaneda, Knapp,
// Rodriguez-Henriquez 2011, "Faster hashing to G2", section 5).
Bn254::Fq12 hard_part(const Bn254::Fq12& f) {
  const auto power_x = [](const Bn254::Fq12& value) { return cyclotomic_power(value, kBn254Parameter); };
  const auto f_2x = power_x(f).cyclotomic_square();
  const auto f_6x = f_2x.cyclotomic_square() * f_2x;
  const auto f_6x2 = power_x(f_6x);
  const auto f_12x3 = power_x(f_6x2.cyclotomic_square());
  const auto l2 = f_12x3 * f_6x2 * f_6x;
  const auto l1 = l2 * f_2x.conjugate();
  const auto l0 = l2 * f_6x2 * f;
  const auto l3 = l1 * f.conjugate();
  return l0 * l1.frobenius(1) * l2.frobenius(2) * l3.frobenius(3);
}

// The power (x-1)^2 (x+q) (x^2+q^2-1) + 3, which is 3 (q^4 - q^2 + 1) / r (Hayashida, Hayasaka, Teruya 2020,
// "Efficient final exponentiation via cyclotomic structure for pairings over families of elliptic curves").
Bls12_381::Fq12 hard_part(const Bls12_381::Fq12& f) {
  const auto power_x = [](const Bls12_381::Fq12& value) {
    return cyclotomic_power(value, kBls12_381Parameter).conjugate();
  };
  const auto power_x_less_one = [&](const Bls12_381::Fq12& value) { return power_x(value) * value.conjugate(); };
  const auto a = power_x_less_one(power_x_less_one(f));
  const auto b = power_x(a) * a.frobenius(1);
  const auto c = power_x(power_x(b)) * b.frobenius(2) * b.conjugate();
  return c * f.cyclotomic_square() * f;
}

}  // namespace

template <class C>
typename C::Fq12 miller_loop(std::span<const std::pair<typename C::G1, typename C::G2>> pairs) {
  MillerLoop<C> loop(pairs);
  return run_miller_loop(loop);
}

template <class C>
typename C::Fq12 final_exponentiation(const typename C::Fq12& value) {
  return hard_part(easy_part(value));
}

template <class C>
typename C::Fq12 pairing(const typename C::G1& p, const typename C::G2& q) {
  const std::pair<typename C::G1, typename C::G2> pair{p, q};
  return final_exponentiation<C>(miller_loop<C>({&pair, 1}));
}

template <class C>
bool pairing_product_is_one(std::span<const std::pair<typename C::G1, typename C::G2>> pairs) {
  return final_exponentiation<C>(miller_loop<C>(pairs)).is_one();
}

#define GROTH16_DEFINE_PAIRING(C)                                                    \
  template C::Fq12 pairing<C>(const C::G1&, const C::G2&);                           \
  template bool pairing_product_is_one<C>(std::span<const std::pair<C::G1, C::G2>>); \
  template C::Fq12 miller_loop<C>(std::span<const std::pair<C::G1, C::G2>>);         \
  template C::Fq12 final_exponentiation<C>(const C::Fq12&);
GROTH16_DEFINE_PAIRING(Bn254)
GROTH16_DEFINE_PAIRING(Bls12_381)

}  // namespace groth16
