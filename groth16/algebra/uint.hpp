// UInt<N>: a plain integer of N 64-bit limbs, little-endian. The type of raw scalars, moduli and exponents; it knows
// nothing of any field.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "groth16/algebra/portability.hpp"

namespace groth16 {

__extension__ using UInt128 = unsigned __int128;
__extension__ using Int128 = __int128;

template <std::size_t N>
struct UInt {
  static constexpr std::size_t kLimbs = N;
  static constexpr std::size_t kBits = 64 * N;
  static constexpr std::size_t kBytes = 8 * N;

  std::uint64_t limb[N];  // limb[0] is the least significant

  GROTH16_HD static constexpr UInt zero() { return UInt{}; }

  GROTH16_HD static constexpr UInt from_u64(std::uint64_t value) {
    UInt out{};
    out.limb[0] = value;
    return out;
  }

  GROTH16_HD constexpr bool is_zero() const {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < N; ++i) any |= limb[i];
    return any == 0;
  }

  // Bit number index, 0 for bits past the end.
  GROTH16_HD constexpr bool bit(std::size_t index) const {
    return index < kBits && ((limb[index / 64] >> (index % 64)) & 1) != 0;
  }

  // Bits first .. first+count-1 as an integer, count <= 32; bits past the end read as 0.
  GROTH16_HD constexpr std::uint32_t bits(std::size_t first, unsigned count) const {
    const std::size_t word = first / 64;
    const unsigned shift = static_cast<unsigned>(first % 64);
    if (word >= N) return 0;
    std::uint64_t value = limb[word] >> shift;
    if (shift != 0 && word + 1 < N) value |= limb[word + 1] << (64 - shift);
    return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << count) - 1));
  }

  // Number of bits without leading zeros; 0 for 0.
  GROTH16_HD constexpr std::size_t bit_length() const {
    for (std::size_t i = kBits; i > 0; --i) {
      if (bit(i - 1)) return i;
    }
    return 0;
  }

  friend GROTH16_HD constexpr bool operator==(const UInt& a, const UInt& b) {
    std::uint64_t differ = 0;
    for (std::size_t i = 0; i < N; ++i) differ |= a.limb[i] ^ b.limb[i];
    return differ == 0;
  }
  friend GROTH16_HD constexpr bool operator<(const UInt& a, const UInt& b) {
    for (std::size_t i = N; i-- > 0;) {
      if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
    }
    return false;
  }
  friend GROTH16_HD constexpr bool operator>(const UInt& a, const UInt& b) { return b < a; }
  friend GROTH16_HD constexpr bool operator<=(const UInt& a, const UInt& b) { return !(b < a); }
  friend GROTH16_HD constexpr bool operator>=(const UInt& a, const UInt& b) { return !(a < b); }

  // Adds in place modulo 2^(64N); returns the carry out of the top limb.
  GROTH16_HD constexpr std::uint64_t add_in_place(const UInt& other) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const std::uint64_t partial = limb[i] + carry;
      carry = partial < carry ? 1u : 0u;
      limb[i] = partial + other.limb[i];
      carry += limb[i] < partial ? 1u : 0u;
    }
    return carry;
  }

  // Subtracts in place modulo 2^(64N); returns the borrow.
  GROTH16_HD constexpr std::uint64_t sub_in_place(const UInt& other) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const std::uint64_t partial = limb[i] - other.limb[i];
      const std::uint64_t next = (partial > limb[i] ? 1u : 0u) + (partial < borrow ? 1u : 0u);
      limb[i] = partial - borrow;
      borrow = next;
    }
    return borrow;
  }

  friend GROTH16_HD constexpr UInt operator+(UInt a, const UInt& b) {
    a.add_in_place(b);
    return a;
  }
  friend GROTH16_HD constexpr UInt operator-(UInt a, const UInt& b) {
    a.sub_in_place(b);
    return a;
  }

  friend GROTH16_HD constexpr UInt operator<<(const UInt& a, std::size_t count) {
    UInt out{};
    const std::size_t words = count / 64, shift = count % 64;
    for (std::size_t i = words; i < N; ++i) {
      out.limb[i] = a.limb[i - words] << shift;
      if (shift != 0 && i > words) out.limb[i] |= a.limb[i - words - 1] >> (64 - shift);
    }
    return out;
  }
  friend GROTH16_HD constexpr UInt operator>>(const UInt& a, std::size_t count) {
    UInt out{};
    const std::size_t words = count / 64, shift = count % 64;
    for (std::size_t i = 0; i + words < N; ++i) {
      out.limb[i] = a.limb[i + words] >> shift;
      if (shift != 0 && i + words + 1 < N) out.limb[i] |= a.limb[i + words + 1] << (64 - shift);
    }
    return out;
  }

  // The same number in M limbs; higher limbs are dropped when M < N.
  template <std::size_t M>
  GROTH16_HD constexpr UInt<M> resized() const {
    UInt<M> out{};
    for (std::size_t i = 0; i < (M < N ? M : N); ++i) out.limb[i] = limb[i];
    return out;
  }

  // Multiplies in place by a word; returns the word that is carried out. Host only.
  constexpr std::uint64_t mul_word_in_place(std::uint64_t word) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const UInt128 product = UInt128{limb[i]} * word + carry;
      limb[i] = static_cast<std::uint64_t>(product);
      carry = static_cast<std::uint64_t>(product >> 64);
    }
    return carry;
  }

  // Divides in place by a word that is not 0; returns the remainder. Host only.
  constexpr std::uint64_t div_word_in_place(std::uint64_t divisor) {
    UInt128 remainder = 0;
    for (std::size_t i = N; i-- > 0;) {
      remainder = (remainder << 64) | limb[i];
      limb[i] = static_cast<std::uint64_t>(remainder / divisor);
      remainder %= divisor;
    }
    return static_cast<std::uint64_t>(remainder);
  }

  // From hex digits without prefix, for constants in the source: a wrong digit or an overflow does not compile.
  static consteval UInt from_hex(std::string_view digits) {
    UInt out{};
    for (const char digit : digits) {
      const int value = digit_value(digit, 16);
      if (value < 0 || (out.limb[N - 1] >> 60) != 0) throw "not a hexadecimal constant of this width";
      out = out << 4;
      out.limb[0] |= static_cast<std::uint64_t>(value);
    }
    return out;
  }

  // From decimal digits, or hex digits after "0x". Nothing for an empty text, any other character, a sign or a value
  // that does not fit.
  static constexpr std::optional<UInt> parse(std::string_view text) {
    std::uint64_t base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
      base = 16;
      text.remove_prefix(2);
    }
    if (text.empty()) return std::nullopt;
    UInt out{};
    for (const char digit : text) {
      const int value = digit_value(digit, static_cast<int>(base));
      if (value < 0 || out.mul_word_in_place(base) != 0) return std::nullopt;
      if (out.add_in_place(from_u64(static_cast<std::uint64_t>(value))) != 0) return std::nullopt;
    }
    return out;
  }

  std::string to_decimal() const {
    std::string digits;
    UInt rest = *this;
    do {
      digits.push_back(static_cast<char>('0' + rest.div_word_in_place(10)));
    } while (!rest.is_zero());
    std::reverse(digits.begin(), digits.end());
    return digits;
  }

  // Fixed width, 16 N digits, no prefix.
  std::string to_hex() const {
    std::string digits;
    for (std::size_t i = kBits; i > 0; i -= 4) digits.push_back("0123456789abcdef"[bits(i - 4, 4)]);
    return digits;
  }

  static constexpr UInt from_le_bytes(std::span<const std::byte, kBytes> bytes) {
    UInt out{};
    for (std::size_t i = 0; i < kBytes; ++i) {
      out.limb[i / 8] |= static_cast<std::uint64_t>(bytes[i]) << (8 * (i % 8));
    }
    return out;
  }
  static constexpr UInt from_be_bytes(std::span<const std::byte, kBytes> bytes) {
    UInt out{};
    for (std::size_t i = 0; i < kBytes; ++i) {
      out.limb[i / 8] |= static_cast<std::uint64_t>(bytes[kBytes - 1 - i]) << (8 * (i % 8));
    }
    return out;
  }
  constexpr void to_le_bytes(std::span<std::byte, kBytes> bytes) const {
    for (std::size_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<std::byte>(limb[i / 8] >> (8 * (i % 8)));
  }
  constexpr void to_be_bytes(std::span<std::byte, kBytes> bytes) const {
    for (std::size_t i = 0; i < kBytes; ++i) {
      bytes[kBytes - 1 - i] = static_cast<std::byte>(limb[i / 8] >> (8 * (i % 8)));
    }
  }

 private:
  // The digit's value, or -1.
  static constexpr int digit_value(char digit, int base) {
    int value = -1;
    if (digit >= '0' && digit <= '9') value = digit - '0';
    if (digit >= 'a' && digit <= 'f') value = digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') value = digit - 'A' + 10;
    return value < base ? value : -1;
  }
};

// The full product, schoolbook. Host only.
template <std::size_t N, std::size_t M>
constexpr UInt<N + M> mul_wide(const UInt<N>& a, const UInt<M>& b) {
  UInt<N + M> out{};
  for (std::size_t i = 0; i < N; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < M; ++j) {
      const UInt128 sum = UInt128{a.limb[i]} * b.limb[j] + out.limb[i + j] + carry;
      out.limb[i + j] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    out.limb[i + M] = carry;
  }
  return out;
}

}  // namespace groth16
