// What systemd is told: READY, STATUS, STOPPING, WATCHDOG. Without a NOTIFY_SOCKET every call does nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "supervisor/core/view.hpp"

namespace groth16d::supervisor {

// "run: 3 jobs, 2 queued, 121/240 GiB, slots 4/4"
std::string status_line(const DaemonView& daemon, const std::vector<WorkerView>& workers);

class SystemdNotice {
 public:
  SystemdNotice();

  // READY=1 once a slot of each role has been ready (or a role has failed: the daemon stays up and says degraded);
  // STATUS= when the line changed; STOPPING=1 first thing in a drain; EXTEND_TIMEOUT_USEC while it starts or drains,
  // for as long as the caller's loop turns.
  void tell(DaemonState state, const std::string& status, std::uint64_t now_ms);

  // A third of systemd's patience: the manual's half, less a slow turn. nullopt: there is no watchdog.
  std::optional<std::uint64_t> watchdog_interval_ms() const { return watchdog_interval_ms_; }
  void alive() const;

 private:
  bool wants_time(DaemonState state, std::uint64_t now_ms);

  std::optional<std::uint64_t> watchdog_interval_ms_;
  bool ready_ = false;
  bool stopping_ = false;
  std::string status_;
  std::uint64_t next_extension_ms_ = 0;
};

}  // namespace groth16d::supervisor
