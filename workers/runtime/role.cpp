#include "workers/runtime/role.hpp"

#include <fmt/format.h>

namespace groth16d::worker {

namespace {

bool is_of_the_inputs(ErrorCode code) {
  switch (code) {
    case ErrorCode::malformed:
    case ErrorCode::mismatch:
    case ErrorCode::unsatisfied:
    case ErrorCode::not_found:
    case ErrorCode::conflict:
    case ErrorCode::too_large:
    case ErrorCode::denied:
      return true;
    case ErrorCode::busy:
    case ErrorCode::unavailable:
    case ErrorCode::cancelled:
    case ErrorCode::system:
    case ErrorCode::internal:
      return false;
  }
  return false;
}

}  // namespace

Failure failure_of_slot(const Error& error) { return {error, true, v1::BLAME_SLOT}; }

Failure failure_of(const Error& error, v1::Blame whose) {
  return is_of_the_inputs(error.code) ? Failure{error, false, whose} : failure_of_slot(error);
}

v1::Failed to_message(const Failure& failure) {
  v1::Failed message;
  message.set_code(std::string(to_string(failure.error.code)));
  message.set_name(failure.error.name);
  message.set_text(failure.error.text);
  message.set_retryable(failure.retryable);
  message.set_blame(failure.blame);
  return message;
}

Result<void> unless_cancelled(const groth16::Compute& compute) {
  if (compute.cancelled()) return failure(ErrorCode::cancelled, "cancelled", "the assignment was cancelled");
  return {};
}

Failure not_my_work(std::string_view role, const v1::Down& message) {
  return failure_of_slot({ErrorCode::internal, "assignment.role",
                          fmt::format("a {} worker was asked for stage \"{}\"", role, stage_of(message))});
}

std::string_view stage_of(const v1::Down& message) {
  switch (message.body_case()) {
    case v1::Down::kInspect:
      return "inspect";
    case v1::Down::kLoad:
    case v1::Down::kAdopt:
      return "load";
    case v1::Down::kSynth:
      return "synth";
    case v1::Down::kProve:
      return "prove";
    case v1::Down::kB2:
      return "b2";
    case v1::Down::kAssemble:
      return "assemble";
    default:
      return "";
  }
}

v1::Work work_of(const v1::Down& message) {
  switch (message.body_case()) {
    case v1::Down::kInspect:
      return message.inspect().work();
    case v1::Down::kSynth:
      return message.synth().work();
    case v1::Down::kProve:
      return message.prove().work();
    case v1::Down::kB2:
      return message.b2().work();
    case v1::Down::kAssemble:
      return message.assemble().work();
    default:
      return {};
  }
}

}  // namespace groth16d::worker
