#include "groth16/circuits/poseidon_gadget.hpp"

#include <vector>

#include "groth16/circuits/poseidon_constants.hpp"

namespace groth16::circuits {

namespace {

// A number as a sum of variables, with its value.
struct Element {
  LinearCombination sum;
  Fr value = Fr::zero();

  void add(const Fr& factor, const Element& other) {
    sum.add(factor, other.sum);
    value += factor * other.value;
  }
};

using Elements = std::vector<Element>;

Element element_of(const Number& number) { return {number.variable, number.value}; }

Number make_number(CircuitBuilder& builder, const Element& element) {
  const Number number = alloc_number(builder, element.value);
  builder.enforce(element.sum, kOne, number.variable);
  return number;
}

LinearCombination with_constant(LinearCombination sum, const Fr& constant) {
  if (!constant.is_zero()) sum.add(constant, kOne);
  return sum;
}

// (number + pre)^5 + post.
Element sbox(CircuitBuilder& builder, const Number& number, const Fr& pre, const Fr& post) {
  const LinearCombination input = with_constant(number.variable, pre);
  const Fr value = number.value + pre;
  const Number square = alloc_number(builder, value.square());
  builder.enforce(input, input, square.variable);
  const Number fourth = alloc_number(builder, square.value.square());
  builder.enforce(square.variable, square.variable, fourth.variable);
  const Number result = alloc_number(builder, value * fourth.value + post);
  builder.enforce(input, fourth.variable, with_constant(result.variable, -post));
  return element_of(result);
}

Element sbox(CircuitBuilder& builder, const Element& element, const Fr& post) {
  return sbox(builder, make_number(builder, element), Fr::zero(), post);
}

void mix(const Matrix& matrix, Elements& state) {
  Elements mixed(state.size());
  for (std::size_t j = 0; j < state.size(); ++j) {
    for (std::size_t i = 0; i < state.size(); ++i) mixed[j].add(matrix[i][j], state[i]);
    mixed[j].sum.normalise();
  }
  state = std::move(mixed);
}

void mix(const SparseMix& sparse, Elements& state) {
  Element first;
  for (std::size_t i = 0; i < state.size(); ++i) first.add(sparse.w[i], state[i]);
  first.sum.normalise();
  for (std::size_t j = 1; j < state.size(); ++j) state[j].add(sparse.v[j - 1], state[0]);
  state[0] = std::move(first);
}

}  // namespace

Number poseidon(CircuitBuilder& builder, std::span<const Number> inputs) {
  const PoseidonConstants& constants = poseidon_constants(static_cast<unsigned>(inputs.size()));
  const std::size_t width = constants.width();
  const Fr* next = constants.compressed.data();

  Elements state(width);
  const Fr tag = constants.domain_tag + next[0];
  state[0].value = tag.pow(5) + next[width];
  state[0].sum.add(state[0].value, kOne);
  for (std::size_t i = 1; i < width; ++i) state[i] = sbox(builder, inputs[i - 1], next[i], next[width + i]);
  next += 2 * width;
  mix(constants.mix, state);

  const auto full_round = [&](const Fr* post, const Matrix& matrix) {
    for (std::size_t i = 0; i < width; ++i) state[i] = sbox(builder, state[i], post == nullptr ? Fr::zero() : post[i]);
    mix(matrix, state);
  };
  constexpr unsigned kHalf = PoseidonConstants::kFullRounds / 2;
  for (unsigned round = 1; round < kHalf; ++round, next += width) {
    full_round(next, round + 1 < kHalf ? constants.mix : constants.pre_sparse);
  }
  for (const SparseMix& sparse : constants.sparse) {
    state[0] = sbox(builder, state[0], *next++);
    mix(sparse, state);
  }
  for (unsigned round = 1; round < kHalf; ++round, next += width) full_round(next, constants.mix);
  full_round(nullptr, constants.mix);
  return make_number(builder, state[1]);
}

}  // namespace groth16::circuits
