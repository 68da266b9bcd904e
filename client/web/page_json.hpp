// What the page is told, as JSON: a tick a second, and at first the past. Pure functions.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "client/web/gpu_gauge.hpp"
#include "ipc/metrics.pb.h"

namespace groth16d::web {

using Json = nlohmann::ordered_json;

Json to_json(const v1::FinishedWork& span);
Json to_json(const v1::DeathRecord& death);
Json to_json(const v1::JobStatus& job);

// One point of the memory plot: [at_ms, total, used, {kind: bytes}].
Json memory_sample(const v1::MetricsReply& reply);

// The daemon as it is now, with what ended since the tick before.
Json tick_json(const v1::MetricsReply& reply, const std::vector<GpuFigures>& cards);
// The daemon does not answer.
Json silence_json(const std::string& error);

// Text for a message of the stream: bytes that are no UTF-8 are replaced.
std::string text_of(const Json& json);

}  // namespace groth16d::web
