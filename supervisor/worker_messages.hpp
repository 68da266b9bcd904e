// Between the workers' protobuf messages and the core's words: pure functions, nothing is decided here.
#pragma once

#include <optional>

#include "ipc/worker_channel.hpp"
#include "supervisor/core/action.hpp"
#include "supervisor/core/event.hpp"

namespace groth16d::supervisor {

// nullopt: a slot that does not exist, or a message without a body (a newer worker's): to be counted and ignored.
std::optional<Event> event_of(const ipc::Up& up);

// What intake cut out of an input, to be put in its place; "" for every message but such an INSPECTED.
const std::string& cut_input_of(const ipc::Up& up);

ipc::Down down_of(const Welcome& action);
ipc::Down down_of(const Assign& action);
ipc::Down down_of(const CancelAssignment& action);
ipc::Down down_of(const EvictLease& action);
ipc::Down down_of(const DrainWorker& action);

}  // namespace groth16d::supervisor
