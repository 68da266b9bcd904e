#include "supervisor/spool_account.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace groth16d::supervisor {

tl::unexpected<Error> write_failed(const Error& error) {
  return failure(ErrorCode::unavailable, "spool.write", fmt::format("the spool cannot be written: {}", error.text));
}

std::uint64_t SpoolAccount::used_bytes_of(const std::string& client) const {
  const auto place = used_by_.find(client);
  return place == used_by_.end() ? 0 : place->second;
}

Result<void> SpoolAccount::check(std::uint64_t bytes, const std::string& client) const {
  if (bytes > limits_.max_bytes)
    return failure(ErrorCode::too_large, "spool.too_large",
                   fmt::format("the inputs are {} bytes, max_spool is {}", bytes, limits_.max_bytes));
  const std::uint64_t quota = client.empty() ? 0 : limits_.max_bytes_per_client;
  if (quota > 0 && bytes > quota)
    return failure(ErrorCode::too_large, "quota.too_large",
                   fmt::format("the inputs are {} bytes, max_spool_per_client is {}", bytes, quota));
  if (quota > 0 && used_bytes_of(client) > quota - bytes)
    return failure(ErrorCode::busy, "quota.bytes",
                   fmt::format("the inputs are {} bytes, and {} of this client's max_spool_per_client = {} are in use: "
                               "close finished jobs",
                               bytes, used_bytes_of(client), quota));
  if (used_bytes_ > limits_.max_bytes - bytes)
    return failure(ErrorCode::busy, "spool.full",
                   fmt::format("the inputs are {} bytes, and {} of max_spool = {} are in use: close finished jobs",
                               bytes, used_bytes_, limits_.max_bytes));
  return {};
}

void SpoolAccount::take(std::uint64_t bytes, const std::string& client) {
  used_bytes_ += bytes;
  if (!client.empty() && bytes > 0) used_by_[client] += bytes;
}

void SpoolAccount::give_back(std::uint64_t bytes, const std::string& client) {
  used_bytes_ -= std::min(bytes, used_bytes_);
  const auto place = used_by_.find(client);
  if (place == used_by_.end()) return;
  place->second -= std::min(bytes, place->second);
  if (place->second == 0) used_by_.erase(place);
}

}  // namespace groth16d::supervisor
