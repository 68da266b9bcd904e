// What the spool accepts is a whole, synced copy; what it refuses leaves nothing.
#include <catch2/catch.hpp>

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/posix.hpp"
#include "supervisor/spool.hpp"
#include "tests/supervisor/scratch_folder.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

std::string write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
  return text;
}

SpoolInput from_file(const std::filesystem::path& file) {
  SpoolInput input;
  input.name = file.filename().string();
  auto opened = open_file(file.string(), O_RDONLY);
  REQUIRE(opened);
  input.file = std::move(*opened);
  input.bytes = std::filesystem::file_size(file);
  return input;
}

SpoolInput from_frames(std::vector<std::string> frames) {
  SpoolInput input;
  input.name = "input 0";
  for (const std::string& frame : frames) {
    input.frames.emplace_back(frame.data(), frame.size());
    input.bytes += frame.size();
  }
  return input;
}

std::vector<SpoolInput> one(SpoolInput input) {
  std::vector<SpoolInput> inputs;
  inputs.push_back(std::move(input));
  return inputs;
}

// Writes and syncs, as a batch of one.
Result<std::vector<Digest>> store(Spool& spool, const std::string& job, const std::vector<SpoolInput>& inputs) {
  auto draft = spool.write(job, inputs);
  if (!draft) return tl::unexpected(draft.error());
  const auto synced = spool.sync(std::span(&*draft, 1));
  REQUIRE(synced.size() == 1);
  return synced[0].map([&] { return draft->digests; });
}

Spool open_spool(const ScratchFolder& folder, std::uint64_t max_bytes = 1 << 20) {
  auto spool = Spool::open(folder / "spool", {max_bytes, 0});
  REQUIRE(spool);
  return std::move(*spool);
}

std::string spooled(const Spool& spool, const std::string& job, std::uint32_t partition) {
  const auto file = open_spooled_input(spool.folder(), job, partition);
  REQUIRE(file);
  const auto bytes = read_all(file->get(), 1 << 24, job);
  REQUIRE(bytes);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

bool is_empty(const ScratchFolder& folder) { return std::filesystem::is_empty(folder / "spool"); }

}  // namespace

TEST_CASE("files and frames are copied whole, with their digests, and stay when the client's file goes") {
  const ScratchFolder folder;
  Spool spool = open_spool(folder);
  const std::string text = write_text(folder / "w.wtns", std::string(300'000, 'x') + "end");
  std::vector<SpoolInput> inputs;
  inputs.push_back(from_file(folder / "w.wtns"));
  inputs.push_back(from_frames({"ab", "", "cde"}));
  inputs.push_back(from_frames({}));
  const auto digests = store(spool, "job.1", inputs);
  REQUIRE(digests);
  std::filesystem::remove(folder / "w.wtns");
  CHECK(spooled(spool, "job.1", 0) == text);
  CHECK(spooled(spool, "job.1", 1) == "abcde");
  CHECK(spooled(spool, "job.1", 2).empty());
  CHECK(digests->at(0) == sha256(text));
  CHECK(digests->at(1) == sha256("abcde"));
  CHECK(spool.used_bytes() == text.size() + 5);
}

TEST_CASE("a file that several partitions name is copied once, and each has an input of its own") {
  const ScratchFolder folder;
  Spool spool = open_spool(folder);
  const std::string text = write_text(folder / "c1.json", std::string(100'000, 'c'));
  const std::string other = write_text(folder / "w.wtns", "other");
  std::vector<SpoolInput> inputs;
  for (const char* name : {"c1.json", "w.wtns", "c1.json", "c1.json"}) inputs.push_back(from_file(folder / name));
  const auto digests = store(spool, "job", inputs);
  REQUIRE(digests);
  for (const std::size_t partition : {0, 2, 3}) {
    CHECK(spooled(spool, "job", static_cast<std::uint32_t>(partition)) == text);
    CHECK(digests->at(partition) == sha256(text));
  }
  CHECK(std::filesystem::hard_link_count(spool.folder() / "job-job" / "3") == 3);
  CHECK(std::filesystem::hard_link_count(spool.folder() / "job-job" / "1") == 1);
  CHECK(spooled(spool, "job", 1) == other);
  CHECK(spool.used_bytes() == text.size() + other.size());
  CHECK(open_spool(folder).used_bytes() == text.size() + other.size());

  // What is cut out of one takes its place alone.
  REQUIRE(spool.replace("job", 2, "cut"));
  CHECK(spooled(spool, "job", 2) == "cut");
  CHECK(spooled(spool, "job", 0) == text);
  CHECK(spooled(spool, "job", 3) == text);
  CHECK(spool.used_bytes() == text.size() + other.size() + 3);
  REQUIRE(spool.replace("job", 0, "cut"));
  REQUIRE(spool.replace("job", 3, "cut"));
  CHECK(spool.used_bytes() == other.size() + 9);
  CHECK(spool.replace("job", 9, "cut").error().name == "spool.write");
  CHECK(spool.replace("gone", 0, "cut").error().name == "spool.write");
  REQUIRE(spool.remove("job"));
  CHECK(spool.used_bytes() == 0);
}

TEST_CASE("a file that became shorter or longer after it was examined is refused by name, and nothing is left") {
  const ScratchFolder folder;
  Spool spool = open_spool(folder);
  write_text(folder / "w.wtns", "0123456789");
  for (const std::string& now : {std::string("01234"), std::string("0123456789+")}) {
    auto inputs = one(from_file(folder / "w.wtns"));
    inputs[0].bytes = 10;
    write_text(folder / "w.wtns", now);
    const auto refused = store(spool, "a", inputs);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().name == "spool.changed");
    CHECK(refused.error().code == ErrorCode::mismatch);
    CHECK(refused.error().text.find("w.wtns") != std::string::npos);
    CHECK(is_empty(folder));
    CHECK(spool.used_bytes() == 0);
  }
}

TEST_CASE("a file that is written to while it is copied is refused, or was copied before the first write") {
  const ScratchFolder folder;
  Spool spool = open_spool(folder, 1 << 28);
  const std::string before = write_text(folder / "w.wtns", std::string(64 << 20, 'x'));
  const auto inputs = one(from_file(folder / "w.wtns"));
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    const UniqueFd file(::open((folder / "w.wtns").c_str(), O_WRONLY));
    for (off_t offset = 0; !stop; offset = (offset + 4096) % (64 << 20))
      if (::pwrite(file.get(), "y", 1, offset) != 1) return;
  });
  const auto stored = store(spool, "a", inputs);
  stop = true;
  writer.join();
  if (stored) {
    CHECK(sha256(before) == stored->at(0));
  } else {
    CHECK(stored.error().name == "spool.changed");
    CHECK(is_empty(folder));
  }
}

TEST_CASE("inputs over the limit are refused for ever, over what is free for now") {
  const ScratchFolder folder;
  Spool spool = open_spool(folder, 10);
  CHECK(store(spool, "big", one(from_frames({"01234567890"}))).error().code == ErrorCode::too_large);
  REQUIRE(store(spool, "a", one(from_frames({"0123456"}))));
  CHECK(store(spool, "b", one(from_frames({"0123"}))).error().code == ErrorCode::busy);
  REQUIRE(spool.remove("a"));
  CHECK(spool.used_bytes() == 0);
  CHECK(store(spool, "b", one(from_frames({"0123"}))));
}

TEST_CASE("a client has its part of the spool until its jobs are gone, and nobody else's") {
  const ScratchFolder folder;
  auto opened = Spool::open(folder / "spool", {100, 10});
  REQUIRE(opened);
  Spool& spool = *opened;
  const auto write = [&](const std::string& job, const std::string& client, std::size_t bytes) {
    return spool.write(job, one(from_frames({std::string(bytes, 'x')})), client);
  };
  CHECK(write("a", "key alice", 11).error().name == "quota.too_large");
  REQUIRE(write("a", "key alice", 7));
  const auto refused = write("b", "key alice", 4);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().name == "quota.bytes");
  CHECK(refused.error().code == ErrorCode::busy);
  REQUIRE(write("b", "key bob", 4));
  REQUIRE(write("c", "", 50));  // an operator's
  REQUIRE(spool.remove("a"));
  CHECK(spool.account()->used_bytes_of("key alice") == 0);
  REQUIRE(write("d", "key alice", 10));
  REQUIRE(spool.replace("d", 0, "cut"));
  CHECK(spool.account()->used_bytes_of("key alice") == 3);
  CHECK(spool.used_bytes() == 57);
}

TEST_CASE("when the disk is full the job is refused for now, and nothing is left") {
  const ScratchFolder folder;
  Spool spool = open_spool(folder);
  rlimit unlimited{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &unlimited) == 0);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = unlimited;
  small.rlim_cur = 100;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto refused = store(spool, "a", one(from_frames({std::string(200, 'x')})));
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &unlimited) == 0);
  std::signal(SIGXFSZ, before);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::unavailable);
  CHECK(is_empty(folder));
  CHECK(spool.used_bytes() == 0);
}

TEST_CASE("a new start counts what is there and sweeps what nobody is owed") {
  const ScratchFolder folder;
  {
    Spool spool = open_spool(folder);
    REQUIRE(store(spool, "kept", one(from_frames({"12345"}))));
    REQUIRE(store(spool, "orphan", one(from_frames({"123"}))));
  }
  std::filesystem::create_directory(folder / "spool/job-torn");
  write_text(folder / "spool/job-torn/0", "1234567");
  Spool spool = open_spool(folder);
  CHECK(spool.used_bytes() == 15);
  REQUIRE(spool.sweep({{"kept", "key alice"}}));
  CHECK(spool.used_bytes() == 5);
  CHECK(spool.account()->used_bytes_of("key alice") == 5);
  CHECK(spooled(spool, "kept", 0) == "12345");
  CHECK_FALSE(open_spooled_input(spool.folder(), "orphan", 0));
  CHECK_FALSE(std::filesystem::exists(folder / "spool/job-torn"));
}

TEST_CASE("names that would leave the spool as paths stay in it") {
  const ScratchFolder folder;
  Spool spool = open_spool(folder);
  for (const std::string& job : {std::string("."), std::string(".."), std::string("...")}) {
    REQUIRE(store(spool, job, one(from_frames({job}))));
    CHECK(spooled(spool, job, 0) == job);
    REQUIRE(spool.remove(job));
  }
  CHECK(is_empty(folder));
}
