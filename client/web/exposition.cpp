#include "client/web/exposition.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "client/json/message_json.hpp"

namespace groth16d::web {
namespace {

using client::word_of;

// In a label's value a backslash, a quote and a line feed are escaped.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char letter : value) {
    if (letter == '\\' || letter == '"') text += '\\';
    if (letter == '\n')
      text += "\\n";
    else
      text += letter;
  }
  return text;
}

using Label = std::pair<std::string_view, std::string>;

// One metric after the other, each with its samples together, as the format wants it.
class Page {
 public:
  void metric(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <class Value>
  void sample(const std::vector<Label>& labels, Value value, std::string_view suffix = "") {
    std::string inside;
    for (const auto& [key, text] : labels)
      inside += fmt::format("{}{}=\"{}\"", inside.empty() ? "" : ",", key, escaped(text));
    text_ += fmt::format("{}{}{}{}{} {}\n", name_, suffix, inside.empty() ? "" : "{", inside, inside.empty() ? "" : "}",
                         value);
  }
  template <class Value>
  void single(std::string_view name, std::string_view type, std::string_view help, Value value) {
    metric(name, type, help);
    sample({}, value);
  }
  // Buckets are cumulative here, and the last is everything.
  void histogram(const std::vector<Label>& labels, const v1::MetricsReply& reply, const v1::Histogram& histogram) {
    std::uint64_t sum = 0;
    for (int place = 0; place < histogram.counts_size(); ++place) {
      sum += histogram.counts(place);
      const std::string bound =
          place < reply.bounds_seconds_size() ? fmt::format("{}", reply.bounds_seconds(place)) : "+Inf";
      std::vector<Label> bounded = labels;
      bounded.emplace_back("le", bound);
      sample(bounded, sum, "_bucket");
    }
    sample(labels, histogram.sum_seconds(), "_sum");
    sample(labels, sum, "_count");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

void write_state(Page& page, const v1::DaemonStatus& daemon) {
  page.metric("groth16d_info", "gauge", "Always 1; the version of the daemon that answers.");
  page.sample({{"version", daemon.version()}}, 1);
  page.single("groth16d_uptime_seconds", "gauge", "Since the daemon's start.",
              static_cast<double>(daemon.uptime_ms()) / 1000);
  page.metric("groth16d_state", "gauge", "1 for the state that the daemon is in.");
  for (const char* state : {"starting", "ready", "degraded", "draining"})
    page.sample({{"state", state}}, daemon.state() == state ? 1 : 0);
}

void write_jobs(Page& page, const v1::MetricsReply& reply) {
  page.metric("groth16d_jobs", "gauge",
              "Jobs that the daemon knows, by circuit (empty: jobs by key path) and state; finished ones until CLOSE.");
  for (const auto& circuit : reply.circuits())
    for (const auto& jobs : circuit.jobs())
      page.sample({{"circuit", circuit.circuit()}, {"state", word_of(jobs.state())}}, jobs.count());
  page.metric("groth16d_partitions", "gauge", "Partitions of unfinished jobs, by circuit and state.");
  for (const auto& circuit : reply.circuits())
    for (const auto& partitions : circuit.partitions())
      page.sample({{"circuit", circuit.circuit()}, {"state", word_of(partitions.state())}}, partitions.count());
  page.metric("groth16d_jobs_ended_total", "counter", "Jobs that ended, by their final state.");
  for (const auto& ended : reply.ended()) page.sample({{"state", word_of(ended.state())}}, ended.count());
  page.metric("groth16d_queue_jobs", "gauge", "Jobs of which nothing is admitted yet.");
  for (const auto& queue : reply.daemon().queues())
    page.sample({{"priority", word_of(queue.priority())}}, queue.jobs());
  page.metric("groth16d_queue_partitions", "gauge", "Partitions that are not admitted yet.");
  for (const auto& queue : reply.daemon().queues())
    page.sample({{"priority", word_of(queue.priority())}}, queue.partitions());
  page.metric("groth16d_queue_oldest_seconds", "gauge", "How long the oldest job waits of which nothing is admitted.");
  for (const auto& queue : reply.daemon().queues())
    page.sample({{"priority", word_of(queue.priority())}}, static_cast<double>(queue.oldest_ms()) / 1000);
}

void write_stages(Page& page, const v1::MetricsReply& reply) {
  page.metric("groth16d_stage_seconds", "histogram", "How long assignments took that ended well, by stage.");
  for (const auto& stage : reply.stages()) page.histogram({{"stage", stage.stage()}}, reply, stage.done());
  page.metric("groth16d_stage_unfinished_total", "counter", "Assignments that did not end well.");
  for (const auto& stage : reply.stages()) {
    page.sample({{"stage", stage.stage()}, {"outcome", "failed"}}, stage.failed());
    page.sample({{"stage", stage.stage()}, {"outcome", "died"}}, stage.died());
    page.sample({{"stage", stage.stage()}, {"outcome", "cancelled"}}, stage.cancelled());
  }
  page.single("groth16d_syntheses_total", "counter", "SYNTH assignments given.", reply.daemon().syntheses());
  page.metric("groth16d_journal_commit_seconds", "histogram", "From an entry of the journal to its commit.");
  page.histogram({}, reply, reply.journal());
  page.single("groth16d_journal_failures_total", "counter", "Entries that could not be committed.",
              reply.journal_failures());
}

void write_memory(Page& page, const v1::MetricsReply& reply) {
  const v1::DaemonStatus& daemon = reply.daemon();
  page.single("groth16d_budget_total_bytes", "gauge", "Memory that the daemon may use.", daemon.budget_total_bytes());
  page.single("groth16d_budget_used_bytes", "gauge", "Reserved, resident and resting together; never above the total.",
              daemon.budget_used_bytes());
  page.single("groth16d_budget_reserved_bytes", "gauge", "Of used: reserved and not allocated yet.",
              unallocated_bytes(daemon));
  page.single("groth16d_budget_waiting_bytes", "gauge", "What the head of the line needs while it waits for memory.",
              reply.waiting_bytes());
  page.metric("groth16d_buffers", "gauge", "Large buffers, by kind and by the stage of their partition.");
  for (const auto& buffer : daemon.buffers())
    page.sample({{"kind", buffer.kind()}, {"stage", buffer.stage()}}, buffer.count());
  page.metric("groth16d_buffer_bytes", "gauge", "Bytes of large buffers, by kind and by the stage of their partition.");
  for (const auto& buffer : daemon.buffers())
    page.sample({{"kind", buffer.kind()}, {"stage", buffer.stage()}}, buffer.bytes());
}

void write_workers(Page& page, const v1::MetricsReply& reply) {
  const auto& workers = reply.daemon().workers();
  page.metric("groth16d_worker_state", "gauge", "Always 1; the state of each slot.");
  for (const auto& worker : workers) page.sample({{"slot", worker.slot()}, {"state", worker.state()}}, 1);
  page.metric("groth16d_worker_restarts_total", "counter", "Restarts that nobody asked the daemon for.");
  for (const auto& worker : workers) page.sample({{"slot", worker.slot()}}, worker.restarts());
  page.metric("groth16d_worker_deaths_total", "counter", "Ends of worker processes, by cause.");
  for (const auto& deaths : reply.deaths())
    page.sample({{"slot", deaths.slot()}, {"cause", deaths.cause()}}, deaths.count());
  page.metric("groth16d_verification_failures_total", "counter", "Proofs that failed the check, by who made the sums.");
  for (const auto& failures : reply.verification_failures()) page.sample({{"slot", failures.slot()}}, failures.count());
  page.metric("groth16d_worker_private_bytes", "gauge", "Anonymous memory of the process, as the kernel counts it.");
  for (const auto& worker : workers) page.sample({{"slot", worker.slot()}}, worker.private_bytes());
  page.metric("groth16d_worker_leaf_bytes", "gauge", "Memory of the worker's cgroup leaf; 0 without one.");
  for (const auto& worker : workers) page.sample({{"slot", worker.slot()}}, worker.leaf_bytes());
  page.metric("groth16d_worker_leaf_limit_bytes", "gauge", "The limit of the worker's cgroup leaf; 0 without one.");
  for (const auto& worker : workers) page.sample({{"slot", worker.slot()}}, worker.leaf_limit_bytes());
  page.single("groth16d_stale_messages_total", "counter", "Messages of workers that an old token fenced off.",
              reply.daemon().stale_messages());
  page.single("groth16d_private_overruns_total", "counter", "Assignments that took more memory than was reserved.",
              reply.daemon().private_overruns());
}

void write_spool(Page& page, const v1::SpoolMetrics& spool) {
  page.single("groth16d_spool_used_bytes", "gauge", "Inputs of jobs and uploads, reserved or written.",
              spool.used_bytes());
  page.single("groth16d_spool_max_bytes", "gauge", "What they may take, max_spool.", spool.max_bytes());
  page.metric("groth16d_uploads", "gauge", "Uploads under way, and whole ones that wait for a job.");
  page.sample({{"state", "open"}}, spool.uploads_open());
  page.sample({{"state", "whole"}}, spool.uploads_whole());
  page.single("groth16d_uploads_reserved_bytes", "gauge", "What they hold of the spool.",
              spool.uploads_reserved_bytes());
  page.single("groth16d_uploads_received_bytes_total", "counter", "In chunks that were new.",
              spool.uploads_received_bytes());
  page.single("groth16d_uploads_begun_total", "counter", "Uploads for which space was reserved.",
              spool.uploads_begun());
  page.metric("groth16d_uploads_ended_total", "counter",
              "How they went: finished, taken by a job, expired, spoilt (whole, and not what was named).");
  page.sample({{"how", "finished"}}, spool.uploads_finished());
  page.sample({{"how", "taken"}}, spool.uploads_taken());
  page.sample({{"how", "expired"}}, spool.uploads_expired());
  page.sample({{"how", "spoilt"}}, spool.uploads_spoilt());
}

void write_cards(Page& page, const std::vector<GpuFigures>& cards) {
  if (cards.empty()) return;
  page.metric("groth16d_gpu_info", "gauge", "Always 1; the cards of this machine.");
  for (const GpuFigures& card : cards) page.sample({{"uuid", card.uuid}, {"name", card.name}}, 1);
  page.metric("groth16d_gpu_memory_total_bytes", "gauge", "Memory of the card.");
  for (const GpuFigures& card : cards) page.sample({{"uuid", card.uuid}}, card.memory_total_bytes);
  page.metric("groth16d_gpu_memory_used_bytes", "gauge", "Of it in use, by anybody.");
  for (const GpuFigures& card : cards) page.sample({{"uuid", card.uuid}}, card.memory_used_bytes);
  page.metric("groth16d_gpu_temperature_celsius", "gauge", "Temperature of the card.");
  for (const GpuFigures& card : cards) page.sample({{"uuid", card.uuid}}, card.temperature_celsius);
  page.metric("groth16d_gpu_utilisation_ratio", "gauge", "Part of the last moment in which a kernel ran.");
  for (const GpuFigures& card : cards) page.sample({{"uuid", card.uuid}}, card.utilisation_percent / 100.0);
}

}  // namespace

std::uint64_t unallocated_bytes(const v1::DaemonStatus& daemon) {
  std::uint64_t allocated = 0;
  for (const auto& buffer : daemon.buffers()) allocated += buffer.bytes();
  return daemon.budget_used_bytes() - std::min(allocated, daemon.budget_used_bytes());
}

std::string exposition(const v1::MetricsReply* reply, const std::vector<GpuFigures>& cards) {
  Page page;
  page.single("groth16d_up", "gauge", "Whether the daemon answers.", reply == nullptr ? 0 : 1);
  if (reply != nullptr) {
    write_state(page, reply->daemon());
    write_jobs(page, *reply);
    write_stages(page, *reply);
    write_memory(page, *reply);
    write_workers(page, *reply);
    write_spool(page, reply->spool());
  }
  write_cards(page, cards);
  return page.take();
}

}  // namespace groth16d::web
