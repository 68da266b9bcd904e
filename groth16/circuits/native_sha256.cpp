#include "groth16/circuits/native_sha256.hpp"

#include <bit>
#include <vector>

#include "groth16/circuits/sha256_gadget.hpp"

namespace groth16::circuits {

namespace {

constexpr std::size_t kBlockWords = 16;

TracedWord xor_of_three(WitnessStream& stream, const TracedWord& a, const TracedWord& b, const TracedWord& c) {
  return xor_gates(stream, xor_gates(stream, a, b), c);
}

std::array<TracedWord, 64> message_schedule(WitnessStream& stream, std::span<const TracedWord> block) {
  std::array<TracedWord, 64> w;
  std::copy(block.begin(), block.end(), w.begin());
  for (std::size_t i = kBlockWords; i < w.size(); ++i) {
    const TracedWord &x = w[i - 15], &y = w[i - 2];
    const TracedWord s0 = xor_of_three(stream, rotate_right(x, 7), rotate_right(x, 18), shift_right(x, 3));
    const TracedWord s1 = xor_of_three(stream, rotate_right(y, 17), rotate_right(y, 19), shift_right(y, 10));
    w[i] = TracedSum(w[i - 16]).plus(s0).plus(w[i - 7]).plus(s1).add_up(stream);
  }
  return w;
}

void compress(WitnessStream& stream, std::span<const TracedWord> block, TracedState& state) {
  const std::array<TracedWord, 64> w = message_schedule(stream, block);
  TracedSum pending_a(state[0]), pending_e(state[4]);
  TracedWord b = state[1], c = state[2], d = state[3], f = state[5], g = state[6], h = state[7];
  for (std::size_t i = 0; i < w.size(); ++i) {
    const TracedWord e = pending_e.add_up(stream);
    const TracedWord s1 = xor_of_three(stream, rotate_right(e, 6), rotate_right(e, 11), rotate_right(e, 25));
    const TracedWord choice = choice_gates(stream, e, f, g);
    const TracedWord round_constant = TracedWord::of_constant(kSha256RoundConstants[i]);
    const TracedSum t1 = TracedSum(h).plus(s1).plus(choice).plus(round_constant).plus(w[i]);
    const TracedWord a = pending_a.add_up(stream);
    const TracedWord s0 = xor_of_three(stream, rotate_right(a, 2), rotate_right(a, 13), rotate_right(a, 22));
    const TracedWord majority = majority_gates(stream, a, b, c);
    h = g;
    g = f;
    f = e;
    pending_e = t1.plus(d);
    d = c;
    c = b;
    b = a;
    pending_a = t1.plus(s0).plus(majority);
  }
  state[0] = pending_a.plus(state[0]).add_up(stream);
  state[1] = TracedSum(state[1]).plus(b).add_up(stream);
  state[2] = TracedSum(state[2]).plus(c).add_up(stream);
  state[3] = TracedSum(state[3]).plus(d).add_up(stream);
  state[4] = pending_e.plus(state[4]).add_up(stream);
  state[5] = TracedSum(state[5]).plus(f).add_up(stream);
  state[6] = TracedSum(state[6]).plus(g).add_up(stream);
  state[7] = TracedSum(state[7]).plus(h).add_up(stream);
}

// SHA-256 reads bytes big-endian, numbers are little-endian.
std::uint32_t swap_bytes(std::uint32_t word) {
  return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}

}  // namespace

TracedState sha256(WitnessStream& stream, std::span<const TracedWord> message) {
  TracedState state;
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = TracedWord::of_constant(kSha256InitialState[i]);
  std::vector<TracedWord> words(message.begin(), message.end());
  words.push_back(TracedWord::of_constant(0x80000000));
  while (words.size() % kBlockWords != kBlockWords - 2) words.push_back(TracedWord::of_constant(0));
  const std::uint64_t message_bits = 32 * message.size();
  words.push_back(TracedWord::of_constant(static_cast<std::uint32_t>(message_bits >> 32)));
  words.push_back(TracedWord::of_constant(static_cast<std::uint32_t>(message_bits)));
  for (std::span<const TracedWord> rest = words; !rest.empty(); rest = rest.subspan(kBlockWords)) {
    compress(stream, rest.first(kBlockWords), state);
  }
  return state;
}

TracedState to_message_words(WitnessStream& stream, const Scalar& number) {
  for (std::size_t i = 0; i < 3; ++i) stream.put_bits(number.limb[i], 64);
  stream.put_bits(number.limb[3], 63);
  TracedState words;
  for (unsigned i = 0; i < words.size(); ++i) {
    words[i] = TracedWord::of_variables(swap_bytes(number.bits(32 * i, 32)));
  }
  words[7].constant = 0x80;  // bit 255 is no variable: a number has 255
  return words;
}

Scalar pack_digest(WitnessStream& stream, const TracedState& digest) {
  Scalar number{};
  for (unsigned i = 0; i < digest.size(); ++i) {
    number.limb[i / 2] |= std::uint64_t{swap_bytes(digest[i].value)} << (32 * (i % 2));
  }
  number.limb[3] &= ~std::uint64_t{0} >> 2;
  stream.put(number);
  return number;
}

Scalar sha256_pair(WitnessStream& stream, const Scalar& left, const Scalar& right) {
  std::array<TracedWord, 16> message;
  const TracedState first = to_message_words(stream, left), second = to_message_words(stream, right);
  std::copy(first.begin(), first.end(), message.begin());
  std::copy(second.begin(), second.end(), message.begin() + 8);
  return pack_digest(stream, sha256(stream, message));
}

}  // namespace groth16::circuits
