// What was committed is there after any death; what was not is not.
#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/journal_file.hpp"
#include "tests/supervisor/scratch_folder.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

AcceptJob job_named(const std::string& name, std::size_t partitions = 2) {
  AcceptJob job;
  job.record.job = name;
  job.record.digest = std::string("\x00\x01\xff", 3);
  job.record.circuit = "multiplier";
  job.record.source = {"k.zkey", "k.r1cs", true};
  job.record.priority = Priority::high;
  job.accepted_at_ms = 1'000;
  for (std::size_t partition = 0; partition < partitions; ++partition) {
    job.record.partitions.push_back({"w" + std::to_string(partition), 100 + partition, "[]"});
    job.input_digests.push_back("digest");
  }
  return job;
}

std::vector<Recovered::Job> jobs_in(JournalFile& journal) {
  const auto found = journal.recover(1'500);
  REQUIRE(found);
  return found->jobs;
}

Result<void> commit_one(JournalFile& journal, JournalEntry entry) { return journal.commit({&entry, 1}).front(); }

// Meanwhile write(2) fails where a file would become larger.
template <class Work>
auto with_files_up_to(std::size_t bytes, Work work) {
  rlimit unlimited{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &unlimited) == 0);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);  // so that it fails instead of killing
  rlimit full = unlimited;
  full.rlim_cur = bytes;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &full) == 0);
  auto result = work();
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &unlimited) == 0);
  std::signal(SIGXFSZ, before);
  return result;
}

JournalFile open_or_fail(const std::filesystem::path& file) {
  auto journal = JournalFile::open(file);
  REQUIRE(journal);
  return std::move(*journal);
}

}  // namespace

TEST_CASE("everything about a job is recovered as it was committed") {
  const ScratchFolder folder;
  {
    JournalFile journal = open_or_fail(folder / "journal");
    AcceptJob first = job_named("first");
    first.record.deadline_ms = 700;
    REQUIRE(commit_one(journal, first));
    REQUIRE(commit_one(journal, job_named("second", 1)));
    REQUIRE(commit_one(journal, StoreResult{"first", 1, {std::string("\0proof", 6), "{}", "[]"}}));
    REQUIRE(
        commit_one(journal, StoreJobState{"second", JobState::failed,
                                          Error{ErrorCode::unsatisfied, "witness.row", "row 7"}, "k", "v", "bn128"}));
    REQUIRE(commit_one(journal, StoreCircuit{"multiplier", {"m.zkey", "m.r1cs", true}}));
  }
  JournalFile journal = open_or_fail(folder / "journal");
  const auto found = journal.recover(1'500);
  REQUIRE(found);
  REQUIRE(found->jobs.size() == 2);
  const Recovered::Job& first = found->jobs[0];
  CHECK(first.record.job == "first");
  CHECK(first.record.digest == std::string("\x00\x01\xff", 3));
  CHECK(first.record.source == CircuitSource{"k.zkey", "k.r1cs", true});
  CHECK(first.record.priority == Priority::high);
  CHECK(first.age_ms == 500);
  CHECK(first.record.deadline_ms == 200);
  CHECK(first.state == JobState::received);
  CHECK_FALSE(first.failure);
  REQUIRE(first.record.partitions.size() == 2);
  CHECK(first.record.partitions[1].bytes == 101);
  CHECK(first.record.partitions[1].declared_public_json == "[]");
  REQUIRE(first.proofs.size() == 2);
  CHECK_FALSE(first.proofs[0]);
  REQUIRE(first.proofs[1]);
  CHECK(first.proofs[1]->proof == std::string("\0proof", 6));
  const Recovered::Job& second = found->jobs[1];
  CHECK(second.state == JobState::failed);
  REQUIRE(second.failure);
  CHECK(second.failure->code == ErrorCode::unsatisfied);
  CHECK(second.failure->text == "row 7");
  CHECK(second.curve == "bn128");
  REQUIRE(found->circuits.size() == 1);
  CHECK(found->circuits[0].source == CircuitSource{"m.zkey", "m.r1cs", true});
}

TEST_CASE("the journal knows what a circuit was made from when it was resident last, until its files are others") {
  const ScratchFolder folder;
  JournalFile journal = open_or_fail(folder / "journal");
  const std::string key(32, 'k'), r1cs(32, '\0');
  REQUIRE(commit_one(journal, StoreCircuit{"c", {"m.zkey", "m.r1cs", false}}));
  REQUIRE(commit_one(journal, KeepResident{"c", {1, 1}, {2, 1}, key, r1cs}));
  auto circuits = journal.recover(0).value().circuits;
  REQUIRE(circuits.size() == 1);
  CHECK(circuits[0].key_digest == key);
  CHECK(circuits[0].r1cs_digest == r1cs);
  REQUIRE(commit_one(journal, StoreCircuit{"c", {"n.zkey", "", false}}));
  circuits = journal.recover(0).value().circuits;
  CHECK(circuits[0].key_digest.empty());
  CHECK(circuits[0].r1cs_digest.empty());
}

TEST_CASE("a journal of the first schema is upgraded and keeps what is in it") {
  const ScratchFolder folder;
  {
    JournalFile journal = open_or_fail(folder / "journal");
    REQUIRE(commit_one(journal, StoreCircuit{"c", {"m.zkey", "m.r1cs", true}}));
    REQUIRE(commit_one(journal, job_named("j")));
  }
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((folder / "journal").c_str(), &database) == SQLITE_OK);
  for (const char* sql : {"ALTER TABLE circuits DROP COLUMN key_digest", "ALTER TABLE circuits DROP COLUMN r1cs_digest",
                          "ALTER TABLE jobs DROP COLUMN client", "PRAGMA user_version = 1"})
    REQUIRE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);

  JournalFile journal = open_or_fail(folder / "journal");
  const auto found = journal.recover(0);
  REQUIRE(found);
  REQUIRE(found->circuits.size() == 1);
  CHECK(found->circuits[0].source == CircuitSource{"m.zkey", "m.r1cs", true});
  CHECK(found->circuits[0].key_digest.empty());
  CHECK(found->jobs.size() == 1);
  CHECK(commit_one(journal, KeepResident{"c", {1, 1}, {2, 1}, "k", "r"}));
}

TEST_CASE("a journal of the second schema is upgraded: its jobs are nobody's, later ones their clients'") {
  const ScratchFolder folder;
  {
    JournalFile journal = open_or_fail(folder / "journal");
    REQUIRE(commit_one(journal, job_named("old")));
  }
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((folder / "journal").c_str(), &database) == SQLITE_OK);
  for (const char* sql : {"ALTER TABLE jobs DROP COLUMN client", "PRAGMA user_version = 2"})
    REQUIRE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);

  JournalFile journal = open_or_fail(folder / "journal");
  AcceptJob job = job_named("new");
  job.record.client = "key alice";
  REQUIRE(commit_one(journal, job));
  const auto jobs = jobs_in(journal);
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].record.client.empty());
  CHECK(jobs[1].record.client == "key alice");
}

TEST_CASE("a deadline that has passed is still a deadline, and a clock set back makes no job younger than nothing") {
  const ScratchFolder folder;
  JournalFile journal = open_or_fail(folder / "journal");
  AcceptJob job = job_named("a");
  job.record.deadline_ms = 10;
  REQUIRE(commit_one(journal, job));
  CHECK(journal.recover(5'000)->jobs[0].record.deadline_ms == 1);
  CHECK(journal.recover(0)->jobs[0].age_ms == 0);
}

TEST_CASE("a job that was kicked is received again, without its failure") {
  const ScratchFolder folder;
  JournalFile journal = open_or_fail(folder / "journal");
  REQUIRE(commit_one(journal, job_named("a")));
  REQUIRE(commit_one(journal, StoreJobState{"a", JobState::quarantined,
                                            Error{ErrorCode::internal, "job.kills", "killed 3"}, "", "", ""}));
  CHECK(jobs_in(journal)[0].state == JobState::quarantined);
  REQUIRE(commit_one(journal, StoreJobState{"a", JobState::received, std::nullopt, "", "", ""}));
  CHECK(jobs_in(journal)[0].state == JobState::received);
  CHECK_FALSE(jobs_in(journal)[0].failure);
}

TEST_CASE("a group is committed in order, and a refused entry takes no other with it") {
  const ScratchFolder folder;
  JournalFile journal = open_or_fail(folder / "journal");
  const std::vector<JournalEntry> group{
      job_named("a"), job_named("b"), job_named("a"), StoreResult{"b", 9, {}}, StoreResult{"b", 0, {"p", "", ""}},
      job_named("c")};
  const auto results = journal.commit(group);
  REQUIRE(results.size() == group.size());
  CHECK(results[0]);
  CHECK(results[1]);
  REQUIRE_FALSE(results[2]);
  CHECK(results[2].error().code == ErrorCode::conflict);
  CHECK_FALSE(results[3]);  // there is no partition 9
  CHECK(results[4]);
  CHECK(results[5]);
  const auto jobs = jobs_in(journal);
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].record.job == "a");
  CHECK(jobs[0].record.partitions.size() == 2);
  CHECK(jobs[1].record.job == "b");
  CHECK(jobs[2].record.job == "c");
}

TEST_CASE("a second result of a partition never replaces the first") {
  const ScratchFolder folder;
  JournalFile journal = open_or_fail(folder / "journal");
  REQUIRE(commit_one(journal, job_named("a", 1)));
  REQUIRE(commit_one(journal, StoreResult{"a", 0, {"one", "", ""}}));
  REQUIRE(commit_one(journal, StoreResult{"a", 0, {"two", "", ""}}));
  CHECK(jobs_in(journal)[0].proofs[0]->proof == "one");
}

TEST_CASE("a forgotten job leaves nothing and its name is free again") {
  const ScratchFolder folder;
  JournalFile journal = open_or_fail(folder / "journal");
  REQUIRE(commit_one(journal, job_named("a")));
  REQUIRE(commit_one(journal, StoreResult{"a", 0, {"p", "", ""}}));
  REQUIRE(commit_one(journal, StampedLine{5, {"a", 6, "synth-0", "sealed"}}));
  REQUIRE(commit_one(journal, DeleteJob{"a"}));
  CHECK(jobs_in(journal).empty());
  CHECK(journal.lines_of("a", 10)->empty());
  CHECK(commit_one(journal, job_named("a")));
  CHECK_FALSE(jobs_in(journal)[0].proofs[0]);
}

TEST_CASE("lines of a job come back oldest first, the last of them when there are too many; others' lines do not") {
  const ScratchFolder folder;
  JournalFile journal = open_or_fail(folder / "journal");
  REQUIRE(commit_one(journal, job_named("a")));
  REQUIRE(commit_one(journal, job_named("other")));
  for (std::uint64_t at = 0; at < 5; ++at)
    REQUIRE(commit_one(journal, StampedLine{at, {at == 2 ? "other" : "a", 6, "synth-0", "x"}}));
  REQUIRE(commit_one(journal, StampedLine{9, {"deleted meanwhile", 6, "", "x"}}));
  const auto lines = journal.lines_of("a", 3);
  REQUIRE(lines);
  REQUIRE(lines->size() == 3);
  CHECK(lines->front().at_ms == 1);
  CHECK(lines->back().at_ms == 4);
  CHECK(lines->back().line.slot == "synth-0");
}

TEST_CASE("a process killed between commits loses no commit") {
  const ScratchFolder folder;
  int reports[2];
  REQUIRE(::pipe(reports) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto journal = JournalFile::open(folder / "journal");
    for (std::uint32_t number = 0;; ++number) {
      if (!journal || !commit_one(*journal, job_named(std::to_string(number)))) ::_exit(1);
      if (::write(reports[1], &number, sizeof number) != sizeof number) ::_exit(1);
    }
  }
  ::close(reports[1]);
  std::uint32_t last = 0;
  while (last < 20) REQUIRE(::read(reports[0], &last, sizeof last) == sizeof last);
  REQUIRE(::kill(child, SIGKILL) == 0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  while (::read(reports[0], &last, sizeof last) == sizeof last) {
  }
  ::close(reports[0]);

  JournalFile journal = open_or_fail(folder / "journal");
  const auto jobs = jobs_in(journal);
  // Everything that was reported, and at most the one that was committed and not yet reported.
  REQUIRE(jobs.size() >= last + 1);
  CHECK(jobs.size() <= last + 2);
  for (std::size_t number = 0; number < jobs.size(); ++number) {
    CHECK(jobs[number].record.job == std::to_string(number));
    CHECK(jobs[number].record.partitions.size() == 2);
  }
}

TEST_CASE("a torn end of the log costs what was not committed and nothing else") {
  const ScratchFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    auto journal = JournalFile::open(folder / "journal");
    for (const char* name : {"a", "b"})
      if (!journal || !commit_one(*journal, job_named(name))) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  const auto log = folder / "journal-wal";
  REQUIRE(std::filesystem::file_size(log) > 100);
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 17);
  JournalFile journal = open_or_fail(folder / "journal");
  const auto jobs = jobs_in(journal);
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].record.job == "a");
  CHECK(commit_one(journal, job_named("b")));
}

TEST_CASE("a journal of a newer schema is refused, not changed") {
  const ScratchFolder folder;
  open_or_fail(folder / "journal");
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((folder / "journal").c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database, "PRAGMA user_version=9", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  const auto journal = JournalFile::open(folder / "journal");
  REQUIRE_FALSE(journal);
  CHECK(journal.error().name == "journal.version");
}

// The disk takes `more` bytes of the group and no others: all of it is refused, and taken when there is space again.
void check_all_or_none(const ScratchFolder& folder, JournalFile& journal, const std::vector<JournalEntry>& group,
                       std::size_t more) {
  const std::size_t jobs = jobs_in(journal).size();
  const std::size_t wal_bytes = std::filesystem::file_size(folder / "journal-wal");
  const auto refused = with_files_up_to(wal_bytes + more, [&] { return journal.commit(group); });
  REQUIRE(refused.size() == group.size());
  for (const auto& result : refused) {
    REQUIRE_FALSE(result);
    CHECK(result.error().name == "journal.commit");
  }
  CHECK(jobs_in(journal).size() == jobs);
  for (const auto& result : journal.commit(group)) CHECK(result);
  CHECK(jobs_in(journal).size() == jobs + group.size());
}

TEST_CASE(
    "when the disk is full every entry of the group fails, nothing is kept, and the journal works again with space") {
  const ScratchFolder folder;
  JournalFile journal = open_or_fail(folder / "journal");
  REQUIRE(commit_one(journal, job_named("before")));
  check_all_or_none(folder, journal, {job_named("a"), job_named("b")}, 100);
}

TEST_CASE("when SQLite gives the whole group up by itself, what comes after in it is not committed alone") {
  const ScratchFolder folder;
  JournalFile journal = open_or_fail(folder / "journal");
  REQUIRE(commit_one(journal, job_named("before")));
  AcceptJob large = job_named("large", 4);  // more than SQLite holds in memory: it writes before the commit
  for (PartitionInput& partition : large.record.partitions)
    partition.declared_public_json = std::string(std::size_t{1} << 20, '1');
  check_all_or_none(folder, journal, {large, job_named("small")}, std::size_t{1} << 20);
}

TEST_CASE("a directory that cannot be written is an error that names the file") {
  const auto journal = JournalFile::open("/proc/nowhere/journal");
  REQUIRE_FALSE(journal);
  CHECK(journal.error().text.find("/proc/nowhere/journal") != std::string::npos);
}
