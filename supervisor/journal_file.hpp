// The journal's file: what accepted jobs are owed, in SQLite (WAL, synchronous=FULL, STRICT tables). One thread uses
// it.
//
// A commit here is the promise itself: a reply, a result or a freed input never precedes the commit that it rests on.
// What may be written are the core's own actions; what is read back is the core's first event. Times are milliseconds
// since the epoch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "common/error.hpp"
#include "supervisor/core/action.hpp"
#include "supervisor/core/event.hpp"
#include "supervisor/durability.hpp"

struct sqlite3;

namespace groth16d::supervisor {

// A job whose inputs lie in the spool.
struct AcceptJob {
  JobRecord record;
  std::vector<std::string> input_digests;  // SHA-256 of each spooled input
  std::uint64_t accepted_at_ms = 0;
};

struct StampedLine {
  std::uint64_t at_ms = 0;
  LogLine line;
};

// What may be asked of the journal; each is atomic, and one commit may carry many.
using JournalEntry = std::variant<AcceptJob, StoreJobState, StoreResult, DeleteJob, StoreCircuit, KeepResident,
                                  DeleteCircuit, StampedLine>;

// A log keeps this many lines of a job: an attempt leaves about ten, and a job is quarantined after few attempts.
inline constexpr std::uint32_t kMostLinesOfJob = 10'000;

class JournalFile {
 public:
  // Opens or creates `file`; a torn end of the WAL is dropped by SQLite. Errors: journal.open, journal.version (a newer
  // schema).
  static Result<JournalFile> open(const std::filesystem::path& file, Durability durability = Durability::durable);

  JournalFile(JournalFile&&) noexcept;
  JournalFile& operator=(JournalFile&&) noexcept;
  ~JournalFile();

  // Everything that was accepted and not deleted; ages and what is left of deadlines are counted up to `now_ms`.
  Result<Recovered> recover(std::uint64_t now_ms);

  // The lines about one job, oldest first, the last `limit` of them.
  Result<std::vector<StampedLine>> lines_of(const JobId& job, std::uint32_t limit);

  // One transaction, in order. Each entry succeeds or fails alone (a second AcceptJob of an id: journal.conflict); when
  // the commit itself fails (journal.commit: disk full, I/O error) nothing is kept and every entry has that error.
  std::vector<Result<void>> commit(std::span<const JournalEntry> entries);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit JournalFile(std::unique_ptr<sqlite3, Close> database);

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace groth16d::supervisor
