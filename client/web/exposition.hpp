// The daemon's METRICS as Prometheus reads them: text exposition format 0.0.4. A pure function.
#pragma once

#include <string>
#include <vector>

#include "client/web/gpu_gauge.hpp"
#include "ipc/metrics.pb.h"

namespace groth16d::web {

// `reply` nullptr: no daemon answers. Then groth16d_up is 0 and there is nothing else of it.
std::string exposition(const v1::MetricsReply* reply, const std::vector<GpuFigures>& cards);

// What is reserved and not allocated yet.
std::uint64_t unallocated_bytes(const v1::DaemonStatus& daemon);

}  // namespace groth16d::web
