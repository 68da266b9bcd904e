// The one loop: sockets, signals, deaths, completions and time, each turned into an event. It never blocks but in its
// poll.
#pragma once

#include <optional>

#include "ipc/client_channel.hpp"
#include "ipc/worker_channel.hpp"
#include "supervisor/api.hpp"
#include "supervisor/children.hpp"
#include "supervisor/shell.hpp"
#include "supervisor/systemd_notice.hpp"

namespace groth16d::supervisor {

struct LoopSources {
  Core& core;
  Shell& shell;
  Api& api;
  ClientHubs& hubs;
  ipc::WorkerHub& workers;
  Children& children;
  Journal& journal;
  Files& files;
  Segments& segments;
  MemoryWatch& memory;
  int signals = -1;       // a signalfd: TERM, INT, HUP
  int parent_pidfd = -1;  // of a private daemon; -1: none
};

class EventLoop {
 public:
  explicit EventLoop(LoopSources sources) : sources_(sources) {}

  // Until the core says Exit; its code.
  int run();

 private:
  void turn();
  long timeout_ms() const;
  void drain_workers();
  void drain_clients(Door door);
  void read_signals();
  void take_completions();
  void reap_children(const std::vector<Children::Watched>& watched, const zmq::pollitem_t* polled);
  void begin_drain(bool fast, const char* why);
  void notify();

  LoopSources sources_;
  SystemdNotice notice_;
  std::uint64_t next_notice_ms_ = 0;
  std::uint64_t next_watchdog_ms_ = 0;
  bool draining_ = false;
  bool parent_gone_ = false;
};

}  // namespace groth16d::supervisor
