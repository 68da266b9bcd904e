#include "groth16/circuits/porep_statement.hpp"

#include <algorithm>
#include <string>

#include "groth16/circuits/challenge_draw.hpp"
#include "groth16/circuits/stacked_graph.hpp"

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::uint8_t kTopBits = 0xc0;  // cleared in the last byte, a digest is below 2^254

Scalar integer_of(const Bytes32& bytes) { return Scalar::from_le_bytes(std::as_bytes(std::span(bytes))); }

}  // namespace

Bytes32 replica_id(const Bytes32& prover_id, std::uint64_t sector_id, const Bytes32& ticket, const Bytes32& comm_d,
                   const Bytes32& porep_id) {
  std::array<std::byte, 8> sector;
  for (unsigned i = 0; i < 8; ++i) sector[i] = static_cast<std::byte>(sector_id >> (56 - 8 * i));
  groth16d::Sha256 hash;
  hash.update(bytes_of(prover_id));
  hash.update(sector);
  hash.update(bytes_of(ticket));
  hash.update(bytes_of(comm_d));
  hash.update(bytes_of(porep_id));
  Bytes32 id = hash.finish();
  id.back() &= static_cast<std::uint8_t>(~kTopBits);
  return id;
}

Bytes32 prover_id_of_actor(std::uint64_t actor) {
  Bytes32 id{};
  std::size_t place = 0;
  for (; actor >= 0x80; actor >>= 7) id[place++] = static_cast<std::uint8_t>(actor | 0x80);
  id[place] = static_cast<std::uint8_t>(actor);
  return id;
}

Result<void> check_statement(const PorepStatement& statement) {
  const auto is_zero = [](const Bytes32& bytes) { return std::ranges::all_of(bytes, [](auto b) { return b == 0; }); };
  for (const auto& [name, bytes] : {std::pair{"comm_d", &statement.comm_d}, std::pair{"comm_r", &statement.comm_r},
                                    std::pair{"seed", &statement.seed}}) {
    if (is_zero(*bytes)) {
      return failure(ErrorCode::malformed, "statement.zero", std::string("statement: ") + name + " is all zero");
    }
  }
  for (const auto& [name, bytes] : {std::pair{"replica_id", &statement.replica_id},
                                    std::pair{"comm_d", &statement.comm_d}, std::pair{"comm_r", &statement.comm_r}}) {
    if (!Fr::is_canonical(integer_of(*bytes))) {
      return failure(ErrorCode::malformed, "statement.not_canonical",
                     std::string("statement: ") + name + " is not below r");
    }
  }
  return {};
}

std::vector<std::uint64_t> challenges(const PorepStatement& statement, std::uint32_t partition) {
  const RegisteredProof& proof = statement.proof;
  const NumberRange numbers{partition * proof.sector.challenges, proof.sector.challenges};
  switch (proof.rule) {
    case ChallengeRule::interactive:
      return interactive_challenges(statement.replica_id, statement.seed, proof.sector.nodes, numbers);
    case ChallengeRule::non_interactive:
      return non_interactive_challenges(statement.replica_id, statement.comm_r, proof.sector.nodes, numbers);
    case ChallengeRule::synthetic:
      break;
  }
  const std::uint64_t set_size = synthetic_set_size(proof.sector.nodes);
  std::vector<std::uint64_t> nodes = synthetic_selection(statement.replica_id, statement.seed, set_size, numbers);
  const std::uint64_t n_drawn = *std::ranges::max_element(nodes) + 1;
  const auto set = synthetic_challenges(statement.replica_id, statement.comm_r, proof.sector.nodes, n_drawn);
  for (std::uint64_t& number : nodes) number = set[number];
  return nodes;
}

std::vector<Scalar> public_inputs(const PorepStatement& statement, std::uint32_t partition) {
  const RegisteredProof& proof = statement.proof;
  const StackedGraph graph(proof.sector.nodes, proof.porep_id, proof.graph);
  std::vector<Scalar> inputs{integer_of(statement.replica_id), integer_of(statement.comm_d),
                             integer_of(statement.comm_r)};
  const auto add = [&](std::uint64_t node) { inputs.push_back(Scalar::from_u64(node)); };
  for (const std::uint64_t challenge : challenges(statement, partition)) {
    add(challenge);  // its place in tree D
    std::ranges::for_each(graph.base_parents(challenge), add);
    std::ranges::for_each(graph.expander_parents(challenge), add);
    add(challenge);  // the challenge itself
    add(challenge);  // its place in tree R
    add(challenge);  // and in tree C
  }
  return inputs;
}

}  // namespace groth16::circuits
