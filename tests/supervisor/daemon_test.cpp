// The program groth16d as its operator and its clients meet it: exit codes, locks, signals, and traffic of any kind.
#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/client_channel.hpp"
#include "tests/supervisor/scratch_folder.hpp"

using namespace groth16d;
using namespace std::chrono_literals;

namespace {

// One run of the program; killed with the test.
class Program {
 public:
  Program(const ScratchFolder& folder, std::vector<std::string> arguments)
      : output_(folder / ("output-" + std::to_string(next_++))) {
    arguments.insert(arguments.begin(), GROTH16D_PROGRAM);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int file = ::open(output_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(file, 1);
    ::dup2(file, 2);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }

  void signal(int number) const { REQUIRE(::kill(pid_, number) == 0); }

  // The exit code, or 128 + the signal; -1 when it still runs after a generous while.
  int wait() {
    for (int turn = 0; turn < 3'000; ++turn) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      std::this_thread::sleep_for(10ms);
    }
    return -1;
  }

  std::string output() const {
    std::stringstream text;
    text << std::ifstream(output_).rdbuf();
    return text.str();
  }

 private:
  static inline int next_ = 0;
  std::filesystem::path output_;
  pid_t pid_ = -1;
};

std::vector<std::string> folders(const ScratchFolder& folder) {
  return {"--state-dir", folder / "state",       "--runtime-dir", folder / "run",
          "--root",      folder.path().string(), "--budget",      "2 GiB"};
}

std::string client_socket(const ScratchFolder& folder) { return folder / "run" / "client.sock"; }

template <class Reply, class Request>
Reply ask(const ScratchFolder& folder, ipc::Command command, const Request& request,
          const char* socket = "client.sock") {
  zmq::context_t context;
  auto link = ipc::ClientLink::connect(context, folder / "run" / socket);
  REQUIRE(link);
  auto reply = link->call<Reply>(command, request, 30'000);
  INFO((reply ? "" : reply.error().text));
  REQUIRE(reply);
  return *reply;
}

bool answers(const ScratchFolder& folder) {
  return ask<v1::PlainReply>(folder, ipc::Command::ping, v1::DaemonRequest{}).status().code() == 200;
}

bool readable_within(int descriptor, int timeout_ms) {
  pollfd item{descriptor, POLLIN, 0};
  return ::poll(&item, 1, timeout_ms) == 1;
}

}  // namespace

TEST_CASE("a good configuration is said to be good, a bad one is exit 78 with its line") {
  const ScratchFolder folder;
  std::ofstream(folder / "good.toml") << "budget = \"1 GiB\"\n";
  std::ofstream(folder / "bad.toml") << "budget = \"1 GiB\"\nslot = 3\n";
  Program good(folder, {"--config", folder / "good.toml", "--check-config"});
  CHECK(good.wait() == 0);
  Program bad(folder, {"--config", folder / "bad.toml", "--check-config"});
  CHECK(bad.wait() == 78);
  CHECK(bad.output().find("bad.toml:2: slot") != std::string::npos);
  std::ofstream(folder / "small.toml") << "budget = \"1 MiB\"\n";
  Program small(folder, {"--config", folder / "small.toml", "--check-config"});
  CHECK(small.wait() == 78);
  CHECK(small.output().find("small.toml: a budget of 1048576 bytes") != std::string::npos);
  Program missing(folder, {"--config", folder / "none.toml"});
  CHECK(missing.wait() == 78);
  Program unknown(folder, {"--no-such-flag"});
  CHECK(unknown.wait() == 78);
  Program version(folder, {"--version"});
  CHECK(version.wait() == 0);
}

TEST_CASE("a second supervisor on the state or runtime directory exits 78 before it binds, and the first goes on") {
  const ScratchFolder folder;
  Program first(folder, folders(folder));
  REQUIRE(answers(folder));
  Program same_state(folder, {"--state-dir", folder / "state", "--runtime-dir", folder / "run2"});
  CHECK(same_state.wait() == 78);
  CHECK_FALSE(std::filesystem::exists(folder / "run2" / "client.sock"));
  Program same_runtime(folder, {"--state-dir", folder / "state2", "--runtime-dir", folder / "run"});
  CHECK(same_runtime.wait() == 78);
  CHECK(answers(folder));
}

TEST_CASE(
    "SIGTERM ends it with 0, SIGHUP ends nothing and advises, SIGKILL leaves a state that the next start takes over") {
  const ScratchFolder folder;
  {
    Program killed(folder, folders(folder));
    REQUIRE(answers(folder));
    killed.signal(SIGKILL);
    CHECK(killed.wait() == 128 + SIGKILL);
  }
  Program daemon(folder, folders(folder));
  REQUIRE(answers(folder));
  daemon.signal(SIGHUP);
  CHECK(answers(folder));
  daemon.signal(SIGTERM);
  CHECK(daemon.wait() == 0);
  CHECK(daemon.output().find("SIGHUP changes nothing") != std::string::npos);
}

TEST_CASE("a reload of a bad file changes nothing and names its line, of a good one is in force when it returns") {
  const ScratchFolder folder;
  const std::string file = folder / "groth16d.toml";
  const auto write = [&](const std::string& text) { std::ofstream(file, std::ios::trunc) << text; };
  write("budget = \"2 GiB\"\nlog_level = \"info\"\n");
  Program daemon(folder, {"--config", file, "--state-dir", folder / "state", "--runtime-dir", folder / "run"});
  REQUIRE(answers(folder));
  const auto reload = [&] {
    return ask<v1::ReloadReply>(folder, ipc::Command::reload, v1::ReloadRequest{}, "operator.sock");
  };
  const auto budget = [&] {
    return ask<v1::DaemonStatusReply>(folder, ipc::Command::daemon_status, v1::DaemonRequest{})
        .daemon()
        .budget_total_bytes();
  };

  write("budget = \"3 GiB\"\nlog_level = \"loud\"\n");
  auto verdict = reload();
  CHECK(verdict.status().code() == 400);
  CHECK(verdict.status().failure().text().find("groth16d.toml:2: log_level") != std::string::npos);
  CHECK(budget() == std::uint64_t{2} << 30);

  write("budget = \"3 GiB\"\n[slots]\nsynth = 2\n");
  verdict = reload();
  CHECK(verdict.status().code() == 409);
  CHECK(verdict.status().failure().name() == "config.needs_restart");
  CHECK(budget() == std::uint64_t{2} << 30);

  write("budget = \"1 MiB\"\n");  // less than the workers rest with
  verdict = reload();
  CHECK(verdict.status().code() == 400);
  CHECK(verdict.status().failure().name() == "config.core");
  CHECK(budget() == std::uint64_t{2} << 30);

  write("budget = \"3 GiB\"\nlog_level = \"debug\"\n");
  verdict = reload();
  CHECK(verdict.status().code() == 200);
  CHECK(verdict.changes_size() == 2);
  CHECK(budget() == std::uint64_t{3} << 30);
  CHECK(reload().changes().empty());
  CHECK(daemon.output().find("reload: budget: 2 GiB -> 3 GiB") != std::string::npos);
}

TEST_CASE("a private daemon ends with the process that started it") {
  const ScratchFolder folder;
  const pid_t parent = ::fork();
  if (parent == 0) {
    std::vector<std::string> words = folders(folder);
    words.insert(words.begin(), {GROTH16D_PROGRAM, "--private"});
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    if (::fork() == 0) {
      const int null = ::open("/dev/null", O_RDWR);
      ::dup2(null, 1);
      ::dup2(null, 2);
      ::execv(pointers[0], pointers.data());
    }
    ::pause();
    ::_exit(0);
  }
  const auto status = ask<v1::DaemonStatusReply>(folder, ipc::Command::daemon_status, v1::DaemonRequest{});
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, status.daemon().pid(), 0));
  REQUIRE(pidfd >= 0);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  CHECK(readable_within(pidfd, 30'000));
  ::close(pidfd);
}

TEST_CASE("requests that break a rule are answered by the rule's name, and unknown things are 404") {
  const ScratchFolder folder;
  Program daemon(folder, folders(folder));
  v1::SubmitRequest submit;
  submit.set_job("no/slash");
  submit.set_circuit("c");
  submit.add_partitions()->set_path(folder / "w.wtns");
  auto refused = ask<v1::SubmitReply>(folder, ipc::Command::submit, submit);
  CHECK(refused.status().code() == 400);
  CHECK(refused.status().failure().name() == "request.name");

  submit.set_job("a");
  submit.mutable_partitions(0)->set_path("/etc/passwd");
  refused = ask<v1::SubmitReply>(folder, ipc::Command::submit, submit);
  CHECK(refused.status().code() == 400);
  CHECK(refused.status().failure().name() == "path.outside_root");

  submit.mutable_partitions(0)->set_path(folder / "none.wtns");
  CHECK(ask<v1::SubmitReply>(folder, ipc::Command::submit, submit).status().code() == 404);
  std::ofstream(folder / "w.wtns") << "w";
  submit.mutable_partitions(0)->set_path(folder / "w.wtns");
  refused = ask<v1::SubmitReply>(folder, ipc::Command::submit, submit);
  CHECK(refused.status().failure().name() == "circuit.unknown");

  v1::JobRequest job;
  job.set_job("a");
  for (const ipc::Command command :
       {ipc::Command::status, ipc::Command::result, ipc::Command::cancel, ipc::Command::logs})
    CHECK(ask<v1::PlainReply>(folder, command, job).status().code() == 404);
  CHECK(ask<v1::PlainReply>(folder, ipc::Command::close, job).status().code() == 200);  // idempotent
  v1::CircuitRequest circuit;
  circuit.set_circuit("c");
  CHECK(ask<v1::CircuitReply>(folder, ipc::Command::circuit_list, circuit).status().code() == 404);
  CHECK(ask<v1::CircuitReply>(folder, ipc::Command::circuit_remove, circuit).status().code() == 404);
  CHECK(ask<v1::ListReply>(folder, ipc::Command::list, v1::ListRequest{}).jobs().empty());
}

TEST_CASE("random frames, foreign protocols, truncated bodies and too many frames kill nobody") {
  const ScratchFolder folder;
  Program daemon(folder, folders(folder));
  REQUIRE(answers(folder));
  const std::uint32_t seed = 20240517;
  std::mt19937 random(seed);
  zmq::context_t context;
  const std::string endpoint = "ipc://" + client_socket(folder);
  const auto bytes = [&](std::size_t most) {
    std::string text(random() % (most + 1), '\0');
    for (char& letter : text) letter = static_cast<char>(random());
    return text;
  };
  for (int message = 0; message < 400; ++message) {
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 200);
    socket.connect(endpoint);
    std::vector<std::string> frames;
    switch (message % 5) {
      case 0:
        for (std::size_t frame = 0; frame < 1 + random() % 6; ++frame) frames.push_back(bytes(300));
        break;
      case 1:
        frames = {"G16C02", "\x07", bytes(16), ""};
        break;
      case 2:
        frames = {"G16C01", std::string(1, static_cast<char>(random())), std::string(16, 'r'), bytes(200)};
        break;
      case 3:
        frames.assign(200, "G16C01");
        break;
      default:
        frames = {"G16C01", "\x01", std::string(16, 'r'), bytes(200), bytes(5'000)};
        break;
    }
    for (std::size_t frame = 0; frame < frames.size(); ++frame)
      socket.send(zmq::buffer(frames[frame]),
                  frame + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
  CHECK(answers(folder));
  daemon.signal(SIGTERM);
  CHECK(daemon.wait() == 0);
}
