// ByteReader: a cursor over bytes that came from outside. A read past the end yields zeros and marks the reader; the
// caller checks once per record instead of once per field. All integers are little-endian and may lie at any address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace groth16::formats {

using Bytes = std::span<const std::byte>;

// Integers at any address, little-endian unless their name says otherwise. The caller has checked that the bytes are
// there.
inline std::uint32_t load_u32(const std::byte* at) {
  return static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8 |
         static_cast<std::uint32_t>(at[2]) << 16 | static_cast<std::uint32_t>(at[3]) << 24;
}
inline std::uint64_t load_u64(const std::byte* at) { return load_u32(at) | std::uint64_t{load_u32(at + 4)} << 32; }
inline std::uint32_t load_u32_big_endian(const std::byte* at) {
  return static_cast<std::uint32_t>(at[3]) | static_cast<std::uint32_t>(at[2]) << 8 |
         static_cast<std::uint32_t>(at[1]) << 16 | static_cast<std::uint32_t>(at[0]) << 24;
}

class ByteReader {
 public:
  // bytes: what may be read; file_offset: where bytes[0] lies in its file, for error texts.
  explicit ByteReader(Bytes bytes, std::uint64_t file_offset = 0) : bytes_(bytes), file_offset_(file_offset) {}

  std::uint32_t u32() {
    const Bytes field = take(4);
    return field.empty() ? 0 : load_u32(field.data());
  }
  std::uint64_t u64() {
    const Bytes field = take(8);
    return field.empty() ? 0 : load_u64(field.data());
  }

  // The next count bytes, or an empty span (and overrun() from then on) when fewer are left.
  Bytes take(std::uint64_t count) {
    if (count > remaining()) {
      overrun_ = true;
      position_ = bytes_.size();
      return {};
    }
    const Bytes field = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += static_cast<std::size_t>(count);
    return field;
  }

  std::uint64_t remaining() const { return bytes_.size() - position_; }
  std::uint64_t offset() const { return file_offset_ + position_; }  // in the file
  bool overrun() const { return overrun_; }                          // a read went past the end

 private:
  Bytes bytes_;
  std::uint64_t file_offset_;
  std::size_t position_ = 0;
  bool overrun_ = false;
};

}  // namespace groth16::formats
