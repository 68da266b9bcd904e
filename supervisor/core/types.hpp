// The nouns of the core: identities, fencing tokens and the small records that events, actions and views share.
//
// Time is a monotonic count of milliseconds that the shell passes in; the core reads no clock. Sizes are bytes, u64.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace groth16d::supervisor {

using Millis = std::chrono::milliseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Millis>;  // never the wall clock

using JobId = std::string;           // chosen by the client: 1 to 64 of [A-Za-z0-9._-]
using CircuitName = std::string;     // likewise; a job by key path gets a name that no client can choose
using ReplyToken = std::uint64_t;    // the shell's name of one client request that awaits a Reply
using Epoch = std::uint64_t;         // incarnation of a slot; 0: never spawned
using AssignmentId = std::uint64_t;  // never reused; 0: none
using RequestId = std::uint64_t;     // of an allocation or of opening files; never reused

enum class Role { load, synth, cpu, final, gpu };
inline constexpr std::size_t kRoles = 5;

enum class Stage { inspect, load, synth, prove, b2, assemble };
inline constexpr std::size_t kStages = 6;

// A place for one worker process, e.g. "synth-0". A slot outlives its processes; (slot, epoch) names one of them.
struct SlotId {
  Role role = Role::load;
  std::uint32_t index = 0;
  auto operator<=>(const SlotId&) const = default;
};
std::string to_string(SlotId slot);
std::optional<SlotId> parse_slot(std::string_view name);

// Names one life of one segment (or of one opened file): a memfd that is reused gets the next generation.
struct SegmentRef {
  std::uint64_t id = 0;  // 0: none
  std::uint64_t generation = 0;
  auto operator<=>(const SegmentRef&) const = default;
  explicit operator bool() const { return id != 0; }
};

// For people: the name of a circuit by key path without what tells two states of one file apart.
std::string shown_name(const CircuitName& circuit);

// What every message of a worker carries.
struct WorkerToken {
  SlotId slot;
  Epoch epoch = 0;
  AssignmentId assignment = 0;  // 0 where the message belongs to none
};

// What a piece of work belongs to; attempts only grow. For a circuit's own work `job` is "circuit.<name>".
struct Work {
  std::string job;
  std::uint32_t partition = 0;
  std::uint32_t attempt = 0;
};

enum class Priority { low = 1, normal = 2, high = 3, critical = 4 };
inline constexpr std::size_t kPriorities = 4;

// Who sums b_g2_msm: a finalizer while the other sums are made, the card with the other sums, or whoever lets proofs
// come faster by what was measured (core_b2.cpp).
enum class BG2 { cpu, gpu, automatic };

enum class JobState { received, queued, running, done, failed, cancelled, quarantined };
inline constexpr std::size_t kJobStateCount = 7;
bool is_final(JobState state);

enum class PartitionState { waiting, ready_synth, synthesising, sealed, proving, finalizing, proven, stopped };
inline constexpr std::size_t kPartitionStateCount = 8;
enum class CircuitState { registered, loading, resident, failed };
enum class SlotState { starting, ready, busy, draining, backoff, failed, disabled };
enum class DaemonState { starting, ready, degraded, draining };

// Where memory is: the kind of buffer, and the stage of the partition that it belongs to.
enum class BufferKind { input, witness, ab, key, r1cs, pool, private_memory };
inline constexpr std::size_t kBufferKinds = 7;
enum class BufferStage { none, queued, synthesising, sealed, proving, finalizing, done };
inline constexpr std::size_t kBufferStages = 7;

enum class Blame { unknown, input, slot, key, verification };

// Why a process ended, as decided when its pidfd fired.
enum class Death {
  orderly,
  requested,
  operator_kill,
  crash,
  oom,
  frozen,
  stuck,
  protocol,
  start_timeout,
  unusable,
  configuration
};

std::string_view to_string(Role role);
std::string_view to_string(Stage stage);
std::string_view to_string(Priority priority);
std::string_view to_string(BG2 b_g2);
std::string_view to_string(JobState state);
std::string_view to_string(PartitionState state);
std::string_view to_string(CircuitState state);
std::string_view to_string(SlotState state);
std::string_view to_string(DaemonState state);
std::string_view to_string(BufferKind kind);
std::string_view to_string(BufferStage stage);
std::string_view to_string(Death death);

// Everything the supervisor knows about a circuit. Sizes are payload bytes of the segments; the header page and the
// rounding to pages are added by segment_bytes().
struct CircuitFacts {
  std::string curve;
  std::uint64_t n_vars = 0;
  std::uint64_t n_public = 0;
  std::uint64_t n_constraints = 0;
  std::uint32_t domain_log2 = 0;
  std::uint64_t n_boolean = 0;
  bool has_c = false;
  std::string key_digest, vk_digest, r1cs_digest;  // raw bytes, opaque here
  std::vector<std::string> warnings;
  std::uint64_t key_bytes = 0, r1cs_bytes = 0, witness_bytes = 0, ab_bytes = 0;
  std::uint64_t load_private_bytes = 0, synth_private_bytes = 0, prove_private_bytes = 0, b2_private_bytes = 0,
                assemble_private_bytes = 0;
  bool is_generated = false;            // the key is not read but made: a card's work where there is one
  std::uint64_t source_bytes_read = 0;  // of the client's files, for this report; 0: the cache knew
};

struct InputFacts {
  std::uint32_t partitions = 1;
  std::uint64_t input_bytes = 0;
  std::string statement;  // opaque
};

// One 4 KiB header page, then the payload, rounded up to whole pages: what the kernel accounts.
inline constexpr std::uint64_t kPageBytes = 4096;
std::uint64_t segment_bytes(std::uint64_t payload_bytes);  // saturates instead of wrapping

// Which circuit a job or a registration means.
struct CircuitSource {
  std::string key_path;
  std::string r1cs_path;  // "": none
  bool allow_insecure_key = false;
  bool operator==(const CircuitSource&) const = default;
};

struct PartitionInput {
  std::string name;                  // how the client calls the input, for error texts
  std::uint64_t bytes = 0;           // as it will lie in the spool
  std::string declared_public_json;  // "": none declared
};

// A proof, as the finalizer made it.
struct Proof {
  std::string proof;        // compressed binary
  std::string proof_json;   // as snarkjs writes it
  std::string public_json;  // as snarkjs writes it
};

// What the journal keeps of a job from its acceptance.
struct JobRecord {
  JobId job;
  std::string digest;    // of the request's content: equal digests mean the same request
  CircuitName circuit;   // registered name, or the automatic name of a job by key path
  bool by_path = false;  // the circuit is source's, and not registered
  CircuitSource source;  // with by_path
  std::vector<PartitionInput> partitions;
  Priority priority = Priority::normal;
  std::uint64_t deadline_ms = 0;  // from acceptance; 0: none
  std::string client;             // whose quotas it counts to; "": nobody's
};

}  // namespace groth16d::supervisor
