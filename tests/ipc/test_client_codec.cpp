// The client codec takes what the protocol says, and names what is wrong with everything else.
#include <catch2/catch.hpp>
#include <random>

#include "ipc/body_frames.hpp"
#include "ipc/client_codec.hpp"
#include "ipc/limits.hpp"

using namespace groth16d;
using namespace groth16d::ipc;

namespace {

const std::string kId = "0123456789abcdef";

using Frames = std::vector<std::string_view>;

Frames request() { return {"G16C01", "\x01", kId, "body"}; }

std::string error_of_parsing(const Frames& frames) {
  const auto view = parse_message(frames);
  return view ? "" : view.error().name;
}

}  // namespace

TEST_CASE("a message parses into command, request id, body and payload") {
  Frames frames = request();
  frames.push_back("p1");
  frames.push_back("");
  const MessageView view = parse_message(frames).value();
  CHECK_FALSE(view.delimited);
  CHECK(view.command == Command::submit);
  CHECK(std::string(view.request.begin(), view.request.end()) == kId);
  CHECK(view.body == "body");
  REQUIRE(view.further.size() == 2);
  CHECK(view.further[0] == "p1");
  CHECK(join_body(view) == "bodyp1");
}

TEST_CASE("REQ's empty delimiter is accepted, and comes back in the head of the reply") {
  Frames frames = request();
  frames.insert(frames.begin(), "");
  CHECK(parse_message(frames).value().delimited);
  const std::vector<std::string> head = head_frames(parse_envelope(frames));
  CHECK(std::equal(head.begin(), head.end(), frames.begin()));
  CHECK(head.size() == 4);
  CHECK(head_frames(parse_envelope(request())).size() == 3);
}

TEST_CASE("an empty body is a body") {
  CHECK(parse_message(Frames{"G16C01", "\x07", kId, ""}).value().command == Command::ping);
}

TEST_CASE("every malformed message has its own name") {
  CHECK(error_of_parsing({}) == "protocol.foreign");
  CHECK(error_of_parsing({""}) == "protocol.foreign");
  CHECK(error_of_parsing({"GET / HTTP/1.1"}) == "protocol.foreign");
  CHECK(error_of_parsing({"", "", "G16C01", "\x01", kId, ""}) == "protocol.foreign");
  CHECK(error_of_parsing({"G16C0x", "\x01", kId, ""}) == "protocol.foreign");
  CHECK(error_of_parsing({"G16C011", "\x01", kId, ""}) == "protocol.foreign");
  CHECK(error_of_parsing({"G16C02", "\x01", kId, ""}) == "protocol.major");
  CHECK(error_of_parsing({"G16C02"}) == "protocol.major");
  CHECK(error_of_parsing({"G16C01", "\x01", kId}) == "protocol.frames");
  CHECK(error_of_parsing({"G16C01", "", kId, ""}) == "protocol.command");
  CHECK(error_of_parsing({"G16C01", "\x01\x01", kId, ""}) == "protocol.command");
  CHECK(error_of_parsing({"G16C01", "\xfe", kId, ""}) == "protocol.command");
  CHECK(error_of_parsing({"G16C01", "\x01", kId.substr(1), ""}) == "protocol.request_id");
  CHECK(error_of_parsing({"G16C01", "\x01", kId + "x", ""}) == "protocol.request_id");
}

TEST_CASE("frame count and total bytes are bounded") {
  Frames frames = request();
  frames.resize(kMaxFrames, "x");
  CHECK(error_of_parsing(frames).empty());
  frames.push_back("x");
  CHECK(error_of_parsing(frames) == "protocol.too_many_frames");

  const std::string large(kMaxFrameBytes, 'x');
  Frames heavy = request();
  heavy.resize(heavy.size() + 64, large);
  CHECK(error_of_parsing(heavy).empty());
  heavy.push_back(large);
  CHECK(error_of_parsing(heavy) == "protocol.too_many_bytes");
}

TEST_CASE("every command has a name, and other numbers have none") {
  int names = 0;
  for (int number = 0; number < 256; ++number) names += !to_string(static_cast<Command>(number)).empty();
  CHECK(names == 23);
  CHECK(is_for_operators(Command::worker_restart));
  CHECK(is_for_operators(Command::reload));
  CHECK_FALSE(is_for_operators(Command::logs));
}

TEST_CASE("request ids differ") { CHECK(new_request_id().value() != new_request_id().value()); }

TEST_CASE("a body larger than a frame is cut, and joined to the same bytes") {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kMaxFrameBytes, kMaxFrameBytes + 1, 3 * kMaxFrameBytes}) {
    std::string body(size, '\0');
    for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>(i * 31 >> 4);
    const auto pieces = cut_body(body).value();
    CHECK(pieces.size() == std::max<std::size_t>(1, (size + kMaxFrameBytes - 1) / kMaxFrameBytes));
    CHECK(join_frames(pieces) == body);
  }
  CHECK(cut_body(std::string(kMaxMessageBytes, 'x')).error().name == "protocol.too_many_bytes");
}

TEST_CASE("random frames never parse by accident, and truncated ones are refused") {
  std::mt19937 random(20240517);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> bytes(random() % 7);
    for (std::string& frame : bytes) {
      frame.resize(random() % 20);
      for (char& letter : frame) letter = static_cast<char>(random());
    }
    CHECK_FALSE(parse_message(Frames(bytes.begin(), bytes.end())));
  }
  for (std::size_t kept = 0; kept < request().size(); ++kept) {
    const Frames all = request();
    CHECK_FALSE(parse_message(std::span(all).first(kept)));
  }
}
