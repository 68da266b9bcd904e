// The words for the core's enumerations, as they appear in protocols, logs and status.
#include "supervisor/core/types.hpp"

#include <charconv>
#include <limits>

namespace groth16d::supervisor {
namespace {

template <std::size_t N, class Enum>
std::string_view word(const std::array<std::string_view, N>& words, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? words[index] : std::string_view("?");
}

constexpr std::array<std::string_view, kRoles> kRoleWords = {"load", "synth", "cpu", "final", "gpu"};

}  // namespace

std::string to_string(SlotId slot) { return std::string(to_string(slot.role)) + "-" + std::to_string(slot.index); }

std::optional<SlotId> parse_slot(std::string_view name) {
  for (std::size_t r = 0; r < kRoles; ++r) {
    const std::string prefix = std::string(kRoleWords[r]) + "-";
    if (!name.starts_with(prefix)) continue;
    const std::string_view digits = name.substr(prefix.size());
    SlotId slot{static_cast<Role>(r), 0};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), slot.index);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    if (to_string(slot) != name) return std::nullopt;  // one spelling a slot: no leading zeros
    return slot;
  }
  return std::nullopt;
}

std::string shown_name(const CircuitName& circuit) {
  return circuit.starts_with("path:") ? circuit.substr(0, circuit.find('|')) : circuit;
}

bool is_final(JobState state) {
  return state == JobState::done || state == JobState::failed || state == JobState::cancelled ||
         state == JobState::quarantined;
}

std::uint64_t segment_bytes(std::uint64_t payload_bytes) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max() & ~(kPageBytes - 1);
  if (payload_bytes > kMax - 2 * kPageBytes) return kMax;
  return kPageBytes + (payload_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

std::string_view to_string(Role role) { return word(kRoleWords, role); }

std::string_view to_string(Stage stage) {
  constexpr std::array<std::string_view, kStages> kWords = {"inspect", "load", "synth", "prove", "b2", "assemble"};
  return word(kWords, stage);
}

std::string_view to_string(Priority priority) {
  constexpr std::array<std::string_view, 5> kWords = {"?", "low", "normal", "high", "critical"};
  return word(kWords, priority);
}

std::string_view to_string(BG2 b_g2) {
  constexpr std::array<std::string_view, 3> kWords = {"cpu", "gpu", "auto"};
  return word(kWords, b_g2);
}

std::string_view to_string(JobState state) {
  constexpr std::array<std::string_view, 7> kWords = {"received", "queued",    "running",    "done",
                                                      "failed",   "cancelled", "quarantined"};
  return word(kWords, state);
}

std::string_view to_string(PartitionState state) {
  constexpr std::array<std::string_view, 8> kWords = {"waiting", "ready_synth", "synthesising", "sealed",
                                                      "proving", "finalizing",  "proven",       "stopped"};
  return word(kWords, state);
}

std::string_view to_string(CircuitState state) {
  constexpr std::array<std::string_view, 4> kWords = {"registered", "loading", "resident", "failed"};
  return word(kWords, state);
}

std::string_view to_string(SlotState state) {
  constexpr std::array<std::string_view, 7> kWords = {"starting", "ready",  "busy",    "draining",
                                                      "backoff",  "failed", "disabled"};
  return word(kWords, state);
}

std::string_view to_string(DaemonState state) {
  constexpr std::array<std::string_view, 4> kWords = {"starting", "ready", "degraded", "draining"};
  return word(kWords, state);
}

std::string_view to_string(BufferKind kind) {
  constexpr std::array<std::string_view, kBufferKinds> kWords = {"input", "witness", "ab",     "key",
                                                                 "r1cs",  "pool",    "private"};
  return word(kWords, kind);
}

std::string_view to_string(BufferStage stage) {
  constexpr std::array<std::string_view, kBufferStages> kWords = {"",        "queued",     "synthesising", "sealed",
                                                                  "proving", "finalizing", "done"};
  return word(kWords, stage);
}

std::string_view to_string(Death death) {
  constexpr std::array<std::string_view, 11> kWords = {"orderly",       "requested", "operator_kill", "crash",
                                                       "oom",           "frozen",    "stuck",         "protocol",
                                                       "start_timeout", "unusable",  "configuration"};
  return word(kWords, death);
}

}  // namespace groth16d::supervisor
