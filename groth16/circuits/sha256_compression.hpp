// compress_with: the compression function of SHA-256 (FIPS 180-4, 6.2.2) over any kind of word. Which sums are added up
// when is part of the circuit and is written down here once, for the circuit and for the generators of its witness.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace groth16::circuits {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of the
// first 8.
extern const std::array<std::uint32_t, 64> kSha256RoundConstants;
extern const std::array<std::uint32_t, 8> kSha256InitialState;

inline constexpr std::size_t kSha256BlockWords = 16;

namespace sha256_detail {

template <class Gates, class Word>
Word xor_of_three(Gates& gates, const Word& a, const Word& b, const Word& c) {
  return gates.exclusive_or(gates.exclusive_or(a, b), c);
}

template <class Gates, class Word>
std::array<Word, 64> message_schedule(Gates& gates, std::span<const Word, kSha256BlockWords> block) {
  std::array<Word, 64> w;
  std::copy(block.begin(), block.end(), w.begin());
  for (std::size_t i = block.size(); i < w.size(); ++i) {
    const Word &x = w[i - 15], &y = w[i - 2];
    const Word s0 = xor_of_three(gates, rotate_right(x, 7), rotate_right(x, 18), shift_right(x, 3));
    const Word s1 = xor_of_three(gates, rotate_right(y, 17), rotate_right(y, 19), shift_right(y, 10));
    w[i] = gates.add_up(gates.sum(w[i - 16]).plus(s0).plus(w[i - 7]).plus(s1));
  }
  return w;
}

}  // namespace sha256_detail

// Gates has exclusive_or(a, b), choice(a, b, c) and majority(a, b, c) of words, constant(value), and sum(word), which
// gives a sum with plus(word) that add_up(sum) turns into a word.
template <class Gates, class Word>
void compress_with(Gates&& gates, std::span<const Word, kSha256BlockWords> block, std::array<Word, 8>& state) {
  using sha256_detail::xor_of_three;
  const std::array<Word, 64> w = sha256_detail::message_schedule(gates, block);
  auto pending_a = gates.sum(state[0]), pending_e = gates.sum(state[4]);
  Word b = state[1], c = state[2], d = state[3], f = state[5], g = state[6], h = state[7];
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Word e = gates.add_up(pending_e);
    const Word s1 = xor_of_three(gates, rotate_right(e, 6), rotate_right(e, 11), rotate_right(e, 25));
    const Word choice = gates.choice(e, f, g);
    const auto t1 = gates.sum(h).plus(s1).plus(choice).plus(gates.constant(kSha256RoundConstants[i])).plus(w[i]);
    const Word a = gates.add_up(pending_a);
    const Word s0 = xor_of_three(gates, rotate_right(a, 2), rotate_right(a, 13), rotate_right(a, 22));
    const Word majority = gates.majority(a, b, c);
    h = g;
    g = f;
    f = e;
    pending_e = t1.plus(d);
    d = c;
    c = b;
    b = a;
    pending_a = t1.plus(s0).plus(majority);
  }
  state[0] = gates.add_up(std::move(pending_a).plus(state[0]));
  state[1] = gates.add_up(gates.sum(state[1]).plus(b));
  state[2] = gates.add_up(gates.sum(state[2]).plus(c));
  state[3] = gates.add_up(gates.sum(state[3]).plus(d));
  state[4] = gates.add_up(std::move(pending_e).plus(state[4]));
  state[5] = gates.add_up(gates.sum(state[5]).plus(f));
  state[6] = gates.add_up(gates.sum(state[6]).plus(g));
  state[7] = gates.add_up(gates.sum(state[7]).plus(h));
}

}  // namespace groth16::circuits
