// SQL, and the one rule behind it: statements inside a savepoint fail alone, a failed COMMIT fails all.
#include "supervisor/journal_file.hpp"

#include <map>

#include <fmt/format.h>
#include <sqlite3.h>

#include "common/failpoint.hpp"

namespace groth16d::supervisor {
namespace {

constexpr int kSchemaVersion = 3;

constexpr const char* kSchema = R"sql(
CREATE TABLE jobs (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  job TEXT NOT NULL UNIQUE,
  digest BLOB NOT NULL,
  circuit TEXT NOT NULL,
  by_path INTEGER NOT NULL,
  key_path TEXT NOT NULL,
  r1cs_path TEXT NOT NULL,
  allow_insecure_key INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  deadline_ms INTEGER NOT NULL,
  accepted_at_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  failure_code INTEGER,
  failure_name TEXT,
  failure_text TEXT,
  key_digest BLOB NOT NULL DEFAULT x'',
  vk_digest BLOB NOT NULL DEFAULT x'',
  curve TEXT NOT NULL DEFAULT '',
  client TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE partitions (
  job TEXT NOT NULL REFERENCES jobs(job) ON DELETE CASCADE,
  partition INTEGER NOT NULL,
  input_name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  input_digest BLOB NOT NULL,
  declared_public_json TEXT NOT NULL,
  PRIMARY KEY (job, partition)
) STRICT;
CREATE TABLE results (
  job TEXT NOT NULL,
  partition INTEGER NOT NULL,
  proof BLOB NOT NULL,
  proof_json TEXT NOT NULL,
  public_json TEXT NOT NULL,
  PRIMARY KEY (job, partition),
  FOREIGN KEY (job, partition) REFERENCES partitions(job, partition) ON DELETE CASCADE
) STRICT;
CREATE TABLE circuits (
  circuit TEXT PRIMARY KEY,
  key_path TEXT NOT NULL,
  r1cs_path TEXT NOT NULL,
  allow_insecure_key INTEGER NOT NULL,
  key_digest BLOB NOT NULL DEFAULT x'',
  r1cs_digest BLOB NOT NULL DEFAULT x''
) STRICT;
CREATE TABLE lines (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  job TEXT NOT NULL REFERENCES jobs(job) ON DELETE CASCADE,
  slot TEXT NOT NULL,
  level INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX lines_by_job ON lines(job, sequence);
)sql";

// From version 1 to 2: what was resident last.
constexpr const char* kUpgradeFrom1 = R"sql(
ALTER TABLE circuits ADD COLUMN key_digest BLOB NOT NULL DEFAULT x'';
ALTER TABLE circuits ADD COLUMN r1cs_digest BLOB NOT NULL DEFAULT x'';
)sql";

// From version 2 to 3: whose quotas a job counts to; of the jobs before that nobody knows.
constexpr const char* kUpgradeFrom2 = "ALTER TABLE jobs ADD COLUMN client TEXT NOT NULL DEFAULT '';";

Error sqlite_error(sqlite3* database, const char* name, std::string_view doing) {
  return {ErrorCode::system, name,
          fmt::format("journal: {}: {} (SQLite code {})", doing, sqlite3_errmsg(database),
                      sqlite3_extended_errcode(database))};
}

Result<void> execute(sqlite3* database, const char* sql, const char* name = "journal.sql") {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return tl::unexpected(sqlite_error(database, name, std::string_view(sql).substr(0, 40)));
}

// A prepared statement: bind in order, then step through rows.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) : database_(database), sql_(sql) {
    status_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  Statement& text(std::string_view value) {
    return bound(sqlite3_bind_text64(statement_, ++next_, value.data() == nullptr ? "" : value.data(), value.size(),
                                     SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  Statement& blob(std::string_view value) {
    return bound(sqlite3_bind_blob64(statement_, ++next_, value.data() == nullptr ? "" : value.data(), value.size(),
                                     SQLITE_TRANSIENT));
  }
  Statement& flag(bool value) { return number(value ? 1 : 0); }
  Statement& null() { return bound(sqlite3_bind_null(statement_, ++next_)); }
  Statement& number(std::uint64_t value) {
    return bound(sqlite3_bind_int64(statement_, ++next_, static_cast<sqlite3_int64>(value)));
  }

  // True while there is a row.
  bool step() {
    if (status_ != SQLITE_OK && status_ != SQLITE_ROW) return false;
    status_ = sqlite3_step(statement_);
    return status_ == SQLITE_ROW;
  }

  std::string bytes(int column) const {
    const void* data = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
  }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::uint64_t value(int column) const { return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column)); }

  // After the last step.
  Result<void> done() const {
    if (status_ == SQLITE_DONE) return {};
    Error error = sqlite_error(database_, "journal.sql", std::string_view(sql_).substr(0, 40));
    if (status_ == SQLITE_CONSTRAINT) error = {ErrorCode::conflict, "journal.conflict", error.text};
    return tl::unexpected(error);
  }

  Result<void> run() {
    while (step()) {
    }
    return done();
  }

 private:
  Statement& bound(int status) {
    if (status_ == SQLITE_OK) status_ = status;
    return *this;
  }

  sqlite3* database_;
  const char* sql_;
  sqlite3_stmt* statement_ = nullptr;
  int status_ = SQLITE_OK;
  int next_ = 0;
};

// ---------------------------------------------------------------- one entry each

Result<void> apply(sqlite3* database, const AcceptJob& entry) {
  const JobRecord& job = entry.record;
  Statement insert(
      database,
      "INSERT INTO jobs(job, digest, circuit, by_path, key_path, r1cs_path, allow_insecure_key, priority, deadline_ms, "
      "accepted_at_ms, state, client) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.text(job.job)
      .blob(job.digest)
      .text(job.circuit)
      .flag(job.by_path)
      .text(job.source.key_path)
      .text(job.source.r1cs_path);
  insert.flag(job.source.allow_insecure_key).number(static_cast<std::uint64_t>(job.priority)).number(job.deadline_ms);
  insert.number(entry.accepted_at_ms).text(to_string(JobState::received)).text(job.client);
  if (auto done = insert.run(); !done) return done;
  for (std::uint32_t partition = 0; partition < job.partitions.size(); ++partition) {
    const PartitionInput& input = job.partitions[partition];
    Statement row(database,
                  "INSERT INTO partitions(job, partition, input_name, bytes, input_digest, declared_public_json) "
                  "VALUES (?, ?, ?, ?, ?, ?)");
    row.text(job.job).number(partition).text(input.name).number(input.bytes);
    row.blob(entry.input_digests.at(partition)).text(input.declared_public_json);
    if (auto done = row.run(); !done) return done;
  }
  return {};
}

// A second result of the same partition changes nothing: the first may have been delivered.
Result<void> apply(sqlite3* database, const StoreResult& entry) {
  Statement insert(database,
                   "INSERT INTO results(job, partition, proof, proof_json, public_json) VALUES (?, ?, ?, ?, ?) ON "
                   "CONFLICT DO NOTHING");
  const Proof& proof = entry.proof;
  return insert.text(entry.job)
      .number(entry.partition)
      .blob(proof.proof)
      .text(proof.proof_json)
      .text(proof.public_json)
      .run();
}

Result<void> apply(sqlite3* database, const StoreJobState& entry) {
  Statement update(
      database,
      "UPDATE jobs SET state = ?, failure_code = ?, failure_name = ?, failure_text = ?, key_digest = ?, vk_digest = ?, "
      "curve = ? WHERE job = ?");
  update.text(to_string(entry.state));
  if (entry.failure)
    update.number(static_cast<std::uint64_t>(entry.failure->code)).text(entry.failure->name).text(entry.failure->text);
  else
    update.null().null().null();
  return update.blob(entry.key_digest).blob(entry.vk_digest).text(entry.curve).text(entry.job).run();
}

Result<void> apply(sqlite3* database, const DeleteJob& entry) {
  return Statement(database, "DELETE FROM jobs WHERE job = ?").text(entry.job).run();
}

Result<void> apply(sqlite3* database, const StoreCircuit& entry) {
  Statement put(
      database,
      "INSERT OR REPLACE INTO circuits(circuit, key_path, r1cs_path, allow_insecure_key) VALUES (?, ?, ?, ?)");
  return put.text(entry.circuit)
      .text(entry.source.key_path)
      .text(entry.source.r1cs_path)
      .flag(entry.source.allow_insecure_key)
      .run();
}

Result<void> apply(sqlite3* database, const KeepResident& entry) {
  Statement update(database, "UPDATE circuits SET key_digest = ?, r1cs_digest = ? WHERE circuit = ?");
  return update.blob(entry.key_digest).blob(entry.r1cs_digest).text(entry.circuit).run();
}

Result<void> apply(sqlite3* database, const DeleteCircuit& entry) {
  return Statement(database, "DELETE FROM circuits WHERE circuit = ?").text(entry.circuit).run();
}

// A line about a job that was deleted meanwhile is about nothing: it is dropped, not refused.
Result<void> apply(sqlite3* database, const StampedLine& entry) {
  Statement insert(database,
                   "INSERT INTO lines(at_ms, job, slot, level, text) SELECT ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM "
                   "jobs WHERE job = ?)");
  const LogLine& line = entry.line;
  insert.number(entry.at_ms).text(line.job).text(line.slot).number(line.level).text(line.text).text(line.job);
  if (auto done = insert.run(); !done) return done;
  Statement trim(database,
                 "DELETE FROM lines WHERE job = ? AND sequence <= (SELECT sequence FROM lines WHERE job = ? ORDER BY "
                 "sequence DESC LIMIT 1 OFFSET ?)");
  return trim.text(line.job).text(line.job).number(kMostLinesOfJob).run();
}

Result<void> apply_alone(sqlite3* database, const JournalEntry& entry) {
  if (auto begun = execute(database, "SAVEPOINT entry"); !begun) return begun;
  auto result = std::visit([&](const auto& one) { return apply(database, one); }, entry);
  if (!result) execute(database, "ROLLBACK TO entry");
  execute(database, "RELEASE entry");
  return result;
}

// ---------------------------------------------------------------- opening

Result<int> schema_version(sqlite3* database) {
  Statement version(database, "PRAGMA user_version");
  if (!version.step()) return tl::unexpected(sqlite_error(database, "journal.open", "PRAGMA user_version"));
  return static_cast<int>(version.value(0));
}

Result<void> prepare(sqlite3* database, const std::string& file, Durability durability) {
  const char* const syncing = durability == Durability::durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=OFF";
  for (const char* pragma : {syncing, "PRAGMA journal_mode=WAL", "PRAGMA foreign_keys=ON"})
    if (auto set = execute(database, pragma, "journal.open"); !set) return set;
  const auto version = schema_version(database);
  if (!version) return tl::unexpected(version.error());
  if (*version == kSchemaVersion) return {};
  if (*version < 0 || *version > kSchemaVersion)
    return failure(ErrorCode::mismatch, "journal.version",
                   fmt::format("{}: schema version {}, this groth16d knows {}: use the groth16d that wrote it", file,
                               *version, kSchemaVersion));
  std::string change = *version == 0 ? kSchema : kUpgradeFrom2;
  if (*version == 1) change = kUpgradeFrom1 + change;
  change = fmt::format("BEGIN IMMEDIATE;{}PRAGMA user_version={};COMMIT", change, kSchemaVersion);
  return execute(database, change.c_str(), "journal.open");
}

// ---------------------------------------------------------------- recovery

Result<JobState> read_state(const std::string& word) {
  for (const JobState state :
       {JobState::received, JobState::done, JobState::failed, JobState::cancelled, JobState::quarantined})
    if (to_string(state) == word) return state;
  return failure(ErrorCode::malformed, "journal.state",
                 fmt::format("journal: \"{}\" is no state that is ever stored", word));
}

constexpr const char* kSelectJobs =
    "SELECT job, digest, circuit, by_path, key_path, r1cs_path, allow_insecure_key, priority, deadline_ms, "
    "accepted_at_ms, state, "
    "failure_code, failure_name, failure_text, key_digest, vk_digest, curve, client FROM jobs ORDER BY sequence";

Result<Recovered::Job> read_job(const Statement& row, std::uint64_t now_ms) {
  const auto state = read_state(row.bytes(10));
  if (!state) return tl::unexpected(state.error());
  Recovered::Job job;
  job.record = {row.bytes(0),
                row.bytes(1),
                row.bytes(2),
                row.value(3) != 0,
                {row.bytes(4), row.bytes(5), row.value(6) != 0},
                {},
                static_cast<Priority>(row.value(7)),
                row.value(8),
                row.bytes(17)};
  const std::uint64_t accepted_at_ms = row.value(9);
  job.age_ms = now_ms > accepted_at_ms ? now_ms - accepted_at_ms : 0;  // the wall clock may have been set back
  if (job.record.deadline_ms != 0)
    job.record.deadline_ms = job.record.deadline_ms > job.age_ms ? job.record.deadline_ms - job.age_ms : 1;
  job.state = *state;
  if (!row.is_null(11)) job.failure = Error{static_cast<ErrorCode>(row.value(11)), row.bytes(12), row.bytes(13)};
  job.key_digest = row.bytes(14);
  job.vk_digest = row.bytes(15);
  job.curve = row.bytes(16);
  return job;
}

Result<void> read_partitions(sqlite3* database, const std::map<JobId, std::size_t>& places,
                             std::vector<Recovered::Job>& jobs) {
  Statement rows(database,
                 "SELECT p.job, p.partition, p.input_name, p.bytes, p.declared_public_json, r.job IS NOT NULL, "
                 "r.proof, r.proof_json, "
                 "r.public_json FROM partitions p LEFT JOIN results r ON p.job = r.job AND p.partition = r.partition "
                 "ORDER BY p.job, p.partition");
  while (rows.step()) {
    const auto place = places.find(rows.bytes(0));
    if (place == places.end() || rows.value(1) != jobs[place->second].record.partitions.size())
      return failure(ErrorCode::malformed, "journal.order",
                     fmt::format("journal: partition {} of job {} has no place", rows.value(1), rows.bytes(0)));
    Recovered::Job& job = jobs[place->second];
    job.record.partitions.push_back({rows.bytes(2), rows.value(3), rows.bytes(4)});
    job.proofs.push_back(rows.value(5) == 0 ? std::nullopt
                                            : std::optional(Proof{rows.bytes(6), rows.bytes(7), rows.bytes(8)}));
  }
  return rows.done();
}

}  // namespace

void JournalFile::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

JournalFile::JournalFile(std::unique_ptr<sqlite3, Close> database) : database_(std::move(database)) {}
JournalFile::JournalFile(JournalFile&&) noexcept = default;
JournalFile& JournalFile::operator=(JournalFile&&) noexcept = default;
JournalFile::~JournalFile() = default;

Result<JournalFile> JournalFile::open(const std::filesystem::path& file, Durability durability) {
  sqlite3* raw = nullptr;
  const int status =
      sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<sqlite3, Close> database(raw);
  if (status != SQLITE_OK)
    return failure(ErrorCode::system, "journal.open",
                   fmt::format("{}: {}", file.string(), raw == nullptr ? "no memory" : sqlite3_errmsg(raw)));
  if (auto prepared = prepare(raw, file.string(), durability); !prepared) return tl::unexpected(prepared.error());
  return JournalFile(std::move(database));
}

Result<Recovered> JournalFile::recover(std::uint64_t now_ms) {
  Recovered found;
  std::map<JobId, std::size_t> places;
  Statement jobs(database_.get(), kSelectJobs);
  while (jobs.step()) {
    auto job = read_job(jobs, now_ms);
    if (!job) return tl::unexpected(job.error());
    places[job->record.job] = found.jobs.size();
    found.jobs.push_back(std::move(*job));
  }
  if (auto done = jobs.done(); !done) return tl::unexpected(done.error());
  if (auto done = read_partitions(database_.get(), places, found.jobs); !done) return tl::unexpected(done.error());

  Statement circuits(database_.get(),
                     "SELECT circuit, key_path, r1cs_path, allow_insecure_key, key_digest, r1cs_digest FROM circuits "
                     "ORDER BY circuit");
  while (circuits.step())
    found.circuits.push_back({circuits.bytes(0),
                              {circuits.bytes(1), circuits.bytes(2), circuits.value(3) != 0},
                              circuits.bytes(4),
                              circuits.bytes(5),
                              std::nullopt});
  if (auto done = circuits.done(); !done) return tl::unexpected(done.error());
  return found;
}

Result<std::vector<StampedLine>> JournalFile::lines_of(const JobId& job, std::uint32_t limit) {
  std::vector<StampedLine> lines;
  Statement rows(database_.get(),
                 "SELECT at_ms, job, level, slot, text FROM (SELECT * FROM lines WHERE job = ? ORDER BY sequence DESC "
                 "LIMIT ?) ORDER BY sequence");
  rows.text(job).number(limit);
  while (rows.step())
    lines.push_back(
        {rows.value(0), {rows.bytes(1), static_cast<std::uint32_t>(rows.value(2)), rows.bytes(3), rows.bytes(4)}});
  if (auto done = rows.done(); !done) return tl::unexpected(done.error());
  return lines;
}

// On an I/O error or a full disk SQLite may end the transaction by itself; what came after would commit alone.
std::vector<Result<void>> JournalFile::commit(std::span<const JournalEntry> entries) {
  if (GROTH16D_FAILPOINT("journal.commit"))
    return std::vector<Result<void>>(entries.size(), failure(ErrorCode::system, "journal.commit", "failpoint"));
  std::vector<Result<void>> results;
  auto begun = execute(database_.get(), "BEGIN IMMEDIATE", "journal.commit");
  if (!begun) return std::vector<Result<void>>(entries.size(), begun);
  for (const JournalEntry& entry : entries) {
    results.push_back(apply_alone(database_.get(), entry));
    if (!results.back() && sqlite3_get_autocommit(database_.get()) != 0)
      return std::vector<Result<void>>(
          entries.size(), failure(ErrorCode::system, "journal.commit", std::move(results.back().error().text)));
  }
  if (auto committed = execute(database_.get(), "COMMIT", "journal.commit"); !committed) {
    if (sqlite3_get_autocommit(database_.get()) == 0) execute(database_.get(), "ROLLBACK");
    return std::vector<Result<void>>(entries.size(), committed);
  }
  return results;
}

}  // namespace groth16d::supervisor
