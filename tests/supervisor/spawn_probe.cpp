// A child for the spawner's tests: says over its lifeline what it was born with, then does what its slot's name asks.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

std::string open_descriptors() {
  std::string numbers;
  DIR* folder = ::opendir("/proc/self/fd");
  const int own = ::dirfd(folder);
  for (int number = 0; number < 4096; ++number)
    if (number != own && ::fcntl(number, F_GETFD) >= 0) numbers += " " + std::to_string(number);
  ::closedir(folder);
  return numbers;
}

std::string first_line(const char* path) {
  std::string line(64, '\0');
  FILE* file = std::fopen(path, "r");
  if (file == nullptr || std::fgets(line.data(), static_cast<int>(line.size()), file) == nullptr) return "?";
  std::fclose(file);
  return line.substr(0, line.find('\n'));
}

std::string report(char** environment) {
  int death_signal = 0;
  ::prctl(PR_GET_PDEATHSIG, &death_signal);
  sigset_t blocked;
  ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
  struct sigaction pipe_action {};
  ::sigaction(SIGPIPE, nullptr, &pipe_action);
  int variables = 0;
  while (environment[variables] != nullptr) ++variables;
  return "fds" + open_descriptors() + "\npdeathsig " + std::to_string(death_signal) + "\nterm_blocked " +
         std::to_string(::sigismember(&blocked, SIGTERM)) + "\npipe_default " +
         std::to_string(pipe_action.sa_handler == SIG_DFL) + "\noom " + first_line("/proc/self/oom_score_adj") +
         "\nnice " + std::to_string(::getpriority(PRIO_PROCESS, 0)) + "\nvariables " + std::to_string(variables) + "\n";
}

}  // namespace

int main(int, char**, char** environment) {
  const std::string text = report(environment);
  if (::send(3, text.data(), text.size(), 0) < 0) return 1;
  const char* wish = std::getenv("WISH");
  if (wish != nullptr && std::string(wish) == "stay") ::pause();
  if (wish != nullptr && std::string(wish) == "abort") ::raise(SIGKILL);
  return 69;
}
