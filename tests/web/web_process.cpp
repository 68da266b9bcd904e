#include "tests/web/web_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/e2e/run_program.hpp"

namespace groth16d::web_test {

WebProcess::WebProcess(const std::string& runtime_dir, const std::vector<std::string>& arguments) {
  const std::string tokens = folder_.path() / "tokens";
  std::ofstream(tokens) << "read " << kReader << "\noperate " << kOperator << "\n";
  REQUIRE(::chmod(tokens.c_str(), 0600) == 0);
  std::vector<std::string> words = {
      e2e::program("groth16-web"), "--runtime-dir", runtime_dir, "--port", "0", "--tokens", tokens};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(ends[1], 1);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  // "http://127.0.0.1:PORT/"
  std::array<char, 64> line{};
  const ssize_t length = ::read(ends[0], line.data(), line.size() - 1);
  ::close(ends[0]);
  REQUIRE(length > 0);
  const std::string text(line.data());
  port_ = std::stoi(text.substr(text.rfind(':') + 1));
}

WebProcess::~WebProcess() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

double cpu_seconds(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::stringstream text;
  text << file.rdbuf();
  std::istringstream rest(text.str().substr(text.str().rfind(')') + 2));
  std::string word;
  double ticks = 0;
  for (int field = 3; rest >> word && field <= 15; ++field)
    if (field >= 14) ticks += std::stod(word);
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace groth16d::web_test
