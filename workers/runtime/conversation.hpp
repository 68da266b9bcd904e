// The conversation of a worker with its supervisor, as ipc/worker.proto has it; the talking thread's whole life.
//
//   HELLO -> WELCOME -> READY{1} -> ASSIGN (waits for its leases) -> result, RELEASED..., READY{1} -> ... DRAIN -> BYE
//
// One assignment at a time. A message with another slot or epoch, or a CANCEL of another assignment, is counted and
// ignored. The supervisor's death (end of file on the lifeline) ends the process at once: nothing here outlives it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "common/exit_code.hpp"
#include "ipc/worker_channel.hpp"
#include "workers/runtime/computing_thread.hpp"
#include "workers/runtime/lease_shelf.hpp"

namespace groth16d::worker {

class Conversation {
 public:
  using Clock = std::chrono::steady_clock;

  Conversation(ipc::WorkerLink link, int lifeline, Handler handler);

  // Until DRAIN, or until there is nobody to talk to.
  Result<ExitCode> run();

 private:
  // The assignment in hand: waiting for its leases until `leases_due`, then computing.
  struct InHand {
    v1::Down message;
    std::vector<LeaseUse> uses;
    Clock::time_point leases_due;
    bool computing = false;
  };

  Result<void> hello();
  Result<void> wait();  // for any descriptor or the next timer
  Result<void> hear_lifeline();
  Result<void> hear_supervisor();
  Result<void> hear_computer();
  Result<void> keep_time();
  Clock::time_point next_timer() const;

  Result<void> on_lease(ipc::ReceivedLease lease);
  Result<void> on(const v1::Down& message);
  Result<void> on_welcome(const v1::Welcome& welcome);
  Result<void> on_assign(const v1::Down& message);
  Result<void> on_cancel(const v1::Down& message);
  Result<void> on_evict(const LeaseName& name);

  Result<void> begin_when_leased();
  Result<void> fail_for_missing_lease();
  // An assignment of which nothing is kept in hand: one that was never taken.
  Result<void> refuse(std::uint64_t assignment, const Failure& cause);
  // The end of the assignment in hand: its report, then RELEASED, then READY.
  Result<void> finish(v1::Up report, const std::vector<LeaseName>& released);
  // The same before it computed: only what has come can be released; the rest is, as it comes.
  Result<void> finish_waiting(v1::Up report);
  Result<void> heartbeat();
  bool computing() const { return in_hand_ && in_hand_->computing; }

  Result<void> send(v1::Up message) { return link_.send(std::move(message)); }
  Result<void> send_released(const LeaseName& name, std::uint64_t assignment);
  Result<void> send_ready();

  bool finished() const { return draining_ && !in_hand_; }

  ipc::WorkerLink link_;
  const int lifeline_;
  const Handler handler_;
  std::unique_ptr<ComputingThread> computer_;  // from WELCOME on
  LeaseShelf shelf_;
  std::optional<InHand> in_hand_;
  std::map<LeaseName, std::uint64_t> given_up_;  // leases that an assignment, the number, ended without
  std::vector<LeaseName> evictions_;             // of residents that the running assignment reads
  std::chrono::milliseconds heartbeat_interval_{0};
  Clock::time_point next_heartbeat_;
  Clock::time_point welcome_due_;
  std::uint64_t ignored_ = 0;
  bool draining_ = false;
};

}  // namespace groth16d::worker
