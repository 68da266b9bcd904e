#include "client/ctl/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "client/ctl/render_text.hpp"
#include "client/json/message_json.hpp"
#include "client/lib/wait.hpp"

namespace groth16d::ctl {
namespace {

constexpr std::size_t kBarColumns = 30;
constexpr char kEraseLine[] = "\r\x1b[K";

// What the job is at: its own state while it waits, else the stage of the partition that is furthest back.
std::string doing(const v1::JobStatus& job) {
  if (!job.waiting_for().empty()) return "waiting for " + job.waiting_for();
  if (job.state() != v1::RUNNING || job.partitions_size() == 0) return client::word_of(job.state());
  int proven = 0;
  auto state = v1::PROVEN;
  for (const auto& partition : job.partitions()) {
    if (partition.state() == v1::PROVEN) ++proven;
    state = std::min(state, partition.state());
  }
  if (job.partitions_size() == 1) return client::word_of(state);
  return fmt::format("{} of {} proven", proven, job.partitions_size());
}

}  // namespace

std::string progress_line(const v1::JobStatus& job, std::chrono::milliseconds elapsed) {
  const std::uint32_t permille = client::progress_permille(job);
  const std::size_t filled = kBarColumns * permille / 1000;
  std::string line = fmt::format("[{}{}] {:3} %  {}", std::string(filled, '#'), std::string(kBarColumns - filled, '.'),
                                 permille / 10, doing(job));
  if (const auto left = client::time_left(permille, elapsed); left && permille < 1000) {
    line += "  about " + duration_text(static_cast<std::uint64_t>(left->count())) + " left";
  }
  return line;
}

ProgressBar::ProgressBar(bool wanted)
    : is_drawn_(wanted && ::isatty(STDERR_FILENO) == 1), begin_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (is_drawn_) std::fputs(kEraseLine, stderr);
}

void ProgressBar::show(const v1::JobStatus& job) {
  if (!is_drawn_) return;
  const auto elapsed = std::chrono::steady_clock::now() - begin_;
  const std::string line = progress_line(job, std::chrono::duration_cast<std::chrono::milliseconds>(elapsed));
  std::fprintf(stderr, "%s%s", kEraseLine, line.c_str());
  std::fflush(stderr);
}

}  // namespace groth16d::ctl
