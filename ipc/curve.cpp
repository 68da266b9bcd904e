#include "ipc/curve.hpp"

#include <array>

#include <fmt/format.h>
#include <sys/stat.h>
#include <zmq.h>

#include "common/posix.hpp"

namespace groth16d::ipc {
namespace {

constexpr std::uint64_t kMostFileBytes = 4'096;
using KeyText = std::array<char, kCurveKeyLetters + 1>;

std::string without_space(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

}  // namespace

Result<CurveKeys> new_curve_keys() {
  KeyText public_key{}, secret_key{};
  if (::zmq_curve_keypair(public_key.data(), secret_key.data()) != 0)
    return failure(ErrorCode::system, "curve.keypair", "libzmq was built without CURVE");
  return CurveKeys{public_key.data(), secret_key.data()};
}

bool is_curve_key(std::string_view text) {
  std::array<std::uint8_t, 32> bytes{};
  return text.size() == kCurveKeyLetters && ::zmq_z85_decode(bytes.data(), std::string(text).c_str()) != nullptr;
}

Result<CurveKeys> read_curve_keys(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return system_failure("stat", path);
  if ((status.st_mode & 077) != 0)
    return failure(
        ErrorCode::denied, "curve.mode",
        fmt::format("{}: mode {:03o}; a secret key is its owner's alone: chmod 0600", path, status.st_mode & 0777));
  const auto text = read_text_file(path, kMostFileBytes);
  if (!text) return tl::unexpected(text.error());
  CurveKeys keys{{}, without_space(*text)};
  KeyText public_key{};
  if (!is_curve_key(keys.secret_key) || ::zmq_curve_public(public_key.data(), keys.secret_key.c_str()) != 0)
    return failure(ErrorCode::malformed, "curve.key",
                   fmt::format("{}: is no secret key; expected {} letters of Z85, as `groth16ctl keygen` writes them",
                               path, kCurveKeyLetters));
  keys.public_key = public_key.data();
  return keys;
}

}  // namespace groth16d::ipc
