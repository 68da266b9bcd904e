#include "groth16/circuits/native_gadgets.hpp"

#include <array>
#include <vector>

#include "groth16/circuits/insertion.hpp"
#include "groth16/circuits/label.hpp"
#include "groth16/circuits/poseidon_hash.hpp"

namespace groth16::circuits {

namespace {

constexpr std::size_t kHeaderPaddingWords = 5;

struct BitStreamGates {
  WitnessStream& stream;
  Fr pick(bool condition, const Fr& a, const Fr& b) {
    const Fr& picked = condition ? a : b;
    stream.put(picked);
    return picked;
  }
  bool both(bool a, bool b) { return put(a && b); }
  bool neither(bool a, bool b) { return put(!a && !b); }

 private:
  bool put(bool bit) {
    stream.put_bits(bit ? 1 : 0, 1);
    return bit;
  }
};

// The variables of a node's bits are those that its number was told with.
TracedWord word_of(std::uint64_t bits) { return TracedWord::of_variables(static_cast<std::uint32_t>(bits)); }

}  // namespace

Fr poseidon(WitnessStream& stream, std::span<const Fr> inputs) {
  const PoseidonConstants& constants = poseidon_constants(static_cast<unsigned>(inputs.size()));
  return poseidon_hash(constants, inputs, [&](const Fr& value) { stream.put(value); });
}

std::vector<Fr> insert(WitnessStream& stream, const Fr& element, std::uint64_t index, std::span<const Fr> siblings) {
  const std::array<bool, 3> bits{(index & 1) != 0, (index & 2) != 0, (index & 4) != 0};
  return insert_with(BitStreamGates{stream}, element, std::span<const bool>(bits), siblings);
}

Fr prove_inclusion(WitnessStream& stream, TreeHash hash, const TreeShape& shape, const MerklePath& path,
                   const Fr& leaf) {
  Fr node = leaf;
  std::uint64_t rest = path.leaf_index;
  const Scalar* sibling = path.siblings.data();
  for (const unsigned arity : shape) {
    const std::uint64_t index = rest % arity;
    rest /= arity;
    stream.put_bits(index, bits_of_level(arity));
    std::vector<Fr> siblings;
    for (unsigned i = 1; i < arity; ++i, ++sibling) {
      stream.put(*sibling);
      siblings.push_back(Fr::from_uint(*sibling));
    }
    const std::vector<Fr> children = insert(stream, node, index, siblings);
    node = hash == TreeHash::poseidon
               ? poseidon(stream, children)
               : Fr::from_uint(sha256_pair(stream, children[0].to_uint(), children[1].to_uint()));
  }
  stream.put_public(Scalar::from_u64(path.leaf_index));
  return node;
}

Scalar label(WitnessStream& stream, const TracedState& replica_id, std::span<const TracedState> parents,
             std::uint32_t layer, std::uint64_t node) {
  std::vector<TracedWord> message(replica_id.begin(), replica_id.end());
  message.push_back(TracedWord::of_constant(layer));
  message.push_back(word_of(node >> 32));
  message.push_back(word_of(node));
  message.resize(message.size() + kHeaderPaddingWords, TracedWord::of_constant(0));
  for (std::size_t place = 0; place < kLabelParents; ++place) {
    const TracedState& parent = parents[label_parent(layer, place)];
    message.insert(message.end(), parent.begin(), parent.end());
  }
  return pack_digest(stream, sha256(stream, message));
}

}  // namespace groth16::circuits
