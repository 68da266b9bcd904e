// FileIdentity: how an unchanged file is known again without reading it. Every write, truncation, chmod, link and
// rename of a file moves its ctime, which no client can set; (device, inode, size, mtime, ctime) that are all the same
// mean that it holds what it held.
//
// Two ways remain to change a file behind this: a write within the same tick of the file system's clock as the last
// (settled() excludes it), and stores through a shared mapping that was dirty already. Who does that changes nothing
// but its own file, and gets proofs for what the file held when it was read: never for anything that was not checked.
#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

#include "common/error.hpp"

namespace groth16d::worker {

struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size_bytes = 0;
  std::int64_t mtime_ns = 0, ctime_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};
static_assert(std::is_trivially_copyable_v<FileIdentity> && std::has_unique_object_representations_v<FileIdentity>);

Result<FileIdentity> identity_of(int fd, const std::string& name);

// Whether a later write must show: the last change was longer ago than the file system's clock can stand still. now_ns:
// nanoseconds since the epoch.
bool settled(const FileIdentity& identity, std::int64_t now_ns);

// The files that a circuit is made from. Without an .r1cs: all zero.
struct SourceIdentity {
  FileIdentity key, r1cs;
  bool operator==(const SourceIdentity&) const = default;
};

}  // namespace groth16d::worker
