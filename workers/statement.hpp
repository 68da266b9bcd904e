// The statement: what a client asked to have proven, as bytes that intake makes, the supervisor carries without
// reading, and assembly holds against the witness. A proof that matches its own witness says nothing about what was
// asked.
//
// For a circom circuit it is the public signals that the client declared, or nothing:
//   u32 form = 1 | u32 curve | u64 count | count x 32 bytes, plain, canonical       all little-endian
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "groth16/algebra/curve_id.hpp"
#include "groth16/algebra/uint.hpp"

namespace groth16d::worker {

// values are below the curve's r.
std::string statement_of_publics(groth16::CurveId curve, std::span<const groth16::UInt<4>> values);

// Whether a witness with these public inputs proves the statement; the empty statement asks for nothing. Errors:
// mismatch "witness.statement" (which signal differs), internal "statement.form" (not bytes that intake made for this
// curve).
Result<void> check_statement(std::string_view statement, groth16::CurveId curve,
                             std::span<const groth16::UInt<4>> public_inputs);

}  // namespace groth16d::worker
