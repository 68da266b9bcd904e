// A supervisor for tests: real workers, spawned with a real lifeline and a real socket, and a test that says what they
// hear. It keeps every message until a test asks for it, and gives up after a minute so that nothing hangs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/unique_fd.hpp"
#include "ipc/lifeline.hpp"
#include "ipc/worker_channel.hpp"
#include "shm/last_words.hpp"
#include "shm/segment.hpp"
#include "tests/temporary_directory.hpp"

namespace groth16d::worker::test {

namespace v1 = groth16d::worker::v1;

// Whether the workers were built with failpoints; a test that needs one says so and is skipped without.
#ifdef GROTH16D_FAILPOINTS
inline constexpr bool kFailpoints = true;
#else
inline constexpr bool kFailpoints = false;
#endif

// One child. Destroying it kills and reaps it.
struct WorkerProcess {
  std::string slot;
  std::uint64_t epoch = 0;
  pid_t pid = -1;
  UniqueFd lifeline;
  UniqueFd words;

  WorkerProcess() = default;
  WorkerProcess(WorkerProcess&&) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess();

  void signal(int number) const;
  // The status of waitpid; fails the test when the child does not end within a minute.
  int wait_for_end();
};

// A memfd or file under the name that leases use.
struct TestSegment {
  std::uint64_t segment = 0;
  std::uint64_t generation = 1;
  UniqueFd fd;
  shm::SegmentKind kind = shm::SegmentKind::input;
  bool is_file = false;

  v1::Lease lease() const;
  std::vector<std::byte> used() const;  // a copy of what its header says is used
};

// Everything that a worker said about one assignment.
struct Answer {
  v1::Up result;  // the stage's result, CANCELLED or FAILED
  std::vector<std::uint64_t> released;
};

class FakeSupervisor {
 public:
  FakeSupervisor();

  // role: "load", "synth", "cpu", "final". failpoints: what GROTH16D_FAILPOINTS shall be.
  WorkerProcess spawn(const std::string& role, const std::string& failpoints = "");
  // The same, after HELLO, WELCOME and READY.
  WorkerProcess start(const std::string& role, const std::string& failpoints = "");
  void welcome(const WorkerProcess& worker, std::uint32_t heartbeat_ms = 100);

  TestSegment file(std::span<const std::byte> content);
  TestSegment segment(shm::SegmentKind kind, std::uint64_t payload_bytes, const std::string& job = "job",
                      std::uint32_t partition = 0);
  TestSegment filled_segment(shm::SegmentKind kind, std::span<const std::byte> content, const std::string& job = "job");

  void lease(const WorkerProcess& worker, const TestSegment& segment, ipc::LeaseMode mode);
  void read(const WorkerProcess& worker, const TestSegment& segment) {
    lease(worker, segment, ipc::LeaseMode::read_only);
  }
  void write(const WorkerProcess& worker, const TestSegment& segment) {
    lease(worker, segment, ipc::LeaseMode::read_write);
  }
  void give_file(const WorkerProcess& worker, const TestSegment& segment) {
    lease(worker, segment, ipc::LeaseMode::file);
  }

  // Sends `down` under the next number, which is returned.
  std::uint64_t assign(const WorkerProcess& worker, v1::Down down);
  void send(const WorkerProcess& worker, v1::Down down);

  // The next message of this worker that `wanted` accepts; earlier ones stay for later questions. Fails the test after
  // a minute.
  v1::Up hear(const WorkerProcess& worker, const std::function<bool(const v1::Up&)>& wanted);
  v1::Up hear(const WorkerProcess& worker, v1::Up::BodyCase body);
  // Nothing that `unwanted` accepts comes within this time.
  bool silent(const WorkerProcess& worker, v1::Up::BodyCase unwanted, std::chrono::milliseconds time);

  // The result of an assignment, its RELEASED messages, and READY behind them.
  Answer answer(const WorkerProcess& worker, std::uint64_t assignment);
  // assign() and answer().
  Answer perform(const WorkerProcess& worker, v1::Down down);

 private:
  void pump(std::chrono::milliseconds time);
  std::optional<v1::Up> take(const std::string& slot, const std::function<bool(const v1::Up&)>& wanted);

  TemporaryDirectory directory_;
  zmq::context_t context_;
  ipc::EndpointLock lock_;
  ipc::WorkerHub hub_;
  std::map<std::string, std::deque<v1::Up>> heard_;
  std::uint64_t next_epoch_ = 1;
  std::uint64_t next_segment_ = 1;
  std::uint64_t next_assignment_ = 1;
};

// The text of a failed answer, for assertions and for test logs: "name: text". Empty for a result.
std::string failure_text(const Answer& answer);

}  // namespace groth16d::worker::test
