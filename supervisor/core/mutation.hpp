// Faults that the tests put into the core on purpose, to prove that the simulation would find them.
//
// In every build but that of tests/core/test_mutations.cpp, mutated() is a constant false and nothing of them is left.
#pragma once

namespace groth16d::supervisor {

enum class Mutation {
  none,
  permit_back_after_synthesis,  // the reservation ends when the witness is made, not when the proof is
  small_overtakes_large,        // admission by size instead of by arrival
  release_at_request,           // memory counts as free when it is to be freed, not when it is gone
  no_fencing,                   // messages and deaths of an old epoch are believed
  attempts_not_counted,         // every attempt has the same number
  one_id_two_jobs,              // a second SUBMIT of an id becomes a second job
  retry_synthesises_again,      // a later stage's failure throws the witness away
  ab_kept_to_the_end,           // no first phase of the release
  accepted_before_durable,      // 202 before the journal's commit
  reclaim_at_signal,            // a killed worker's leases come back before its pidfd fired
  budget_ignored,               // whatever is asked for is reserved
  heartbeat_is_progress,        // a worker that lives is taken for one that works
  done_before_stored,           // a proof counts before its commit
  credit_ignored,               // assignments beyond what a worker asked for
  exit_before_empty,            // the drain does not wait for what is left
  rows_for_nobody,              // rows get memory where only GPU workers prove
  keys_made_by_readers,         // a key that a card makes is made by whoever is free
  b2_for_nobody,                // a finalizer sums B2 that the card has been asked for
};

#ifdef GROTH16D_CORE_MUTATIONS
inline Mutation active_mutation = Mutation::none;
inline bool mutated(Mutation mutation) { return active_mutation == mutation; }
#else
constexpr bool mutated(Mutation) { return false; }
#endif

}  // namespace groth16d::supervisor
