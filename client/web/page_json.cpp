#include "client/web/page_json.hpp"

#include "client/web/exposition.hpp"

namespace groth16d::web {

// Beside its type, so that array_of finds it.
static Json to_json(const GpuFigures& card) {
  return {{"uuid", card.uuid},
          {"name", card.name},
          {"memory_total_bytes", card.memory_total_bytes},
          {"memory_used_bytes", card.memory_used_bytes},
          {"temperature_celsius", card.temperature_celsius},
          {"utilisation_percent", card.utilisation_percent}};
}

namespace {

// "private" is the kind of what belongs to no buffer; what is reserved beyond all of them is "reserved".
Json bytes_by_kind(const v1::DaemonStatus& daemon) {
  Json kinds = Json::object();
  for (const auto& buffer : daemon.buffers())
    kinds[buffer.kind()] = kinds.value(buffer.kind(), std::uint64_t{0}) + buffer.bytes();
  kinds["reserved"] = unallocated_bytes(daemon);
  return kinds;
}

}  // namespace

Json memory_sample(const v1::MetricsReply& reply) {
  const v1::DaemonStatus& daemon = reply.daemon();
  return Json::array({reply.at_ms(), daemon.budget_total_bytes(), daemon.budget_used_bytes(), bytes_by_kind(daemon)});
}

Json tick_json(const v1::MetricsReply& reply, const std::vector<GpuFigures>& cards) {
  Json tick = client::to_json(reply.daemon());
  tick["at_ms"] = reply.at_ms();
  tick["sample"] = memory_sample(reply);
  tick["in_flight"] = client::array_of(reply.in_flight());
  tick["cards"] = client::array_of(cards);
  tick["spans"] = client::array_of(reply.spans());
  tick["deaths"] = client::array_of(reply.recent_deaths());
  return tick;
}

Json silence_json(const std::string& error) { return {{"state", "silent"}, {"error", error}}; }

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace groth16d::web
