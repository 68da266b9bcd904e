// What the page is told, as JSON: a tick a second, and at first the past. Messages look as client/json has them. Pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "client/json/message_json.hpp"
#include "client/web/gpu_gauge.hpp"

namespace groth16d::web {

using client::Json;

// One point of the memory plot: [at_ms, total, used, {kind: bytes}].
Json memory_sample(const v1::MetricsReply& reply);

// The daemon as it is now (DaemonStatus), with the cards and what ended since the tick before.
Json tick_json(const v1::MetricsReply& reply, const std::vector<GpuFigures>& cards);
// The daemon does not answer.
Json silence_json(const std::string& error);

// Text for a message of the stream: bytes that are no UTF-8 are replaced.
std::string text_of(const Json& json);

}  // namespace groth16d::web
