// Waiting for a job to end, and how far it is. Events wake the waiter early; STATUS decides, because events may be
// lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "client/lib/client.hpp"

namespace groth16d::client {

// DONE, FAILED, CANCELLED or QUARANTINED.
bool has_ended(v1::JobState state);

// The part of a job's work that is done, in thousandths. Stages weigh what they take on a CPU: synthesis 100, the prove
// stage 800, finalizing 100.
std::uint32_t progress_permille(const v1::JobStatus& job);

// Time to the end if the rest goes as fast as what is done; none before 5 % are, when it would be a guess.
std::optional<std::chrono::milliseconds> time_left(std::uint32_t permille, std::chrono::milliseconds elapsed);

struct WaitOptions {
  std::optional<std::chrono::milliseconds> timeout;     // none: until the job ends
  std::function<void(const v1::JobStatus&)> on_status;  // called with every STATUS
  std::function<bool()> is_interrupted;                 // asked at least every 100 ms
};

// The last status, of a job that has ended. Errors: those of STATUS, busy "wait.timeout", cancelled "wait.interrupted"
// (the job itself goes on).
Result<v1::JobStatus> wait_for_job(Client& client, const std::string& job, const WaitOptions& options);

// Whether what a verb about a worker (Client::operate) asks for has happened, by the worker as it is `now`: restarted
// in a later epoch than `epoch_before` and ready, at rest after drain and disable, ready after enable and reset.
bool is_done(ipc::Command verb, std::uint64_t epoch_before, const v1::WorkerStatus& now);

// Asks for a verb and waits until it is done: the worker then. Errors: those of the verb, not_found "slot.unknown",
// unavailable "worker.failed" (it used up its restarts), busy "wait.timeout", cancelled "wait.interrupted".
Result<v1::WorkerStatus> operate_and_wait(Client& client, ipc::Command verb, const std::string& slot, bool now,
                                          const WaitOptions& options);

}  // namespace groth16d::client
