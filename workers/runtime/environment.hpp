// What the spawner tells a worker: environment variables for names, two descriptors for the rest.
//
//   GROTH16D_SLOT            "synth-0"
//   GROTH16D_EPOCH           which incarnation of the slot this is
//   GROTH16D_WORKERS_SOCKET  the supervisor's socket for workers
//   GROTH16D_LOG_LEVEL       optional
//   GROTH16D_CACHE_DIR, GROTH16D_CACHE_MAX   of groth16-load: the folder of converted circuits, and its bound in bytes
//   fd 3                     the lifeline; fd 4  the page of last words, optional
#pragma once

#include <cstdint>
#include <string>

#include "common/error.hpp"

namespace groth16d::worker {

inline constexpr int kLifelineFd = 3;
inline constexpr int kLastWordsFd = 4;

struct Environment {
  std::string slot;
  std::uint64_t epoch = 0;
  std::string workers_socket;
  std::string log_level = "info";
};

// Error: unavailable "worker.environment", with the variable that is missing or wrong.
Result<Environment> read_environment();

}  // namespace groth16d::worker
