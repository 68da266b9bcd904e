// A role: what one kind of worker does with an assignment. Everything else about being a worker is the runtime's.
//
// A handler finds its segments in the assignment, computes, and says the result as the body of an Up message. It runs
// on the computing thread, one at a time. When it returns, its segments are unmapped, and only then is the result sent.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "workers/runtime/lease_shelf.hpp"

namespace groth16d::worker {

// Why an assignment failed, and what the supervisor should make of it.
struct Failure {
  Error error;
  bool retryable = false;
  v1::Blame blame = v1::BLAME_UNKNOWN;
};

template <class T>
using Outcome = tl::expected<T, Failure>;

// An error that a stage's inputs can cause (malformed, mismatch, unsatisfied, too large, ...) is `whose` and stays what
// it is however often it is tried; one of the system or a broken invariant is this slot's and worth another try.
Failure failure_of(const Error& error, v1::Blame whose);

// Any error of a stage whose inputs have been checked by the stages before it: this slot's, worth another try.
Failure failure_of_slot(const Error& error);

v1::Failed to_message(const Failure& failure);

// How a handler says what it is doing.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void step(std::string_view what, unsigned permille) = 0;
  virtual void warn(const std::string& text) = 0;
};

// One assignment, as its handler sees it.
struct Assignment {
  const v1::Down& message;
  const Leases& leases;
  const groth16::Compute& compute;
  Progress& progress;

  // What the work is at now, for last words and heartbeats.
  void step(std::string_view what, unsigned permille) const { progress.step(what, permille); }
  // A line for the job's log.
  void warn(const std::string& text) const { progress.warn(text); }
};

// Error cancelled when compute was: for the places between a handler's steps.
Result<void> unless_cancelled(const groth16::Compute& compute);

using Handler = std::function<Outcome<v1::Up>(const Assignment&)>;

// The answer to a message that is none of the role's.
Failure not_my_work(std::string_view role, const v1::Down& message);

// "inspect", "load", "synth", "prove", "b2", "assemble"; empty for a message that is no assignment.
std::string_view stage_of(const v1::Down& message);

// What an assignment works for; a LOAD belongs to no job.
v1::Work work_of(const v1::Down& message);

}  // namespace groth16d::worker
