// ChaCha (Bernstein 2008) as a stream of 32-bit words, with any number of rounds and any of its counter layouts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace groth16::circuits {

class ChaCha {
 public:
  using Key = std::array<std::uint8_t, 32>;

  // The original: a 64-bit counter from 0 and nonce 0. rounds: 8, 12 or 20.
  ChaCha(const Key& key, unsigned rounds) : ChaCha(key, rounds, {0, 0, 0}) {}

  // RFC 8439: a 32-bit counter from 0 and a nonce of 12 bytes, as three little-endian words.
  ChaCha(const Key& key, unsigned rounds, const std::array<std::uint32_t, 3>& nonce);

  // The next word of the key stream.
  std::uint32_t next_u32();
  // Two words, the low half first.
  std::uint64_t next_u64();

 private:
  using Block = std::array<std::uint32_t, 16>;
  void make_block();

  Block state_;
  Block block_{};
  unsigned rounds_;
  std::size_t next_ = 16;  // word of block_
};

}  // namespace groth16::circuits
