// Too much of everything: frames, messages, connections, and replies that nobody takes. The daemon stays small and
// answers the others.
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <thread>

#include "ipc/client_codec.hpp"
#include "tests/sanitizers.hpp"
#include "tests/security/fortress.hpp"

using namespace groth16d;
using namespace groth16d::security;
using namespace std::chrono_literals;

namespace {

std::uint64_t anonymous_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8)) * 1024;
  return 0;
}

std::size_t descriptors_of(pid_t pid) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd"))
    ++count;
  return count;
}

std::chrono::milliseconds time_of_ping(client::Client& client) {
  const auto begun = std::chrono::steady_clock::now();
  REQUIRE(client.ping().has_value());
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
}

zmq::socket_t raw_client(zmq::context_t& context, const client::PrivateDaemon& daemon) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::sndhwm, 0);
  socket.set(zmq::sockopt::rcvtimeo, 10'000);
  socket.connect("ipc://" + daemon.address().client_socket);
  return socket;
}

void send(zmq::socket_t& socket, ipc::Command command, const std::string& body,
          const std::vector<std::string>& payload = {}) {
  std::vector<std::string> frames = ipc::head_frames({false, static_cast<std::uint8_t>(command), {}});
  frames.push_back(body);
  frames.insert(frames.end(), payload.begin(), payload.end());
  for (std::size_t n = 0; n < frames.size(); ++n)
    socket.send(zmq::buffer(frames[n]), n + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

std::uint32_t code_of_reply(zmq::socket_t& socket) {
  zmq::message_t frame;
  std::string last;
  do {
    if (!socket.recv(frame)) return 0;
    last = frame.to_string();
  } while (frame.more());
  v1::PlainReply reply;
  return reply.ParseFromString(last) ? reply.status().code() : 0;
}

// A connection that says nothing.
UniqueFd connect_silently(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) return {};
  return socket;
}

}  // namespace

TEST_CASE(
    "a message of too many frames is answered 413, one of a frame that is too large ends its sender, and others go "
    "on") {
  Fortress fortress;
  auto other = e2e::connect(fortress.daemon());
  zmq::context_t context;
  auto socket = raw_client(context, fortress.daemon());
  send(socket, ipc::Command::ping, "", std::vector<std::string>(100, "x"));
  CHECK(code_of_reply(socket) == 413);
  send(socket, ipc::Command::ping, std::string((1 << 20) + 1, 'x'));
  socket.set(zmq::sockopt::rcvtimeo, 500);
  CHECK(code_of_reply(socket) == 0);
  send(socket, ipc::Command::submit, "\xff\xff not a message");
  CHECK(other.ping().has_value());
}

TEST_CASE("a thousand connections cost the daemon descriptors and little else, and are forgotten when they end") {
  Fortress fortress;
  auto other = e2e::connect(fortress.daemon());
  REQUIRE(other.ping().has_value());
  const pid_t daemon = fortress.daemon().pid();
  const std::size_t descriptors = descriptors_of(daemon);
  const std::uint64_t before = anonymous_bytes(daemon);
  {
    std::vector<UniqueFd> silent;
    for (int n = 0; n < 1'000; ++n) {
      UniqueFd socket = connect_silently(fortress.daemon().address().client_socket);
      REQUIRE(socket);
      silent.push_back(std::move(socket));
    }
    CHECK(time_of_ping(other) < 1s);
    CHECK(fortress.connect_as("read").ping().has_value());
    if (!kAddressSanitizer) CHECK(anonymous_bytes(daemon) < before + (64U << 20));
  }
  CHECK(e2e::eventually([&] { return descriptors_of(daemon) <= descriptors + 8; }, 30s));
  CHECK(time_of_ping(other) < 1s);
}

TEST_CASE("a client that asks and never reads costs bounded memory, and slows nobody") {
  Fortress fortress;
  auto other = e2e::connect(fortress.daemon());
  const pid_t daemon = fortress.daemon().pid();
  REQUIRE(other.ping().has_value());
  const std::uint64_t before = anonymous_bytes(daemon);
  zmq::context_t context;
  auto deaf = raw_client(context, fortress.daemon());
  deaf.set(zmq::sockopt::rcvhwm, 1);
  for (int n = 0; n < 50'000; ++n) send(deaf, ipc::Command::daemon_status, "");
  CHECK(e2e::eventually([&] { return time_of_ping(other) < 1s; }, 60s));
  std::this_thread::sleep_for(2s);
  CHECK(time_of_ping(other) < 1s);
  if (!kAddressSanitizer) CHECK(anonymous_bytes(daemon) < before + (64U << 20));
}
