// Points of y^2 = x^3 + b over any field F of this folder, in three shapes: Affine as files hold them, Jacobian for
// general arithmetic, Xyzz for buckets that swallow many affine points. Every operation is complete: infinity, equal
// and opposite operands give the right answer.
//
// Formulas: the Explicit-Formulas Database, short Weierstrass with a = 0 (dbl-2009-l, add-2007-bl, madd-2007-bl;
// XYZZ: dbl-2008-s-1, mdbl-2008-s-1, add-2008-s, madd-2008-s). No formula uses b.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "groth16/algebra/field.hpp"
#include "groth16/algebra/portability.hpp"
#include "groth16/algebra/uint.hpp"

namespace groth16 {

// x then y; infinity is x = y = 0, which no curve here contains (b is not 0), so its bytes are all zero.
template <class F>
struct Affine {
  using Field = F;
  F x, y;

  GROTH16_HD static constexpr Affine infinity() { return {F::zero(), F::zero()}; }
  GROTH16_HD constexpr bool is_infinity() const { return x.is_zero() && y.is_zero(); }
  GROTH16_HD constexpr Affine operator-() const { return {x, -y}; }
  GROTH16_HD constexpr Affine negated_if(bool negate) const { return negate ? -*this : *this; }
  friend GROTH16_HD constexpr bool operator==(const Affine& a, const Affine& b) { return a.x == b.x && a.y == b.y; }
};

// Whether the point satisfies y^2 = x^3 + b, or is infinity.
template <class F>
GROTH16_HD constexpr bool on_curve(const Affine<F>& point, const F& b) {
  return point.is_infinity() || point.y.square() == point.x.square() * point.x + b;
}

// (x, y) = (X / Z^2, Y / Z^3); infinity is Z = 0.
template <class F>
struct Jacobian {
  using Field = F;
  F x, y, z;

  GROTH16_HD static constexpr Jacobian infinity() { return {F::one(), F::one(), F::zero()}; }
  GROTH16_HD static constexpr Jacobian from_affine(const Affine<F>& point) {
    return point.is_infinity() ? infinity() : Jacobian{point.x, point.y, F::one()};
  }
  GROTH16_HD constexpr bool is_infinity() const { return z.is_zero(); }
  GROTH16_HD constexpr Jacobian operator-() const { return {x, -y, z}; }

  GROTH16_HD constexpr Jacobian doubled() const {
    const F a = x.square(), b = y.square(), c = b.square();
    const F d = ((x + b).square() - a - c).doubled();
    const F e = a.doubled() + a;
    const F x3 = e.square() - d.doubled();
    return {x3, e * (d - x3) - c.doubled().doubled().doubled(), (y * z).doubled()};
  }

  friend GROTH16_HD constexpr Jacobian operator+(const Jacobian& p, const Jacobian& q) {
    if (p.is_infinity()) return q;
    if (q.is_infinity()) return p;
    const F z1z1 = p.z.square(), z2z2 = q.z.square();
    const F u1 = p.x * z2z2, s1 = p.y * q.z * z2z2;
    const F h = q.x * z1z1 - u1, half_r = q.y * p.z * z1z1 - s1;
    if (h.is_zero()) return half_r.is_zero() ? p.doubled() : infinity();
    return chord(u1, s1, h, half_r.doubled(), (p.z + q.z).square() - z1z1 - z2z2);
  }
  friend GROTH16_HD constexpr Jacobian operator+(const Jacobian& p, const Affine<F>& q) {
    if (q.is_infinity()) return p;
    if (p.is_infinity()) return from_affine(q);
    const F z1z1 = p.z.square();
    const F h = q.x * z1z1 - p.x, half_r = q.y * p.z * z1z1 - p.y;
    if (h.is_zero()) return half_r.is_zero() ? p.doubled() : infinity();
    return chord(p.x, p.y, h, half_r.doubled(), p.z.doubled());
  }
  friend GROTH16_HD constexpr Jacobian operator-(const Jacobian& p, const Jacobian& q) { return p + (-q); }
  friend GROTH16_HD constexpr Jacobian operator-(const Jacobian& p, const Affine<F>& q) { return p + (-q); }
  GROTH16_HD constexpr Jacobian& operator+=(const Jacobian& other) { return *this = *this + other; }
  GROTH16_HD constexpr Jacobian& operator+=(const Affine<F>& other) { return *this = *this + other; }

  // Equality as points, whatever the scale.
  friend GROTH16_HD constexpr bool operator==(const Jacobian& p, const Jacobian& q) {
    if (p.is_infinity() || q.is_infinity()) return p.is_infinity() == q.is_infinity();
    const F z1z1 = p.z.square(), z2z2 = q.z.square();
    return p.x * z2z2 == q.x * z1z1 && p.y * q.z * z2z2 == q.y * p.z * z1z1;
  }
  friend GROTH16_HD constexpr bool operator==(const Jacobian& p, const Affine<F>& q) { return p == from_affine(q); }

  GROTH16_HD constexpr Affine<F> to_affine() const {
    if (is_infinity()) return Affine<F>::infinity();
    const F z_inverse = z.inverse(), square = z_inverse.square();
    return {x * square, y * square * z_inverse};
  }

  // [scalar] P, by double and add; the scalar is any integer, not reduced modulo the group's order.
  template <std::size_t N>
  GROTH16_HD constexpr Jacobian times(const UInt<N>& scalar) const {
    Jacobian sum = infinity();
    for (std::size_t i = scalar.bit_length(); i > 0; --i) {
      sum = sum.doubled();
      if (scalar.bit(i - 1)) sum += *this;
    }
    return sum;
  }

 private:
  // The sum of two points with x coordinates that differ by h, from u1 = x1, s1 = y1 on the common scale, r twice the
  // difference of the y and zz = 2 z1 z2.
  GROTH16_HD static constexpr Jacobian chord(const F& u1, const F& s1, const F& h, const F& r, const F& zz) {
    const F i = h.doubled().square(), j = h * i, v = u1 * i;
    const F x3 = r.square() - j - v.doubled();
    return {x3, r * (v - x3) - (s1 * j).doubled(), zz * h};
  }
};

template <class F, std::size_t N>
GROTH16_HD constexpr Jacobian<F> times(const Affine<F>& point, const UInt<N>& scalar) {
  return Jacobian<F>::from_affine(point).times(scalar);
}

// (x, y) = (X / ZZ, Y / ZZZ) with ZZ^3 = ZZZ^2; infinity is ZZ = 0. The cheapest accumulator of affine points.
template <class F>
struct Xyzz {
  using Field = F;
  F x, y, zz, zzz;

  GROTH16_HD static constexpr Xyzz infinity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
  GROTH16_HD static constexpr Xyzz from_affine(const Affine<F>& point) {
    return point.is_infinity() ? infinity() : Xyzz{point.x, point.y, F::one(), F::one()};
  }
  GROTH16_HD constexpr bool is_infinity() const { return zz.is_zero(); }

  GROTH16_HD constexpr Xyzz doubled() const {
    const F u = y.doubled(), v = u.square(), w = u * v, s = x * v;
    const F m = tripled(x.square());
    const F x3 = m.square() - s.doubled();
    return {x3, difference_of_products(m, s - x3, w, y), v * zz, w * zzz};
  }
  GROTH16_HD static constexpr Xyzz doubled(const Affine<F>& point) {
    if (point.is_infinity()) return infinity();
    const F u = point.y.doubled(), v = u.square(), w = u * v, s = point.x * v;
    const F m = tripled(point.x.square());
    const F x3 = m.square() - s.doubled();
    return {x3, difference_of_products(m, s - x3, w, point.y), v, w};
  }

  GROTH16_HD constexpr Xyzz& operator+=(const Affine<F>& q) {
    if (q.is_infinity()) return *this;
    if (is_infinity()) return *this = from_affine(q);
    const F p = q.x * zz - x, r = q.y * zzz - y;
    if (p.is_zero()) return *this = r.is_zero() ? doubled(q) : infinity();
    const F pp = p.square(), ppp = p * pp, v = x * pp;
    x = r.square() - ppp - v.doubled();
    y = difference_of_products(r, v - x, y, ppp);
    zz *= pp;
    zzz *= ppp;
    return *this;
  }
  GROTH16_HD constexpr Xyzz& operator+=(const Xyzz& q) {
    if (q.is_infinity()) return *this;
    if (is_infinity()) return *this = q;
    const F u1 = x * q.zz, s1 = y * q.zzz;
    const F p = q.x * zz - u1, r = q.y * zzz - s1;
    if (p.is_zero()) return *this = r.is_zero() ? doubled() : infinity();
    const F pp = p.square(), ppp = p * pp, v = u1 * pp;
    x = r.square() - ppp - v.doubled();
    y = difference_of_products(r, v - x, s1, ppp);
    zz = zz * q.zz * pp;
    zzz = zzz * q.zzz * ppp;
    return *this;
  }

  // (X ZZ : Y ZZZ : ZZ) is the same point: Z = ZZ gives X/ZZ and Y/ZZZ.
  GROTH16_HD constexpr Jacobian<F> to_jacobian() const {
    if (is_infinity()) return Jacobian<F>::infinity();
    return {x * zz, y * zzz, zz};
  }

 private:
  GROTH16_HD static constexpr F tripled(const F& value) { return value.doubled() + value; }
};

// Many points at the price of a few inversions. The spans have equal sizes.
template <class F>
void batch_to_affine(std::span<const Jacobian<F>> points, std::span<Affine<F>> out) {
  constexpr std::size_t kBlock = 256;
  F inverses[kBlock];
  for (std::size_t first = 0; first < points.size(); first += kBlock) {
    const std::size_t count = points.size() - first < kBlock ? points.size() - first : kBlock;
    for (std::size_t i = 0; i < count; ++i) inverses[i] = points[first + i].z;
    batch_inverse(std::span<F>(inverses, count));
    for (std::size_t i = 0; i < count; ++i) {
      const Jacobian<F>& point = points[first + i];
      const F square = inverses[i].square();
      out[first + i] = {point.x * square, point.y * square * inverses[i]};  // all zero for infinity
    }
  }
}

}  // namespace groth16
