// Clients and supervisor talk; bad clients are told once and do no harm.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "common/unique_fd.hpp"
#include "ipc/client_channel.hpp"
#include "ipc/limits.hpp"
#include "ipc/socket_options.hpp"
#include "tests/temporary_directory.hpp"

using namespace groth16d;
using namespace groth16d::ipc;
using namespace groth16d::v1;

namespace {

const std::string kId = "0123456789abcdef";

bool readable(zmq::socket_t& socket, int timeout_ms = 5000) {
  zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
  return zmq::poll(&item, 1, std::chrono::milliseconds(timeout_ms)) > 0;
}

struct Fixture {
  TemporaryDirectory directory;
  zmq::context_t context;
  EndpointLock lock = EndpointLock::take(directory.path()).value();
  ClientHub hub = ClientHub::bind(context, lock).value();

  std::string socket_path() const { return directory / kClientSocketName; }

  Result<std::optional<ClientRequest>> next() {
    readable(hub.socket());
    return hub.receive();
  }

  // A client that speaks frames.
  zmq::socket_t raw(zmq::socket_type type = zmq::socket_type::dealer) {
    zmq::socket_t socket(context, type);
    socket.set(zmq::sockopt::linger, 0);
    socket.connect("ipc://" + socket_path());
    return socket;
  }
};

void send(zmq::socket_t& socket, const std::vector<std::string>& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto flags = i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    REQUIRE(socket.send(zmq::buffer(frames[i]), flags));
  }
}

std::vector<std::string> receive(zmq::socket_t& socket) {
  std::vector<std::string> frames;
  if (!readable(socket)) return frames;
  zmq::message_t frame;
  do {
    REQUIRE(socket.recv(frame));
    frames.push_back(frame.to_string());
  } while (frame.more());
  return frames;
}

// Answers `count` requests on a thread of its own, as the supervisor would.
template <class Answer>
std::thread serve(ClientHub& hub, int count, Answer answer) {
  return std::thread([&hub, count, answer] {
    for (int i = 0; i < count; ++i) {
      if (!readable(hub.socket())) return;
      auto request = hub.receive();
      if (request && *request) answer(hub, **request, i);
    }
  });
}

// A property of a ZMTP greeting.
std::string property(const std::string& name, const std::string& value) {
  return static_cast<char>(name.size()) + name + std::string(3, '\0') + static_cast<char>(value.size()) + value;
}

// A client that speaks ZMTP 3.0 itself and says more in its greeting than libzmq would.
class Liar {
 public:
  Liar(const std::string& path, const std::string& more) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const std::string body = "\x05READY" + property("Socket-Type", "DEALER") + more;
    tell("\xff" + std::string(7, '\0') + "\x01\x7f\x03" + '\0' + "NULL" + std::string(48, '\0') + "\x04" +
         static_cast<char>(body.size()) + body);
    std::string heard;
    std::array<char, 256> piece{};
    while (heard.find("READY") == std::string::npos) {
      const ssize_t got = ::read(socket_.get(), piece.data(), piece.size());
      REQUIRE(got > 0);
      heard.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

  void send(const std::vector<std::string>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i)
      tell(std::string(1, i + 1 < frames.size() ? '\x01' : '\0') + static_cast<char>(frames[i].size()) + frames[i]);
  }

 private:
  void tell(const std::string& bytes) {
    REQUIRE(::write(socket_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }

  UniqueFd socket_;
};

JobRequest job(const std::string& name) {
  JobRequest request;
  request.set_job(name);
  return request;
}

}  // namespace

TEST_CASE("a call is answered, with its payload delivered frame by frame") {
  Fixture fixture;
  ClientLink link = ClientLink::connect(fixture.context, fixture.socket_path()).value();
  std::vector<std::size_t> sizes;
  std::thread server = serve(fixture.hub, 1, [&sizes](ClientHub& hub, const ClientRequest& request, int) {
    for (const zmq::message_t& frame : request.payload) sizes.push_back(frame.size());
    SubmitReply reply;
    *reply.mutable_status() = make_status(202);
    reply.set_job(request_body<SubmitRequest>(request).value().job());
    static_cast<void>(hub.reply(request.from, reply));
  });
  SubmitRequest submit;
  submit.set_job("job-a");
  const std::string witness(2 * kMaxFrameBytes + 5, 'w');
  const auto reply = link.call<SubmitReply>(Command::submit, submit, 5000, cut_payload(witness));
  server.join();
  REQUIRE(reply);
  CHECK(reply->status().code() == 202);
  CHECK(reply->job() == "job-a");
  CHECK(sizes == std::vector<std::size_t>{kMaxFrameBytes, kMaxFrameBytes, 5});
}

TEST_CASE("a reply larger than a frame arrives whole") {
  Fixture fixture;
  ClientLink link = ClientLink::connect(fixture.context, fixture.socket_path()).value();
  std::thread server = serve(fixture.hub, 1, [](ClientHub& hub, const ClientRequest& request, int) {
    ResultReply reply;
    reply.add_partitions()->set_public_json(std::string(3 * kMaxFrameBytes, 'p'));
    static_cast<void>(hub.reply(request.from, reply));
  });
  const auto reply = link.call<ResultReply>(Command::result, job("job-a"), 5000);
  server.join();
  REQUIRE(reply);
  CHECK(reply->partitions(0).public_json().size() == 3 * kMaxFrameBytes);
}

TEST_CASE("an error arrives as it was made, whatever reply the caller expects") {
  Fixture fixture;
  ClientLink link = ClientLink::connect(fixture.context, fixture.socket_path()).value();
  const Error error{ErrorCode::busy, "queue.full", "12 jobs are queued"};
  std::thread server = serve(fixture.hub, 1, [&error](ClientHub& hub, const ClientRequest& request, int) {
    static_cast<void>(hub.reply_failure(request.from, error, 700));
  });
  const auto reply = link.call<JobStatusReply>(Command::status, job("job-a"), 5000);
  server.join();
  REQUIRE(reply);
  CHECK(reply->status().code() == 429);
  CHECK(reply->status().retry_after_ms() == 700);
  CHECK(error_of(reply->status()).code == ErrorCode::busy);
  CHECK(error_of(reply->status()).name == "queue.full");
  CHECK(error_of(reply->status()).text == error.text);
}

TEST_CASE("a late reply to an earlier request is not taken for this one's") {
  Fixture fixture;
  ClientLink link = ClientLink::connect(fixture.context, fixture.socket_path()).value();
  CHECK(link.call<JobStatusReply>(Command::status, job("early"), 50).error().name == "client.timeout");
  std::thread server = serve(fixture.hub, 2, [](ClientHub& hub, const ClientRequest& request, int) {
    JobStatusReply reply;
    reply.mutable_job()->set_job(request_body<JobRequest>(request).value().job());
    static_cast<void>(hub.reply(request.from, reply));
  });
  const auto reply = link.call<JobStatusReply>(Command::status, job("later"), 5000);
  server.join();
  REQUIRE(reply);
  CHECK(reply->job().job() == "later");
}

TEST_CASE("a request that was lost with the daemon is sent again, under the same id") {
  Fixture fixture;
  ClientLink link = ClientLink::connect(fixture.context, fixture.socket_path(), 100).value();
  std::vector<RequestId> ids;
  std::thread server = serve(fixture.hub, 2, [&ids](ClientHub& hub, const ClientRequest& request, int turn) {
    ids.push_back(request.from.envelope.request);
    if (turn == 1) static_cast<void>(hub.reply(request.from, PlainReply()));
  });
  CHECK(link.call<PlainReply>(Command::ping, DaemonRequest(), 9000));
  server.join();
  REQUIRE(ids.size() == 2);
  CHECK(ids[0] == ids[1]);
}

TEST_CASE("without a daemon the call says so after its time") {
  const TemporaryDirectory directory;
  zmq::context_t context;
  ClientLink link = ClientLink::connect(context, directory / "absent.sock").value();
  CHECK(link.call<PlainReply>(Command::ping, DaemonRequest(), 30).error().name == "client.no_daemon");
}

TEST_CASE("what the daemon would refuse is not even sent") {
  Fixture fixture;
  ClientLink link = ClientLink::connect(fixture.context, fixture.socket_path()).value();
  const std::vector<std::string> one_too_large = {std::string(kMaxFrameBytes + 1, 'x')};
  CHECK(link.call<PlainReply>(Command::submit, SubmitRequest(), 100, one_too_large).error().name ==
        "protocol.frame_too_large");
  const std::vector<std::string> too_many(kMaxFrames, "x");
  CHECK(link.call<PlainReply>(Command::submit, SubmitRequest(), 100, too_many).error().name ==
        "protocol.too_many_frames");
}

TEST_CASE("a REQ socket is served, delimiter and all") {
  Fixture fixture;
  zmq::socket_t req = fixture.raw(zmq::socket_type::req);
  send(req, {"G16C01", "\x07", kId, ""});
  const ClientRequest request = fixture.next().value().value();
  CHECK(request.command == Command::ping);
  REQUIRE(fixture.hub.reply(request.from, PlainReply()));
  CHECK(receive(req) == std::vector<std::string>{"G16C01", "\x07", kId, ""});
}

TEST_CASE("another major version gets one ERROR, then silence; what is no G16C gets silence") {
  Fixture fixture;
  zmq::socket_t client = fixture.raw();
  send(client, {"G16C02", "\x01", kId, ""});
  CHECK(fixture.next().error().name == "protocol.major");
  const auto reply = receive(client);
  REQUIRE(reply.size() == 4);
  CHECK(reply[0] == "G16C01");
  CHECK(reply[1] == std::string(1, '\0'));
  CHECK(reply[2] == kId);
  PlainReply body;
  REQUIRE(body.ParseFromString(reply[3]));
  CHECK(body.status().code() == 400);
  CHECK(body.status().failure().name() == "protocol.major");

  send(client, {"G16C02", "\x01", kId, ""});
  CHECK(fixture.next().error().name == "protocol.major");
  send(client, {"hello"});
  CHECK(fixture.next().error().name == "protocol.foreign");
  CHECK_FALSE(readable(client, 100));
}

TEST_CASE("a malformed request is answered 400 and too many frames 413, and the client is served on") {
  Fixture fixture;
  zmq::socket_t client = fixture.raw();
  const auto status_of_reply = [&] {
    PlainReply body;
    const auto frames = receive(client);
    return !frames.empty() && body.ParseFromString(frames.back()) ? body.status().code() : 0;
  };
  send(client, {"G16C01", "\xfe", kId, ""});
  CHECK(fixture.next().error().name == "protocol.command");
  CHECK(status_of_reply() == 400);
  std::vector<std::string> many = {"G16C01", "\x01", kId, ""};
  many.resize(5000, "x");
  send(client, many);
  CHECK(fixture.next().error().name == "protocol.too_many_frames");
  CHECK(status_of_reply() == 413);
  send(client, {"G16C01", "\x07", kId, ""});
  CHECK(fixture.next().value().has_value());
}

TEST_CASE("a body that is not the command's is an error of the request, not of the hub") {
  Fixture fixture;
  zmq::socket_t client = fixture.raw();
  send(client, {"G16C01", "\x02", kId, "\xff\xff"});
  const ClientRequest request = fixture.next().value().value();
  CHECK(request_body<JobRequest>(request).error().name == "protocol.body");
}

TEST_CASE("a reply to a client that has gone is an error, not a crash") {
  Fixture fixture;
  std::optional<ClientRequest> request;
  {
    zmq::socket_t client = fixture.raw();
    send(client, {"G16C01", "\x07", kId, ""});
    request = fixture.next().value();
  }
  Result<void> sent = fixture.hub.reply(request->from, PlainReply());
  for (int i = 0; i < 100 && sent; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    sent = fixture.hub.reply(request->from, PlainReply());
  }
  REQUIRE_FALSE(sent);
  CHECK(sent.error().name == "client.gone");
}

TEST_CASE("a request tells the user who connected, though the connection is closed before it is read") {
  Fixture fixture;
  {
    zmq::socket_t client = fixture.raw();
    send(client, {"G16C01", "\x07", kId, ""});
    REQUIRE(readable(fixture.hub.socket()));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // for the hub to close its side
  const ClientRequest request = fixture.next().value().value();
  CHECK(request.user == ::geteuid());
  CHECK(request.key.empty());
}

TEST_CASE("no greeting can say which user or key it is of") {
  Fixture fixture;
  Liar client(fixture.socket_path(), property("Peer-Address", "localhost:4242:0:1") + property("User-Id", "mallory"));
  client.send({"G16C01", "\x07", kId, ""});
  const ClientRequest request = fixture.next().value().value();
  CHECK(request.user == ::geteuid());
  CHECK(request.key.empty());
}

TEST_CASE("every error code survives its way through a status") {
  for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
    const Error error{static_cast<ErrorCode>(code), "a.name", "a text"};
    const Status status = make_status(error);
    CHECK(status.code() >= 400);
    CHECK(error_of(status).code == error.code);
  }
}

TEST_CASE("a subscriber gets the events of its topic and not those of a longer name") {
  const TemporaryDirectory directory;
  zmq::context_t context;
  const EndpointLock lock = EndpointLock::take(directory.path()).value();
  EventPublisher publisher = EventPublisher::bind(context, lock).value();
  EventSubscriber one = EventSubscriber::connect(context, directory / kEventsSocketName, "job.a").value();
  EventSubscriber all_jobs = EventSubscriber::connect(context, directory / kEventsSocketName, "job.").value();
  Event event;
  // PUB drops until it has learnt of the subscription.
  std::optional<Event> first;
  std::optional<Event> first_of_all;
  for (int i = 0; i < 200 && !(first && first_of_all); ++i) {
    event.set_job("warm-up");
    REQUIRE(publisher.publish("job.a", event));
    if (!first) first = one.receive(10).value();
    if (!first_of_all) first_of_all = all_jobs.receive(10).value();
  }
  REQUIRE((first && first_of_all));
  for (const char* name : {"slot.x", "job.ab", "job.a"}) {
    event.set_job(name);
    REQUIRE(publisher.publish(name, event));
  }
  const auto next_named = [](EventSubscriber& subscriber) {
    auto got = subscriber.receive(5000).value();
    while (got && got->job() == "warm-up") got = subscriber.receive(5000).value();
    return got ? got->job() : "";
  };
  CHECK(next_named(one) == "job.a");
  CHECK(next_named(all_jobs) == "job.ab");
  CHECK(next_named(all_jobs) == "job.a");
}
