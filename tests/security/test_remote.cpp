// Over TCP: who is let in, what each right may, and what becomes of a key that is revoked or a session that is
// recorded.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "supervisor/access.hpp"
#include "tests/security/fortress.hpp"

namespace groth16d::security {

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

UniqueFd tcp_socket() {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(socket);
  return socket;
}

std::uint16_t bind_any(int socket) {
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  return ntohs(address.sin_port);
}

// Stands between one client and the daemon and writes down what the client says.
class Wiretap {
 public:
  explicit Wiretap(std::uint16_t daemon_port) : listener_(tcp_socket()), port_(bind_any(listener_.get())) {
    REQUIRE(::listen(listener_.get(), 1) == 0);
    thread_ = std::thread([this, daemon_port] { pass(daemon_port); });
  }
  ~Wiretap() {
    closing_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string endpoint() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  const std::string& heard() const { return heard_; }
  void stop() { closing_ = true; }

 private:
  void pass(std::uint16_t daemon_port) {
    const UniqueFd client(::accept(listener_.get(), nullptr, nullptr));
    if (!client) return;
    const UniqueFd daemon(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(daemon_port);
    if (::connect(daemon.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    std::array<char, 65536> buffer{};
    while (!closing_) {
      pollfd ends[] = {{client.get(), POLLIN, 0}, {daemon.get(), POLLIN, 0}};
      if (::poll(ends, 2, 100) <= 0) continue;
      for (int end = 0; end < 2; ++end) {
        if (ends[end].revents == 0) continue;
        const ssize_t length = ::read(ends[end].fd, buffer.data(), buffer.size());
        if (length <= 0) return;
        if (end == 0) heard_.append(buffer.data(), static_cast<std::size_t>(length));
        if (::write(ends[1 - end].fd, buffer.data(), static_cast<std::size_t>(length)) != length) return;
      }
    }
  }

  UniqueFd listener_;
  std::uint16_t port_;
  std::string heard_;
  std::atomic<bool> closing_{false};
  std::thread thread_;
};

void play_again(std::uint16_t port, const std::string& bytes) {
  const UniqueFd socket = tcp_socket();
  const sockaddr_in address = loopback(port);
  REQUIRE(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  for (std::size_t done = 0; done < bytes.size(); done += 200) {
    const std::size_t piece = std::min<std::size_t>(200, bytes.size() - done);
    if (::send(socket.get(), bytes.data() + done, piece, MSG_NOSIGNAL) < 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::array<char, 4096> ignored{};
  while (::read(socket.get(), ignored.data(), ignored.size()) > 0) {
  }
}

// What a verb is answered, as a word: the name of the refusal, or "".
using Ask = std::function<std::string(client::Client&)>;
template <class T>
std::string refusal(const Result<T>& answer) {
  return answer ? std::string() : answer.error().name;
}

const std::vector<std::pair<supervisor::Right, Ask>>& verbs() {
  using client::Client;
  using supervisor::Right;
  static const std::vector<std::pair<Right, Ask>> all = {
      {Right::read, [](Client& c) { return refusal(c.status("nobody")); }},
      {Right::read, [](Client& c) { return refusal(c.result("nobody")); }},
      {Right::read, [](Client& c) { return refusal(c.list({})); }},
      {Right::read, [](Client& c) { return refusal(c.ping()); }},
      {Right::read, [](Client& c) { return refusal(c.daemon_status()); }},
      {Right::read, [](Client& c) { return refusal(c.metrics()); }},
      {Right::read, [](Client& c) { return refusal(c.circuits("")); }},
      {Right::read, [](Client& c) { return refusal(c.workers()); }},
      {Right::read, [](Client& c) { return refusal(c.logs("nobody")); }},
      {Right::submit, [](Client& c) { return refusal(c.submit(e2e::request_for("x", "none", {"/etc/passwd"}))); }},
      {Right::submit, [](Client& c) { return refusal(c.upload({})); }},
      {Right::submit, [](Client& c) { return refusal(c.cancel("nobody")); }},
      {Right::submit, [](Client& c) { return refusal(c.close("nobody")); }},
      {Right::submit, [](Client& c) { return refusal(c.add_circuit({})); }},
      {Right::submit, [](Client& c) { return refusal(c.remove_circuit("none")); }},
      {Right::operate, [](Client& c) { return refusal(c.operate(ipc::Command::worker_restart, "cpu-7")); }},
      {Right::operate, [](Client& c) { return refusal(c.operate(ipc::Command::worker_drain, "cpu-7")); }},
      {Right::operate, [](Client& c) { return refusal(c.operate(ipc::Command::worker_reset, "cpu-7")); }},
      {Right::operate, [](Client& c) { return refusal(c.operate(ipc::Command::worker_enable, "cpu-7")); }},
      {Right::operate, [](Client& c) { return refusal(c.operate(ipc::Command::worker_disable, "cpu-7")); }},
      {Right::operate, [](Client& c) { return refusal(c.kick("nobody")); }},
      {Right::operate, [](Client& c) { return refusal(c.reload()); }}};
  return all;
}

}  // namespace

std::uint16_t free_port() {
  const UniqueFd socket = tcp_socket();
  return bind_any(socket.get());
}

TEST_CASE("without a key, with an unknown key, and with another server's key nobody is let in") {
  Fortress fortress;
  const std::string stranger = Fortress::new_keys().secret_key;
  auto unknown = fortress.connect_with(fortress.server().public_key, stranger, 1'500);
  CHECK(client::is_unreachable(unknown.ping().error()));
  const auto mistaken = fortress.connect_with(Fortress::new_keys().public_key, stranger, 1'500).ping();
  CHECK(client::is_unreachable(mistaken.error()));

  zmq::context_t context;
  zmq::socket_t plain(context, zmq::socket_type::dealer);
  plain.set(zmq::sockopt::linger, 0);
  plain.set(zmq::sockopt::rcvtimeo, 1'500);
  plain.connect(fortress.endpoint());
  plain.send(zmq::str_buffer("G16C01"), zmq::send_flags::dontwait);
  zmq::message_t reply;
  CHECK_FALSE(plain.recv(reply).has_value());

  CHECK(fortress.connect_as("read").ping().has_value());
}

TEST_CASE("every verb is answered by the right that its key has, and refused without") {
  Fortress fortress;
  for (const auto& [name, right] : {std::pair<std::string, supervisor::Right>{"read", supervisor::Right::read},
                                    {"submit", supervisor::Right::submit},
                                    {"operate", supervisor::Right::operate}}) {
    auto client = fortress.connect_as(name);
    for (std::size_t verb = 0; verb < verbs().size(); ++verb) {
      const auto& [needed, ask] = verbs()[verb];
      INFO(name << ", verb " << verb);
      const std::string answer = ask(client);
      CHECK((answer == "protocol.not_permitted") == (right < needed));
      CHECK_FALSE(answer == "client.timeout");
    }
  }
}

TEST_CASE("a revoked key is refused on the connection that it has, and gets no other") {
  Fortress fortress;
  auto submitter = fortress.connect_as("submit");
  REQUIRE(submitter.ping().has_value());
  fortress.admit({"read", "operate"});
  CHECK(submitter.ping().has_value());  // until the file is read again
  auto operators = fortress.connect_as("operate");
  const auto changes = operators.reload();
  REQUIRE(changes.has_value());
  REQUIRE(changes->size() == 1);
  CHECK(changes->front().key() == "remote.clients");
  for (const auto& [needed, ask] : verbs()) CHECK(ask(submitter) == "protocol.unknown_key");
  CHECK(client::is_unreachable(fortress.connect_as("submit", 1'500).ping().error()));
  CHECK(fortress.connect_as("read").ping().has_value());
}

TEST_CASE("a file of clients that is wrong is refused whole, and the old one stays in force") {
  Fortress fortress;
  std::ofstream(fortress.path("clients")) << "eve operate not-a-key\n";
  auto operators = fortress.connect_as("operate");
  const auto refused = operators.reload();
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().name == "clients.line");
  CHECK(fortress.connect_as("read").ping().has_value());
}

TEST_CASE("what was recorded on the wire cannot be said again") {
  Fortress fortress;
  Wiretap tap(fortress.port());
  const auto operators_key = [&] { return fortress.connect_as("operate"); };
  auto watching = operators_key();
  const auto before = e2e::worker_on(watching, "synth-0");
  {
    auto keys = Fortress::new_keys();
    std::ofstream(fortress.path("clients"), std::ios::app) << "tapped operate " << keys.public_key << "\n";
    REQUIRE(watching.reload().has_value());
    const client::Address address{
        {}, {}, {}, ipc::ClientLink::Remote{tap.endpoint(), fortress.server().public_key, keys.secret_key}};
    auto tapped = client::Client::connect(address, 10'000);
    REQUIRE(tapped.has_value());
    REQUIRE(tapped->operate(ipc::Command::worker_restart, "synth-0").has_value());
  }
  REQUIRE(e2e::eventually([&] {
    const auto now = e2e::worker_on(watching, "synth-0");
    return now.epoch() == before.epoch() + 1 && now.state() == "ready";
  }));
  tap.stop();
  REQUIRE(tap.heard().size() > 500);
  CHECK(tap.heard().find("synth-0") == std::string::npos);  // nor is it readable
  play_again(fortress.port(), tap.heard());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  CHECK(e2e::worker_on(watching, "synth-0").epoch() == before.epoch() + 1);
}

TEST_CASE("a path of a remote client does not leave the roots, by dots, links or absolutely") {
  Fortress fortress;
  auto client = fortress.connect_as("submit");
  std::filesystem::create_symlink("/etc", fortress.path("link"));
  std::filesystem::create_symlink("/etc/passwd", fortress.path("file-link"));
  for (const std::string& path : {std::string("/etc/passwd"), fortress.path("../../etc/passwd"),
                                  fortress.path("link/passwd"), fortress.path("file-link"), std::string("etc/passwd"),
                                  std::string("/proc/self/environ"), fortress.path("clients/../../x")}) {
    v1::CircuitAddRequest add;
    add.set_circuit("stolen");
    add.set_key_path(path);
    v1::SubmitRequest submit;
    submit.set_job("stolen");
    submit.set_key_path(path);
    submit.add_partitions()->set_path(path);
    INFO(path);
    const auto refused = client.submit(submit);
    REQUIRE_FALSE(refused.has_value());
    CHECK((refused.error().code == ErrorCode::denied || refused.error().code == ErrorCode::not_found ||
           refused.error().code == ErrorCode::malformed));
    CHECK(refused.error().text.find("root:") == std::string::npos);
  }
  CHECK(client.list({})->empty());
}

TEST_CASE("a client with as many unfinished jobs as it may have gets 429, and another client does not") {
  Fortress fortress("max_jobs_per_client = 2");
  const auto files = e2e::make_circuit(fortress.path("circuit"), groth16::CurveId::bn254, 15, 1);
  auto client = fortress.connect_as("submit");
  e2e::add_circuit(client, "slow", files);
  for (const char* job : {"one", "two"})
    REQUIRE(client.submit(e2e::request_for(job, "slow", files.witnesses)).has_value());
  const auto third = client.submit(e2e::request_for("three", "slow", files.witnesses));
  REQUIRE_FALSE(third.has_value());
  CHECK(third.error().name == "quota.jobs");
  CHECK(third.error().code == ErrorCode::busy);
  CHECK(client.submit(e2e::request_for("two", "slow", files.witnesses)).has_value());  // the same again is no third
  auto local = e2e::connect(fortress.daemon());
  CHECK(local.submit(e2e::request_for("local", "slow", files.witnesses)).has_value());
  REQUIRE(client.cancel("one").has_value());
  CHECK(e2e::wait_for(client, "one").state() == v1::CANCELLED);
  CHECK(client.submit(e2e::request_for("three", "slow", files.witnesses)).has_value());
}

}  // namespace groth16d::security
