// The daemon's messages as JSON: the protocol's own field names, enums as lower-case words, digests as hexadecimal.
#pragma once

#include <string>

#include "client/ctl/command.hpp"

namespace groth16d::ctl {

Json to_json(const v1::JobStatus& job);
Json to_json(const v1::CircuitStatus& circuit);
Json to_json(const v1::WorkerStatus& worker);
Json to_json(const v1::DaemonStatus& daemon);
Json to_json(const v1::LogLine& line);

// With proofs and public signals as JSON values, not as text in JSON.
Json to_json(const v1::ResultReply& result);

// "done", "running", ...; "synthesising", ...; "normal", ...
std::string word(v1::JobState state);
std::string word(v1::PartitionState state);
std::string word(v1::Priority priority);

}  // namespace groth16d::ctl
