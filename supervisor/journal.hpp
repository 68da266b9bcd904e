// The journal's thread: whatever gathered while the last commit ran is the next commit. Its completions are the core's
// events.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "supervisor/helper_thread.hpp"
#include "supervisor/journal_file.hpp"

namespace groth16d::supervisor {

// What a client's LOGS asks for.
struct ReadLines {
  ReplyToken token = 0;
  JobId job;
  std::uint32_t limit = 0;
};
struct LinesRead {
  ReplyToken token = 0;
  Result<std::vector<StampedLine>> lines;
};

// Does the thread still turn? The watchdog asks.
struct Ping {};
struct Pong {};

using JournalRequest = std::variant<JournalEntry, ReadLines, Ping>;
using JournalCompletion = std::variant<Event, LinesRead, Pong>;

class Journal {
 public:
  explicit Journal(JournalFile file);

  void put(JournalRequest request) { thread_.put(std::move(request)); }
  int descriptor() const { return thread_.descriptor(); }
  std::vector<JournalCompletion> take() { return thread_.take(); }

 private:
  JournalFile file_;
  HelperThread<JournalRequest, JournalCompletion> thread_;
};

}  // namespace groth16d::supervisor
