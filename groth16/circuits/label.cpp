#include "groth16/circuits/label.hpp"

#include "groth16/circuits/sha256_gadget.hpp"

namespace groth16::circuits {

namespace {

constexpr std::size_t kHeaderPaddingBits = 160;  // fills the header to 64 bytes

}  // namespace

Number label(CircuitBuilder& builder, std::span<const Bit> replica_id, std::span<const std::vector<Bit>> parents,
             std::uint32_t layer, std::span<const Bit> node) {
  std::vector<Bit> message(replica_id.begin(), replica_id.end());
  append_message(message, constant_word(layer));
  message.insert(message.end(), node.rbegin(), node.rend());
  message.resize(message.size() + kHeaderPaddingBits, Bit::constant(false));
  for (std::size_t place = 0; place < kLabelParents; ++place) {
    const std::vector<Bit>& parent = parents[label_parent(layer, place)];
    message.insert(message.end(), parent.begin(), parent.end());
  }
  return pack(builder, reverse_in_bytes(sha256(builder, message)));
}

}  // namespace groth16::circuits
