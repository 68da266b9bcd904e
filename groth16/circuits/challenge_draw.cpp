#include "groth16/circuits/challenge_draw.hpp"

#include <algorithm>
#include <string_view>

#include "common/blake2.hpp"
#include "groth16/circuits/chacha.hpp"

namespace groth16::circuits {

namespace {

// A node from 256 random bits.
std::uint64_t node_of(Scalar random, std::uint64_t nodes) { return random.div_word_in_place(nodes - 1) + 1; }

// The node that SHA-256 of three texts and the number, little-endian, names.
std::uint64_t hashed_challenge(std::string_view domain, const Bytes32& replica_id, const Bytes32& other,
                               std::uint32_t number, std::uint64_t nodes) {
  std::array<std::byte, 4> number_bytes;
  for (unsigned i = 0; i < 4; ++i) number_bytes[i] = static_cast<std::byte>(number >> (8 * i));
  groth16d::Sha256 hash;
  hash.update(domain);
  hash.update(bytes_of(replica_id));
  hash.update(bytes_of(other));
  hash.update(number_bytes);
  const groth16d::Digest digest = hash.finish();
  return node_of(Scalar::from_le_bytes(bytes_of(digest).first<32>()), nodes);
}

std::vector<std::uint64_t> hashed_challenges(std::string_view domain, const Bytes32& replica_id, const Bytes32& other,
                                             std::uint64_t nodes, NumberRange numbers) {
  std::vector<std::uint64_t> challenges;
  for (std::uint32_t i = 0; i < numbers.count; ++i) {
    challenges.push_back(hashed_challenge(domain, replica_id, other, numbers.first + i, nodes));
  }
  return challenges;
}

// ChaCha20 with the nonce "synth-porep", keyed by a hash of the replica's id and what else it depends on.
ChaCha synthetic_stream(std::string_view domain, const Bytes32& replica_id, const Bytes32& other) {
  std::array<std::byte, 64> message;
  std::ranges::copy(bytes_of(replica_id), message.begin());
  std::ranges::copy(bytes_of(other), message.begin() + 32);
  constexpr unsigned kRounds = 20;
  return ChaCha(groth16d::keyed_blake2b_256(domain, message), kRounds, {0x746e7973, 0x6f702d68, 0x00706572});
}

}  // namespace

std::vector<std::uint64_t> interactive_challenges(const Bytes32& replica_id, const Bytes32& seed, std::uint64_t nodes,
                                                  NumberRange numbers) {
  return hashed_challenges("", replica_id, seed, nodes, numbers);
}

std::vector<std::uint64_t> non_interactive_challenges(const Bytes32& replica_id, const Bytes32& comm_r,
                                                      std::uint64_t nodes, NumberRange numbers) {
  return hashed_challenges("filecoin.io|PoRep|1|NonInteractive|1", replica_id, comm_r, nodes, numbers);
}

std::uint64_t synthetic_set_size(std::uint64_t nodes) { return std::min(nodes, std::uint64_t{1} << 18); }

std::vector<std::uint64_t> synthetic_challenges(const Bytes32& replica_id, const Bytes32& comm_r, std::uint64_t nodes,
                                                std::uint64_t count) {
  ChaCha stream = synthetic_stream("filecoin.io|PoRep|1|Synthetic|1|Generation", replica_id, comm_r);
  std::vector<std::uint64_t> challenges(count);
  for (std::uint64_t& node : challenges) {
    Scalar random;
    for (std::uint64_t& limb : random.limb) limb = stream.next_u64();
    node = node_of(random, nodes);
  }
  return challenges;
}

std::vector<std::uint64_t> synthetic_selection(const Bytes32& replica_id, const Bytes32& seed, std::uint64_t set_size,
                                               NumberRange numbers) {
  ChaCha stream = synthetic_stream("filecoin.io|PoRep|1|Synthetic|1|Selection", replica_id, seed);
  for (std::uint32_t i = 0; i < numbers.first; ++i) stream.next_u32();
  std::vector<std::uint64_t> places(numbers.count);
  for (std::uint64_t& place : places) place = stream.next_u32() % set_size;
  return places;
}

}  // namespace groth16::circuits
