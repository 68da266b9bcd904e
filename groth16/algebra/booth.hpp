// BoothWindows: scalars in signed digits that need no carry (Booth 1951, with radix 2^bits).
//
// Digit w of a scalar s is -2^(bits-1) s_(top) + sum of s_(w bits + i) 2^i + s_(w bits - 1): the bit below a window is
// read twice, with weight -2^(bits-1) as the top of one window and 1 as the bottom of the next, the difference being
// what it is worth. The scalar is the sum of digit w times 2^(w bits).
#pragma once

#include <cstddef>
#include <cstdint>

#include "groth16/algebra/uint.hpp"

namespace groth16 {

class BoothWindows {
 public:
  // For scalars below 2^scalar_bits; 1 <= bits <= 24.
  BoothWindows(unsigned bits, std::size_t scalar_bits) : bits_(bits), count_(scalar_bits / bits + 1) {}

  unsigned bits() const { return bits_; }
  std::size_t count() const { return count_; }
  std::size_t buckets() const { return std::size_t{1} << (bits_ - 1); }  // the largest digit

  std::int32_t digit(const UInt<4>& scalar, std::size_t window) const {
    const std::size_t first = window * bits_;
    const std::uint32_t raw = first == 0 ? scalar.bits(0, bits_) << 1 : scalar.bits(first - 1, bits_ + 1);
    return static_cast<std::int32_t>((raw + 1) >> 1) - static_cast<std::int32_t>((raw >> bits_) << bits_);
  }

 private:
  unsigned bits_;
  std::size_t count_;
};

}  // namespace groth16
