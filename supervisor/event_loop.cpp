#include "supervisor/event_loop.hpp"

#include <algorithm>
#include <array>
#include <csignal>

#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/clock.hpp"
#include "common/failpoint.hpp"
#include "common/log.hpp"
#include "supervisor/worker_messages.hpp"

namespace groth16d::supervisor {
namespace {

// Messages taken from one socket in one turn, so that a flood on it starves nobody.
constexpr int kWorkerMessagesPerTurn = 256;
constexpr int kClientMessagesPerTurn = 64;

constexpr std::uint64_t kNoticeInterval_ms = 1'000;

zmq::pollitem_t readable(int descriptor) { return {nullptr, descriptor, ZMQ_POLLIN, 0}; }

// Where nothing listens on TCP: a descriptor that no event is wanted of never fires.
zmq::pollitem_t remote_item(ClientHubs& hubs, int any_descriptor) {
  if (!hubs.remote) return {nullptr, any_descriptor, 0, 0};
  return {hubs.remote->socket().handle(), 0, ZMQ_POLLIN, 0};
}

}  // namespace

int EventLoop::run() {
  while (!sources_.shell.exit_code()) turn();
  notice_.tell(DaemonState::draining, "stopped", monotonic_ms());
  return *sources_.shell.exit_code();
}

// The order of the fixed items; the children follow.
enum Source : std::size_t {
  kClients,
  kOperators,
  kRemote,
  kWorkers,
  kSignals,
  kJournal,
  kFiles,
  kSegments,
  kMemory,
  kParent,
  kFirstChild
};

void EventLoop::turn() {
  GROTH16D_FAILPOINT("loop.turn");
  const auto watched = sources_.children.watched();
  std::vector<zmq::pollitem_t> items{
      {sources_.hubs.clients.socket().handle(), 0, ZMQ_POLLIN, 0},
      {sources_.hubs.operators.socket().handle(), 0, ZMQ_POLLIN, 0},
      remote_item(sources_.hubs, sources_.signals),
      {sources_.workers.socket().handle(), 0, ZMQ_POLLIN, 0},
      readable(sources_.signals),
      readable(sources_.journal.descriptor()),
      readable(sources_.files.descriptor()),
      readable(sources_.segments.descriptor()),
      readable(sources_.memory.descriptor()),
      // A negative descriptor would be an error to zmq_poll; no events never fire.
      {nullptr, sources_.parent_pidfd < 0 ? sources_.signals : sources_.parent_pidfd,
       static_cast<short>(sources_.parent_pidfd < 0 || parent_gone_ ? 0 : ZMQ_POLLIN), 0}};
  for (const auto& child : watched) {
    items.push_back(readable(child.pidfd));
    const bool waits = child.waiting_lifeline >= 0;
    items.push_back(
        {nullptr, waits ? child.waiting_lifeline : child.pidfd, static_cast<short>(waits ? ZMQ_POLLOUT : 0), 0});
  }
  try {
    zmq::poll(items, std::chrono::milliseconds(timeout_ms()));
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
    return;
  }
  take_completions();
  // Before the deaths: what a worker said last counts although it is gone.
  if (items[kWorkers].revents != 0) drain_workers();
  reap_children(watched, items.data() + kFirstChild);
  if (items[kSignals].revents != 0) read_signals();
  if (items[kParent].revents != 0 && !parent_gone_) {
    parent_gone_ = true;
    begin_drain(true, "the process that started this private daemon ended");
  }
  // Operators first: their verbs are what a flood of clients is stopped with.
  if (items[kOperators].revents != 0) drain_clients(Door::operators);
  if (items[kClients].revents != 0) drain_clients(Door::clients);
  if (items[kRemote].revents != 0) drain_clients(Door::remote);
  const auto timer = sources_.core.next_timer();
  if (timer && *timer <= core_now()) sources_.shell.pass(TimerExpired{});
  notify();
}

long EventLoop::timeout_ms() const {
  const auto now = static_cast<std::int64_t>(monotonic_ms());
  std::int64_t until = now + static_cast<std::int64_t>(kNoticeInterval_ms);
  if (const auto timer = sources_.core.next_timer())
    until = std::min(until, std::int64_t{timer->time_since_epoch().count()});
  if (notice_.watchdog_interval_ms()) until = std::min(until, static_cast<std::int64_t>(next_watchdog_ms_));
  return static_cast<long>(std::max<std::int64_t>(0, until - now));
}

void EventLoop::take_completions() {
  for (auto& completion : sources_.journal.take()) sources_.shell.complete(std::move(completion));
  for (auto& completion : sources_.files.take()) sources_.shell.complete(std::move(completion));
  for (auto& event : sources_.segments.take()) sources_.shell.pass(std::move(event));
  sources_.memory.take();
}

void EventLoop::drain_workers() {
  for (int count = 0; count < kWorkerMessagesPerTurn; ++count) {
    const auto up = sources_.workers.receive();
    if (!up) {
      spdlog::warn("a worker's message was dropped: {}", up.error().text);
      continue;
    }
    if (!*up) return;
    sources_.shell.hear(**up);
  }
}

void EventLoop::drain_clients(Door door) {
  for (int count = 0; count < kClientMessagesPerTurn; ++count) {
    auto request = sources_.hubs.of(door).receive();
    if (!request) {
      spdlog::info("a client's message was dropped: {}", request.error().text);
      continue;
    }
    if (!*request) return;
    if (auto event = sources_.api.request(std::move(**request), door, core_now()))
      sources_.shell.pass(std::move(*event));
  }
}

void EventLoop::reap_children(const std::vector<Children::Watched>& watched, const zmq::pollitem_t* polled) {
  for (std::size_t child = 0; child < watched.size(); ++child) {
    if (polled[2 * child + 1].revents != 0) sources_.children.flush(watched[child].slot);
    if (polled[2 * child].revents == 0) continue;
    if (auto observed = sources_.children.reap(watched[child].slot)) sources_.shell.pass(std::move(*observed));
  }
}

void EventLoop::read_signals() {
  std::array<signalfd_siginfo, 8> signals{};
  const ssize_t bytes = ::read(sources_.signals, signals.data(), sizeof signals);
  for (std::size_t place = 0; bytes > 0 && place < static_cast<std::size_t>(bytes) / sizeof signals[0]; ++place) {
    if (signals[place].ssi_signo == SIGHUP)
      spdlog::warn("SIGHUP changes nothing: `groth16ctl reload` applies the configuration and says what came of it");
    else
      begin_drain(draining_, signals[place].ssi_signo == SIGINT ? "SIGINT" : "SIGTERM");
  }
}

void EventLoop::begin_drain(bool fast, const char* why) {
  const LogScope scope({.event = fast ? "daemon.stopping" : "daemon.draining"});
  spdlog::info(
      "{}: {}", why,
      fast ? "stopping now; what is in flight is done again at the next start" : "draining; again to stop now");
  draining_ = true;
  next_notice_ms_ = 0;
  sources_.shell.pass(DrainRequested{fast});
}

void EventLoop::notify() {
  const std::uint64_t now = monotonic_ms();
  if (notice_.watchdog_interval_ms() && now >= next_watchdog_ms_) {
    next_watchdog_ms_ = now + *notice_.watchdog_interval_ms();
    if (sources_.shell.journal_answered()) notice_.alive();
  }
  if (now < next_notice_ms_) return;
  next_notice_ms_ = now + kNoticeInterval_ms;
  sources_.files.put(ExpireUploads{});
  sources_.memory.look(sources_.children.processes(), core_now());
  const DaemonView daemon = sources_.core.daemon();
  notice_.tell(daemon.state, status_line(daemon, sources_.core.workers()), now);
  sources_.shell.publish_memory(daemon);
}

}  // namespace groth16d::supervisor
