// What an operator decides about the core. Every default names its origin.
#pragma once

#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

struct RoleConfig {
  std::uint32_t slots = 1;
  std::uint32_t threads = 1;
  // Private memory of an idle worker (measured: 1 to 4 MiB), charged for as long as the slot is configured.
  std::uint64_t resting_bytes = 6ull << 20;
};

// CUDA's driver keeps a heap of its own on the host, whatever the worker does.
inline constexpr std::uint64_t kGpuRestingBytes = 512ull << 20;

// Of the host's memory, for a partition on a card, whatever the circuit: buffers of sums (measured: 2 to 25 MiB).
inline constexpr std::uint64_t kCardProveBytes = 64ull << 20;

inline constexpr std::uint64_t kMostInputBytes = 64ull << 30;  // of one partition
inline constexpr std::uint32_t kMostPartitions = 4'096;        // of one job
inline constexpr std::uint64_t kMostDeadline_ms = 10ull * 365 * 24 * 3'600'000;

struct CoreConfig {
  std::array<RoleConfig, kRoles> roles = {RoleConfig{1}, RoleConfig{1}, RoleConfig{1}, RoleConfig{1},
                                          RoleConfig{0, 1, kGpuRestingBytes}};
  RoleConfig& role(Role role) { return roles[static_cast<std::size_t>(role)]; }
  const RoleConfig& role(Role role) const { return roles[static_cast<std::size_t>(role)]; }

  std::uint64_t budget_total_bytes = 4ull << 30;
  std::uint64_t critical_reserved_bytes = 0;     // only CRITICAL jobs may use the last bytes of the total
  std::uint64_t need_margin_bytes = 2ull << 20;  // beside 5 percent, over an observed private peak
  BG2 b_g2 = BG2::automatic;
  std::uint32_t max_in_flight = 0;         // admitted partitions; 0: as many as the budget holds
  std::uint32_t max_queued_jobs = 20'000;  // unfinished jobs beyond which SUBMIT gets 429
  std::uint32_t max_jobs_per_client = 0;   // the same of one client; 0: any number
  std::uint32_t max_partitions = kMostPartitions;
  std::uint64_t max_input_bytes = kMostInputBytes;
  std::uint32_t busy_retry_ms = 1'000;

  Millis heartbeat{1'000};
  std::uint32_t heartbeats_missed = 5;  // 7/MDP: a peer is dead after 3 to 5 intervals
  Millis start_deadline{30'000};        // SpawnSlot to READY; mapping libraries on a cold disk takes seconds
  // Longest silence of the computing thread's own counter, by stage, before it counts as stuck.
  std::array<Millis, kStages> stall = {Millis{60'000},  Millis{120'000}, Millis{60'000},
                                       Millis{120'000}, Millis{120'000}, Millis{60'000}};
  Millis abort_grace{5'000};           // SIGABRT to SIGKILL: time for last words
  Millis cancel_grace{5'000};          // CANCEL to SIGKILL
  Millis release_grace{5'000};         // a stage's answer to RELEASED of its leases
  Millis drain_grace{10'000};          // DrainWorker to SIGKILL of a worker without an assignment
  Millis drain_deadline{15 * 60'000};  // of the whole orderly drain; TimeoutStopSec is 20 min

  std::uint32_t restart_limit = 5;  // deaths that count, in restart_window, before a slot is failed
  Millis restart_window{300'000};
  Millis backoff_first{500};
  Millis backoff_max{60'000};
  std::uint64_t jitter_seed = 1;
  // Epochs count from here. Above every epoch of an earlier supervisor, so that a message of one of its children that
  // has not died yet is stale here; the shell derives it from the time of its start.
  Epoch first_epoch = 1;

  std::uint32_t deaths_to_quarantine = 3;  // of one partition
  std::uint32_t jobs_to_blame_slot = 3;    // different jobs that failed on one slot and on no other
  std::uint32_t max_retries = 3;           // of FAILED{retryable} by one partition
  std::uint32_t max_allocation_failures = 8;

  Millis ageing{60'000};                   // a wait after which nothing of any class overtakes
  Millis store_retry{1'000};               // after a failed journal write
  Millis memory_retry{1'000};              // after a failed allocation, doubled each time up to 30 s
  Millis retention{7 * 24 * 3'600'000ll};  // of a finished job that nobody closes
};

// Whether a core can work with it at all. Error: malformed "config.core", naming the setting.
Result<void> check(const CoreConfig& config);

}  // namespace groth16d::supervisor
