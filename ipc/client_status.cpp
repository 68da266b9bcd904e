// Errors as statuses of the client protocol, and back.
#include "ipc/client_channel.hpp"

namespace groth16d::ipc {

groth16d::v1::Status make_status(std::uint32_t code) {
  groth16d::v1::Status status;
  status.set_code(code);
  return status;
}

groth16d::v1::Status make_status(const Error& error, std::uint32_t retry_after_ms) {
  groth16d::v1::Status status = make_status(status_code(error.code));
  status.mutable_failure()->set_code(std::string(to_string(error.code)));
  status.mutable_failure()->set_name(error.name);
  status.mutable_failure()->set_text(error.text);
  status.set_retry_after_ms(retry_after_ms);
  return status;
}

Error error_of(const groth16d::v1::Status& status) {
  Error error{ErrorCode::internal, status.failure().name(), status.failure().text()};
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    if (to_string(static_cast<ErrorCode>(code)) == status.failure().code()) error.code = static_cast<ErrorCode>(code);
  }
  if (error.text.empty()) error.text = "the daemon answered " + std::to_string(status.code());
  return error;
}

}  // namespace groth16d::ipc
