#include "client/json/message_json.hpp"

#include <algorithm>
#include <cctype>

#include "common/digest.hpp"

namespace groth16d::client {
namespace {

std::string lower(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

Json held_json(const v1::StageSpan& span) {
  Json bytes_by_kind = Json::object();
  for (const auto& buffer : span.held()) bytes_by_kind[buffer.kind()] = buffer.bytes();
  return bytes_by_kind;
}

// What a daemon of another version sends stays readable even where it is no JSON.
Json parsed(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

}  // namespace

std::string word_of(v1::JobState state) { return lower(v1::JobState_Name(state)); }
std::string word_of(v1::PartitionState state) { return lower(v1::PartitionState_Name(state)); }
std::string word_of(v1::Priority priority) {
  static constexpr std::size_t kPrefix = sizeof "PRIORITY_" - 1;
  const std::string name = priority == v1::PRIORITY_UNSPECIFIED ? "PRIORITY_NORMAL" : v1::Priority_Name(priority);
  return lower(name.size() > kPrefix ? name.substr(kPrefix) : name);
}

Json to_json(const v1::Failure& failure) {
  return {{"code", failure.code()}, {"name", failure.name()}, {"text", failure.text()}};
}

Json to_json(const v1::PartitionStatus& partition) {
  Json json = {{"partition", partition.partition()},
               {"state", word_of(partition.state())},
               {"attempt", partition.attempt()},
               {"progress_permille", partition.progress_permille()}};
  json["slots"] = Json(partition.slots());
  json["b_g2"] = partition.b_g2();
  return json;
}

Json to_json(const v1::StageSpan& span) {
  return {{"partition", span.partition()}, {"stage", span.stage()},        {"slot", span.slot()},
          {"attempt", span.attempt()},     {"begin_ms", span.begin_ms()},  {"end_ms", span.end_ms()},
          {"outcome", span.outcome()},     {"held_bytes", held_json(span)}};
}

Json to_json(const v1::JobStatus& job) {
  Json json = {{"job", job.job()},
               {"circuit", job.circuit()},
               {"state", word_of(job.state())},
               {"priority", word_of(job.priority())},
               {"age_ms", job.age_ms()}};
  if (!job.waiting_for().empty()) json["waiting_for"] = job.waiting_for();
  if (job.has_failure()) json["failure"] = to_json(job.failure());
  json["warnings"] = Json(job.warnings());
  json["partitions"] = array_of(job.partitions());
  json["timeline"] = array_of(job.timeline());
  return json;
}

Json to_json(const v1::PrivateNeed& need) {
  return {{"stage", need.stage()},
          {"formula_bytes", need.formula_bytes()},
          {"observed_bytes", need.observed_bytes()},
          {"reserved_bytes", need.reserved_bytes()}};
}

Json to_json(const v1::CircuitStatus& circuit) {
  Json json = {{"circuit", circuit.circuit()},
               {"state", circuit.state()},
               {"key_path", circuit.key_path()},
               {"r1cs_path", circuit.r1cs_path()},
               {"curve", circuit.curve()},
               {"n_vars", circuit.n_vars()},
               {"n_public", circuit.n_public()},
               {"n_constraints", circuit.n_constraints()},
               {"domain_log2", circuit.domain_log2()},
               {"key_digest", to_hex(circuit.key_digest())},
               {"vk_digest", to_hex(circuit.vk_digest())},
               {"r1cs_digest", to_hex(circuit.r1cs_digest())},
               {"key_bytes", circuit.key_bytes()},
               {"r1cs_bytes", circuit.r1cs_bytes()},
               {"partition_bytes", circuit.partition_bytes()},
               {"loads", circuit.loads()},
               {"cache_hits", circuit.cache_hits()},
               {"conversions", circuit.conversions()},
               {"adoptions", circuit.adoptions()},
               {"source_bytes_read", circuit.source_bytes_read()}};
  json["needs"] = array_of(circuit.needs());
  json["warnings"] = Json(circuit.warnings());
  if (circuit.has_failure()) json["failure"] = to_json(circuit.failure());
  return json;
}

Json to_json(const v1::BufferCount& buffer) {
  return {{"kind", buffer.kind()}, {"stage", buffer.stage()}, {"count", buffer.count()}, {"bytes", buffer.bytes()}};
}

Json to_json(const v1::QueueStatus& queue) {
  return {{"priority", word_of(queue.priority())},
          {"jobs", queue.jobs()},
          {"partitions", queue.partitions()},
          {"oldest_ms", queue.oldest_ms()}};
}

Json to_json(const v1::PartitionCount& count) { return {{"state", word_of(count.state())}, {"count", count.count()}}; }

Json to_json(const v1::WorkerStatus& worker) {
  return {{"slot", worker.slot()},
          {"epoch", worker.epoch()},
          {"pid", worker.pid()},
          {"state", worker.state()},
          {"job", worker.job()},
          {"partition", worker.partition()},
          {"stage", worker.stage()},
          {"progress_permille", worker.progress_permille()},
          {"rss_bytes", worker.rss_bytes()},
          {"restarts", worker.restarts()},
          {"last_death", worker.last_death()},
          {"private_bytes", worker.private_bytes()},
          {"pss_bytes", worker.pss_bytes()},
          {"leaf_bytes", worker.leaf_bytes()},
          {"leaf_peak_bytes", worker.leaf_peak_bytes()},
          {"leaf_limit_bytes", worker.leaf_limit_bytes()}};
}

Json to_json(const v1::DaemonStatus& daemon) {
  Json json = {{"version", daemon.version()},
               {"pid", daemon.pid()},
               {"uptime_ms", daemon.uptime_ms()},
               {"state", daemon.state()},
               {"budget_total_bytes", daemon.budget_total_bytes()},
               {"budget_used_bytes", daemon.budget_used_bytes()},
               {"jobs_queued", daemon.jobs_queued()},
               {"jobs_running", daemon.jobs_running()},
               {"jobs_done", daemon.jobs_done()},
               {"jobs_failed", daemon.jobs_failed()},
               {"syntheses", daemon.syntheses()},
               {"stale_messages", daemon.stale_messages()},
               {"private_overruns", daemon.private_overruns()}};
  json["queues"] = array_of(daemon.queues());
  json["partitions"] = array_of(daemon.partitions());
  json["buffers"] = array_of(daemon.buffers());
  json["workers"] = array_of(daemon.workers());
  return json;
}

Json to_json(const v1::LogLine& line) {
  return {{"at_ms", line.at_ms()}, {"level", line.level()}, {"slot", line.slot()}, {"text", line.text()}};
}

Json to_json(const v1::InFlight& entry) {
  Json json = {{"job", entry.job()}};
  json.update(to_json(entry.partition()));
  return json;
}

Json to_json(const v1::FinishedWork& span) {
  return {{"number", span.number()},     {"slot", span.slot()},           {"stage", span.stage()},
          {"job", span.job()},           {"partition", span.partition()}, {"attempt", span.attempt()},
          {"begin_ms", span.begin_ms()}, {"end_ms", span.end_ms()},       {"outcome", span.outcome()}};
}

Json to_json(const v1::DeathRecord& death) {
  return {{"number", death.number()}, {"at_ms", death.at_ms()},         {"slot", death.slot()},
          {"epoch", death.epoch()},   {"cause", death.cause()},         {"text", death.text()},
          {"job", death.job()},       {"partition", death.partition()}, {"stage", death.stage()}};
}

Json to_json(const v1::ResultReply& result) {
  Json json = to_json(result.job());
  json["curve"] = result.curve();
  json["key_digest"] = to_hex(result.key_digest());
  json["vk_digest"] = to_hex(result.vk_digest());
  json["proofs"] = Json::array();
  for (const auto& partition : result.partitions()) {
    json["proofs"].push_back({{"partition", partition.partition()},
                              {"proof", parsed(partition.proof_json())},
                              {"public", parsed(partition.public_json())},
                              {"proof_bytes", to_hex(partition.proof())}});
  }
  return json;
}

}  // namespace groth16d::client
