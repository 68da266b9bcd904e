// The thread of a worker that computes. The talking thread gives it one task at a time, watches its pulse, sets its
// cancel flag, and fetches the report when the event descriptor becomes readable.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/unique_fd.hpp"
#include "groth16/algebra/compute.hpp"
#include "workers/runtime/private_memory.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

class ComputingThread {
 public:
  struct Task {
    v1::Down message;
    Leases leases;
  };

  // Error: system, where the kernel has no event descriptor.
  static Result<std::unique_ptr<ComputingThread>> start(Handler handler, unsigned threads);

  ComputingThread(Handler handler, unsigned threads, UniqueFd event);
  ~ComputingThread();  // sets the cancel flag and waits for the handler
  ComputingThread(const ComputingThread&) = delete;
  ComputingThread& operator=(const ComputingThread&) = delete;

  // Only while idle: after construction, or after take_report() gave the last task's report.
  void give(Task task);

  int event_fd() const { return event_.get(); }

  // The finished task's answer, once; its leases are unmapped. Rethrows what the handler
  // threw, which only a broken invariant does.
  std::optional<v1::Up> take_report();

  // Lines for the job's log that were said since the last call.
  std::vector<std::string> take_warnings();

  void cancel() { pulse_.cancel.store(true, std::memory_order_relaxed); }
  std::uint64_t beats() const { return pulse_.beats.load(std::memory_order_relaxed); }
  PrivateMemory& memory() { return memory_; }
  std::uint32_t progress_permille() const { return permille_.load(std::memory_order_relaxed); }

 private:
  class Reporter;
  void loop();
  v1::Up perform(Task task);
  Outcome<v1::Up> handle(const Task& task);
  void finish(std::optional<v1::Up> report, std::exception_ptr broken);
  void signal();

  const Handler handler_;
  const unsigned threads_;
  const UniqueFd event_;
  groth16::Pulse pulse_;
  std::atomic<std::uint32_t> permille_{0};
  PrivateMemory memory_;  // its peak is that of the task in hand

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::optional<Task> task_;
  std::optional<v1::Up> report_;
  std::exception_ptr broken_;
  std::vector<std::string> warnings_;

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace groth16d::worker
