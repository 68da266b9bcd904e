// What an event finds: the object that it is about, in its state at that moment. Pairs of (subject, event) are what the
// simulation counts, so that its reach can be read from a table.
#pragma once

#include <cstdint>
#include <string>

namespace groth16d::supervisor {

struct Subject {
  enum class Kind : std::uint8_t { daemon, job, circuit, partition, slot };
  static constexpr std::size_t kKinds = 5;
  static constexpr std::size_t kStates = 18;  // of the kind that has most

  Kind kind = Kind::daemon;
  std::uint8_t state = 0;  // an enumerator of the kind's own phases
  auto operator<=>(const Subject&) const = default;
};

// "partition.sealed", "slot.condemned", ...; "" where the kind has no such state.
std::string to_string(Subject subject);

}  // namespace groth16d::supervisor
