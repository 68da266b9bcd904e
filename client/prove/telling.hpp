// What groth16ctl and groth16-prove print alike: a result or an error as one JSON value, and lines for the person.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/error.hpp"

namespace groth16d::client {

// To standard output; what is no UTF-8 is replaced.
void print_json(const nlohmann::ordered_json& value);

// To standard error, behind the program's name.
void say_as(const std::string& program, const std::string& line);

// The line "TEXT [NAME]"; with `json` also {"error": {"code", "name", "text"}}.
void tell_error(const std::string& program, const Error& error, bool json);

}  // namespace groth16d::client
