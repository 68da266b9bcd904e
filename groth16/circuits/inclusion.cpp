#include "groth16/circuits/inclusion.hpp"

#include <cstdlib>

#include "groth16/circuits/poseidon_gadget.hpp"
#include "groth16/circuits/sha256_gadget.hpp"

namespace groth16::circuits {

namespace {

using Numbers = std::vector<Number>;

// In each of these a is the element, s the siblings; the order of the picks is part of the circuit.
Numbers insert_2(CircuitBuilder& builder, const Number& a, std::span<const Bit> bit, std::span<const Number> s) {
  const Number left = pick(builder, bit[0], s[0], a);
  const Number right = pick(builder, bit[0], a, s[0]);
  return {left, right};
}

Numbers insert_4(CircuitBuilder& builder, const Number& a, std::span<const Bit> bit, std::span<const Number> s) {
  const auto p = [&](Bit condition, const Number& x, const Number& y) { return pick(builder, condition, x, y); };
  Numbers child;
  child.push_back(p(bit[1], s[0], p(bit[0], s[0], a)));
  child.push_back(p(bit[1], s[1], p(bit[0], a, s[0])));
  child.push_back(p(bit[1], p(bit[0], s[2], a), s[1]));
  child.push_back(p(bit[1], p(bit[0], a, s[2]), s[2]));
  return child;
}

Numbers insert_8(CircuitBuilder& builder, const Number& a, std::span<const Bit> bit, std::span<const Number> s) {
  const auto p = [&](Bit condition, const Number& x, const Number& y) { return pick(builder, condition, x, y); };
  const Bit neither = and_gate(builder, !bit[0], !bit[1]);
  const Bit both = and_gate(builder, bit[0], bit[1]);
  Numbers child;
  child.push_back(p(bit[2], s[0], p(neither, a, s[0])));
  child.push_back(p(bit[2], s[1], p(bit[1], s[1], p(bit[0], a, s[0]))));
  child.push_back(p(bit[2], s[2], p(bit[1], p(bit[0], s[2], a), s[1])));
  child.push_back(p(bit[2], s[3], p(both, a, s[2])));
  child.push_back(p(bit[2], p(neither, a, s[4]), s[3]));
  child.push_back(p(bit[2], p(bit[1], s[5], p(bit[0], a, s[4])), s[4]));
  child.push_back(p(bit[2], p(bit[1], p(bit[0], s[6], a), s[5]), s[5]));
  child.push_back(p(bit[2], p(both, a, s[6]), s[6]));
  return child;
}

}  // namespace

Numbers insert(CircuitBuilder& builder, const Number& element, std::span<const Bit> index,
               std::span<const Number> siblings) {
  switch (siblings.size()) {
    case 1:
      return insert_2(builder, element, index, siblings);
    case 3:
      return insert_4(builder, element, index, siblings);
    case 7:
      return insert_8(builder, element, index, siblings);
    default:
      std::abort();  // no tree of ours has such nodes
  }
}

void prove_inclusion(CircuitBuilder& builder, TreeHash hash, const TreeShape& shape, const MerklePath& path,
                     const Number& leaf, const Number& root) {
  Number node = leaf;
  std::vector<Bit> index;
  const Scalar* sibling = path.siblings.data();
  for (const unsigned arity : shape) {
    const std::size_t first_bit = index.size();
    for (unsigned i = 0; i < bits_of_level(arity); ++i) {
      index.push_back(alloc_bit(builder, ((path.leaf_index >> index.size()) & 1) != 0));
    }
    Numbers siblings;
    for (unsigned i = 1; i < arity; ++i) siblings.push_back(alloc_number(builder, *sibling++));
    const Numbers children = insert(builder, node, std::span(index).subspan(first_bit), siblings);
    node = hash == TreeHash::sha256 ? sha256_pair(builder, children[0], children[1]) : poseidon(builder, children);
  }
  pack_public(builder, index);
  enforce_equal(builder, node, root);
}

}  // namespace groth16::circuits
