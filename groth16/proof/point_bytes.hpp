// point_bytes: points as canonical bytes between processes and under digests: x then y, each coordinate a plain integer
// below q, little-endian, c0 before c1; infinity is all zero bytes. (Files have encodings of their own.)
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "groth16/algebra/curve.hpp"
#include "groth16/algebra/field.hpp"
#include "groth16/algebra/tower.hpp"

namespace groth16 {

template <class P>
void append_bytes(std::vector<std::byte>& out, const Fp<P>& value) {
  std::byte bytes[Fp<P>::kBytes];
  value.to_uint().to_le_bytes(bytes);
  out.insert(out.end(), std::begin(bytes), std::end(bytes));
}
template <class F>
void append_bytes(std::vector<std::byte>& out, const Fp2<F>& value) {
  append_bytes(out, value.c0);
  append_bytes(out, value.c1);
}
template <class F>
void append_bytes(std::vector<std::byte>& out, const Affine<F>& point) {
  append_bytes(out, point.x);
  append_bytes(out, point.y);
}

// Takes a value off the front of bytes. False when there are too few bytes or a coordinate is not below q; whether a
// point is on the curve is the caller's question.
template <class P>
bool take_bytes(std::span<const std::byte>& bytes, Fp<P>& value) {
  using Field = Fp<P>;
  if (bytes.size() < Field::kBytes) return false;
  const auto integer = Field::Integer::from_le_bytes(bytes.template first<Field::kBytes>());
  bytes = bytes.subspan(Field::kBytes);
  value = Field::from_uint(integer);
  return Field::is_canonical(integer);
}
template <class F>
bool take_bytes(std::span<const std::byte>& bytes, Fp2<F>& value) {
  return take_bytes(bytes, value.c0) && take_bytes(bytes, value.c1);
}
template <class F>
bool take_bytes(std::span<const std::byte>& bytes, Affine<F>& point) {
  return take_bytes(bytes, point.x) && take_bytes(bytes, point.y);
}

}  // namespace groth16
