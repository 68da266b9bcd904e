#include "supervisor/systemd_notice.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

namespace groth16d::supervisor {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

// While it starts or drains, systemd's patience reaches this far ahead, and is renewed three times as often.
constexpr std::uint64_t kExtend_us = 60'000'000;
constexpr std::uint64_t kExtendEvery_ms = kExtend_us / 3'000;

}  // namespace

std::string status_line(const DaemonView& daemon, const std::vector<WorkerView>& workers) {
  const auto serves = [](const WorkerView& worker) {
    return worker.state == SlotState::ready || worker.state == SlotState::busy;
  };
  return fmt::format("{}: {} jobs, {} queued, {:.1f}/{:.1f} GiB, slots {}/{}", to_string(daemon.state),
                     daemon.jobs_running, daemon.jobs_queued, static_cast<double>(daemon.budget_used_bytes) / kGiB,
                     static_cast<double>(daemon.budget_total_bytes) / kGiB,
                     std::count_if(workers.begin(), workers.end(), serves), workers.size());
}

SystemdNotice::SystemdNotice() {
  std::uint64_t interval_us = 0;
  if (::sd_watchdog_enabled(0, &interval_us) > 0)
    watchdog_interval_ms_ = std::max<std::uint64_t>(1, interval_us / 3'000);
}

bool SystemdNotice::wants_time(DaemonState state, std::uint64_t now_ms) {
  if (state != DaemonState::starting && state != DaemonState::draining) return false;
  if (now_ms < next_extension_ms_) return false;
  next_extension_ms_ = now_ms + kExtendEvery_ms;
  return true;
}

void SystemdNotice::tell(DaemonState state, const std::string& status, std::uint64_t now_ms) {
  std::string message;
  if (!ready_ && (state == DaemonState::ready || state == DaemonState::degraded)) {
    ready_ = true;
    message += "READY=1\n";
  }
  if (!stopping_ && state == DaemonState::draining) {
    stopping_ = true;
    next_extension_ms_ = 0;  // a stop has a timeout of its own
    message += "STOPPING=1\n";
  }
  if (status != status_) {
    status_ = status;
    message += "STATUS=" + status + "\n";
  }
  if (wants_time(state, now_ms)) message += fmt::format("EXTEND_TIMEOUT_USEC={}\n", kExtend_us);
  if (!message.empty()) ::sd_notify(0, message.c_str());
}

void SystemdNotice::alive() const { ::sd_notify(0, "WATCHDOG=1"); }

}  // namespace groth16d::supervisor
