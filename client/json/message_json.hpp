// The daemon's messages as JSON, on the command line as on the page: the protocol's own field names, enums as
// lower-case words, digests as hexadecimal. Pure functions.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "ipc/client.pb.h"
#include "ipc/metrics.pb.h"

namespace groth16d::client {

using Json = nlohmann::ordered_json;

Json to_json(const v1::Failure& failure);
Json to_json(const v1::PartitionStatus& partition);
Json to_json(const v1::StageSpan& span);
Json to_json(const v1::JobStatus& job);
Json to_json(const v1::PrivateNeed& need);
Json to_json(const v1::CircuitStatus& circuit);
Json to_json(const v1::BufferCount& buffer);
Json to_json(const v1::QueueStatus& queue);
Json to_json(const v1::PartitionCount& count);
Json to_json(const v1::WorkerStatus& worker);
Json to_json(const v1::DaemonStatus& daemon);
Json to_json(const v1::LogLine& line);
Json to_json(const v1::InFlight& entry);  // the job's name beside what its partition's status says
Json to_json(const v1::FinishedWork& span);
Json to_json(const v1::DeathRecord& death);

// With proofs and public signals as JSON values, not as text in JSON.
Json to_json(const v1::ResultReply& result);

// Of messages, each as to_json has it.
template <class Items>
Json array_of(const Items& items) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(to_json(item));
  return array;
}

// The words of the protocol's enumerations: "done", "running", ...; "synthesising", ...; "normal", ...
std::string word_of(v1::JobState state);
std::string word_of(v1::PartitionState state);
std::string word_of(v1::Priority priority);

}  // namespace groth16d::client
