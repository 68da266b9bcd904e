#include "groth16/circuits/chacha.hpp"

#include <bit>

namespace groth16::circuits {

namespace {

void quarter_round(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c, std::uint32_t& d) {
  a += b, d = std::rotl(d ^ a, 16);
  c += d, b = std::rotl(b ^ c, 12);
  a += b, d = std::rotl(d ^ a, 8);
  c += d, b = std::rotl(b ^ c, 7);
}

}  // namespace

ChaCha::ChaCha(const Key& key, unsigned rounds, const std::array<std::uint32_t, 3>& nonce)
    : state_{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, rounds_(rounds) {  // "expand 32-byte k"
  for (std::size_t i = 0; i < 32; ++i) state_[4 + i / 4] |= std::uint32_t{key[i]} << (8 * (i % 4));
  state_[12] = 0;
  for (std::size_t i = 0; i < 3; ++i) state_[13 + i] = nonce[i];
}

void ChaCha::make_block() {
  block_ = state_;
  for (unsigned round = 0; round < rounds_; round += 2) {
    for (std::size_t i = 0; i < 4; ++i) quarter_round(block_[i], block_[4 + i], block_[8 + i], block_[12 + i]);
    for (std::size_t i = 0; i < 4; ++i) {
      quarter_round(block_[i], block_[4 + (i + 1) % 4], block_[8 + (i + 2) % 4], block_[12 + (i + 3) % 4]);
    }
  }
  for (std::size_t i = 0; i < 16; ++i) block_[i] += state_[i];
  ++state_[12];  // no stream of ours has 2^32 blocks, so the layouts of the counter need no distinction
  next_ = 0;
}

std::uint32_t ChaCha::next_u32() {
  if (next_ == block_.size()) make_block();
  return block_[next_++];
}

std::uint64_t ChaCha::next_u64() {
  const std::uint64_t low = next_u32();
  return low | std::uint64_t{next_u32()} << 32;
}

}  // namespace groth16::circuits
