// A job's timeline in the Trace Event Format.
#pragma once

#include "client/ctl/command.hpp"

namespace groth16d::ctl {

// {"displayTimeUnit", "traceEvents": [metadata, then one complete event a span]}; times are microseconds from
// acceptance.
Json trace_of(const v1::JobStatus& job);

}  // namespace groth16d::ctl
