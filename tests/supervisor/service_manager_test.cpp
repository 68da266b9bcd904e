// The program groth16d as systemd meets it: what it says to NOTIFY_SOCKET, and when; and a clients' socket that it did
// not make.
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/unique_fd.hpp"
#include "ipc/client_channel.hpp"
#include "tests/supervisor/scratch_folder.hpp"

using namespace groth16d;
using namespace std::chrono_literals;

namespace {

UniqueFd unix_socket(int type, const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  if (type == SOCK_STREAM) REQUIRE(::listen(socket.get(), 16) == 0);
  return socket;
}

// Starts the daemon with NOTIFY_SOCKET and, where there is one, a listening socket named "client"; reads what it says.
class ServiceManager {
 public:
  explicit ServiceManager(const ScratchFolder& folder)
      : folder_(folder), notify_(unix_socket(SOCK_DGRAM, folder / "notify")) {}
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;
  ~ServiceManager() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }

  void start(int listening = -1) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setenv("NOTIFY_SOCKET", (folder_ / "notify").c_str(), 1);
    if (listening >= 0) {
      if (listening == 3)
        ::fcntl(3, F_SETFD, 0);
      else
        ::dup2(listening, 3);
      ::setenv("LISTEN_FDS", "1", 1);
      ::setenv("LISTEN_FDNAMES", "client", 1);
      ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    }
    const int log = ::open((folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(log, 2);
    const std::string state = folder_ / "state", run = folder_ / "run";
    ::execl(GROTH16D_PROGRAM, GROTH16D_PROGRAM, "--state-dir", state.c_str(), "--runtime-dir", run.c_str(), "--budget",
            "2 GiB", static_cast<char*>(nullptr));
    ::_exit(127);
  }

  // Everything that was said until a message holds `word`, which is its last; fails after a generous while.
  std::vector<std::string> said_until(const std::string& word) {
    std::vector<std::string> messages;
    for (;;) {
      pollfd readable{notify_.get(), POLLIN, 0};
      REQUIRE(::poll(&readable, 1, 60'000) == 1);
      std::string message(4096, '\0');
      const ssize_t length = ::recv(notify_.get(), message.data(), message.size(), 0);
      REQUIRE(length > 0);
      message.resize(static_cast<std::size_t>(length));
      messages.push_back(message);
      if (message.find(word) != std::string::npos) return messages;
    }
  }

  int stop() {
    ::kill(pid_, SIGTERM);
    return wait();
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  const ScratchFolder& folder_;
  UniqueFd notify_;
  pid_t pid_ = -1;
};

bool holds(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

std::optional<v1::DaemonStatusReply> ask_for_status(const ScratchFolder& folder) {
  zmq::context_t context;
  auto link = ipc::ClientLink::connect(context, folder / "run" / "client.sock");
  if (!link) return std::nullopt;
  auto reply = link->call<v1::DaemonStatusReply>(ipc::Command::daemon_status, v1::DaemonRequest{}, 60'000);
  if (!reply) return std::nullopt;
  return *reply;
}

// 0: no answer.
std::uint32_t answer_code(const ScratchFolder& folder) {
  const auto reply = ask_for_status(folder);
  return reply ? reply->status().code() : 0;
}

}  // namespace

TEST_CASE("READY comes when a slot of each role has been ready, with a status, and time is asked for before") {
  const ScratchFolder folder;
  ServiceManager manager(folder);
  manager.start();
  const auto said = manager.said_until("READY=1");
  CHECK(holds(said.front(), "STATUS=starting"));
  CHECK(holds(said.front(), "EXTEND_TIMEOUT_USEC="));
  CHECK(holds(said.back(), "STATUS=ready"));
  const auto status = ask_for_status(folder);
  REQUIRE(status);
  for (const auto& worker : status->daemon().workers()) CHECK((worker.state() == "ready" || worker.state() == "busy"));

  CHECK(manager.stop() == 0);
  const auto at_the_end = manager.said_until("STOPPING=1");
  CHECK(holds(at_the_end.back(), "STATUS=draining"));
  CHECK(holds(at_the_end.back(), "EXTEND_TIMEOUT_USEC="));
  for (const auto& message : at_the_end) CHECK_FALSE(holds(message, "READY=1"));
}

TEST_CASE("a clients' socket of the service manager is taken over as it is, and outlives the daemon") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "run");
  const std::string path = folder / "run" / "client.sock";
  const UniqueFd listening = unix_socket(SOCK_STREAM, path);
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  ServiceManager manager(folder);

  // A client that comes before the daemon waits for it. The daemon ends with the thread that forked it: that is this
  // one.
  auto early = std::async(std::launch::async, [&] { return answer_code(folder); });
  std::this_thread::sleep_for(200ms);
  manager.start(listening.get());
  CHECK(early.get() == 200);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);

  CHECK(manager.stop() == 0);
  CHECK(std::filesystem::is_socket(path));
  manager.start(listening.get());
  CHECK(answer_code(folder) == 200);
  CHECK(manager.stop() == 0);
}

TEST_CASE("a socket that listens elsewhere is refused as a configuration, and named") {
  const ScratchFolder folder;
  const UniqueFd elsewhere = unix_socket(SOCK_STREAM, folder / "elsewhere.sock");
  ServiceManager manager(folder);
  manager.start(elsewhere.get());
  CHECK(manager.wait() == 78);
  std::ifstream log(folder / "log");
  const std::string text((std::istreambuf_iterator<char>(log)), {});
  CHECK(holds(text, "elsewhere.sock\", expected "));
}
