#include "supervisor/children.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "common/log.hpp"
#include "shm/last_words.hpp"

namespace groth16d::supervisor {
namespace {

// Cheapest to redo dies first. groth16d itself runs at -900 under systemd.
int oom_score_of(Role role) {
  switch (role) {
    case Role::synth:
    case Role::load:
      return 600;
    case Role::final:
      return 400;
    case Role::cpu:
    case Role::gpu:
      return 200;
  }
  return 600;
}

std::string card_of(std::uint32_t slot, const ChildrenConfig& config) {
  return config.gpu_devices.empty() ? std::to_string(slot) : config.gpu_devices.at(slot);
}

// Nothing of our own environment but what is named here.
std::vector<std::string> environment_of(const SpawnSlot& action, const ChildrenConfig& config) {
  std::vector<std::string> variables{fmt::format("GROTH16D_SLOT={}", to_string(action.slot)),
                                     fmt::format("GROTH16D_EPOCH={}", action.epoch),
                                     fmt::format("GROTH16D_WORKERS_SOCKET={}", config.workers_socket),
                                     fmt::format("GROTH16D_LOG_LEVEL={}", config.log_level)};
  if (action.slot.role == Role::load && !config.cache_dir.empty()) {
    variables.push_back(fmt::format("GROTH16D_CACHE_DIR={}", config.cache_dir.string()));
    variables.push_back(fmt::format("GROTH16D_CACHE_MAX={}", config.cache_max_bytes));
  }
  std::vector<const char*> passed{"JOURNAL_STREAM"};  // so that log lines carry their priority
  if (action.slot.role == Role::gpu) {
    variables.push_back("CUDA_DEVICE_ORDER=PCI_BUS_ID");  // nvidia-smi's
    variables.push_back(fmt::format("CUDA_VISIBLE_DEVICES={}", card_of(action.slot.index, config)));
    if (config.gpu_memory_max_bytes)
      variables.push_back(fmt::format("GROTH16D_CARD_MEMORY_MAX={}", *config.gpu_memory_max_bytes));
    passed.push_back("LD_LIBRARY_PATH");  // the driver's library is where the machine's administrator has put it
  }
#ifdef GROTH16D_FAILPOINTS
  passed.insert(passed.end(), {"GROTH16D_FAILPOINTS", "GROTH16D_FAILPOINT_MARKS", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                               "TSAN_OPTIONS", "LD_PRELOAD", "JUMPING_CLOCK"});
#endif
  for (const char* name : passed)
    if (const char* value = std::getenv(name)) variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

std::string text_of(const shm::LastWords& words) {
  if (words.stage.empty()) return words.text;
  return fmt::format("{} of job {} partition {} attempt {}{}{}", words.stage, words.job, words.partition, words.attempt,
                     words.text.empty() ? "" : ": ", words.text);
}

LogFields about(SlotId slot, Epoch epoch, const char* event) {
  return {.slot = to_string(slot), .epoch = epoch, .event = event};
}

std::string mib(std::uint64_t bytes) { return fmt::format("{} MiB", (bytes + (1 << 20) - 1) >> 20); }

}  // namespace

// 64 MiB: libraries, heap and stacks of a worker that has worked before; page tables take 8 bytes a page of 4 KiB,
// counted twice like every need.
std::uint64_t WorkerLimits::at_rest(Role role) const {
  constexpr std::uint64_t kAllowance = std::uint64_t{64} << 20;
  return fixed_bytes.value_or(resting(role) + kAllowance + most_bytes / 256);
}

std::uint64_t WorkerLimits::during(Role role, std::optional<std::uint64_t> need_bytes) const {
  if (fixed_bytes) return *fixed_bytes;
  return need_bytes ? at_rest(role) + 2 * *need_bytes : std::max(at_rest(role), most_bytes);
}

// Without its leaf a worker still works; it is only less alone.
std::optional<CgroupLeaf> Children::make_leaf(SlotId slot) const {
  if (!cgroup_) return std::nullopt;
  auto leaf = cgroup_->leaf(to_string(slot)).and_then([&](CgroupLeaf&& made) {
    return made.limit(limits_.at_rest(slot.role)).map([&] { return std::move(made); });
  });
  if (leaf) return std::move(*leaf);
  spdlog::warn("{} starts without a cgroup leaf: {}", to_string(slot), leaf.error().text);
  return std::nullopt;
}

Result<Children::Living> Children::start(const SpawnSlot& action) {
  auto lifeline = ipc::make_lifeline();
  if (!lifeline) return tl::unexpected(lifeline.error());
  auto words = shm::allocate_last_words();
  if (!words) return tl::unexpected(words.error());
  SpawnRequest request;
  request.executable = config_.programs / fmt::format("groth16-{}", to_string(action.slot.role));
  request.environment = environment_of(action, config_);
  request.oom_score_adj = oom_score_of(action.slot.role);
  request.lifeline = lifeline->worker.get();
  request.words = words->get();
  auto leaf = make_leaf(action.slot);
  if (leaf) request.cgroup_procs = leaf->procs();
  auto child = spawner_.spawn(request);
  if (!child) return tl::unexpected(child.error());
  Living living;
  living.epoch = action.epoch;
  living.child = std::move(*child);
  living.lifeline = std::move(lifeline->supervisor);
  living.words = std::move(*words);
  living.leaf = std::move(leaf);
  living.reserved_bytes = limits_.resting(action.slot.role);
  return living;
}

Event Children::spawn(const SpawnSlot& action) {
  auto living = start(action);
  if (!living) return SpawnFailed{action.slot, action.epoch, living.error()};
  const auto pid = static_cast<std::uint32_t>(living->child.pid);
  const LogScope scope(about(action.slot, action.epoch, "slot.spawned"));
  spdlog::info("{} epoch {}: process {}", to_string(action.slot), action.epoch, pid);
  living_.insert_or_assign(action.slot, std::move(*living));
  return Spawned{action.slot, action.epoch, pid};
}

Children::Living* Children::find(SlotId slot, Epoch epoch) {
  const auto place = living_.find(slot);
  return place == living_.end() || place->second.epoch != epoch ? nullptr : &place->second;
}

void Children::lease(const Lease& action, const HeldSegment& segment) {
  Living* living = find(action.slot, action.epoch);
  if (living == nullptr) return;
  const bool writable = action.mode == LeaseMode::writable;
  PendingLease pending;
  pending.message.segment = action.segment.id;
  pending.message.generation = action.segment.generation;
  pending.message.kind = segment.kind;
  pending.message.payload_bytes = segment.payload_bytes;
  pending.message.mode = segment.kind == 0 ? ipc::LeaseMode::file
                         : writable        ? ipc::LeaseMode::read_write
                                           : ipc::LeaseMode::read_only;
  pending.descriptor = UniqueFd(::fcntl((writable ? segment.read_write : segment.read_only).get(), F_DUPFD_CLOEXEC, 0));
  living->pending.push_back(std::move(pending));
  flush(action.slot);
}

void Children::flush(SlotId slot) {
  const auto place = living_.find(slot);
  if (place == living_.end()) return;
  Living& living = place->second;
  while (!living.pending.empty()) {
    const PendingLease& next = living.pending.front();
    const auto sent = ipc::send_lease(living.lifeline.get(), next.message, next.descriptor.get());
    if (!sent && sent.error().code == ErrorCode::busy) return;
    if (!sent)
      spdlog::warn("{}: lease of segment {} not sent: {}", to_string(slot), next.message.segment, sent.error().text);
    living.pending.pop_front();
  }
}

void Children::limit_for(const Assign& action) {
  Living* living = find(action.slot, action.epoch);
  if (living == nullptr || !living->leaf) return;
  const Role role = action.slot.role;
  living->reserved_bytes = limits_.resting(role) + action.private_bytes.value_or(0);
  if (auto set = living->leaf->limit(limits_.during(role, action.private_bytes)); !set)
    spdlog::warn("{}: {}", to_string(action.slot), set.error().text);
}

void Children::kill(const Kill& action) {
  const Living* living = find(action.slot, action.epoch);
  if (living == nullptr) return;
  const int signal = action.signal == KillSignal::abort ? SIGABRT : SIGKILL;
  const LogScope scope(about(action.slot, action.epoch, "slot.killed"));
  spdlog::warn("{} epoch {}: sending {}: {}", to_string(action.slot), action.epoch,
               signal == SIGABRT ? "SIGABRT" : "SIGKILL", action.reason);
  if (auto sent = spawner_.kill(living->child, signal); !sent)
    spdlog::error("{}: {}", to_string(action.slot), sent.error().text);
}

std::optional<ExitObserved> Children::reap(SlotId slot) {
  const auto place = living_.find(slot);
  if (place == living_.end()) return std::nullopt;
  const auto status = spawner_.reap(place->second.child);
  if (!status) {
    if (status.error().code != ErrorCode::busy) spdlog::error("{}: {}", to_string(slot), status.error().text);
    return std::nullopt;
  }
  ExitObserved observed;
  observed.slot = slot;
  observed.epoch = place->second.epoch;
  if (status->by_signal)
    observed.signal = status->code;
  else
    observed.exit_code = status->code;
  if (const auto words = shm::read_last_words(place->second.words.get())) observed.last_words = text_of(*words);
  const LogScope scope(about(slot, observed.epoch, "slot.ended"));
  if (place->second.leaf) close_leaf(place->second, observed);
  spdlog::info("{} epoch {}: process {} ended: {}{}{}", to_string(slot), observed.epoch, place->second.child.pid,
               status->text(), observed.last_words.empty() ? "" : "; last words: ", observed.last_words);
  living_.erase(place);
  return observed;
}

// A kill by the kernel is known by its counter alone: the signal is the same as an operator's.
void Children::close_leaf(Living& living, ExitObserved& observed) const {
  CgroupLeaf& leaf = *living.leaf;
  const std::uint64_t peak_bytes = leaf.counters().peak_bytes;
  observed.oom = observed.signal == SIGKILL && leaf.was_oom_killed();
  observed.memory = fmt::format("peak {} of {} reserved, limit {}", mib(peak_bytes), mib(living.reserved_bytes),
                                mib(leaf.limit_bytes()));
  if (auto removed = leaf.remove(); !removed) spdlog::debug("{}", removed.error().text);
}

std::vector<WatchedWorker> Children::processes() const {
  std::vector<WatchedWorker> all;
  for (const auto& [slot, living] : living_) {
    WatchedWorker worker{slot, living.epoch, static_cast<std::uint32_t>(living.child.pid), std::nullopt, 0};
    if (living.leaf) {
      worker.leaf.emplace(living.leaf->folder(), living.leaf->version());
      worker.leaf_limit_bytes = living.leaf->limit_bytes();
    }
    all.push_back(std::move(worker));
  }
  return all;
}

std::vector<Children::Watched> Children::watched() const {
  std::vector<Watched> all;
  for (const auto& [slot, living] : living_)
    all.push_back({slot, living.child.pidfd.get(), living.pending.empty() ? -1 : living.lifeline.get()});
  return all;
}

}  // namespace groth16d::supervisor
