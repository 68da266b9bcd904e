#include "tests/e2e/run_program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "common/posix.hpp"

namespace groth16d::e2e {
namespace {

constexpr std::uint64_t kMaxOutputBytes = std::uint64_t{64} << 20;

// A file without a name: a program may write any amount into it without waiting for a reader.
UniqueFd unnamed_file() {
  UniqueFd file(::memfd_create("output", MFD_CLOEXEC));
  REQUIRE(file);
  return file;
}

std::string content_of(const UniqueFd& file) {
  REQUIRE(::lseek(file.get(), 0, SEEK_SET) == 0);
  const auto bytes = read_all(file.get(), kMaxOutputBytes, "output");
  REQUIRE(bytes.has_value());
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

}  // namespace

std::string program(const std::string& name) { return std::string(GROTH16D_PROGRAMS_DIR) + "/" + name; }

Outcome run_program(const std::vector<std::string>& argv) {
  std::vector<std::string> words = argv;
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const UniqueFd out = unnamed_file();
  const UniqueFd err = unnamed_file();
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(out.get(), STDOUT_FILENO);
    ::dup2(err.get(), STDERR_FILENO);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = content_of(out);
  outcome.err = content_of(err);
  return outcome;
}

Outcome ctl(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program("groth16ctl"));
  return run_program(arguments);
}

}  // namespace groth16d::e2e
