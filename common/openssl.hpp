// OpenSSL's digests fail only without memory or without its default provider: nothing that a caller could handle.
#pragma once

#include <cstdlib>

namespace groth16d {

inline void require_openssl(bool ok) {
  if (!ok) std::abort();
}

}  // namespace groth16d
