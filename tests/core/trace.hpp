// One line an event or action, for replaying a seed by eye.
#pragma once

#include <string>

#include "supervisor/core/action.hpp"
#include "supervisor/core/event.hpp"

namespace groth16d::supervisor::test {

std::string describe(const Event& event);
std::string describe(const Action& action);
std::string event_name(std::size_t index);  // of the alternative with this index in Event

}  // namespace groth16d::supervisor::test
