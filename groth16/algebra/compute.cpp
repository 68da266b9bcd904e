// The parallel loop: threads that take ranges from one counter until none is left.
#include "groth16/algebra/compute.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace groth16 {

namespace {

// Ranges a thread gets on average when there are enough items: evens out threads that the system holds up.
constexpr std::size_t kRangesPerThread = 8;

// Looks for a short while, about 50 us, before the caller goes to sleep: to wake a thread takes as long, and on a busy
// machine a time slice, while the loops of a transform follow each other within microseconds.
template <class Condition>
void look_for(Condition&& condition) {
  constexpr int kLooks = 1000;
  for (int look = 0; look < kLooks && !condition(); ++look) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

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

  // After every helper has left.
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

// The process's threads that help loops. They stay between loops: to start and end one takes 0.2 ms in a virtual
// machine, and a proof is a hundred loops.
class Helpers {
 public:
  // Never destroyed: helpers sleep until the process ends.
  static Helpers& of_process() {
    static Helpers* const helpers = new Helpers;
    return *helpers;
  }

  // Does the loop's work with at most so many helpers, and returns when all of it is done.
  void work(Loop& loop, std::size_t count) {
    Team team{loop, 0, {}};
    begin(team, count);
    loop.work();
    finish(team);
  }

 private:
  // Who works on one loop. Changed with mutex_ held.
  struct Team {
    Loop& loop;
    std::atomic<std::size_t> working = 0;
    std::condition_variable done;
  };
  struct Helper {
    std::atomic<Team*> team = nullptr;  // called to, and not yet at work
    std::condition_variable called;
  };

  void begin(Team& team, std::size_t count) {
    const std::lock_guard lock(mutex_);
    for (; team.working < count; ++team.working) {
      if (idle_.empty() && !start_one()) return;
      Helper* const helper = idle_.back();
      idle_.pop_back();
      helper->team = &team;
      called_.push_back(helper);
      helper->called.notify_one();
    }
  }

  // False: the system grants no further thread, and those that run, the caller at least, do all the work.
  bool start_one() {
    auto helper = std::make_unique<Helper>();
    try {
      std::thread([this, &self = *helper] { serve(self); }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    idle_.push_back(helper.release());
    return true;
  }

  [[noreturn]] void serve(Helper& self) {
    for (;;) {
      look_for([&] { return self.team.load(std::memory_order_relaxed) != nullptr; });
      std::unique_lock lock(mutex_);
      self.called.wait(lock, [&] { return self.team.load() != nullptr; });
      Team& team = *self.team.exchange(nullptr);
      std::erase(called_, &self);
      lock.unlock();
      team.loop.work();
      lock.lock();
      idle_.push_back(&self);
      if (--team.working == 0) team.done.notify_one();
    }
  }

  // Helpers that have not come yet are not waited for: there is nothing left to do.
  void finish(Team& team) {
    withdraw(team);
    look_for([&] { return team.working.load(std::memory_order_relaxed) == 0; });
    std::unique_lock lock(mutex_);
    team.done.wait(lock, [&] { return team.working == 0; });
  }

  void withdraw(Team& team) {
    const std::lock_guard lock(mutex_);
    for (Helper* const helper : std::exchange(called_, {})) {
      if (helper->team != &team) {
        called_.push_back(helper);
        continue;
      }
      helper->team = nullptr;
      idle_.push_back(helper);
      --team.working;
    }
  }

  std::mutex mutex_;
  std::vector<Helper*> idle_, called_;
};

}  // namespace

void Compute::run(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) const {
  if (count == 0) return;
  const std::size_t even_share = count / (kRangesPerThread * threads_);
  Loop loop(*this, count, std::max({grain, even_share, std::size_t{1}}), body);
  const std::size_t helpers = std::min<std::size_t>(threads_, loop.ranges()) - 1;
  if (helpers == 0) {
    loop.work();
  } else {
    Helpers::of_process().work(loop, helpers);
  }
  loop.rethrow();
}

}  // namespace groth16
