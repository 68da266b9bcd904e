#include "ipc/gatekeeper.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "ipc/curve.hpp"
#include "ipc/multipart.hpp"
#include "ipc/socket_options.hpp"

namespace groth16d::ipc {
namespace {

constexpr char kEndpoint[] = "inproc://zeromq.zap.01";
constexpr int kRest_ms = 200;  // how long an end of the process may wait for this thread

// Of a ZAP request: version, request id, domain, address, identity, mechanism, and then the credentials.
enum Frame : std::size_t { kVersion, kRequest, kDomain, kAddress, kIdentity, kMechanism, kCredentials, kFrames };
constexpr std::size_t kKeyBytes = 32;

std::string z85_of(std::string_view key) {
  std::array<char, kCurveKeyLetters + 1> text{};
  ::zmq_z85_encode(text.data(), reinterpret_cast<const std::uint8_t*>(key.data()), key.size());
  return text.data();
}

}  // namespace

Result<std::unique_ptr<Gatekeeper>> Gatekeeper::start(zmq::context_t& context) {
  try {
    zmq::socket_t socket(context, zmq::socket_type::rep);
    socket.set(zmq::sockopt::linger, 0);
    socket.bind(kEndpoint);
    return std::unique_ptr<Gatekeeper>(new Gatekeeper(std::move(socket)));
  } catch (const zmq::error_t& error) {
    return zmq_failure("bind", error);
  }
}

Gatekeeper::Gatekeeper(zmq::socket_t socket) : socket_(std::move(socket)), thread_([this] { serve(); }) {}

Gatekeeper::~Gatekeeper() {
  closing_ = true;
  thread_.join();
}

void Gatekeeper::admit(std::set<std::string> public_keys) {
  const std::lock_guard lock(mutex_);
  admitted_ = std::move(public_keys);
}

void Gatekeeper::serve() {
  while (!closing_) {
    const auto readable = wait_for(socket_, ZMQ_POLLIN, kRest_ms);
    if (!readable) return;
    if (*readable) answer();
  }
}

void Gatekeeper::answer() {
  const auto received = receive_frames(socket_);
  if (!received || !*received) return;
  const std::vector<std::string_view> frames = views_of((*received)->frames);
  std::string user;
  if (frames.size() == kFrames && frames[kVersion] == "1.0" && frames[kMechanism] == "CURVE" &&
      frames[kCredentials].size() == kKeyBytes) {
    const std::string key = z85_of(frames[kCredentials]);
    const std::lock_guard lock(mutex_);
    if (admitted_.contains(key)) user = key;
  }
  const std::string_view request = frames.size() > kRequest ? frames[kRequest] : std::string_view{};
  const bool let_in = !user.empty();
  const std::array<std::string_view, 6> reply{"1.0", request, let_in ? "200" : "400", let_in ? "OK" : "unknown key",
                                              user,  ""};
  static_cast<void>(send_frames(socket_, reply));  // libzmq is the peer: it is there
}

}  // namespace groth16d::ipc
