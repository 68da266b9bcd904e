// Keys of built-in circuits for tests and development, in bellperson's files. Whoever saw the program's memory can
// forge proofs for them, and the files say so by their gamma.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "groth16/circuits/builtin_circuit.hpp"

namespace groth16d::ctl {

struct KeyFiles {
  std::string params, vk;  // "": not wanted
};

// seed: the same key again. The key is held in memory: 2 GiB for the smallest sectors, 60 GiB for production. Errors:
// those of building the system, of the key generator and of writing.
Result<void> make_development_key(const groth16::circuits::BuiltinCircuit& circuit, const KeyFiles& files,
                                  const std::optional<std::uint64_t>& seed);

}  // namespace groth16d::ctl
