// Whose bytes lie in the spool, and how many more may: of all together (max_spool) and of one client
// (max_spool_per_client). Bytes are taken before they are written, and given back when they are gone from the disk.
// Used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/error.hpp"

namespace groth16d::supervisor {

// Our own disk is full or broken, which is not the client's fault: it may come again. Unavailable "spool.write".
tl::unexpected<Error> write_failed(const Error& error);

struct SpoolLimits {
  std::uint64_t max_bytes = 0;
  std::uint64_t max_bytes_per_client = 0;  // 0: as many as there are
};

class SpoolAccount {
 public:
  explicit SpoolAccount(SpoolLimits limits) : limits_(limits) {}

  // Below what is used nothing is removed, and nothing more accepted.
  void set_limits(SpoolLimits limits) { limits_ = limits; }
  const SpoolLimits& limits() const { return limits_; }

  std::uint64_t used_bytes() const { return used_bytes_; }
  std::uint64_t used_bytes_of(const std::string& client) const;

  // Would these bytes fit? `client` "": nobody's quota. Errors: too_large "spool.too_large", "quota.too_large" (never),
  // busy "spool.full", "quota.bytes" (later).
  Result<void> check(std::uint64_t bytes, const std::string& client) const;

  void take(std::uint64_t bytes, const std::string& client);
  void give_back(std::uint64_t bytes, const std::string& client);

 private:
  SpoolLimits limits_;
  std::uint64_t used_bytes_ = 0;
  std::map<std::string, std::uint64_t> used_by_;  // none with 0
};

}  // namespace groth16d::supervisor
