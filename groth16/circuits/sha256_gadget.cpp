#include "groth16/circuits/sha256_gadget.hpp"

#include <utility>

#include "groth16/circuits/sha256_compression.hpp"

namespace groth16::circuits {

const std::array<std::uint32_t, 64> kSha256RoundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
const std::array<std::uint32_t, 8> kSha256InitialState{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

namespace {

constexpr std::size_t kBlockBits = 512;
constexpr std::size_t kLengthBits = 64;

using Words = std::array<Word32, 8>;

// A sum of words that is added up only when somebody needs its bits, then together with what else is to be added.
class PendingSum {
 public:
  explicit PendingSum(const Word32& word) : words_{word} {}

  PendingSum plus(const Word32& word) const& { return PendingSum(*this).plus(word); }
  PendingSum plus(const Word32& word) && {
    words_.push_back(word);
    return std::move(*this);
  }
  Word32 add_up(CircuitBuilder& builder, EqualityBatch& batch) const {
    return words_.size() == 1 ? words_[0] : add_words(builder, words_, batch);
  }

 private:
  std::vector<Word32> words_;
};

// What compress_with asks for: gates that are rows, and sums whose equations share them.
struct SystemGates {
  CircuitBuilder& builder;
  EqualityBatch& batch;

  Word32 exclusive_or(const Word32& a, const Word32& b) const { return xor_gates(builder, a, b); }
  Word32 choice(const Word32& a, const Word32& b, const Word32& c) const { return choice_gates(builder, a, b, c); }
  Word32 majority(const Word32& a, const Word32& b, const Word32& c) const { return majority_gates(builder, a, b, c); }
  Word32 constant(std::uint32_t value) const { return constant_word(value); }
  PendingSum sum(const Word32& word) const { return PendingSum(word); }
  Word32 add_up(const PendingSum& sum) const { return sum.add_up(builder, batch); }
};

void compress(CircuitBuilder& builder, std::span<const Bit> block, Words& state) {
  std::array<Word32, kSha256BlockWords> words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = word_of_message(block.subspan(32 * i).first<32>());
  EqualityBatch batch(builder);
  compress_with(SystemGates{builder, batch}, std::span<const Word32, kSha256BlockWords>(words), state);
  batch.finish();
}

// A one, zeros, and the message's length in bits, up to whole blocks.
std::vector<Bit> padded(std::span<const Bit> message) {
  std::vector<Bit> bits(message.begin(), message.end());
  bits.push_back(Bit::constant(true));
  while ((bits.size() + kLengthBits) % kBlockBits != 0) bits.push_back(Bit::constant(false));
  for (unsigned shift = kLengthBits; shift > 0; --shift) {
    bits.push_back(Bit::constant(((message.size() >> (shift - 1)) & 1) != 0));
  }
  return bits;
}

}  // namespace

std::vector<Bit> sha256(CircuitBuilder& builder, std::span<const Bit> message) {
  Words state;
  for (std::size_t i = 0; i < 8; ++i) state[i] = constant_word(kSha256InitialState[i]);
  const std::vector<Bit> bits = padded(message);
  for (std::span<const Bit> rest = bits; !rest.empty(); rest = rest.subspan(kBlockBits)) {
    compress(builder, rest.first(kBlockBits), state);
  }
  std::vector<Bit> digest;
  digest.reserve(256);
  for (const Word32& word : state) append_message(digest, word);
  return digest;
}

Number sha256_pair(CircuitBuilder& builder, const Number& left, const Number& right) {
  std::vector<Bit> message = to_message_bits(builder, left);
  const std::vector<Bit> second = to_message_bits(builder, right);
  message.insert(message.end(), second.begin(), second.end());
  return pack(builder, reverse_in_bytes(sha256(builder, message)));
}

}  // namespace groth16::circuits
