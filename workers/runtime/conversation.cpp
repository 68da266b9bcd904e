#include "workers/runtime/conversation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <zmq.hpp>

#include "common/build.hpp"
#include "common/failpoint.hpp"

namespace groth16d::worker {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLeasesDue{5};     // a lease is sent before its assignment; later than this it was lost
constexpr seconds kLeaseExpiry{30};  // a lease that no assignment names for so long is given back
constexpr seconds kWelcomeDue{30};   // the supervisor's own limit for a start
constexpr milliseconds kHousekeeping{1'000};
constexpr milliseconds kMemorySample{10};   // a peak that lasts shorter is malloc's slack
constexpr std::uint64_t kNoAssignment = 0;  // of a lease that goes back on its own account
constexpr int kLogWarning = 4;              // syslog priority

// Without its supervisor a worker has no work and no memory of its own; not even destructors may delay the end.
[[noreturn]] void leave_at_once() { ::_exit(static_cast<int>(ExitCode::temporary)); }

// What goes back with the assignment; a resident stays until EVICT.
std::vector<LeaseName> leases_of_the_job(const std::vector<LeaseUse>& uses) {
  std::vector<LeaseName> leases;
  for (const LeaseUse& use : uses) {
    if (!use.resident()) leases.push_back(use.name);
  }
  return leases;
}

bool names(const std::vector<LeaseUse>& uses, const LeaseName& name) {
  return std::any_of(uses.begin(), uses.end(), [&](const LeaseUse& use) { return use.name == name; });
}

}  // namespace

Conversation::Conversation(ipc::WorkerLink link, int lifeline, Handler handler)
    : link_(std::move(link)),
      lifeline_(lifeline),
      handler_(std::move(handler)),
      next_heartbeat_(Clock::time_point::max()),
      welcome_due_(Clock::now() + kWelcomeDue) {}

Result<ExitCode> Conversation::run() {
  if (Result<void> greeted = hello(); !greeted) return tl::unexpected(greeted.error());
  while (!finished()) {
    for (const auto step : {&Conversation::wait, &Conversation::hear_lifeline, &Conversation::hear_supervisor,
                            &Conversation::hear_computer, &Conversation::keep_time}) {
      if (Result<void> done = (this->*step)(); !done) return tl::unexpected(done.error());
    }
  }
  v1::Up bye;
  bye.mutable_bye();
  if (Result<void> sent = send(std::move(bye)); !sent) return tl::unexpected(sent.error());
  return ExitCode::orderly;
}

Result<void> Conversation::hello() {
  v1::Up up;
  up.mutable_hello()->set_pid(static_cast<std::uint32_t>(::getpid()));
  up.mutable_hello()->set_build(version_text());
  return send(std::move(up));
}

Conversation::Clock::time_point Conversation::next_timer() const {
  Clock::time_point next = std::min(next_heartbeat_, Clock::now() + kHousekeeping);
  if (in_hand_ && !in_hand_->computing) next = std::min(next, in_hand_->leases_due);
  if (computing()) next = std::min(next, Clock::now() + kMemorySample);
  return next;
}

Result<void> Conversation::wait() {
  std::array<zmq::pollitem_t, 3> items{{{link_.socket().handle(), 0, ZMQ_POLLIN, 0},
                                        {nullptr, lifeline_, ZMQ_POLLIN, 0},
                                        {nullptr, computer_ ? computer_->event_fd() : -1, ZMQ_POLLIN, 0}}};
  const auto left = std::chrono::ceil<milliseconds>(next_timer() - Clock::now());
  try {
    zmq::poll(items.data(), computer_ ? 3 : 2, std::max(left, milliseconds{0}));
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) return failure(ErrorCode::system, "zmq.poll", error.what());
  }
  return {};
}

Result<void> Conversation::hear_lifeline() {
  for (;;) {
    Result<std::optional<ipc::ReceivedLease>> lease = ipc::receive_lease(lifeline_);
    if (!lease && lease.error().code == ErrorCode::malformed) {
      spdlog::error("{}", lease.error().text);
      continue;
    }
    if (!lease) leave_at_once();
    if (!*lease) break;
    if (Result<void> done = on_lease(std::move(**lease)); !done) return done;
  }
  return begin_when_leased();
}

Result<void> Conversation::on_lease(ipc::ReceivedLease lease) {
  const LeaseName name{lease.message.segment, lease.message.generation};
  const auto given_up = given_up_.extract(name);
  const bool wanted = given_up.empty() || (in_hand_ && names(in_hand_->uses, name));
  if (!wanted) return send_released(name, given_up.mapped());
  shelf_.put(std::move(lease), Clock::now());
  return {};
}

Result<void> Conversation::hear_supervisor() {
  for (;;) {
    const Result<std::optional<v1::Down>> message = link_.receive(0);
    if (!message && message.error().code == ErrorCode::malformed) {
      spdlog::error("{}", message.error().text);
      continue;
    }
    if (!message) return tl::unexpected(message.error());
    if (!*message) return {};
    if (Result<void> done = on(**message); !done) return done;
  }
}

Result<void> Conversation::on(const v1::Down& message) {
  if (message.slot() != link_.slot() || message.epoch() != link_.epoch()) {
    spdlog::warn("message {} with an old token ignored", ++ignored_);
    return {};
  }
  switch (message.body_case()) {
    case v1::Down::kWelcome:
      return on_welcome(message.welcome());
    case v1::Down::kCancel:
      return on_cancel(message);
    case v1::Down::kEvict:
      return on_evict({message.evict().segment(), message.evict().generation()});
    case v1::Down::kDrain:
      draining_ = true;
      return {};
    case v1::Down::BODY_NOT_SET:
      spdlog::warn("a message without a body this build knows was ignored");
      return {};
    default:
      return on_assign(message);
  }
}

Result<void> Conversation::on_welcome(const v1::Welcome& welcome) {
  if (computer_) return {};
  Result<std::unique_ptr<ComputingThread>> started = ComputingThread::start(handler_, welcome.threads());
  if (!started) return tl::unexpected(started.error());
  computer_ = std::move(*started);
  heartbeat_interval_ = milliseconds(std::max(welcome.heartbeat_ms(), 1U));
  next_heartbeat_ = Clock::now() + heartbeat_interval_;
  return send_ready();
}

Result<void> Conversation::on_assign(const v1::Down& message) {
  if (!computer_ || in_hand_ || draining_) {
    const char* why = !computer_ ? "it was not welcomed" : in_hand_ ? "it has an assignment" : "it is draining";
    return refuse(message.assignment(),
                  failure_of_slot({ErrorCode::busy, "worker.no_credit",
                                   fmt::format("{} takes no assignment: {}", link_.slot(), why)}));
  }
  in_hand_ = InHand{message, leases_of(message), Clock::now() + kLeasesDue, false};
  return begin_when_leased();
}

Result<void> Conversation::begin_when_leased() {
  if (!in_hand_ || in_hand_->computing || shelf_.missing(in_hand_->uses)) return {};
  Result<Leases> leases = shelf_.take(in_hand_->uses, work_of(in_hand_->message));
  if (!leases) {
    v1::Up report;
    *report.mutable_failed() = to_message(failure_of_slot(leases.error()));
    return finish(std::move(report), leases_of_the_job(in_hand_->uses));
  }
  in_hand_->computing = true;
  computer_->give({in_hand_->message, std::move(*leases)});
  return {};
}

Result<void> Conversation::hear_computer() {
  if (!computer_ || !in_hand_) return {};
  for (std::string& warning : computer_->take_warnings()) {
    v1::Up up;
    up.set_assignment(in_hand_->message.assignment());
    up.mutable_log()->set_level(kLogWarning);
    up.mutable_log()->set_text(std::move(warning));
    if (Result<void> sent = send(std::move(up)); !sent) return sent;
  }
  if (!computing()) return {};
  computer_->memory().sample();
  std::optional<v1::Up> report = computer_->take_report();
  if (!report) return {};
  report->set_private_peak_bytes(computer_->memory().peak_bytes());
  return finish(std::move(*report), leases_of_the_job(in_hand_->uses));
}

Result<void> Conversation::finish_waiting(v1::Up report) {
  std::vector<LeaseName> released;
  for (const LeaseName& name : leases_of_the_job(in_hand_->uses)) {
    if (shelf_.drop(name)) {
      released.push_back(name);
    } else {
      given_up_.emplace(name, in_hand_->message.assignment());
    }
  }
  return finish(std::move(report), released);
}

Result<void> Conversation::finish(v1::Up report, const std::vector<LeaseName>& released) {
  const std::uint64_t assignment = in_hand_->message.assignment();
  in_hand_.reset();
  report.set_assignment(assignment);
  if (Result<void> sent = send(std::move(report)); !sent) return sent;
  for (const LeaseName& name : released) {
    if (Result<void> sent = send_released(name, assignment); !sent) return sent;
  }
  for (const LeaseName& name : std::exchange(evictions_, {})) {
    if (Result<void> evicted = on_evict(name); !evicted) return evicted;
  }
  return draining_ ? Result<void>() : send_ready();
}

Result<void> Conversation::refuse(std::uint64_t assignment, const Failure& cause) {
  v1::Up up;
  up.set_assignment(assignment);
  *up.mutable_failed() = to_message(cause);
  return send(std::move(up));
}

Result<void> Conversation::on_cancel(const v1::Down& message) {
  if (!in_hand_ || in_hand_->message.assignment() != message.assignment()) {
    ++ignored_;
    return {};
  }
  if (in_hand_->computing) {
    computer_->cancel();
    return {};
  }
  v1::Up report;
  report.mutable_cancelled();
  return finish_waiting(std::move(report));
}

Result<void> Conversation::on_evict(const LeaseName& name) {
  if (in_hand_ && names(in_hand_->uses, name)) {
    evictions_.push_back(name);
    return {};
  }
  shelf_.drop(name);
  return send_released(name, kNoAssignment);
}

Result<void> Conversation::keep_time() {
  const Clock::time_point now = Clock::now();
  if (!computer_ && now >= welcome_due_) {
    return failure(ErrorCode::unavailable, "worker.no_welcome",
                   fmt::format("no WELCOME within {} s", kWelcomeDue.count()));
  }
  if (in_hand_ && !in_hand_->computing && now >= in_hand_->leases_due) {
    if (Result<void> told = fail_for_missing_lease(); !told) return told;
  }
  for (const LeaseName& name : shelf_.drop_older_than(now - kLeaseExpiry)) {
    if (Result<void> sent = send_released(name, kNoAssignment); !sent) return sent;
  }
  return now >= next_heartbeat_ ? heartbeat() : Result<void>();
}

Result<void> Conversation::fail_for_missing_lease() {
  const std::optional<LeaseName> missing = shelf_.missing(in_hand_->uses);
  if (!missing) return begin_when_leased();
  v1::Up report;
  *report.mutable_failed() =
      to_message(failure_of_slot({ErrorCode::unavailable, "lease.missing",
                                  fmt::format("lease {} of a {} assignment did not come within {} s",
                                              to_string(*missing), stage_of(in_hand_->message), kLeasesDue.count())}));
  return finish_waiting(std::move(report));
}

Result<void> Conversation::heartbeat() {
  next_heartbeat_ = Clock::now() + heartbeat_interval_;
  v1::Up up;
  up.set_assignment(in_hand_ ? in_hand_->message.assignment() : 0);
  v1::Heartbeat& body = *up.mutable_heartbeat();
  body.set_progress_permille(computer_->progress_permille());
  body.set_beats(computer_->beats());
  body.set_rss_bytes(computer_->memory().resident_bytes());
  return send(std::move(up));
}

Result<void> Conversation::send_released(const LeaseName& name, std::uint64_t assignment) {
  v1::Up up;
  up.set_assignment(assignment);
  up.mutable_released()->set_segment(name.segment);
  up.mutable_released()->set_generation(name.generation);
  if (GROTH16D_FAILPOINT("released.of_old_generation")) {
    v1::Up old = up;
    old.mutable_released()->set_generation(name.generation - 1);
    if (Result<void> sent = send(std::move(old)); !sent) return sent;
  }
  if (GROTH16D_FAILPOINT("released.twice")) {
    if (Result<void> sent = send(up); !sent) return sent;
  }
  return send(std::move(up));
}

Result<void> Conversation::send_ready() {
  v1::Up up;
  up.mutable_ready()->set_credit(1);
  return send(std::move(up));
}

}  // namespace groth16d::worker
