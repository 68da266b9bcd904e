#include "workers/runtime/computing_thread.hpp"

#include <memory>
#include <new>
#include <utility>

#include <malloc.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/failpoint.hpp"
#include "common/log.hpp"
#include "common/posix.hpp"
#include "workers/runtime/last_stand.hpp"

namespace groth16d::worker {

namespace {

v1::Up failed(const Failure& cause) {
  v1::Up up;
  *up.mutable_failed() = to_message(cause);
  return up;
}

v1::Up cancelled() {
  v1::Up up;
  up.mutable_cancelled();
  return up;
}

// A place where a test can make any stage fail: "synth.start", "synth.report", ...; or one job's: "synth.start/job".
Outcome<void> stage_failpoint(const v1::Down& message, std::string_view place) {
  const std::string name = std::string(stage_of(message)) + "." + std::string(place);
  if (GROTH16D_FAILPOINT(name) || GROTH16D_FAILPOINT(name + "/" + work_of(message).job()))
    return tl::unexpected(failure_of_slot(failpoint_error(name).value()));
  return {};
}

}  // namespace

class ComputingThread::Reporter final : public Progress {
 public:
  explicit Reporter(ComputingThread& thread) : thread_(thread) {}
  void step(std::string_view what, unsigned permille) override {
    say_last_words(what);
    thread_.permille_.store(permille, std::memory_order_relaxed);
    thread_.pulse_.beats.fetch_add(1, std::memory_order_relaxed);
    thread_.memory_.sample();
  }
  void warn(const std::string& text) override {
    {
      const std::lock_guard lock(thread_.mutex_);
      thread_.warnings_.push_back(text);
    }
    thread_.signal();
  }

 private:
  ComputingThread& thread_;
};

Result<std::unique_ptr<ComputingThread>> ComputingThread::start(Handler handler, unsigned threads) {
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return system_failure("eventfd", "computing thread");
  return std::make_unique<ComputingThread>(std::move(handler), threads, std::move(event));
}

ComputingThread::ComputingThread(Handler handler, unsigned threads, UniqueFd event)
    : handler_(std::move(handler)), threads_(threads), event_(std::move(event)), thread_([this] { loop(); }) {}

ComputingThread::~ComputingThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  cancel();
  wake_.notify_one();
}

void ComputingThread::give(Task task) {
  pulse_.cancel.store(false, std::memory_order_relaxed);
  permille_.store(0, std::memory_order_relaxed);
  memory_.begin();
  {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
  }
  wake_.notify_one();
}

std::optional<v1::Up> ComputingThread::take_report() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(event_.get(), &count, sizeof count);
  const std::lock_guard lock(mutex_);
  if (broken_) std::rethrow_exception(std::exchange(broken_, nullptr));
  return std::exchange(report_, std::nullopt);
}

std::vector<std::string> ComputingThread::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

void ComputingThread::loop() {
  give_thread_signal_stack();
  for (;;) {
    std::optional<Task> task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || task_.has_value(); });
      if (stopping_) return;
      task = std::exchange(task_, std::nullopt);
    }
    try {
      // A full expression of its own: a parameter by value lives until the end of the caller's.
      std::optional<v1::Up> report = perform(std::move(*task));
      ::malloc_trim(0);
      finish(std::move(report), nullptr);
    } catch (...) {
      finish(std::nullopt, std::current_exception());
    }
  }
}

// The task, and with it every mapping of the assignment, is gone when this returns: SEALED tells the truth. So is what
// malloc would keep for later, up to 64 MiB by its own rules: a resting worker is charged for its resting size only.
v1::Up ComputingThread::perform(Task task) {
  const v1::Work work = work_of(task.message);
  const std::string& subject = task.message.has_load()    ? task.message.load().key_name()
                               : task.message.has_adopt() ? task.message.adopt().key_name()
                                                          : work.job();
  LogFields fields;
  fields.job = work.job();
  if (!work.job().empty()) fields.partition = work.partition();
  fields.stage = stage_of(task.message);
  const LogScope scope(std::move(fields));
  begin_last_words(stage_of(task.message), subject, work.partition(), work.attempt(), task.message.assignment());
  Outcome<v1::Up> outcome = handle(task);
  // What a cancelled computation returns means nothing, even where it looks like a result.
  const bool stopped = pulse_.cancel.load(std::memory_order_relaxed);
  v1::Up report = stopped ? cancelled() : outcome ? std::move(*outcome) : failed(outcome.error());
  end_last_words();
  return report;
}

Outcome<v1::Up> ComputingThread::handle(const Task& task) {
  if (Outcome<void> fine = stage_failpoint(task.message, "start"); !fine) return tl::unexpected(fine.error());
  const groth16::Compute compute(threads_, &pulse_);
  Reporter reporter(*this);
  try {
    Outcome<v1::Up> outcome = handler_({task.message, task.leases, compute, reporter});
    if (Outcome<void> fine = stage_failpoint(task.message, "report"); !fine) return tl::unexpected(fine.error());
    return outcome;
  } catch (const std::bad_alloc&) {
    // The machine's state, not a broken invariant: another slot, or a later moment, may have the memory.
    return tl::unexpected(
        failure_of_slot({ErrorCode::system, "memory.exhausted",
                         "an allocation failed: the worker's memory limit or the machine's memory is used up"}));
  }
}

void ComputingThread::finish(std::optional<v1::Up> report, std::exception_ptr broken) {
  {
    const std::lock_guard lock(mutex_);
    report_ = std::move(report);
    broken_ = std::move(broken);
  }
  signal();
}

void ComputingThread::signal() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof one);  // full means readable already
}

}  // namespace groth16d::worker
