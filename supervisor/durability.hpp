// Whether what is promised survives a power cut. It survives the death of every process either way.
#pragma once

#include <cstdint>

namespace groth16d::supervisor {

enum class Durability : std::uint8_t {
  durable,    // synced to the disk before the reply that rests on it
  ephemeral,  // of a daemon whose state is removed with it: nothing is synced
};

}  // namespace groth16d::supervisor
