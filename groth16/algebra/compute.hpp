// Compute: how a heavy function is given its threads, shows that it lives, and learns that nobody wants its result.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace groth16 {

// What a computation and its watcher share. The computation bumps beats as blocks of work end; the watcher sets cancel.
struct Pulse {
  std::atomic<bool> cancel{false};
  std::atomic<std::uint64_t> beats{0};
};

// A number of threads and a pulse. Cheap to make and to copy; the pulse outlives it. Each parallel loop takes threads
// of the process that are idle, or starts them, so a Compute may be used from several threads at once and loops may
// nest.
class Compute {
 public:
  // At least one thread is used; the calling thread is one of them.
  explicit Compute(unsigned threads, Pulse* pulse = nullptr) : threads_(threads == 0 ? 1 : threads), pulse_(pulse) {}

  unsigned threads() const { return threads_; }
  // The same pulse, another number of threads.
  Compute with_threads(unsigned threads) const { return Compute(threads, pulse_); }

  // After true, a function that was given this Compute returns early and its result means nothing.
  bool cancelled() const { return pulse_ != nullptr && pulse_->cancel.load(std::memory_order_relaxed); }

  void beat() const {
    if (pulse_ != nullptr) pulse_->beats.fetch_add(1, std::memory_order_relaxed);
  }

  // Calls body(begin, end) on disjoint ranges that cover [0, count), on all threads, and returns when all have
  // returned. A range has at least grain items (the last may have fewer), and more when that still leaves every
  // thread several ranges. Beats after each range; hands out no further range once cancelled. An exception of body
  // stops the hand-out and is thrown again in the caller.
  template <class F>
  void parallel_for(std::size_t count, F&& body, std::size_t grain = 1) const {
    run(count, grain, std::function<void(std::size_t, std::size_t)>(std::ref(body)));
  }

 private:
  void run(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) const;

  unsigned threads_;
  Pulse* pulse_;
};

}  // namespace groth16
