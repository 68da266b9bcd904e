#include "client/ctl/render_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "client/ctl/top_frame.hpp"
#include "client/json/message_json.hpp"
#include "client/lib/wait.hpp"
#include "common/digest.hpp"

namespace groth16d::ctl {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kTimelineColumns = 48;

std::string field(const char* name, const std::string& value) {
  return value.empty() ? std::string() : fmt::format("{:<13}{}\n", name, value);
}

// The bar of a span within a job that took `total_ms`; every span shows at least one mark.
std::string bar_of(const v1::StageSpan& span, std::uint64_t total_ms) {
  const auto column = [&](std::uint64_t at_ms) {
    return static_cast<std::size_t>(std::min(at_ms, total_ms) * kTimelineColumns /
                                    std::max<std::uint64_t>(total_ms, 1));
  };
  const std::size_t begin = std::min(column(span.begin_ms()), kTimelineColumns - 1);
  const std::size_t end = std::max(column(span.end_ms()), begin + 1);
  const char mark = span.outcome() == "done" ? '#' : 'x';
  return std::string(begin, '.') + std::string(end - begin, mark) + std::string(kTimelineColumns - end, '.');
}

// "gpu", or "gpu 9, cpu 1" where partitions differ; "" as long as none has decided.
std::string b2_places(const v1::JobStatus& job) {
  std::map<std::string, int, std::greater<>> count_by_place;
  for (const auto& partition : job.partitions()) {
    if (!partition.b_g2().empty()) ++count_by_place[partition.b_g2()];
  }
  if (count_by_place.size() == 1) return count_by_place.begin()->first;
  std::string text;
  for (const auto& [place, count] : count_by_place)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", place, count);
  return text;
}

// What the partition held when the stage began.
std::string held_text(const v1::StageSpan& span) {
  std::uint64_t bytes = 0;
  for (const auto& buffer : span.held()) bytes += buffer.bytes();
  return bytes > 0 ? bytes_text(bytes) : "";
}

}  // namespace

std::string table(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}", row[i], widths[i] + 2);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string duration_text(std::uint64_t milliseconds) {
  const std::uint64_t seconds = milliseconds / 1000;
  if (milliseconds < 1000) return fmt::format("{} ms", milliseconds);
  if (seconds < 60) return fmt::format("{:.1f} s", static_cast<double>(milliseconds) / 1000);
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

std::string time_text(std::uint64_t wall_ms) {
  const auto seconds = static_cast<std::time_t>(wall_ms / 1000);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03}", fmt::gmtime(seconds), wall_ms % 1000);
}

std::string text_of(const v1::JobStatus& job) {
  std::string text = field("job", job.job()) + field("circuit", job.circuit()) +
                     field("state", client::word_of(job.state())) + field("priority", client::word_of(job.priority())) +
                     field("age", duration_text(job.age_ms())) + field("waiting for", job.waiting_for());
  if (job.has_failure()) text += field("reason", fmt::format("{} [{}]", job.failure().text(), job.failure().name()));
  for (const auto& warning : job.warnings()) text += field("warning", warning);
  text += field("b_g2_msm", b2_places(job));
  if (!client::has_ended(job.state())) {
    text += field("progress", fmt::format("{} %", client::progress_permille(job) / 10));
    Rows rows = {{"PARTITION", "STATE", "DONE", "SLOTS"}};
    for (const auto& partition : job.partitions()) {
      rows.push_back({std::to_string(partition.partition()), client::word_of(partition.state()),
                      fmt::format("{} %", partition.progress_permille() / 10),
                      fmt::format("{}", fmt::join(partition.slots(), " "))});
    }
    if (rows.size() > 1) text += '\n' + table(rows);
  }
  if (job.timeline_size() > 0) text += '\n' + timeline_of(job);
  return text;
}

std::string text_of(const v1::CircuitStatus& circuit) {
  std::string text = field("circuit", circuit.circuit()) + field("state", circuit.state()) +
                     field("key", circuit.key_path()) + field("r1cs", circuit.r1cs_path());
  if (circuit.n_vars() > 0) {
    text += field("curve", circuit.curve()) +
            field("size", fmt::format("{} wires, {} public, domain 2^{}", circuit.n_vars(), circuit.n_public(),
                                      circuit.domain_log2())) +
            field("memory", fmt::format("key {}, system {}, each partition {}", bytes_text(circuit.key_bytes()),
                                        bytes_text(circuit.r1cs_bytes()), bytes_text(circuit.partition_bytes()))) +
            field("key digest", to_hex(circuit.key_digest())) + field("vk digest", to_hex(circuit.vk_digest()));
  }
  text += field("loads", fmt::format("{}, {} of them from the cache", circuit.loads(), circuit.cache_hits()));
  for (const auto& warning : circuit.warnings()) text += field("warning", warning);
  if (circuit.has_failure()) {
    text += field("reason", fmt::format("{} [{}]", circuit.failure().text(), circuit.failure().name()));
  }
  return text;
}

std::string text_of(const v1::DaemonStatus& daemon) {
  std::string text = field("groth16d", fmt::format("{}, pid {}, up {}", daemon.version(), daemon.pid(),
                                                   duration_text(daemon.uptime_ms()))) +
                     field("state", daemon.state()) +
                     field("budget", fmt::format("{} of {} reserved", bytes_text(daemon.budget_used_bytes()),
                                                 bytes_text(daemon.budget_total_bytes()))) +
                     field("jobs", fmt::format("{} queued, {} running, {} done, {} failed", daemon.jobs_queued(),
                                               daemon.jobs_running(), daemon.jobs_done(), daemon.jobs_failed()));
  if (daemon.buffers_size() > 0) text += '\n' + table_of_buffers(daemon);
  if (daemon.workers_size() > 0) {
    text += '\n' + table_of(std::vector<v1::WorkerStatus>(daemon.workers().begin(), daemon.workers().end()));
  }
  return text;
}

std::string table_of(const std::vector<v1::JobStatus>& jobs) {
  Rows rows = {{"JOB", "CIRCUIT", "STATE", "DONE", "PARTITIONS", "PRIORITY", "AGE"}};
  for (const auto& job : jobs) {
    rows.push_back({job.job(), job.circuit(), client::word_of(job.state()),
                    fmt::format("{} %", client::progress_permille(job) / 10), std::to_string(job.partitions_size()),
                    client::word_of(job.priority()), duration_text(job.age_ms())});
  }
  return table(rows);
}

std::string table_of(const std::vector<v1::CircuitStatus>& circuits) {
  Rows rows = {{"CIRCUIT", "STATE", "CURVE", "WIRES", "PUBLIC", "DOMAIN", "KEY", "LOADS"}};
  for (const auto& circuit : circuits) {
    rows.push_back({circuit.circuit(), circuit.state(), circuit.curve(), std::to_string(circuit.n_vars()),
                    std::to_string(circuit.n_public()), fmt::format("2^{}", circuit.domain_log2()),
                    bytes_text(circuit.key_bytes()), std::to_string(circuit.loads())});
  }
  return table(rows);
}

std::string table_of(const std::vector<v1::WorkerStatus>& workers) {
  Rows rows = {{"SLOT", "STATE", "PID", "EPOCH", "RESTARTS", "RSS", "PRIVATE", "WORKS ON", "LAST DEATH"}};
  for (const auto& worker : workers) {
    const std::string work =
        worker.stage().empty() ? "" : fmt::format("{} of {}/{}", worker.stage(), worker.job(), worker.partition());
    rows.push_back({worker.slot(), worker.state(), std::to_string(worker.pid()), std::to_string(worker.epoch()),
                    std::to_string(worker.restarts()), bytes_text(worker.rss_bytes()),
                    bytes_text(worker.private_bytes()), work, worker.last_death()});
  }
  return table(rows);
}

std::string timeline_of(const v1::JobStatus& job) {
  std::vector<v1::StageSpan> spans(job.timeline().begin(), job.timeline().end());
  std::stable_sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
    return std::pair(a.partition(), a.begin_ms()) < std::pair(b.partition(), b.begin_ms());
  });
  std::uint64_t total_ms = 1;
  for (const auto& span : spans) total_ms = std::max(total_ms, span.end_ms());
  Rows rows = {{"PARTITION", "STAGE", "SLOT", fmt::format("0{:>{}}", duration_text(total_ms), kTimelineColumns - 1),
                "BEGIN", "TOOK", "HELD", ""}};
  for (const auto& span : spans) {
    const std::uint64_t took_ms = span.end_ms() >= span.begin_ms() ? span.end_ms() - span.begin_ms() : 0;
    const std::string note = span.outcome() == "done" ? "" : span.outcome();
    rows.push_back({std::to_string(span.partition()), span.stage(), span.slot(), bar_of(span, total_ms),
                    duration_text(span.begin_ms()), duration_text(took_ms), held_text(span), note});
  }
  return table(rows);
}

}  // namespace groth16d::ctl
