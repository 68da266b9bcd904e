// Last words survive their speaker.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <string>

#include "common/unique_fd.hpp"
#include "shm/last_words.hpp"

using namespace groth16d;
using namespace groth16d::shm;

TEST_CASE("what a worker said last is there after SIGKILL") {
  const UniqueFd fd = allocate_last_words().value();
  const pid_t child = ::fork();
  if (child == 0) {
    LastWordsPage page = LastWordsPage::map(fd.get()).value();
    page.begin("prove", "job-a", 3, 2, 99);
    page.say("window 17 of L");
    ::raise(SIGKILL);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  const LastWords words = read_last_words(fd.get()).value();
  CHECK(words.stage == "prove");
  CHECK(words.job == "job-a");
  CHECK(words.partition == 3);
  CHECK(words.attempt == 2);
  CHECK(words.assignment == 99);
  CHECK(words.text == "window 17 of L");
}

TEST_CASE("an idle worker has no stage, and its last text stays") {
  const UniqueFd fd = allocate_last_words().value();
  CHECK(read_last_words(fd.get()).value().stage.empty());
  LastWordsPage page = LastWordsPage::map(fd.get()).value();
  page.begin("synth", std::string(64, 'j'), 0, 1, 1);
  page.say("done");
  CHECK(read_last_words(fd.get()).value().job == std::string(64, 'j'));
  page.end();
  CHECK(read_last_words(fd.get()).value().stage.empty());
  CHECK(read_last_words(fd.get()).value().text == "done");
}

TEST_CASE("too long a text is cut, and the dead are not trusted with control characters") {
  const UniqueFd fd = allocate_last_words().value();
  LastWordsPage page = LastWordsPage::map(fd.get()).value();
  page.say(std::string(10'000, 'x'));
  CHECK(read_last_words(fd.get()).value().text == std::string(3072, 'x'));
  page.say("a\n<0>b\x1b");
  CHECK(read_last_words(fd.get()).value().text == "a?<0>b?");
}

TEST_CASE("a descriptor that is no page of last words is refused") {
  const UniqueFd fd(::memfd_create("other", 0));
  REQUIRE(::ftruncate(fd.get(), kLastWordsBytes) == 0);
  CHECK(LastWordsPage::map(fd.get()).error().name == "last_words.page");
}
