// A helper thread does what may block (commits, copies, allocations) so that the loop never does. The loop puts
// requests in; completions come back through a queue whose eventfd the loop polls. Ownership moves with the message;
// nothing else is shared.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/unique_fd.hpp"

namespace groth16d::supervisor {

// Completions on their way to the loop.
template <class Completion>
class Outbox {
 public:
  Outbox() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  // Any thread.
  void put(Completion completion) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(completion));
    }
    const std::uint64_t one = 1;
    // EAGAIN means that the counter is full, so the loop is woken already.
    [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof one);
  }

  // The loop. Readable while something waits.
  int descriptor() const { return event_.get(); }
  std::vector<Completion> take() {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto drained = ::read(event_.get(), &count, sizeof count);
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

 private:
  UniqueFd event_;
  std::mutex mutex_;
  std::vector<Completion> waiting_;
};

// A thread that is given whatever has gathered since it last asked, so that one commit may serve many requests.
template <class Request, class Completion>
class HelperThread {
 public:
  using Work = std::function<void(std::vector<Request> requests, Outbox<Completion>& completions)>;

  // `name` is at most 15 bytes: it is what `top -H` shows.
  HelperThread(const char* name, Work work) : work_(std::move(work)), thread_([this] { serve(); }) {
    ::pthread_setname_np(thread_.native_handle(), name);
  }
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  // Finishes what was put in, then joins.
  ~HelperThread() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    arrived_.notify_one();
    thread_.join();
  }

  void put(Request request) {
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(std::move(request));
    }
    arrived_.notify_one();
  }

  int descriptor() const { return completions_.descriptor(); }
  std::vector<Completion> take() { return completions_.take(); }

 private:
  void serve() {
    while (true) {
      std::vector<Request> batch;
      {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return closing_ || !requests_.empty(); });
        if (requests_.empty()) return;
        batch = std::exchange(requests_, {});
      }
      work_(std::move(batch), completions_);
    }
  }

  Outbox<Completion> completions_;
  Work work_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Request> requests_;
  bool closing_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace groth16d::supervisor
