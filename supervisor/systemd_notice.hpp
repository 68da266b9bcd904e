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

  // READY=1 once the daemon is ready, and again nothing; STATUS= when the line changed; STOPPING=1 once it drains.
  void tell(DaemonState state, const std::string& status);

  // Half of systemd's patience is one third here: the manual's half, less a turn. nullopt: there is no watchdog.
  std::optional<std::uint64_t> watchdog_interval_ms() const { return watchdog_interval_ms_; }
  void alive() const;

 private:
  std::optional<std::uint64_t> watchdog_interval_ms_;
  bool ready_ = false;
  bool stopping_ = false;
  std::string status_;
};

}  // namespace groth16d::supervisor
