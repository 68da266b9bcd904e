// Traffic that is none of the protocol's: case 21.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <random>

#include "ipc/client_channel.hpp"
#include "tests/faults/scene.hpp"

using namespace groth16d;
using namespace groth16d::faults;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::uint64_t kMemoryBound_bytes = 96ULL << 20;  // one message of the largest size, and slack

std::string client_socket(const Daemon& daemon) { return (daemon.runtime_dir() / ipc::kClientSocketName).string(); }

UniqueFd connect_raw(const Daemon& daemon) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(socket);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  client_socket(daemon).copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const timeval patience{0, 200'000};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return socket;
}

// False once the other side has hung up.
bool send_raw(const UniqueFd& socket, const std::string& bytes) {
  return ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) >= 0 || errno == EAGAIN;
}

// Whether the daemon has closed the connection, after what it still had to say.
bool is_closed(const UniqueFd& socket) {
  std::string heard(4096, '\0');
  while (true) {
    const ssize_t length = ::recv(socket.get(), heard.data(), heard.size(), 0);
    if (length == 0 || (length < 0 && errno == ECONNRESET)) return true;
    if (length < 0) return false;
  }
}

// ZMTP 3.0: greeting with mechanism NULL, then READY of a DEALER (23/ZMTP).
std::string zmtp_handshake() {
  std::string greeting = std::string("\xff\0\0\0\0\0\0\0\x01\x7f\x03\x00", 12) + "NULL";
  greeting.resize(64, '\0');
  const std::string property = std::string("\x0bSocket-Type\0\0\0\x06", 16) + "DEALER";
  const std::string ready = "\x05READY" + property;
  return greeting + std::string("\x04", 1) + static_cast<char>(ready.size()) + ready;
}

// A frame's head that announces so many bytes.
std::string long_frame_head(std::uint64_t bytes) {
  std::string head("\x02", 1);
  for (int shift = 56; shift >= 0; shift -= 8) head.push_back(static_cast<char>(bytes >> shift));
  return head;
}

std::string random_bytes(std::mt19937& random, std::size_t most) {
  std::string bytes(random() % (most + 1), '\0');
  for (char& letter : bytes) letter = static_cast<char>(random());
  return bytes;
}

void send_frames(zmq::context_t& context, const Daemon& daemon, const std::vector<std::string>& frames) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 200);
  socket.connect("ipc://" + client_socket(daemon));
  for (std::size_t i = 0; i < frames.size(); ++i)
    socket.send(zmq::buffer(frames[i]), i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

// Random bytes on raw connections, behind a handshake or not, and random frames, while a good client is served.
void survive_random_bytes(std::chrono::milliseconds time) {
  const auto seed = static_cast<unsigned>(std::random_device{}());
  std::mt19937 random(seed);
  INFO("seed " << seed);
  Scene scene(ProveStage::scripted);
  auto client = scene.start();
  zmq::context_t context;
  const std::uint64_t before = private_bytes_of(scene.daemon.pid());
  std::uint64_t most = 0;
  int job = 0;
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    for (int i = 0; i < 20; ++i) {
      const UniqueFd socket = connect_raw(scene.daemon);
      if (random() % 2 == 0) send_raw(socket, zmtp_handshake());
      for (auto pieces = random() % 4; pieces > 0 && send_raw(socket, random_bytes(random, 5000)); --pieces) {
      }
      send_frames(context, scene.daemon,
                  {"G16C01", random_bytes(random, 2), random_bytes(random, 20), random_bytes(random, 400),
                   random_bytes(random, 4000)});
      send_frames(context, scene.daemon,
                  {"G16C01", std::string(1, static_cast<char>(1 + random() % 16)), std::string(16, 'r'),
                   random_bytes(random, 200)});
    }
    prove(client, "job-" + std::to_string(job++));
    most = std::max(most, private_bytes_of(scene.daemon.pid()));
  }
  CHECK(most < before + kMemoryBound_bytes);
  CHECK(worker_on(client, "load-0").restarts() == 0);
  CHECK(scene.daemon.stop() == 0);
}

}  // namespace

TEST_CASE("fault 21: another major version, too many frames and a truncated body are answered or dropped by name") {
  Scene scene(ProveStage::scripted);
  auto client = scene.start();
  zmq::context_t context;
  const std::uint64_t before = private_bytes_of(scene.daemon.pid());

  send_frames(context, scene.daemon, {"G16C02", "\x01", std::string(16, 'r'), ""});
  send_frames(context, scene.daemon, std::vector<std::string>(10'000, "G16C01"));
  std::string body = request("truncated").SerializeAsString();
  body.resize(body.size() - 3);
  send_frames(context, scene.daemon, {"G16C01", "\x01", std::string(16, 'r'), body});

  prove(client, "after");
  CHECK(private_bytes_of(scene.daemon.pid()) < before + kMemoryBound_bytes);
  CHECK(client.list({})->size() == 1);
}

TEST_CASE("fault 21: a frame that announces a gibibyte ends its connection and costs no memory") {
  Scene scene(ProveStage::scripted);
  auto client = scene.start();
  const std::uint64_t before = private_bytes_of(scene.daemon.pid());
  const UniqueFd socket = connect_raw(scene.daemon);

  REQUIRE(send_raw(socket, zmtp_handshake() + long_frame_head(1ULL << 30) + std::string(1000, 'x')));

  CHECK(eventually([&] { return is_closed(socket); }, 20s));
  CHECK(private_bytes_of(scene.daemon.pid()) < before + (16ULL << 20));
  prove(client, "after");
}

TEST_CASE("fault 21: random bytes kill nobody") { survive_random_bytes(3s); }

TEST_CASE("fault 21: random bytes for a minute kill nobody", "[.slow]") { survive_random_bytes(60s); }
