#include "groth16/circuits/inclusion.hpp"

#include "groth16/circuits/insertion.hpp"
#include "groth16/circuits/poseidon_gadget.hpp"
#include "groth16/circuits/sha256_gadget.hpp"

namespace groth16::circuits {

namespace {

using Numbers = std::vector<Number>;

struct CircuitGates {
  CircuitBuilder& builder;
  Number pick(Bit condition, const Number& a, const Number& b) { return circuits::pick(builder, condition, a, b); }
  Bit both(Bit a, Bit b) { return and_gate(builder, a, b); }
  Bit neither(Bit a, Bit b) { return and_gate(builder, !a, !b); }
};

}  // namespace

Numbers insert(CircuitBuilder& builder, const Number& element, std::span<const Bit> index,
               std::span<const Number> siblings) {
  return insert_with(CircuitGates{builder}, element, index, siblings);
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
