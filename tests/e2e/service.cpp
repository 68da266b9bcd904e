#include "tests/e2e/service.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>

#include "common/posix.hpp"
#include "tests/e2e/run_program.hpp"

namespace groth16d::e2e {
namespace {

constexpr int kFirstPassed = 3;  // SD_LISTEN_FDS_START
constexpr int kAside = 200;      // above every number that a child is given
constexpr std::uint64_t kMostLog = std::uint64_t{64} << 20;

// Its digits are written after the fork, in a child that may not allocate.
constexpr char kListenPid[] = "LISTEN_PID=          ";

void write_pid(char* digits, pid_t pid) {
  std::array<char, 10> reversed{};
  int count = 0;
  for (auto rest = static_cast<unsigned>(pid); rest > 0; rest /= 10)
    reversed[static_cast<std::size_t>(count++)] = static_cast<char>('0' + rest % 10);
  for (int i = 0; i < count; ++i) digits[i] = reversed[static_cast<std::size_t>(count - 1 - i)];
  digits[count] = '\0';
}

[[noreturn]] void become_daemon(char* const* arguments, char* const* environment, char* listen_pid,
                                const std::vector<int>& passed, int log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(log, STDERR_FILENO);
  ::dup2(log, STDOUT_FILENO);
  for (std::size_t i = 0; i < passed.size(); ++i) ::dup2(passed[i], kFirstPassed + static_cast<int>(i));
  ::close_range(kFirstPassed + static_cast<unsigned>(passed.size()), ~0U, 0);
  write_pid(listen_pid, ::getpid());
  ::execve(arguments[0], arguments, environment);
  ::_exit(127);
}

std::vector<UniqueFd> descriptors_in(msghdr& message) {
  std::vector<UniqueFd> descriptors;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t i = 0; i < (part->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  return descriptors;
}

std::map<std::string, std::string> fields_of(const std::string& message) {
  std::map<std::string, std::string> fields;
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);)
    if (const auto equals = line.find('='); equals != std::string::npos)
      fields[line.substr(0, equals)] = line.substr(equals + 1);
  return fields;
}

}  // namespace

Service::Service(ServiceOptions options) : options_(std::move(options)) {
  for (const char* part : {"state", "run", "cache"}) REQUIRE(::mkdir((folder_.path() / part).c_str(), 0700) == 0);
  socket_ = UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder_.path() / "notify";
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  REQUIRE(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  listener_ = std::thread([this] { listen(); });
}

Service::~Service() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  wait_for_end();
  ::shutdown(socket_.get(), SHUT_RDWR);
  listener_.join();
}

void Service::listen() {
  std::array<char, 4096> text{};
  for (;;) {
    iovec data{text.data(), text.size()};
    alignas(cmsghdr) std::array<char, 4096> control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    if (got <= 0) return;  // shut
    hear({text.data(), static_cast<std::size_t>(got)}, descriptors_in(message));
  }
}

// A barrier's descriptor is answered by being closed, as every one that is not kept.
void Service::hear(const std::string& message, std::vector<UniqueFd> descriptors) {
  const auto fields = fields_of(message);
  if (!options_.descriptors || !fields.contains("FDNAME")) return;
  const std::lock_guard lock(mutex_);
  const std::string& name = fields.at("FDNAME");
  if (fields.contains("FDSTOREREMOVE")) store_.erase(name);
  if (!fields.contains("FDSTORE")) return;
  for (UniqueFd& descriptor : descriptors) store_.emplace(name, std::move(descriptor));
}

void Service::start() {
  REQUIRE(pid_ < 0);
  std::vector<std::string> words{program("groth16d"), "--state-dir",          folder_.path() / "state",
                                 "--runtime-dir",     folder_.path() / "run", "--root",
                                 options_.root};
  if (options_.cache)
    words.insert(words.end(), {"--cache-dir", cache()});
  else
    words.emplace_back("--private");
  words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());

  std::vector<int> passed;
  std::string names;
  std::vector<UniqueFd> aside;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, descriptor] : store_) {
      names += (names.empty() ? "" : ":") + name;
      aside.emplace_back(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kAside));
      passed.push_back(aside.back().get());
    }
  }
  std::vector<std::string> variables{"NOTIFY_SOCKET=" + (folder_.path() / "notify").string(),
                                     "LISTEN_FDS=" + std::to_string(passed.size()), "LISTEN_FDNAMES=" + names,
                                     kListenPid};
  for (const char* name : {"PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "GROTH16D_FAILPOINTS"})
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);

  std::vector<char*> arguments, environment;
  for (std::string& word : words) arguments.push_back(word.data());
  for (std::string& variable : variables) environment.push_back(variable.data());
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  const UniqueFd log(::open((folder_.path() / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const UniqueFd log_aside(::fcntl(log.get(), F_DUPFD_CLOEXEC, kAside));
  char* const listen_pid = variables[3].data() + sizeof "LISTEN_PID=" - 1;
  pid_ = ::fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) become_daemon(arguments.data(), environment.data(), listen_pid, passed, log_aside.get());
  INFO(log_aside.get());
  const bool listening = eventually([&] { return client::is_listening(client::address_in(folder_.path() / "run")); },
                                    std::chrono::seconds(60));
  INFO(this->log());
  REQUIRE(listening);
}

void Service::wait_for_end() {
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void Service::kill() {
  REQUIRE(::kill(pid_, SIGKILL) == 0);
  wait_for_end();
}

void Service::stop() {
  REQUIRE(::kill(pid_, SIGTERM) == 0);
  wait_for_end();
}

client::Client Service::connect() const {
  auto client = client::Client::connect(client::address_in(folder_.path() / "run"));
  REQUIRE(client.has_value());
  return std::move(*client);
}

std::string Service::log() const { return read_text_file(folder_.path() / "log", kMostLog).value_or(std::string()); }

std::vector<std::string> Service::stored() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, descriptor] : store_) names.push_back(name);
  return names;
}

void Service::store(const std::string& name, UniqueFd descriptor) {
  const std::lock_guard lock(mutex_);
  store_.emplace(name, std::move(descriptor));
}

}  // namespace groth16d::e2e
