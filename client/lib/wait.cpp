#include "client/lib/wait.hpp"

#include <algorithm>
#include <thread>

namespace groth16d::client {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{5};      // a small circuit is proven in tens of milliseconds
constexpr milliseconds kLongestPause{500};  // events make it shorter
constexpr milliseconds kEventPause{5};      // a burst of events asks for one STATUS
constexpr milliseconds kSignalPause{100};   // how soon Ctrl-C is seen

constexpr std::uint32_t kSynthWeight = 100;
constexpr std::uint32_t kProveWeight = 800;
constexpr std::uint32_t kFinalWeight = 100;

std::uint32_t partition_permille(const v1::PartitionStatus& partition) {
  const std::uint32_t within = std::min<std::uint32_t>(partition.progress_permille(), 1000);
  switch (partition.state()) {
    case v1::SYNTHESISING:
      return kSynthWeight * within / 1000;
    case v1::SEALED:
      return kSynthWeight;
    case v1::PROVING:
      return kSynthWeight + kProveWeight * within / 1000;
    case v1::FINALIZING:
      return kSynthWeight + kProveWeight + kFinalWeight * within / 1000;
    case v1::PROVEN:
      return 1000;
    default:
      return 0;
  }
}

// Sleeps until an event of the job arrives or the pause is over, in slices that let the caller see a signal.
void pause_for_event(std::optional<ipc::EventSubscriber>& events, milliseconds pause,
                     const std::function<bool()>& is_interrupted) {
  const auto end = Clock::now() + pause;
  while (Clock::now() < end && !(is_interrupted && is_interrupted())) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    const auto slice = std::clamp(left, milliseconds(1), kSignalPause);
    if (!events) {
      std::this_thread::sleep_for(slice);
      continue;
    }
    const auto event = events->receive(static_cast<int>(slice.count()));
    if (!event) {
      events.reset();  // advisory: without them STATUS is asked a little later
    } else if (*event) {
      std::this_thread::sleep_for(kEventPause);
      while (true) {  // one STATUS answers for all that have arrived
        const auto more = events->receive(0);
        if (!more || !*more) return;
      }
    }
  }
}

Result<v1::WorkerStatus> worker_now(Client& client, const std::string& slot) {
  const auto workers = client.workers();
  if (!workers) return tl::unexpected<Error>(workers.error());
  for (const auto& worker : *workers)
    if (worker.slot() == slot) return worker;
  return failure(ErrorCode::not_found, "slot.unknown", "there is no slot " + slot);
}

}  // namespace

bool has_ended(v1::JobState state) {
  return state == v1::DONE || state == v1::FAILED || state == v1::CANCELLED || state == v1::QUARANTINED;
}

std::uint32_t progress_permille(const v1::JobStatus& job) {
  if (job.state() == v1::DONE) return 1000;
  if (job.partitions_size() == 0) return 0;
  std::uint64_t sum = 0;
  for (const auto& partition : job.partitions()) sum += partition_permille(partition);
  return static_cast<std::uint32_t>(sum / static_cast<std::uint64_t>(job.partitions_size()));
}

std::optional<milliseconds> time_left(std::uint32_t permille, milliseconds elapsed) {
  if (permille < 50 || permille > 1000) return std::nullopt;
  return milliseconds(elapsed.count() * (1000 - permille) / permille);
}

Result<v1::JobStatus> wait_for_job(Client& client, const std::string& job, const WaitOptions& options) {
  std::optional<ipc::EventSubscriber> events;
  if (auto subscribed = ipc::EventSubscriber::connect(client.context(), client.address().events_socket, "job." + job)) {
    events = std::move(*subscribed);
  }
  const auto begin = Clock::now();
  milliseconds pause = kFirstPause;
  while (true) {
    auto status = client.status(job);
    if (!status) return status;
    if (options.on_status) options.on_status(*status);
    if (has_ended(status->state())) return status;
    if (options.is_interrupted && options.is_interrupted()) {
      return failure(ErrorCode::cancelled, "wait.interrupted", job + ": interrupted; the job itself goes on");
    }
    if (options.timeout && Clock::now() - begin >= *options.timeout) {
      return failure(ErrorCode::busy, "wait.timeout",
                     job + ": has not ended within " + std::to_string(options.timeout->count()) + " ms");
    }
    pause_for_event(events, pause, options.is_interrupted);
    pause = std::min(pause * 2, kLongestPause);
  }
}

bool is_done(ipc::Command verb, std::uint64_t epoch_before, const v1::WorkerStatus& now) {
  const bool serves = now.state() == "ready" || now.state() == "busy";
  switch (verb) {
    case ipc::Command::worker_drain:
    case ipc::Command::worker_disable:
      return now.state() == "disabled";
    case ipc::Command::worker_restart:
      return serves && now.epoch() > epoch_before;
    default:
      return serves;
  }
}

Result<v1::WorkerStatus> operate_and_wait(Client& client, ipc::Command verb, const std::string& slot, bool now,
                                          const WaitOptions& options) {
  const auto before = worker_now(client, slot);
  if (!before) return before;
  if (auto taken = client.operate(verb, slot, now); !taken) return taken;
  const auto begin = Clock::now();
  milliseconds pause = kFirstPause;
  while (true) {
    auto worker = worker_now(client, slot);
    if (!worker || is_done(verb, before->epoch(), *worker)) return worker;
    if (worker->state() == "failed") {
      return failure(ErrorCode::unavailable, "worker.failed",
                     slot + ": has failed: " + worker->last_death() + "; `groth16ctl worker reset` tries again");
    }
    if (options.is_interrupted && options.is_interrupted()) {
      return failure(ErrorCode::cancelled, "wait.interrupted", slot + ": interrupted; what was asked for goes on");
    }
    if (options.timeout && Clock::now() - begin >= *options.timeout) {
      return failure(
          ErrorCode::busy, "wait.timeout",
          slot + ": still " + worker->state() + " after " + std::to_string(options.timeout->count()) + " ms");
    }
    std::optional<ipc::EventSubscriber> no_events;
    pause_for_event(no_events, pause, options.is_interrupted);
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace groth16d::client
