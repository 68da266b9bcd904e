// A wrong command line as an Error like any other: it names the command that does not exist, or what the known one
// lacks.
#pragma once

#include "common/error.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace groth16d::ctl {

// malformed "usage.unknown_command" or "usage.arguments". `app` has just refused to parse.
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace groth16d::ctl
