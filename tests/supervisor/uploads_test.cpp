// An upload is whole and what its name says, or it is not there; whatever comes twice, late, wrong or from somebody
// else changes nothing.
#include <catch2/catch.hpp>

#include <fstream>
#include <random>

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include "common/failpoint.hpp"
#include "common/posix.hpp"
#include "supervisor/uploads.hpp"
#include "tests/supervisor/scratch_folder.hpp"
#include "tests/supervisor/upload_world.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

constexpr std::uint64_t kExpiry_ms = 1'000;

std::string random_text(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::uint32_t state = 12345;
  for (char& letter : text) letter = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

struct Bench {
  ScratchFolder folder;
  std::optional<Spool> spool;
  std::optional<Uploads> uploads;

  explicit Bench(SpoolLimits limits = {1 << 20, 0}) { start(limits); }
  // As a new supervisor finds it, whatever the last one was doing.
  void start(SpoolLimits limits = {1 << 20, 0}) {
    uploads.reset();
    spool.emplace(std::move(*Spool::open(folder / "spool", limits)));
    REQUIRE(spool->sweep({{"kept", "key alice"}}));
    uploads.emplace(std::move(*Uploads::recover(*spool, kExpiry_ms, 0)));
  }
  std::filesystem::path part_of(const std::string& text, const std::string& client = "key alice") const {
    return folder / "spool" / "uploads" /
           ("part." + to_hex(sha256(text)) + "." + std::to_string(text.size()) + "." + client);
  }
};

// A chunk of `text`, or with length 0 the message that begins.
UploadPiece piece_of(const std::string& text, std::size_t offset, std::size_t length,
                     const std::string& client = "key alice") {
  UploadPiece piece;
  piece.client = client;
  piece.sha256 = sha256(text);
  piece.bytes = text.size();
  piece.offset = offset;
  const std::string chunk = text.substr(offset, length);
  piece.chunk = zmq::message_t(chunk.data(), chunk.size());
  piece.chunk_sha256 = sha256(chunk);
  return piece;
}

std::string refusal(const Result<UploadProgress>& progress) { return progress ? "" : progress.error().name; }

std::string content(const Result<SpoolInput>& input) {
  REQUIRE(input);
  const auto bytes = read_all(input->file.get(), 1 << 24, "upload");
  REQUIRE(bytes);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

}  // namespace

TEST_CASE("chunks in order become the input that was named, and its space is taken before the first") {
  Bench bench;
  const std::string text = random_text(250'000);
  const auto begun = bench.uploads->take(piece_of(text, 0, 0), 5);
  REQUIRE(begun);
  CHECK(begun->received_bytes == 0);
  CHECK(begun->expires_in_ms == kExpiry_ms);
  CHECK(bench.spool->used_bytes() == text.size());
  struct stat status {};
  REQUIRE(::stat(bench.part_of(text).c_str(), &status) == 0);
  CHECK(status.st_size == 0);
  CHECK(static_cast<std::uint64_t>(status.st_blocks) * 512 >= text.size());  // on the disk, too
  CHECK((status.st_mode & 0777) == 0600);

  CHECK(bench.uploads->open("key alice", sha256(text)).error().name == "upload.incomplete");
  for (std::size_t offset = 0; offset < text.size(); offset += 100'000) {
    const auto progress = bench.uploads->take(piece_of(text, offset, 100'000), 5);
    REQUIRE(progress);
    CHECK(progress->received_bytes == std::min(text.size(), offset + 100'000));
    CHECK(progress->is_whole == (offset == 200'000));
  }
  CHECK(content(bench.uploads->open("key alice", sha256(text))) == text);
  CHECK(bench.spool->used_bytes() == text.size());
  CHECK(bench.uploads->figures() ==
        UploadFigures{
            .whole = 1, .reserved_bytes = text.size(), .received_bytes = text.size(), .begun = 1, .finished = 1});
}

TEST_CASE("a message that comes again changes nothing, whichever it is") {
  Bench bench;
  const std::string text = random_text(1'000);
  for (int again = 0; again < 2; ++again) CHECK(bench.uploads->take(piece_of(text, 0, 0), 0)->received_bytes == 0);
  for (int again = 0; again < 2; ++again) CHECK(bench.uploads->take(piece_of(text, 0, 400), 0)->received_bytes == 400);
  CHECK(bench.uploads->take(piece_of(text, 300, 300), 0)->received_bytes == 600);  // from a torn one on
  CHECK(bench.uploads->take(piece_of(text, 100, 200), 0)->received_bytes == 600);
  for (int again = 0; again < 2; ++again) CHECK(bench.uploads->take(piece_of(text, 600, 400), 0)->is_whole);
  CHECK(bench.uploads->take(piece_of(text, 0, 0), 0)->is_whole);
  CHECK(bench.uploads->figures().received_bytes == text.size());
  CHECK(content(bench.uploads->open("key alice", sha256(text))) == text);
}

TEST_CASE("a chunk at the wrong place, with the wrong checksum or of another size is refused, and the upload goes on") {
  Bench bench;
  const std::string text = random_text(1'000);
  CHECK(refusal(bench.uploads->take(piece_of(text, 0, 400), 0)) == "upload.unknown");  // nobody began it
  REQUIRE(bench.uploads->take(piece_of(text, 0, 0), 0));
  REQUIRE(bench.uploads->take(piece_of(text, 0, 400), 0));
  CHECK(refusal(bench.uploads->take(piece_of(text, 401, 100), 0)) == "upload.offset");
  UploadPiece torn = piece_of(text, 400, 100);
  torn.chunk_sha256[0] ^= 1;
  CHECK(refusal(bench.uploads->take(torn, 0)) == "upload.chunk");
  UploadPiece other = piece_of(text, 0, 400);
  static_cast<char*>(other.chunk.data())[7] ^= 1;
  other.chunk_sha256 = sha256(other.chunk.to_string_view());
  CHECK(refusal(bench.uploads->take(other, 0)) == "upload.differs");
  UploadPiece larger = piece_of(text, 0, 0);
  larger.bytes += 1;
  CHECK(refusal(bench.uploads->take(larger, 0)) == "upload.bytes");
  CHECK(bench.uploads->take(piece_of(text, 400, 600), 0)->is_whole);
  CHECK(content(bench.uploads->open("key alice", sha256(text))) == text);
}

TEST_CASE("what is whole and not what was named is gone at once, with its space") {
  Bench bench;
  const std::string text = random_text(500), other = random_text(499) + "?";
  REQUIRE(bench.uploads->take(piece_of(text, 0, 0), 0));
  UploadPiece wrong = piece_of(other, 0, 500);
  wrong.sha256 = sha256(text);
  CHECK(refusal(bench.uploads->take(wrong, 0)) == "upload.digest");
  CHECK(bench.spool->used_bytes() == 0);
  CHECK(std::filesystem::is_empty(bench.folder / "spool" / "uploads"));
  CHECK(bench.uploads->figures().spoilt == 1);
  REQUIRE(bench.uploads->take(piece_of(text, 0, 0), 0));
  CHECK(bench.uploads->take(piece_of(text, 0, 500), 0)->is_whole);
}

TEST_CASE("another client's upload does not exist for a client, by the same SHA-256 either") {
  Bench bench;
  const std::string text = random_text(500);
  REQUIRE(bench.uploads->take(piece_of(text, 0, 0), 0));
  REQUIRE(bench.uploads->take(piece_of(text, 0, 500), 0));
  CHECK(bench.uploads->open("key mallory", sha256(text)).error().name == "upload.unknown");
  CHECK(refusal(bench.uploads->take(piece_of(text, 0, 500, "key mallory"), 0)) == "upload.unknown");
  CHECK(bench.uploads->take(piece_of(text, 0, 0, "key mallory"), 0)->received_bytes == 0);  // one of her own
}

TEST_CASE("space is refused before anything is written: of all, of a client, of the disk, of names") {
  Bench bench({10'000, 4'000});
  CHECK(refusal(bench.uploads->take(piece_of(random_text(10'001), 0, 0), 0)) == "spool.too_large");
  CHECK(refusal(bench.uploads->take(piece_of(random_text(4'001), 0, 0), 0)) == "quota.too_large");
  REQUIRE(bench.uploads->take(piece_of(random_text(3'000), 0, 0), 0));
  CHECK(refusal(bench.uploads->take(piece_of(random_text(1'001), 0, 0), 0)) == "quota.bytes");
  CHECK(bench.uploads->take(piece_of(random_text(1'001), 0, 0, "key bob"), 0));
  UploadPiece operators = piece_of(random_text(5'999), 0, 0, "user 0");
  operators.has_quota = false;
  CHECK(bench.uploads->take(operators, 0));
  CHECK(refusal(bench.uploads->take(piece_of("x", 0, 0), 0)) == "spool.full");

  Bench many;
  for (std::size_t n = 0; n < kMostUploadsOfClient; ++n)
    REQUIRE(many.uploads->take(piece_of("upload " + std::to_string(n), 0, 0), 0));
  CHECK(refusal(many.uploads->take(piece_of("one more", 0, 0), 0)) == "quota.uploads");
  CHECK(many.uploads->take(piece_of("one more", 0, 0, "key bob"), 0));
}

TEST_CASE("what nobody goes on with expires, with its space; what a job claims does not") {
  Bench bench;
  const std::string slow = random_text(700), idle = random_text(600), claimed = random_text(500);
  for (const std::string& text : {slow, idle, claimed}) REQUIRE(bench.uploads->take(piece_of(text, 0, 0), 0));
  REQUIRE(bench.uploads->take(piece_of(claimed, 0, 500), 0));
  REQUIRE(bench.uploads->claim("key alice", sha256(claimed), "job"));
  REQUIRE(bench.uploads->take(piece_of(slow, 0, 100), 900));
  bench.uploads->expire(kExpiry_ms - 1);
  CHECK(bench.uploads->figures().expired == 0);
  bench.uploads->expire(kExpiry_ms);
  CHECK(bench.uploads->figures().expired == 1);
  CHECK(bench.spool->used_bytes() == slow.size() + claimed.size());
  CHECK(refusal(bench.uploads->take(piece_of(idle, 0, 100), kExpiry_ms)) == "upload.unknown");
  CHECK(bench.uploads->take(piece_of(slow, 100, 600), kExpiry_ms)->is_whole);
  bench.uploads->release("job");
  bench.uploads->expire(10 * kExpiry_ms);
  CHECK(bench.spool->used_bytes() == 0);
  CHECK(std::filesystem::is_empty(bench.folder / "spool" / "uploads"));
}

TEST_CASE("a new supervisor goes on where a killed one was, with the same client, space and end") {
  Bench bench;
  const std::string text = random_text(3'000'000), whole = random_text(100);
  REQUIRE(bench.uploads->take(piece_of(whole, 0, 0), 0));
  REQUIRE(bench.uploads->take(piece_of(whole, 0, 100), 0));
  bench.start({10 << 20, 0});
  REQUIRE(bench.uploads->take(piece_of(text, 0, 0), 0));
  REQUIRE(bench.uploads->take(piece_of(text, 0, 1 << 20), 0));
  REQUIRE(bench.uploads->take(piece_of(text, 1 << 20, 1 << 20), 0));

  bench.start({10 << 20, 4 << 20});
  CHECK(bench.spool->account()->used_bytes_of("key alice") == text.size() + whole.size());
  CHECK(content(bench.uploads->open("key alice", sha256(whole))) == whole);
  CHECK(refusal(bench.uploads->take(piece_of(random_text(2 << 20), 0, 0), 0)) == "quota.bytes");
  CHECK(bench.uploads->take(piece_of(text, 0, 0), 0)->received_bytes == 2 << 20);
  CHECK(bench.uploads->take(piece_of(text, 2 << 20, 1 << 20), 0)->is_whole);
  CHECK(content(bench.uploads->open("key alice", sha256(text))) == text);
}

TEST_CASE("an operator's upload is in nobody's quota after a restart either") {
  Bench bench;
  const std::string text = random_text(1'000), other = random_text(900);
  UploadPiece begun = piece_of(text, 0, 0, "user 0");
  begun.has_quota = false;
  REQUIRE(bench.uploads->take(begun, 0));
  REQUIRE(bench.uploads->take(piece_of(other, 0, 0, "user 0"), 0));
  bench.start();
  CHECK(bench.spool->used_bytes() == text.size() + other.size());
  CHECK(bench.spool->account()->used_bytes_of("user 0") == other.size());
  UploadPiece rest = piece_of(text, 0, text.size(), "user 0");
  rest.has_quota = false;
  CHECK(bench.uploads->take(rest, 0)->is_whole);
  bench.start();
  CHECK(content(bench.uploads->open("user 0", sha256(text))) == text);
  CHECK(bench.spool->account()->used_bytes_of("user 0") == other.size());
}

TEST_CASE("after a restart a long upload is hashed a piece for each message, which is to come again") {
  Bench bench;
  const std::string end = "end";
  const std::uint64_t there = kMostHashedAgainBytes + 100;
  Sha256 hash;
  const std::string zeros(1 << 20, '\0');
  for (std::uint64_t done = 0; done < there; done += zeros.size())
    hash.update(std::string_view(zeros).substr(0, there - done));
  hash.update(end);
  UploadPiece piece = piece_of(end, 0, 3);
  piece.sha256 = hash.finish();
  piece.bytes = there + end.size();
  piece.offset = there;
  const auto part = bench.folder / "spool" / "uploads" /
                    ("part." + to_hex(piece.sha256) + "." + std::to_string(piece.bytes) + ".key alice");

  std::ofstream(part).flush();
  std::filesystem::resize_file(part, there);
  SECTION("more is to come") {}
  SECTION("all of it is there") {
    std::ofstream(part, std::ios::binary | std::ios::app) << end;
    piece.chunk.rebuild();
    piece.offset = piece.bytes;
  }
  const std::uint64_t length = std::filesystem::file_size(part);
  bench.start({1 << 30, 0});
  const auto first = bench.uploads->take(piece, 0);
  REQUIRE(first);
  CHECK(first->received_bytes == length);
  CHECK_FALSE(first->is_whole);
  const auto second = bench.uploads->take(piece, 0);
  REQUIRE(second);
  CHECK(second->received_bytes == piece.bytes);
  CHECK(second->is_whole);
}

TEST_CASE("an upload that the disk could not take is gone, not whole by the next message") {
#ifdef GROTH16D_FAILPOINTS
  Bench bench;
  const std::string text = random_text(1'000);
  REQUIRE(bench.uploads->take(piece_of(text, 0, 0), 0));
  REQUIRE(arm_failpoints("upload.sync=error"));
  const auto refused = bench.uploads->take(piece_of(text, 0, 1'000), 0);
  REQUIRE(arm_failpoints(""));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::unavailable);
  CHECK(refused.error().name == "spool.write");
  CHECK(bench.spool->used_bytes() == 0);
  CHECK(std::filesystem::is_empty(bench.folder / "spool" / "uploads"));
  CHECK(bench.uploads->figures().spoilt == 1);
  CHECK(refusal(bench.uploads->take(piece_of(text, 0, 1'000), 0)) == "upload.unknown");
  CHECK(bench.uploads->take(piece_of(text, 0, 0), 0)->received_bytes == 0);
  CHECK(bench.uploads->take(piece_of(text, 0, 1'000), 0)->is_whole);
#else
  WARN("skipped: failpoints are compiled out");
#endif
}

TEST_CASE("what was killed between its last byte and its name is finished when it is asked for") {
  Bench bench;
  const std::string text = random_text(1'000);
  REQUIRE(bench.uploads->take(piece_of(text, 0, 0), 0));
  std::ofstream(bench.part_of(text), std::ios::binary) << text;
  bench.start();
  CHECK(bench.uploads->take(piece_of(text, 0, 0), 0)->is_whole);

  const std::string spoilt = random_text(2'000);
  REQUIRE(bench.uploads->take(piece_of(spoilt, 0, 0), 0));
  std::ofstream(bench.part_of(spoilt), std::ios::binary) << std::string(2'000, '\0');  // as after a power cut
  bench.start();
  CHECK(refusal(bench.uploads->take(piece_of(spoilt, 0, 0), 0)) == "upload.digest");
  CHECK(bench.uploads->take(piece_of(spoilt, 0, 0), 0)->received_bytes == 0);
}

TEST_CASE("an accepted job's input is no upload after a kill either, and its space is counted once") {
  Bench bench;
  const std::string text = random_text(1'000);
  REQUIRE(bench.uploads->take(piece_of(text, 0, 0), 0));
  REQUIRE(bench.uploads->take(piece_of(text, 0, 1'000), 0));
  std::vector<SpoolInput> inputs;
  for (int partition = 0; partition < 2; ++partition) {
    inputs.push_back(std::move(*bench.uploads->open("key alice", sha256(text))));
    REQUIRE(bench.uploads->claim("key alice", sha256(text), "kept"));
  }
  CHECK_FALSE(bench.uploads->claim("key alice", sha256(text), "other"));
  const auto draft = bench.spool->write("kept", inputs, "key alice");
  REQUIRE(draft);
  CHECK(draft->digests == std::vector<Digest>(2, sha256(text)));
  CHECK(bench.spool->used_bytes() == text.size());

  SECTION("the supervisor lives") {
    bench.uploads->hand_over("kept", *bench.spool);
    CHECK(bench.uploads->figures().taken == 1);
  }
  SECTION("the supervisor is killed before it takes the upload's name away") { bench.start(); }
  CHECK(bench.spool->account()->used_bytes_of("key alice") == text.size());
  CHECK(std::filesystem::is_empty(bench.folder / "spool" / "uploads"));
  CHECK(open_spooled_input(bench.spool->folder(), "kept", 1));
  REQUIRE(bench.spool->remove("kept"));
  CHECK(bench.spool->used_bytes() == 0);
}

TEST_CASE("a job that is not accepted leaves its upload for the next one") {
  Bench bench;
  const std::string text = random_text(1'000);
  REQUIRE(bench.uploads->take(piece_of(text, 0, 0), 0));
  REQUIRE(bench.uploads->take(piece_of(text, 0, 1'000), 0));
  std::vector<SpoolInput> inputs;
  inputs.push_back(std::move(*bench.uploads->open("key alice", sha256(text))));
  REQUIRE(bench.uploads->claim("key alice", sha256(text), "refused"));
  REQUIRE(bench.spool->write("refused", inputs, "key alice"));
  bench.uploads->release("refused");
  REQUIRE(bench.spool->remove("refused"));
  CHECK(bench.spool->used_bytes() == text.size());
  CHECK(bench.uploads->claim("key alice", sha256(text), "next"));
}

TEST_CASE("whatever comes in whatever order, every byte is accounted for and what is whole is what was named") {
  const ScratchFolder folder;
  const auto level = spdlog::get_level();
  spdlog::set_level(spdlog::level::warn);  // a line for each of hundreds that expire
  test::UploadWorld world(folder.path(), [](bool promise, const char* what) {
    INFO(what);
    REQUIRE(promise);
  });
  std::mt19937 random(20261130);
  for (int step = 0; step < 5'000; ++step) {
    std::array<std::uint8_t, 4> code{};
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    world.step(code);
  }
  spdlog::set_level(level);
}

TEST_CASE("files that are no uploads are swept at a start") {
  Bench bench;
  const std::string uploads = (bench.folder / "spool" / "uploads").string();
  const std::string digest = to_hex(sha256("x"));
  const std::vector<std::string> names{"noise",
                                       "part." + digest,
                                       "part." + digest + ".1",
                                       "part." + digest + ".1x.key a",
                                       "whole." + digest + ".5.key a",
                                       "part.abcd.1.key a",
                                       "half." + digest + ".1.key a"};
  for (const std::string& name : names) std::ofstream(uploads + "/" + name) << "12";
  bench.start();
  CHECK(std::filesystem::is_empty(uploads));
  CHECK(bench.spool->used_bytes() == 0);
}
