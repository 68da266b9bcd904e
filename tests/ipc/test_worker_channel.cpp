// Workers and supervisor talk, and a message for a dead incarnation reaches nobody.
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "ipc/limits.hpp"
#include "ipc/socket_options.hpp"
#include "ipc/worker_channel.hpp"
#include "tests/temporary_directory.hpp"

using namespace groth16d;
using namespace groth16d::ipc;

namespace {

struct Fixture {
  TemporaryDirectory directory;
  zmq::context_t context;
  EndpointLock lock = EndpointLock::take(directory.path()).value();
  WorkerHub hub = WorkerHub::bind(context, lock).value();

  WorkerLink link(const std::string& slot, std::uint64_t epoch) {
    return WorkerLink::connect(context, directory / kWorkersSocketName, slot, epoch).value();
  }

  // The next thing that the hub gets, waiting as the supervisor's loop does.
  Result<std::optional<Up>> next() {
    zmq::pollitem_t item{hub.socket().handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::chrono::milliseconds(5000));
    return hub.receive();
  }
};

Up hello(std::uint32_t pid) {
  Up up;
  up.mutable_hello()->set_pid(pid);
  return up;
}

Down welcome(const std::string& slot, std::uint64_t epoch) {
  Down down;
  down.set_slot(slot);
  down.set_epoch(epoch);
  down.mutable_welcome()->set_threads(2);
  return down;
}

}  // namespace

TEST_CASE("a worker's message arrives under its slot and epoch, and the answer finds it") {
  Fixture fixture;
  WorkerLink link = fixture.link("synth-0", 17);
  REQUIRE(link.send(hello(42)));
  const Up up = fixture.next().value().value();
  CHECK(up.slot() == "synth-0");
  CHECK(up.epoch() == 17);
  CHECK(up.hello().pid() == 42);
  CHECK_FALSE(fixture.hub.receive().value().has_value());

  REQUIRE(fixture.hub.send(welcome("synth-0", 17)));
  CHECK(link.receive(5000).value()->welcome().threads() == 2);
  CHECK_FALSE(link.receive(0).value().has_value());
}

TEST_CASE("a message to a stale epoch, or to a slot that never came, is unreachable") {
  Fixture fixture;
  WorkerLink link = fixture.link("gpu-0", 18);
  REQUIRE(link.send(hello(1)));
  REQUIRE(fixture.next().value().has_value());
  CHECK(fixture.hub.send(welcome("gpu-0", 17)).error().name == "worker.unreachable");
  CHECK(fixture.hub.send(welcome("gpu-1", 18)).error().name == "worker.unreachable");
  CHECK(fixture.hub.send(welcome("gpu-0", 18)));
  CHECK(link.receive(5000).value().has_value());
}

TEST_CASE("a worker that is gone becomes unreachable, and its successor is reached under the next epoch") {
  Fixture fixture;
  {
    WorkerLink first = fixture.link("gpu-0", 1);
    REQUIRE(first.send(hello(1)));
    REQUIRE(fixture.next().value().has_value());
  }
  WorkerLink second = fixture.link("gpu-0", 2);
  REQUIRE(second.send(hello(2)));
  CHECK(fixture.next().value()->epoch() == 2);
  Result<void> sent = fixture.hub.send(welcome("gpu-0", 1));
  for (int i = 0; i < 100 && sent; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    sent = fixture.hub.send(welcome("gpu-0", 1));
  }
  REQUIRE_FALSE(sent);
  CHECK(sent.error().name == "worker.unreachable");
  CHECK(fixture.hub.send(welcome("gpu-0", 2)));
}

TEST_CASE("a body of several frames arrives whole in both directions") {
  Fixture fixture;
  WorkerLink link = fixture.link("final-0", 1);
  Up up;
  up.mutable_assemble_done()->set_public_json(std::string(3 * kMaxFrameBytes, 'p'));
  REQUIRE(link.send(up));
  CHECK(fixture.next().value()->assemble_done().public_json().size() == 3 * kMaxFrameBytes);
  Down down = welcome("final-0", 1);
  down.mutable_assemble()->set_statement(std::string(2 * kMaxFrameBytes, 's'));
  REQUIRE(fixture.hub.send(down));
  CHECK(link.receive(5000).value()->assemble().statement().size() == 2 * kMaxFrameBytes);
}

TEST_CASE("a message that is not its sender's own, or no protobuf, is dropped by name and the next one arrives") {
  Fixture fixture;
  zmq::socket_t liar = make_dealer(fixture.context, worker_routing_id("cpu-0", 3)).value();
  liar.connect("ipc://" + (fixture.directory / kWorkersSocketName));
  const auto send = [&](const std::string& body) { REQUIRE(liar.send(zmq::buffer(body), zmq::send_flags::none)); };
  Up up = hello(1);
  up.set_slot("cpu-1");
  up.set_epoch(3);
  send(up.SerializeAsString());
  CHECK(fixture.next().error().name == "worker.message");
  send("\xff\xff\xff");
  CHECK(fixture.next().error().name == "worker.message");
  send("");
  CHECK(fixture.next().error().name == "worker.message");
  up.set_slot("cpu-0");
  send(up.SerializeAsString());
  CHECK(fixture.next().value().has_value());
}

TEST_CASE("a link without a supervisor waits its time and says so") {
  const TemporaryDirectory directory;
  zmq::context_t context;
  WorkerLink link = WorkerLink::connect(context, directory / "absent.sock", "synth-0", 1).value();
  CHECK_FALSE(link.receive(10).value().has_value());
  CHECK(link.send(hello(1)).error().name == "worker.no_supervisor");
}
