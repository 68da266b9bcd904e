// The files around a replication proof as commands name them: C1 in any form, verifying keys in any form or in the
// cache of parameters, miners.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "groth16/circuits/c1.hpp"
#include "groth16/formats/bellperson_vk.hpp"

namespace groth16d::ctl {

// JSON, JSON in a wrapper, or bincode, which does not say for which registered proof it is: proof_name. Errors: those
// of reading the file and of the readers of C1; malformed "c1.registered_proof", bincode without a name or another name
// than JSON says.
Result<groth16::circuits::C1> read_c1(const std::string& path, const std::string& proof_name);

// "1000", "t01000" or "f01000". Error (malformed): porep.miner.
Result<std::uint64_t> actor_of_miner(const std::string& miner);

// Whether the replica is this miner's sector: replica_id follows from both, the ticket and comm_d. sector: where the
// file does not say it. Errors: malformed "porep.sector", no sector is known; mismatch "porep.replica_id".
Result<void> check_owner(const groth16::circuits::C1& c1, const std::string& miner,
                         const std::optional<std::uint64_t>& sector);

// Where the parameters of a sector's circuit are in the cache: published, or made there for development.
struct CachedParameters {
  std::string params, vk;
  bool is_development = false;
  bool has_params = false, has_vk = false;  // the files are there
};
CachedParameters published_parameters(const std::string& stem);
CachedParameters development_parameters(const std::string& stem);

// path: a .vk, compressed or not, or the start of a .params; "": the one in the cache. Errors: those of reading;
// not_found "parameters.absent".
Result<groth16::formats::BellpersonVk> read_vk(const std::string& path, const groth16::circuits::SectorShape& sector);

}  // namespace groth16d::ctl
