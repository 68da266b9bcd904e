#include "workers/runtime/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>

namespace groth16d::worker {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

tl::unexpected<Error> wrong(std::string_view what) {
  return failure(ErrorCode::unavailable, "worker.environment",
                 fmt::format("{}; a worker is started by groth16d, not by hand", what));
}

}  // namespace

Result<Environment> read_environment() {
  Environment environment;
  environment.slot = variable("GROTH16D_SLOT");
  if (environment.slot.empty()) return wrong("GROTH16D_SLOT is not set");
  const std::string epoch_text = variable("GROTH16D_EPOCH");
  const auto epoch = parse_number(epoch_text);
  if (!epoch) return wrong(fmt::format("GROTH16D_EPOCH is \"{}\", expected a number", epoch_text));
  environment.epoch = *epoch;
  environment.workers_socket = variable("GROTH16D_WORKERS_SOCKET");
  if (environment.workers_socket.empty()) return wrong("GROTH16D_WORKERS_SOCKET is not set");
  if (const std::string level = variable("GROTH16D_LOG_LEVEL"); !level.empty()) environment.log_level = level;
  if (::fcntl(kLifelineFd, F_GETFD) < 0) return wrong("descriptor 3, the lifeline, is not open");
  return environment;
}

}  // namespace groth16d::worker
