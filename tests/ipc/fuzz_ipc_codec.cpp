// Any frames may reach the client codec. Input: frames, each behind its length in two bytes, little endian.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "ipc/client.pb.h"
#include "ipc/client_codec.hpp"

using namespace groth16d::ipc;

namespace {

std::vector<std::string_view> cut_frames(std::string_view bytes) {
  std::vector<std::string_view> frames;
  while (bytes.size() >= 2) {
    const std::size_t length =
        static_cast<std::uint8_t>(bytes[0]) | static_cast<std::size_t>(static_cast<std::uint8_t>(bytes[1])) << 8;
    bytes.remove_prefix(2);
    frames.push_back(bytes.substr(0, length));
    bytes.remove_prefix(frames.back().size());
  }
  return frames;
}

void require(bool promise) {
  if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string_view> frames = cut_frames({reinterpret_cast<const char*>(data), size});
  const auto view = parse_message(frames);
  const Envelope envelope = parse_envelope(frames);
  const std::vector<std::string> head = head_frames(envelope);
  if (!view) return 0;
  // What parses has the head that would be written for it.
  require(envelope.command == static_cast<std::uint8_t>(view->command) && envelope.request == view->request);
  require(head.size() <= frames.size() && std::equal(head.begin(), head.end(), frames.begin()));
  require(join_body(*view).size() >= view->body.size());
  groth16d::v1::SubmitRequest submit;
  static_cast<void>(submit.ParseFromString(std::string(view->body)));
  groth16d::v1::UploadRequest upload;
  static_cast<void>(upload.ParseFromString(std::string(view->body)));
  return 0;
}
