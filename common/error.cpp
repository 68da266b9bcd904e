#include "common/error.hpp"

namespace groth16d {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::malformed:
      return "malformed";
    case ErrorCode::mismatch:
      return "mismatch";
    case ErrorCode::unsatisfied:
      return "unsatisfied";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::too_large:
      return "too_large";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::denied:
      return "denied";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::system:
      return "system";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

std::uint32_t status_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::malformed:
    case ErrorCode::mismatch:
    case ErrorCode::unsatisfied:
    case ErrorCode::denied:
      return 400;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::conflict:
    case ErrorCode::cancelled:
      return 409;
    case ErrorCode::too_large:
      return 413;
    case ErrorCode::busy:
      return 429;
    case ErrorCode::unavailable:
      return 503;
    case ErrorCode::system:
    case ErrorCode::internal:
      return 500;
  }
  return 500;
}

}  // namespace groth16d
