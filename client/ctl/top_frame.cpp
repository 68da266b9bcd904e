#include "client/ctl/top_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "client/ctl/render_text.hpp"
#include "client/json/message_json.hpp"

namespace groth16d::ctl {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Kind {
  const char* name;
  char mark;
};
constexpr std::array<Kind, 7> kKinds = {
    {{"input", 'i'}, {"witness", 'w'}, {"ab", 'a'}, {"key", 'k'}, {"r1cs", 'r'}, {"pool", 'o'}, {"private", 'p'}}};
constexpr std::array<const char*, 7> kStages = {"queued",     "synthesising", "sealed", "proving",
                                                "finalizing", "done",         ""};
constexpr std::size_t kLabelColumns = 9;
constexpr std::size_t kMostBarColumns = 60;
constexpr std::size_t kProgressColumns = 10;

struct Sum {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  void add(const v1::BufferCount& buffer) {
    count += buffer.count();
    bytes += buffer.bytes();
  }
};

std::map<std::string, Sum> sums_by_kind(const v1::DaemonStatus& daemon) {
  std::map<std::string, Sum> sums;
  for (const auto& buffer : daemon.buffers()) sums[buffer.kind()].add(buffer);
  return sums;
}

std::string cell(const Sum& sum) {
  return sum.count == 0 ? "." : fmt::format("{}  {}", sum.count, bytes_text(sum.bytes));
}

std::string labelled(const char* label, const std::string& text) {
  return fmt::format("{:<{}}{}", label, kLabelColumns, text);
}

std::string legend(const v1::DaemonStatus& daemon) {
  const auto sums = sums_by_kind(daemon);
  std::string text;
  std::uint64_t counted = 0;
  for (const Kind& kind : kKinds) {
    const auto sum = sums.find(kind.name);
    if (sum == sums.end()) continue;
    counted += sum->second.bytes;
    text += fmt::format("{} {} {}   ", kind.mark, kind.name, bytes_text(sum->second.bytes));
  }
  const std::uint64_t used = daemon.budget_used_bytes();
  return text + fmt::format("- reserved {}", bytes_text(used > counted ? used - counted : 0));
}

std::string queue_line(const v1::DaemonStatus& daemon) {
  std::string text;
  for (const auto& queue : daemon.queues())
    text += fmt::format("{}{} {} ({} partitions)", text.empty() ? "" : "   ", client::word_of(queue.priority()),
                        queue.jobs(), queue.partitions());
  return text.empty() ? "empty" : text;
}

// waiting 12 > ready_synth 1 > ... : the way of a partition, and how many are where.
std::string way_line(const v1::DaemonStatus& daemon) {
  std::map<v1::PartitionState, std::uint64_t> counts;
  for (const auto& count : daemon.partitions()) counts[count.state()] = count.count();
  std::string text;
  for (const auto state :
       {v1::WAITING, v1::READY_SYNTH, v1::SYNTHESISING, v1::SEALED, v1::PROVING, v1::FINALIZING, v1::PROVEN})
    text += fmt::format("{}{} {}", text.empty() ? "" : " > ", client::word_of(state), counts[state]);
  return text;
}

std::string progress(std::uint32_t permille) {
  const std::size_t filled = kProgressColumns * std::min<std::uint32_t>(permille, 1000) / 1000;
  return fmt::format("[{}{}]", std::string(filled, '#'), std::string(kProgressColumns - filled, '.'));
}

std::string workers_of(const v1::DaemonStatus& daemon) {
  Rows rows = {
      {"WORKER", "STATE", "PID", "DONE", "WORKS ON", "PRIVATE", "PSS", "LEAF", "LIMIT", "RESTARTS", "LAST DEATH"}};
  const auto known = [](std::uint64_t bytes) { return bytes == 0 ? std::string("-") : bytes_text(bytes); };
  for (const auto& worker : daemon.workers()) {
    const bool works = !worker.stage().empty();
    rows.push_back({worker.slot(), worker.state(), std::to_string(worker.pid()),
                    works ? progress(worker.progress_permille()) : "",
                    works ? fmt::format("{} {}/{}", worker.stage(), worker.job(), worker.partition()) : "",
                    known(worker.private_bytes()), known(worker.pss_bytes()), known(worker.leaf_bytes()),
                    known(worker.leaf_limit_bytes()), std::to_string(worker.restarts()), worker.last_death()});
  }
  return table(rows);
}

void append_lines(std::vector<std::string>& lines, const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
}

}  // namespace

std::string budget_bar(const v1::DaemonStatus& daemon, std::size_t columns) {
  const std::uint64_t total = std::max<std::uint64_t>(daemon.budget_total_bytes(), 1);
  const auto marks = [&](std::uint64_t bytes) {
    const double part = std::min(1.0, static_cast<double>(bytes) / static_cast<double>(total));
    return static_cast<std::size_t>(part * static_cast<double>(columns));
  };
  const auto sums = sums_by_kind(daemon);
  std::string bar;
  for (const Kind& kind : kKinds) {
    const auto sum = sums.find(kind.name);
    if (sum == sums.end() || sum->second.bytes == 0) continue;
    bar += std::string(std::max<std::size_t>(1, marks(sum->second.bytes)), kind.mark);
  }
  const std::size_t used = marks(daemon.budget_used_bytes());
  if (bar.size() < used) bar += std::string(used - bar.size(), '-');
  bar.resize(columns, '.');
  return bar;
}

std::string table_of_buffers(const v1::DaemonStatus& daemon) {
  if (daemon.buffers().empty()) return "";
  std::map<std::string, std::map<std::string, Sum>> cells;
  std::map<std::string, Sum> by_stage;
  for (const auto& buffer : daemon.buffers()) {
    cells[buffer.kind()][buffer.stage()].add(buffer);
    by_stage[buffer.stage()].add(buffer);
  }
  Rows rows = {{"BUFFERS"}};
  for (const char* stage : kStages) rows[0].push_back(*stage == '\0' ? "no partition" : stage);
  rows[0].push_back("all");
  const auto add_row = [&](const std::string& name, const std::map<std::string, Sum>& sums) {
    std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{name});
    Sum all;
    for (const char* stage : kStages) {
      const auto sum = sums.find(stage);
      row.push_back(sum == sums.end() ? "." : cell(sum->second));
      if (sum == sums.end()) continue;
      all.count += sum->second.count;
      all.bytes += sum->second.bytes;
    }
    row.push_back(cell(all));
  };
  for (const Kind& kind : kKinds)
    if (const auto row = cells.find(kind.name); row != cells.end()) add_row(kind.name, row->second);
  add_row("all", by_stage);
  return table(rows);
}

std::vector<std::string> frame_of(const v1::DaemonStatus& daemon, FrameSize size) {
  std::vector<std::string> lines;
  lines.push_back(labelled("groth16d", fmt::format("{}, {}, pid {}, up {}", daemon.version(), daemon.state(),
                                                   daemon.pid(), duration_text(daemon.uptime_ms()))));
  lines.push_back(labelled("jobs", fmt::format("{} running, {} queued, {} done, {} failed", daemon.jobs_running(),
                                               daemon.jobs_queued(), daemon.jobs_done(), daemon.jobs_failed())));
  const std::string figures =
      fmt::format("{} of {}", bytes_text(daemon.budget_used_bytes()), bytes_text(daemon.budget_total_bytes()));
  const std::size_t around = kLabelColumns + figures.size() + 4;
  const std::size_t bar =
      std::clamp<std::size_t>(size.columns > around ? size.columns - around : 0, 10, kMostBarColumns);
  lines.push_back(labelled("budget", fmt::format("[{}]  {}", budget_bar(daemon, bar), figures)));
  lines.push_back(labelled("", legend(daemon)));
  lines.push_back(labelled("queue", queue_line(daemon)));
  lines.push_back(labelled("way", way_line(daemon)));
  lines.emplace_back();
  append_lines(lines, table_of_buffers(daemon));
  lines.emplace_back();
  append_lines(lines, workers_of(daemon));
  if (lines.size() > size.rows) lines.resize(size.rows);
  for (std::string& line : lines)
    if (line.size() > size.columns) line.resize(size.columns);
  return lines;
}

}  // namespace groth16d::ctl
