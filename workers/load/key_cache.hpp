// KeyCache: the folder of converted circuits. What groth16-load has converted once it reads back at the speed of the
// disk, as long as the files it was made from are unchanged.
//
// An entry is found by the identity of its sources (file_identity.hpp), so a client who may write below a root can
// spoil entries of its own files only, and no content it makes up can take the place of another's. Files that are not
// the daemon's own, or that others may write to, are not looked at. A damaged entry is removed and costs one
// conversion.
//
// The folder is bounded: the least recently used entries go first. Losing an entry, or not being able to write one
// (disk full, I/O error), never fails an assignment. Several processes may use one folder: entries appear whole by
// rename, readers keep what they have opened, and a temporary file without a living writer (its lock says so) is swept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "common/error.hpp"
#include "common/unique_fd.hpp"
#include "groth16/algebra/compute.hpp"
#include "workers/load/cache_file.hpp"

namespace groth16d::worker {

// An entry whose header is good.
class CachedCircuit {
 public:
  CachedCircuit(UniqueFd fd, std::string name, const CacheHeader& header)
      : fd_(std::move(fd)), name_(std::move(name)), header_(header) {}

  const PreparedCircuit& circuit() const { return header_.circuit; }

  // Both payloads, checked against their checksums and the summary. The spans are key_bytes and r1cs_bytes long.
  // Errors: malformed cache.damaged, those of check_contents, system; cancelled.
  Result<void> read(std::span<std::byte> key, std::span<std::byte> r1cs, const groth16::Compute& compute) const;

 private:
  UniqueFd fd_;
  std::string name_;
  CacheHeader header_;
};

class KeyCache {
 public:
  // Off: finds nothing, stores nothing.
  KeyCache() = default;

  // `folder` exists. Sweeps what dead writers left. Errors: denied "cache.folder" where it is not the user's own or
  // others may write to it; system.
  static Result<KeyCache> open(const std::filesystem::path& folder, std::uint64_t max_bytes);

  bool is_on() const { return static_cast<bool>(folder_); }

  // nullopt: there is none, or it was of no use and has been removed.
  std::optional<CachedCircuit> find(const SourceIdentity& source) const;

  void remove(const SourceIdentity& source) const;

  // Errors: too_large "cache.too_large" (alone above the bound), unavailable "cache.no_space" (the disk would become
  // too full), system; cancelled. Nothing is left behind then.
  Result<void> store(const SourceIdentity& source, const PreparedCircuit& circuit, std::span<const std::byte> key,
                     std::span<const std::byte> r1cs, const groth16::Compute& compute) const;

 private:
  KeyCache(std::filesystem::path path, UniqueFd folder, std::uint64_t max_bytes)
      : path_(std::move(path)), folder_(std::move(folder)), max_bytes_(max_bytes) {}

  void sweep() const;
  Result<void> make_room(std::uint64_t bytes) const;
  Result<void> write(const CacheHeader& header, int fd, std::span<const std::byte> key, std::span<const std::byte> r1cs,
                     const groth16::Compute& compute) const;

  std::filesystem::path path_;
  UniqueFd folder_;
  std::uint64_t max_bytes_ = 0;
};

}  // namespace groth16d::worker
