// The memfd calls that segments and last words share. Private to this folder.
#pragma once

#include <cstdint>
#include <string>

#include <boost/interprocess/mapped_region.hpp>

#include "common/error.hpp"
#include "common/unique_fd.hpp"

namespace groth16d::shm {

// A memfd of `bytes` bytes with every page allocated, sealed against shrinking and growing, its inode mode 0400: nobody
// without CAP_DAC_OVERRIDE can open it again for writing, whoever holds the returned descriptor can write.
Result<UniqueFd> make_memfd(const std::string& name, std::uint64_t bytes);

// Shared, left out of core dumps.
Result<boost::interprocess::mapped_region> map_memfd(int fd, boost::interprocess::mode_t mode, std::uint64_t bytes);

}  // namespace groth16d::shm
