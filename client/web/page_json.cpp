#include "client/web/page_json.hpp"

#include "client/web/exposition.hpp"

namespace groth16d::web {

// Beside those of the header, so that one name finds them all.
static Json to_json(const v1::WorkerStatus& worker) {
  return {{"slot", worker.slot()},
          {"epoch", worker.epoch()},
          {"pid", worker.pid()},
          {"state", worker.state()},
          {"job", worker.job()},
          {"partition", worker.partition()},
          {"stage", worker.stage()},
          {"progress", worker.progress_permille()},
          {"restarts", worker.restarts()},
          {"private", worker.private_bytes()},
          {"limit", worker.leaf_limit_bytes()},
          {"last_death", worker.last_death()}};
}

static Json to_json(const GpuFigures& card) {
  return {{"uuid", card.uuid},
          {"name", card.name},
          {"total", card.memory_total_bytes},
          {"used", card.memory_used_bytes},
          {"celsius", card.temperature_celsius},
          {"percent", card.utilisation_percent}};
}

static Json to_json(const v1::PartitionStatus& partition) {
  Json slots = Json::array();
  for (const std::string& slot : partition.slots()) slots.push_back(slot);
  return {{"partition", partition.partition()},
          {"state", word_of(partition.state())},
          {"attempt", partition.attempt()},
          {"progress", partition.progress_permille()},
          {"slots", slots}};
}

namespace {

Json queues(const v1::MetricsReply& reply) {
  Json list = Json::array();
  for (const auto& queue : reply.daemon().queues()) {
    std::uint64_t oldest_ms = 0;
    for (const auto& age : reply.queues())
      if (age.priority() == queue.priority()) oldest_ms = age.oldest_ms();
    list.push_back({{"priority", word_of(queue.priority())},
                    {"jobs", queue.jobs()},
                    {"partitions", queue.partitions()},
                    {"oldest_ms", oldest_ms}});
  }
  return list;
}

Json in_flight(const v1::MetricsReply& reply) {
  Json list = Json::array();
  for (const auto& entry : reply.in_flight())
    list.push_back({{"job", entry.job()},
                    {"partition", entry.partition()},
                    {"state", word_of(entry.state())},
                    {"progress", entry.progress_permille()}});
  return list;
}

template <class Items>
Json array_of(const Items& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

// "private" is the kind of what belongs to no buffer; what is reserved beyond all of them is "reserved".
Json bytes_by_kind(const v1::DaemonStatus& daemon) {
  Json kinds = Json::object();
  for (const auto& buffer : daemon.buffers())
    kinds[buffer.kind()] = kinds.value(buffer.kind(), std::uint64_t{0}) + buffer.bytes();
  kinds["reserved"] = unallocated_bytes(daemon);
  return kinds;
}

}  // namespace

Json to_json(const v1::FinishedWork& span) {
  return {{"slot", span.slot()},           {"stage", span.stage()},     {"job", span.job()},
          {"partition", span.partition()}, {"attempt", span.attempt()}, {"begin", span.begin_ms()},
          {"end", span.end_ms()},          {"outcome", span.outcome()}};
}

Json to_json(const v1::DeathRecord& death) {
  return {{"number", death.number()}, {"at", death.at_ms()},  {"slot", death.slot()}, {"epoch", death.epoch()},
          {"cause", death.cause()},   {"text", death.text()}, {"job", death.job()},   {"partition", death.partition()},
          {"stage", death.stage()}};
}

Json to_json(const v1::JobStatus& job) {
  Json json = {{"job", job.job()},
               {"circuit", job.circuit()},
               {"state", word_of(job.state())},
               {"priority", word_of(job.priority())},
               {"age_ms", job.age_ms()},
               {"waiting_for", job.waiting_for()},
               {"failure", job.failure().text()},
               {"partitions", array_of(job.partitions())}};
  Json timeline = Json::array();
  for (const auto& span : job.timeline())
    timeline.push_back({{"partition", span.partition()},
                        {"stage", span.stage()},
                        {"slot", span.slot()},
                        {"attempt", span.attempt()},
                        {"begin", span.begin_ms()},
                        {"end", span.end_ms()},
                        {"outcome", span.outcome()}});
  json["timeline"] = std::move(timeline);
  return json;
}

Json memory_sample(const v1::MetricsReply& reply) {
  const v1::DaemonStatus& daemon = reply.daemon();
  return Json::array({reply.at_ms(), daemon.budget_total_bytes(), daemon.budget_used_bytes(), bytes_by_kind(daemon)});
}

Json tick_json(const v1::MetricsReply& reply, const std::vector<GpuFigures>& cards) {
  const v1::DaemonStatus& daemon = reply.daemon();
  Json partitions = Json::object();
  for (const auto& count : daemon.partitions()) partitions[word_of(count.state())] = count.count();
  Json buffers = Json::array();
  for (const auto& buffer : daemon.buffers())
    buffers.push_back(
        {{"kind", buffer.kind()}, {"stage", buffer.stage()}, {"count", buffer.count()}, {"bytes", buffer.bytes()}});
  return {{"at", reply.at_ms()},
          {"state", daemon.state()},
          {"version", daemon.version()},
          {"uptime_ms", daemon.uptime_ms()},
          {"jobs",
           {{"queued", daemon.jobs_queued()},
            {"running", daemon.jobs_running()},
            {"done", daemon.jobs_done()},
            {"failed", daemon.jobs_failed()}}},
          {"waiting_bytes", reply.waiting_bytes()},
          {"sample", memory_sample(reply)},
          {"buffers", std::move(buffers)},
          {"partitions", std::move(partitions)},
          {"queues", queues(reply)},
          {"in_flight", in_flight(reply)},
          {"workers", array_of(daemon.workers())},
          {"cards", array_of(cards)},
          {"spans", array_of(reply.spans())},
          {"deaths", array_of(reply.recent_deaths())}};
}

Json silence_json(const std::string& error) { return {{"state", "silent"}, {"error", error}}; }

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace groth16d::web
