// Last words: one page per slot, in which a worker keeps what it is doing by plain stores, and which the supervisor
// reads after the worker's death. No lock and no system call, so it works from a signal handler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/interprocess/mapped_region.hpp>

#include "common/error.hpp"
#include "common/unique_fd.hpp"

namespace groth16d::shm {

inline constexpr std::size_t kLastWordsBytes = 4096;

// What the supervisor found. All text is printable: the dead worker is not trusted.
struct LastWords {
  std::string stage;  // "synth", "prove", ...; empty: it was idle
  std::string job;
  std::uint32_t partition = 0;
  std::uint32_t attempt = 0;
  std::uint64_t assignment = 0;
  std::string text;  // the last thing it said
};

// The page, for the supervisor to make before a spawn and to pass to the child.
Result<UniqueFd> allocate_last_words();

// Read by the supervisor, after the pidfd said that the worker is dead. A torn or foreign page gives what is readable.
Result<LastWords> read_last_words(int fd);

// The worker's side. Used from one thread, and from its signal handlers.
class LastWordsPage {
 public:
  static Result<LastWordsPage> map(int fd);

  void begin(std::string_view stage, std::string_view job, std::uint32_t partition, std::uint32_t attempt,
             std::uint64_t assignment);
  void say(std::string_view text);  // cut at 3 KiB
  void end();                       // idle again; the text stays

 private:
  explicit LastWordsPage(boost::interprocess::mapped_region region);
  boost::interprocess::mapped_region region_;
};

}  // namespace groth16d::shm
