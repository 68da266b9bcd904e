// Error and Result: how a failure travels between folders. Exceptions stay inside a function that calls a library which
// throws; what crosses a folder is a Result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace groth16d {

// The class of a failure. It decides the status that a client sees and the exit code of a command.
enum class ErrorCode {
  malformed,    // an input breaks its format's rules
  mismatch,     // inputs that are each well-formed do not belong together
  unsatisfied,  // the witness does not satisfy the constraint system
  not_found,
  conflict,     // same name, different content
  too_large,    // can never fit the budget or a bound
  busy,         // would fit later
  unavailable,  // draining or degraded
  denied,       // a path outside its root, a missing right
  cancelled,    // stopped on request
  system,       // an operating-system call failed
  internal,     // a broken invariant of ours
};

// A failure for a program (code, name) and for a person (text).
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string name;  // stable, dotted, lower case: "zkey.section_length"
  std::string text;  // names the file, the place, what was found and what was expected; never witness values
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(ErrorCode code, std::string name, std::string text) {
  return tl::unexpected<Error>(Error{code, std::move(name), std::move(text)});
}

// The word for a code in protocols, logs and --json output: "malformed", "too_large", ...
std::string_view to_string(ErrorCode code);

// The status of the client protocol (docs/PROTOCOL.md) that an error of this code is answered with.
std::uint32_t status_code(ErrorCode code);

}  // namespace groth16d
