// The configuration: what a core can work with, and how it changes while it works.
#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {

Result<void> check(const CoreConfig& config) {
  const auto bad = [](const std::string& text) { return failure(ErrorCode::malformed, "config.core", text); };
  for (const Role role : {Role::load, Role::synth, Role::final})
    if (config.role(role).slots == 0) return bad(std::string(to_string(role)) + ".slots is 0; at least 1 is needed");
  if (config.role(Role::cpu).slots + config.role(Role::gpu).slots == 0)
    return bad("cpu.slots and gpu.slots are both 0; the prove stage needs at least 1");
  if (config.b_g2 == BG2::gpu && config.role(Role::gpu).slots == 0)
    return bad("b_g2 is gpu and gpu.slots is 0; at least 1 is needed, or b_g2 = \"auto\"");
  std::uint64_t resting = 0;
  for (const RoleConfig& role : config.roles) resting += role.slots * segment_bytes(role.resting_bytes);
  const std::uint64_t total = config.budget_total_bytes;
  if (config.critical_reserved_bytes >= total || resting >= total - config.critical_reserved_bytes)
    return bad("a budget of " + std::to_string(total) + " bytes is not above the " + std::to_string(resting) +
               " bytes of resting workers plus " + std::to_string(config.critical_reserved_bytes) +
               " reserved for CRITICAL jobs");
  if (config.heartbeat.count() <= 0 || config.heartbeats_missed == 0) return bad("heartbeat must be positive");
  if (config.first_epoch == 0) return bad("first_epoch is 0, which names no epoch");
  if (config.deaths_to_quarantine == 0 || config.jobs_to_blame_slot == 0)
    return bad("deaths_to_quarantine and jobs_to_blame_slot must be positive");
  return {};
}

// All or nothing. The new limits hold from this event on: deadlines of stages and workers are armed again, a larger
// budget admits at once, and what no longer fits a smaller one is refused when it reaches the head of its line. What
// shapes the machine itself (slots, heartbeat, seeds) stays; the shell does not ask for it.
void Machine::handle(const ConfigRequested& request) {
  CoreConfig next = request.config;
  next.jitter_seed = config_.jitter_seed;
  next.first_epoch = config_.first_epoch;
  next.heartbeat = config_.heartbeat;
  for (std::size_t r = 0; r < kRoles; ++r) {
    next.roles[r].slots = config_.roles[r].slots;
    next.roles[r].resting_bytes = config_.roles[r].resting_bytes;
  }
  if (auto checked = check(next); !checked) return reply_error(request.token, checked.error());
  const std::uint64_t used = budget_.used_bytes();
  if (!budget_.resize(next.budget_total_bytes, next.critical_reserved_bytes))
    return reply_error(request.token,
                       {ErrorCode::conflict, "budget.in_use",
                        std::to_string(used) + " bytes are reserved; they do not fit a budget of " +
                            std::to_string(next.budget_total_bytes) + " bytes with " +
                            std::to_string(next.critical_reserved_bytes) + " for CRITICAL jobs: nothing was changed"});
  config_ = next;
  forget_b2_times();  // of other threads, perhaps
  log(nullptr, 5, "", "a new configuration is in force");
  reply(request.token, 200);
}

}  // namespace groth16d::supervisor
