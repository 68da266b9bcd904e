// groth16ctl top in a real terminal: it draws within the window, follows its size, and gives the screen back.
#include <catch2/catch.hpp>

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/unique_fd.hpp"
#include "tests/e2e/run_program.hpp"
#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;

namespace {

constexpr char kEnter[] = "\x1b[?1049h";
constexpr char kLeave[] = "\x1b[?25h\x1b[?1049l";
constexpr char kHome[] = "\x1b[H";

// A program on a terminal of its own.
class OnTerminal {
 public:
  OnTerminal(std::vector<std::string> words, unsigned short columns, unsigned short rows) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    winsize size{rows, columns, 0, 0};
    int terminal = -1;
    pid_ = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (pid_ == 0) {
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    REQUIRE(pid_ > 0);
    terminal_ = UniqueFd(terminal);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;
  ~OnTerminal() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  void resize(unsigned short columns, unsigned short rows) const {
    const winsize size{rows, columns, 0, 0};
    REQUIRE(::ioctl(terminal_.get(), TIOCSWINSZ, &size) == 0);
  }
  void type(const std::string& keys) const {
    REQUIRE(::write(terminal_.get(), keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }

  // All that has been written so far; waits a little for more.
  const std::string& output() {
    pollfd readable{terminal_.get(), POLLIN, 0};
    char piece[4096];
    while (::poll(&readable, 1, 20) == 1) {
      const ssize_t got = ::read(terminal_.get(), piece, sizeof piece);
      if (got <= 0) break;  // EIO: the program has ended
      output_.append(piece, static_cast<std::size_t>(got));
    }
    return output_;
  }
  std::size_t frames() {
    std::size_t count = 0;
    for (auto place = output().find(kHome); place != std::string::npos; place = output_.find(kHome, place + 1)) ++count;
    return count;
  }

  int wait() {
    int status = 0;
    REQUIRE(eventually([&] {
      output();
      return ::waitpid(pid_, &status, WNOHANG) == pid_;
    }));
    pid_ = -1;
    output();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  UniqueFd terminal_;
  std::string output_;
};

// The lines of the last whole frame.
std::vector<std::string> last_frame(const std::string& output) {
  const auto end = output.rfind("\x1b[J");
  REQUIRE(end != std::string::npos);
  const auto begin = output.rfind(kHome, end) + sizeof kHome - 1;
  std::vector<std::string> lines;
  std::string line;
  for (const char letter : output.substr(begin, end - begin)) {
    if (letter != '\n') {
      if (letter != '\r') line += letter;
      continue;
    }
    lines.push_back(line.substr(0, line.find('\x1b')));
    line.clear();
  }
  lines.push_back(line.substr(0, line.find('\x1b')));
  return lines;
}

}  // namespace

TEST_CASE("top draws within its window, follows a new size, and Ctrl-C gives the terminal back") {
  const TemporaryFolder folder;
  const auto daemon = start_daemon(folder.path());
  OnTerminal top({program("groth16ctl"), "--runtime-dir", daemon.runtime_dir(), "top", "--every", "0.3"}, 60, 12);
  REQUIRE(eventually([&] { return top.frames() >= 3; }));
  CHECK(top.output().starts_with(kEnter));
  auto lines = last_frame(top.output());
  CHECK(lines.size() == 12);
  for (const auto& line : lines) CHECK(line.size() <= 60);

  top.resize(140, 40);
  REQUIRE(eventually([&] {
    const auto drawn = last_frame(top.output());
    return drawn.size() > 12;
  }));
  lines = last_frame(top.output());
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  CHECK(text.find("final-0") != std::string::npos);
  CHECK(text.find("budget   [") != std::string::npos);

  top.type("\x03");
  CHECK(top.wait() == 0);
  CHECK(top.output().find(kLeave) != std::string::npos);
}

TEST_CASE("top gives the terminal back and says why when its daemon goes") {
  const TemporaryFolder folder;
  auto daemon = start_daemon(folder.path());
  OnTerminal top({program("groth16ctl"), "--timeout", "1", "--runtime-dir", daemon.runtime_dir(), "top"}, 100, 30);
  REQUIRE(eventually([&] { return top.frames() >= 1; }));
  daemon.stop();
  CHECK(top.wait() == 3);
  const auto left = top.output().find(kLeave);
  REQUIRE(left != std::string::npos);
  CHECK(top.output().find("groth16ctl: ", left) != std::string::npos);
}
