#include "supervisor/memory_watch.hpp"

#include <charconv>

#include <fmt/format.h>

#include "common/posix.hpp"

namespace groth16d::supervisor {
namespace {

constexpr std::uint64_t kMostBytesRead = 1 << 16;

// "RssAnon:	    1234 kB"
std::uint64_t kib_line(const std::string& file, std::string_view label) {
  const auto text = read_text_file(file, kMostBytesRead);
  if (!text) return 0;
  const auto place = text->find("\n" + std::string(label));
  if (place == std::string::npos) return 0;
  const auto begin = text->find_first_of("0123456789", place);
  std::uint64_t kib = 0;
  if (begin != std::string::npos) std::from_chars(text->data() + begin, text->data() + text->size(), kib);
  return kib * 1024;
}

}  // namespace

std::uint64_t private_bytes_of(std::uint32_t pid) { return kib_line(fmt::format("/proc/{}/status", pid), "RssAnon:"); }

// The kernel walks every mapped page under the lock that the process needs to map another segment: 0.35 s for 75 GiB of
// a resident key, in which a card stood still.
std::uint64_t pss_bytes_of(std::uint32_t pid) {
  const std::uint64_t shared = kib_line(fmt::format("/proc/{}/status", pid), "RssShmem:");
  return shared > kMostSharedForPss ? 0 : kib_line(fmt::format("/proc/{}/smaps_rollup", pid), "Pss:");
}

MemoryWatch::MemoryWatch()
    : thread_("memory", [](std::vector<Round> rounds, Outbox<Figures>& completions) {
        for (const Round& round : rounds) completions.put(read(round));
      }) {}

MemoryWatch::Figures MemoryWatch::read(const Round& round) {
  Figures figures;
  for (const WatchedWorker& worker : round.workers) {
    WorkerMemory& memory = figures[worker.slot];
    memory.epoch = worker.epoch;
    memory.private_bytes = private_bytes_of(worker.pid);
    if (round.with_pss) memory.pss_bytes = pss_bytes_of(worker.pid);
    if (!worker.leaf) continue;
    const LeafCounters counters = CgroupLeaf::read_counters(worker.leaf->first, worker.leaf->second);
    memory.leaf_bytes = counters.current_bytes;
    memory.leaf_peak_bytes = counters.peak_bytes;
    memory.leaf_limit_bytes = worker.leaf_limit_bytes;
  }
  return figures;
}

void MemoryWatch::look(std::vector<WatchedWorker> workers, TimePoint now) {
  if (under_way_ || now < next_) return;
  under_way_ = true;
  next_ = now + kPace;
  thread_.put(Round{std::move(workers), rounds_++ % kRoundsPerPss == 0});
}

WorkerMemory MemoryWatch::of(SlotId slot, Epoch epoch) const {
  const auto place = figures_.find(slot);
  return place == figures_.end() || place->second.epoch != epoch ? WorkerMemory{} : place->second;
}

void MemoryWatch::take() {
  for (Figures& figures : thread_.take()) {
    under_way_ = false;
    for (auto& [slot, memory] : figures)
      if (memory.pss_bytes == 0) memory.pss_bytes = of(slot, memory.epoch).pss_bytes;
    figures_ = std::move(figures);
  }
}

}  // namespace groth16d::supervisor
