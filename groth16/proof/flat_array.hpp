// flat_array: typed arrays inside a span of bytes that came from another process or a file. Every offset and count is
// checked against the span before a pointer is made, in 64 bits and without overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "common/error.hpp"

namespace groth16 {

// offset rounded up to a multiple of alignment, a power of two.
constexpr std::uint64_t align_up(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) & ~(alignment - 1);
}

// Whether count items of item_bytes lie inside total bytes from offset on.
constexpr bool fits_inside(std::uint64_t offset, std::uint64_t count, std::uint64_t item_bytes, std::uint64_t total) {
  return offset <= total && count <= (total - offset) / item_bytes;
}

// The count items of T at offset. Byte is std::byte or const std::byte; the items have the same constness. T is a type
// for which any bytes are a value of its storage (the caller checks ranges). Errors, code malformed: "<what>.bounds",
// "<what>.alignment".
template <class T, class Byte>
auto flat_array(std::span<Byte> bytes, std::uint64_t offset, std::uint64_t count, const std::string& what) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_same_v<std::remove_const_t<Byte>, std::byte>);
  using Item = std::conditional_t<std::is_const_v<Byte>, const T, T>;
  using Array = groth16d::Result<std::span<Item>>;
  if (!fits_inside(offset, count, sizeof(T), bytes.size())) {
    return Array(groth16d::failure(groth16d::ErrorCode::malformed, what + ".bounds",
                                   what + ": " + std::to_string(count) + " items of " + std::to_string(sizeof(T)) +
                                       " bytes at offset " + std::to_string(offset) + " do not fit in " +
                                       std::to_string(bytes.size()) + " bytes"));
  }
  Byte* first = bytes.data() + offset;
  if (reinterpret_cast<std::uintptr_t>(first) % alignof(T) != 0) {
    return Array(groth16d::failure(
        groth16d::ErrorCode::malformed, what + ".alignment",
        what + ": offset " + std::to_string(offset) + " is not aligned to " + std::to_string(alignof(T)) + " bytes"));
  }
  return Array(std::span<Item>(reinterpret_cast<Item*>(first), static_cast<std::size_t>(count)));
}

// A copy of the T at the start of bytes, which the caller has found to be long enough.
template <class T>
T load_flat(std::span<const std::byte> bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <class T>
void store_flat(std::span<std::byte> bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(bytes.data(), &value, sizeof(T));
}

}  // namespace groth16
