// CURVE keys of servers and clients (ZeroMQ RFC 26). A key is 40 letters of Z85; a key file holds the secret one alone,
// because the public one follows from it.
#pragma once

#include <string>
#include <string_view>

#include "common/error.hpp"

namespace groth16d::ipc {

inline constexpr std::size_t kCurveKeyLetters = 40;

// What speaks over TCP without being able to prove who it is does not speak at all.
struct CurveKeys {
  std::string public_key;
  std::string secret_key;
};

Result<CurveKeys> new_curve_keys();

// 40 letters that Z85 can decode.
bool is_curve_key(std::string_view text);

// Errors: those of reading; denied "curve.mode" where anybody but the owner may read the file; malformed "curve.key".
Result<CurveKeys> read_curve_keys(const std::string& path);

}  // namespace groth16d::ipc
