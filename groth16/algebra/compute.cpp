// The parallel loop: threads that take ranges from one counter until none is left.
#include "groth16/algebra/compute.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace groth16 {

namespace {

// Ranges a thread gets on average when there are enough items: evens out threads that the system holds up.
constexpr std::size_t kRangesPerThread = 8;

// The shared state of one loop: the counter that hands out ranges, and the first exception.
class Loop {
 public:
  Loop(const Compute& compute, std::size_t count, std::size_t range,
       const std::function<void(std::size_t, std::size_t)>& body)
      : compute_(compute), count_(count), range_(range), ranges_((count - 1) / range + 1), body_(body) {}

  std::size_t ranges() const { return ranges_; }

  void work() {
    while (!compute_.cancelled()) {
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= ranges_) return;
      try {
        body_(index * range_, std::min(count_, (index + 1) * range_));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_.store(ranges_, std::memory_order_relaxed);
      }
      compute_.beat();
    }
  }

  // After every thread has been joined.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const Compute& compute_;
  const std::size_t count_;
  const std::size_t range_;
  const std::size_t ranges_;
  const std::function<void(std::size_t, std::size_t)>& body_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

void Compute::run(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) const {
  if (count == 0) return;
  const std::size_t even_share = count / (kRangesPerThread * threads_);
  Loop loop(*this, count, std::max({grain, even_share, std::size_t{1}}), body);
  const std::size_t helpers = std::min<std::size_t>(threads_, loop.ranges()) - 1;
  {
    std::vector<std::jthread> threads;
    threads.reserve(helpers);
    try {
      for (std::size_t i = 0; i < helpers; ++i) threads.emplace_back([&loop] { loop.work(); });
    } catch (const std::system_error&) {
      // The system grants no further thread: those that run, this one at least, do all the work.
    }
    loop.work();
  }
  loop.rethrow();
}

}  // namespace groth16
