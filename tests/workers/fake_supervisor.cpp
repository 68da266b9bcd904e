#include "tests/workers/fake_supervisor.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "common/posix.hpp"

namespace groth16d::worker::test {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Computing is never timed; this only ends a test that would wait for ever.
constexpr std::chrono::seconds kPatience{60};

template <class T>
T must(Result<T> result) {
  if (!result) FAIL(result.error().name << ": " << result.error().text);
  return std::move(*result);
}
void must(Result<void> result) {
  if (!result) FAIL(result.error().name << ": " << result.error().text);
}

// Away from the numbers that the child's descriptors get.
UniqueFd moved_up(int fd) {
  UniqueFd moved(::fcntl(fd, F_DUPFD_CLOEXEC, 10));
  REQUIRE(moved);
  return moved;
}

}  // namespace

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : slot(std::move(other.slot)),
      epoch(other.epoch),
      pid(std::exchange(other.pid, -1)),
      lifeline(std::move(other.lifeline)),
      words(std::move(other.words)) {}

WorkerProcess::~WorkerProcess() {
  if (pid <= 0) return;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

void WorkerProcess::signal(int number) const { REQUIRE(::kill(pid, number) == 0); }

int WorkerProcess::wait_for_end() {
  int status = 0;
  for (const auto limit = Clock::now() + kPatience; Clock::now() < limit;) {
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      pid = -1;
      return status;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  FAIL(slot << " does not end");
  return status;
}

v1::Lease TestSegment::lease() const {
  v1::Lease lease;
  lease.set_segment(segment);
  lease.set_generation(generation);
  return lease;
}

std::vector<std::byte> TestSegment::used() const {
  const auto mapping = must(shm::Mapping::map(fd.get(), shm::Access::read_only, {kind, segment, generation}));
  return {mapping.used().begin(), mapping.used().end()};
}

FakeSupervisor::FakeSupervisor()
    : lock_(must(ipc::EndpointLock::take(directory_.path()))), hub_(must(ipc::WorkerHub::bind(context_, lock_))) {}

WorkerProcess FakeSupervisor::spawn(const std::string& role, const std::string& failpoints) {
  WorkerProcess worker;
  worker.slot = role + "-0";
  worker.epoch = next_epoch_++;
  ipc::LifelinePair pair = must(ipc::make_lifeline());
  worker.lifeline = std::move(pair.supervisor);
  worker.words = must(shm::allocate_last_words());

  const UniqueFd child_lifeline = moved_up(pair.worker.get());
  const UniqueFd child_words = moved_up(worker.words.get());
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, child_lifeline.get(), 3);
  ::posix_spawn_file_actions_adddup2(&actions, child_words.get(), 4);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 5);

  std::vector<std::string> variables{"GROTH16D_SLOT=" + worker.slot, "GROTH16D_EPOCH=" + std::to_string(worker.epoch),
                                     "GROTH16D_WORKERS_SOCKET=" + (directory_ / ipc::kWorkersSocketName),
                                     "GROTH16D_FAILPOINTS=" + failpoints};
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);

  std::string program = std::string(GROTH16D_PROGRAMS) + "/groth16-" + role;
  std::array<char*, 2> arguments{program.data(), nullptr};
  const int error =
      ::posix_spawn(&worker.pid, program.c_str(), &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) FAIL("cannot start " << program << ": " << std::strerror(error));
  return worker;
}

WorkerProcess FakeSupervisor::start(const std::string& role, const std::string& failpoints) {
  WorkerProcess worker = spawn(role, failpoints);
  hear(worker, v1::Up::kHello);
  welcome(worker);
  hear(worker, v1::Up::kReady);
  return worker;
}

void FakeSupervisor::welcome(const WorkerProcess& worker, std::uint32_t heartbeat_ms) {
  v1::Down down;
  down.mutable_welcome()->set_heartbeat_ms(heartbeat_ms);
  down.mutable_welcome()->set_threads(2);
  send(worker, std::move(down));
}

TestSegment FakeSupervisor::file(std::span<const std::byte> content) {
  TestSegment made;
  made.segment = next_segment_++;
  made.is_file = true;
  const std::string path = directory_ / ("file-" + std::to_string(made.segment));
  made.fd = must(open_file(path, O_RDWR | O_CREAT | O_EXCL));
  must(write_all(made.fd.get(), content, path));
  return made;
}

TestSegment FakeSupervisor::segment(shm::SegmentKind kind, std::uint64_t payload_bytes, const std::string& job,
                                    std::uint32_t partition) {
  TestSegment made;
  made.segment = next_segment_++;
  made.kind = kind;
  shm::SegmentIdentity identity;
  identity.kind = kind;
  identity.segment = made.segment;
  identity.generation = made.generation;
  identity.job = job;
  identity.partition = partition;
  made.fd = must(shm::allocate_segment(identity, payload_bytes));
  return made;
}

TestSegment FakeSupervisor::filled_segment(shm::SegmentKind kind, std::span<const std::byte> content,
                                           const std::string& job) {
  TestSegment made = segment(kind, content.size(), job);
  auto mapping = must(shm::Mapping::map(made.fd.get(), shm::Access::read_write, {kind, made.segment, made.generation}));
  std::memcpy(mapping.writable_payload().data(), content.data(), content.size());
  must(mapping.set_used_bytes(content.size()));
  return made;
}

void FakeSupervisor::lease(const WorkerProcess& worker, const TestSegment& segment, ipc::LeaseMode mode) {
  ipc::LeaseMessage message;
  message.segment = segment.segment;
  message.generation = segment.generation;
  message.mode = mode;
  message.kind = segment.is_file ? 0 : static_cast<std::uint32_t>(segment.kind);
  if (mode == ipc::LeaseMode::read_only) {
    const UniqueFd read_only = must(shm::reopen_read_only(segment.fd.get()));
    return must(ipc::send_lease(worker.lifeline.get(), message, read_only.get()));
  }
  must(ipc::send_lease(worker.lifeline.get(), message, segment.fd.get()));
}

std::uint64_t FakeSupervisor::assign(const WorkerProcess& worker, v1::Down down) {
  down.set_assignment(next_assignment_);
  send(worker, std::move(down));
  return next_assignment_++;
}

void FakeSupervisor::send(const WorkerProcess& worker, v1::Down down) {
  if (down.slot().empty()) down.set_slot(worker.slot);
  if (down.epoch() == 0) down.set_epoch(worker.epoch);
  must(hub_.send(down));
}

void FakeSupervisor::pump(milliseconds time) {
  std::array<zmq::pollitem_t, 1> items{{{hub_.socket().handle(), 0, ZMQ_POLLIN, 0}}};
  zmq::poll(items.data(), items.size(), time);
  while (auto up = must(hub_.receive())) heard_[up->slot()].push_back(std::move(*up));
}

std::optional<v1::Up> FakeSupervisor::take(const std::string& slot, const std::function<bool(const v1::Up&)>& wanted) {
  std::deque<v1::Up>& messages = heard_[slot];
  for (auto at = messages.begin(); at != messages.end(); ++at) {
    if (!wanted(*at)) continue;
    v1::Up found = std::move(*at);
    messages.erase(at);
    return found;
  }
  return std::nullopt;
}

v1::Up FakeSupervisor::hear(const WorkerProcess& worker, const std::function<bool(const v1::Up&)>& wanted) {
  for (const auto limit = Clock::now() + kPatience; Clock::now() < limit; pump(milliseconds(20))) {
    if (auto found = take(worker.slot, [&](const v1::Up& up) { return up.epoch() == worker.epoch && wanted(up); })) {
      return std::move(*found);
    }
  }
  FAIL(worker.slot << " does not say what the test waits for");
  return {};
}

v1::Up FakeSupervisor::hear(const WorkerProcess& worker, v1::Up::BodyCase body) {
  return hear(worker, [body](const v1::Up& up) { return up.body_case() == body; });
}

bool FakeSupervisor::silent(const WorkerProcess& worker, v1::Up::BodyCase unwanted, milliseconds time) {
  for (const auto limit = Clock::now() + time; Clock::now() < limit;) pump(milliseconds(20));
  return !take(worker.slot, [&](const v1::Up& up) { return up.body_case() == unwanted; });
}

Answer FakeSupervisor::answer(const WorkerProcess& worker, std::uint64_t assignment) {
  Answer answer;
  answer.result = hear(
      worker, [&](const v1::Up& up) { return up.assignment() == assignment && !up.has_heartbeat() && !up.has_log(); });
  hear(worker, v1::Up::kReady);
  const auto of_assignment = [&](const v1::Up& up) { return up.has_released() && up.assignment() == assignment; };
  while (auto released = take(worker.slot, of_assignment)) {
    answer.released.push_back(released->released().segment());
  }
  return answer;
}

Answer FakeSupervisor::perform(const WorkerProcess& worker, v1::Down down) {
  return answer(worker, assign(worker, std::move(down)));
}

std::string failure_text(const Answer& answer) {
  if (!answer.result.has_failed()) return {};
  return answer.result.failed().name() + ": " + answer.result.failed().text();
}

}  // namespace groth16d::worker::test
