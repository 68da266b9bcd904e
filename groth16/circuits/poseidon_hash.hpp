// poseidon_hash: Poseidon of numbers, without a circuit, telling on the way every intermediate value that the circuit
// holds as a variable.
#pragma once

#include <array>
#include <span>

#include "groth16/circuits/poseidon_constants.hpp"

namespace groth16::circuits {

inline constexpr std::size_t kMaxPoseidonWidth = 17;

// inputs: as many as the arity of the constants. keep(value) is called for each variable of the gadget in the order of
// their allocation; the last one is the result.
template <class Keep>
Fr poseidon_hash(const PoseidonConstants& constants, std::span<const Fr> inputs, Keep&& keep);

// Reference: the permutation as the paper defines it, from the uncompressed round constants.
Fr poseidon_by_definition(const PoseidonConstants& constants, std::span<const Fr> inputs);

inline Fr poseidon_hash(const PoseidonConstants& constants, std::span<const Fr> inputs) {
  return poseidon_hash(constants, inputs, [](const Fr&) {});
}

namespace poseidon_detail {

using State = std::array<Fr, kMaxPoseidonWidth>;

inline void mix(const Matrix& matrix, State& state) {
  State mixed;
  for (std::size_t j = 0; j < matrix.size(); ++j) {
    mixed[j] = state[0] * matrix[0][j];
    for (std::size_t i = 1; i < matrix.size(); ++i) mixed[j] += state[i] * matrix[i][j];
  }
  state = mixed;
}

inline void mix(const SparseMix& sparse, State& state) {
  const Fr first = state[0];
  state[0] = first * sparse.w[0];
  for (std::size_t j = 1; j < sparse.w.size(); ++j) {
    state[0] += state[j] * sparse.w[j];
    state[j] += first * sparse.v[j - 1];
  }
}

// x^5 + post, with the square, the fourth power and the result kept.
template <class Keep>
void sbox(Fr& x, const Fr& post, Keep& keep) {
  const Fr square = x.square(), fourth = square.square();
  x = x * fourth + post;
  keep(square);
  keep(fourth);
  keep(x);
}

}  // namespace poseidon_detail

template <class Keep>
Fr poseidon_hash(const PoseidonConstants& constants, std::span<const Fr> inputs, Keep&& keep) {
  using namespace poseidon_detail;
  const std::size_t width = constants.width();
  const Fr* next = constants.compressed.data();

  // The first round's S-boxes act on input + constant; that of the tag is known beforehand.
  State state;
  state[0] = constants.domain_tag + next[0];
  state[0] = state[0].square().square() * state[0] + next[width];
  for (std::size_t i = 1; i < width; ++i) {
    state[i] = inputs[i - 1] + next[i];
    sbox(state[i], next[width + i], keep);
  }
  next += 2 * width;
  mix(constants.mix, state);

  // Behind a mix an element is a combination of variables until its S-box makes it one.
  const auto full_round = [&](const Fr* post, const Matrix& matrix) {
    for (std::size_t i = 0; i < width; ++i) {
      keep(state[i]);
      sbox(state[i], post == nullptr ? Fr::zero() : post[i], keep);
    }
    mix(matrix, state);
  };
  constexpr unsigned kHalf = PoseidonConstants::kFullRounds / 2;
  for (unsigned round = 1; round < kHalf; ++round, next += width) {
    full_round(next, round + 1 < kHalf ? constants.mix : constants.pre_sparse);
  }
  for (const SparseMix& sparse : constants.sparse) {
    keep(state[0]);
    sbox(state[0], *next++, keep);
    mix(sparse, state);
  }
  for (unsigned round = 1; round < kHalf; ++round, next += width) full_round(next, constants.mix);
  full_round(nullptr, constants.mix);

  keep(state[1]);
  return state[1];
}

}  // namespace groth16::circuits
