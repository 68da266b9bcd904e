// A request is examined off the loop: digests that compare, sizes that count, paths that cannot leave their roots.
#include <catch2/catch.hpp>

#include <fstream>

#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/files.hpp"
#include "tests/supervisor/scratch_folder.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

struct Bench {
  ScratchFolder folder;
  std::unique_ptr<Files> files;

  explicit Bench(std::uint64_t max_bytes = 1 << 20) {
    std::filesystem::create_directory(folder / "root");
    auto spool = Spool::open(folder / "spool", {max_bytes, 0});
    REQUIRE(spool);
    auto uploads = Uploads::recover(*spool, 60'000, 0);
    REQUIRE(uploads);
    files = std::make_unique<Files>(std::move(*spool), std::move(*uploads),
                                    std::vector<std::filesystem::path>{folder / "root"},
                                    [this] { return read_config(folder / "groth16d.toml"); });
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }

  template <class Answer>
  Answer ask(FilesRequest request) const {
    files->put(std::move(request));
    pollfd item{files->descriptor(), POLLIN, 0};
    REQUIRE(::poll(&item, 1, 10'000) == 1);
    auto completions = files->take();
    REQUIRE(completions.size() == 1);
    REQUIRE(std::holds_alternative<Answer>(completions[0]));
    return std::move(std::get<Answer>(completions[0]));
  }
};

std::vector<NamedInput> named_input(const std::string& path) {
  std::vector<NamedInput> inputs(1);
  inputs[0].path = path;
  return inputs;
}

NamedInput inline_input(const std::vector<std::string>& frames) {
  NamedInput input;
  for (const std::string& frame : frames) input.frames.emplace_back(frame.data(), frame.size());
  return input;
}

Examine examine_of(NamedInput input, CircuitSource source = {}) {
  Examine request{5, "form", std::move(source), {}};
  request.inputs.push_back(std::move(input));
  return request;
}

}  // namespace

TEST_CASE("inputs are opened and measured before the core hears of them") {
  const Bench bench;
  const auto found = bench.ask<Examined>(examine_of({bench.write("root/w.wtns", "12345"), {}, ""}));
  CHECK(found.token == 5);
  REQUIRE(found.key_stamp);
  REQUIRE(found.inputs.size() == 1);
  CHECK(found.inputs[0].bytes == 5);
  CHECK(found.inputs[0].file);
}

TEST_CASE("a file that many partitions name is open once") {
  const Bench bench;
  Examine request = examine_of({bench.write("root/w.wtns", "12345"), {}, ""});
  for (int again = 0; again < 3; ++again) request.inputs.push_back({request.inputs[0].path, {}, "[]"});
  request.inputs.push_back({bench.write("root/x.wtns", "123"), {}, ""});
  request.inputs.push_back(inline_input({"12"}));
  request.inputs.push_back(inline_input({"1"}));
  const auto found = bench.ask<Examined>(std::move(request));
  REQUIRE(found.key_stamp);
  REQUIRE(found.inputs.size() == 7);
  for (const std::size_t place : {1, 2, 3}) {
    CHECK(found.inputs[place].file.get() == found.inputs[0].file.get());
    CHECK(found.inputs[place].bytes == 5);
    CHECK(found.inputs[place].name == found.inputs[0].name);
  }
  CHECK(found.inputs[4].file.get() != found.inputs[0].file.get());
  CHECK(found.inputs[5].bytes == 2);
  CHECK(found.inputs[6].bytes == 1);
  CHECK_FALSE(found.inputs[6].file);
}

TEST_CASE("where no descriptor is left a request may come again, and what is to be leased waits for one") {
  const Bench bench;
  const std::string path = bench.write("root/w.wtns", "12345");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit none = before;
  none.rlim_cur = 3;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto found = bench.ask<Examined>(examine_of({path, {}, ""}));
  bench.files->put(OpenFiles{3, {{{1, 1}, path, false, "", 0}}});
  const auto again = bench.ask<Examined>(examine_of({path, {}, ""}));  // the only answer
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE_FALSE(found.key_stamp);
  CHECK(found.key_stamp.error().code == ErrorCode::busy);
  CHECK_FALSE(again.key_stamp);
  const auto answered = bench.ask<FilesAnswered>(ExpireUploads{});  // as time passes
  REQUIRE(std::holds_alternative<FilesOpened>(answered.event));
  CHECK(std::get<FilesOpened>(answered.event).request == 3);
  CHECK(bench.ask<Examined>(examine_of({path, {}, ""})).key_stamp);
}

TEST_CASE("the digest knows the content of inline inputs and where their frames end") {
  const Bench bench;
  const auto digest = [&](const std::vector<std::string>& frames) {
    return bench.ask<Examined>(examine_of(inline_input(frames))).digest;
  };
  CHECK(digest({"ab", "c"}) == digest({"ab", "c"}));
  CHECK(digest({"ab", "c"}) != digest({"a", "bc"}));
  CHECK(digest({"ab"}) != digest({"ac"}));
}

TEST_CASE("paths outside the roots, links out of them and things that are no files are refused") {
  const Bench bench;
  bench.write("secret", "x");
  std::filesystem::create_symlink(bench.folder / "secret", bench.folder / "root/link");
  std::filesystem::create_directory(bench.folder / "root/directory");
  REQUIRE(::mkfifo((bench.folder / "root/fifo").c_str(), 0600) == 0);
  for (const std::string& path :
       {(bench.folder / "secret").string(), (bench.folder / "root/../secret").string(),
        (bench.folder / "root/link").string(), (bench.folder / "root/directory").string(),
        (bench.folder / "root/fifo").string(), std::string("w.wtns"), (bench.folder / "root/missing").string()}) {
    INFO(path);
    const auto found = bench.ask<Examined>(examine_of({path, {}, ""}));
    CHECK_FALSE(found.key_stamp);
    CHECK_FALSE(found.digest.empty());  // a job that exists already is still recognised
  }
}

TEST_CASE("a key that was written again has another stamp") {
  const Bench bench;
  const std::string key = bench.write("root/k.zkey", "one");
  const auto stamp = [&] { return *bench.ask<Examined>(examine_of(inline_input({"w"}), {key, "", false})).key_stamp; };
  const auto first = stamp();
  CHECK(stamp() == first);
  bench.write("root/k.zkey", "other");
  CHECK(stamp() != first);
}

TEST_CASE("inputs that the spool cannot take are refused before they are copied") {
  const Bench bench(3);
  const auto found = bench.ask<Examined>(examine_of(inline_input({"1234"})));
  REQUIRE_FALSE(found.key_stamp);
  CHECK(found.key_stamp.error().code == ErrorCode::too_large);
}

TEST_CASE("files are opened for leases all or none") {
  const Bench bench;
  const std::string key = bench.write("root/k.zkey", "key!");
  OpenFiles both{3, {{{1, 1}, key, false, "", 0}, {{2, 1}, (bench.folder / "root/none").string(), false, "", 0}}};
  auto refused = bench.ask<FilesAnswered>(both);
  REQUIRE(std::holds_alternative<FilesRefused>(refused.event));
  CHECK(refused.opened.empty());

  both.files.pop_back();
  auto opened = bench.ask<FilesAnswered>(both);
  REQUIRE(std::holds_alternative<FilesOpened>(opened.event));
  REQUIRE(opened.opened.size() == 1);
  CHECK(opened.opened[0].second->payload_bytes == 4);
  CHECK(opened.opened[0].second->kind == 0);
  CHECK(::pwrite(opened.opened[0].second->read_only.get(), "x", 1, 0) == -1);
}

TEST_CASE("a job that was spooled is opened by its name and partition") {
  const Bench bench;
  SpoolJob job;
  job.record.job = "a";
  job.inputs.emplace_back();
  job.inputs[0].frames.emplace_back("xyz", 3);
  job.inputs[0].bytes = 3;
  const auto spooled = bench.ask<JobSpooled>(std::move(job));
  REQUIRE(spooled.input_digests);
  const auto opened = bench.ask<FilesAnswered>(OpenFiles{4, {{{1, 1}, "", true, "a", 0}}});
  REQUIRE(std::holds_alternative<FilesOpened>(opened.event));
  CHECK(opened.opened[0].second->payload_bytes == 3);
}

TEST_CASE("an upload is a job's input without a copy, and one that is another job's is copied") {
  const Bench bench;
  const std::string text(3'000, 'u');
  TakeUpload upload{7, {}};
  upload.piece.client = "key alice";
  upload.piece.sha256 = sha256(text);
  upload.piece.bytes = text.size();
  CHECK(bench.ask<UploadTaken>(std::move(upload)).progress->received_bytes == 0);
  TakeUpload chunk{8, {}};
  chunk.piece.client = "key alice";
  chunk.piece.sha256 = chunk.piece.chunk_sha256 = sha256(text);
  chunk.piece.bytes = text.size();
  chunk.piece.chunk = zmq::message_t(text.data(), text.size());
  CHECK(bench.ask<UploadTaken>(std::move(chunk)).progress->is_whole);

  const auto examined_by = [&](const std::string& client) {
    NamedInput input;
    input.upload = sha256(text);
    Examine request = examine_of(std::move(input));
    request.client = client;
    return bench.ask<Examined>(std::move(request));
  };
  CHECK(examined_by("key bob").key_stamp.error().name == "upload.unknown");
  Examine twice = examine_of({});
  twice.client = "key alice";
  twice.inputs[0].upload = sha256(text);
  twice.inputs.push_back({{}, {}, "", sha256(text)});
  const auto shared = bench.ask<Examined>(std::move(twice));
  REQUIRE(shared.inputs.size() == 2);
  CHECK(shared.inputs[0].file.get() == shared.inputs[1].file.get());
  CHECK(shared.inputs[1].uploader == "key alice");
  std::vector<SpoolJob> jobs(2);
  for (const std::size_t place : {0, 1}) {
    jobs[place].record.job = std::string(1, static_cast<char>('a' + place));
    jobs[place].record.client = "key alice";
    jobs[place].inputs = examined_by("key alice").inputs;
    REQUIRE(jobs[place].inputs.size() == 1);
  }
  for (SpoolJob& job : jobs) REQUIRE(bench.ask<JobSpooled>(std::move(job)).input_digests);
  const auto input_of = [&](const std::string& job) { return bench.folder / "spool" / ("job-" + job) / "0"; };
  CHECK(std::filesystem::hard_link_count(input_of("a")) == 2);
  CHECK(std::filesystem::hard_link_count(input_of("b")) == 1);
  CHECK(std::filesystem::file_size(input_of("b")) == text.size());
  bench.files->put(KeepSpooled{"a"});
  bench.files->put(KeepSpooled{"b"});
  CHECK(examined_by("key alice").key_stamp.error().name == "upload.unknown");  // it is a's
  CHECK(std::filesystem::hard_link_count(input_of("a")) == 1);
  const SpoolFigures figures = bench.files->figures();
  CHECK(figures.used_bytes == 2 * text.size());
  CHECK(figures.uploads.taken == 1);
  CHECK(figures.uploads.whole == 0);
}

TEST_CASE("the configuration is read off the loop, and its roots and spool hold for the next request") {
  Bench bench;
  CHECK_FALSE(bench.ask<ConfigRead>(ReadConfig{1}).config.has_value());
  bench.write("groth16d.toml", "log_level = \"loud\"\n");
  const auto bad = bench.ask<ConfigRead>(ReadConfig{2});
  REQUIRE_FALSE(bad.config.has_value());
  CHECK(bad.config.error().text.find("groth16d.toml:1") != std::string::npos);
  bench.write("groth16d.toml", "log_level = \"debug\"\n");
  const auto good = bench.ask<ConfigRead>(ReadConfig{3});
  CHECK(good.token == 3);
  REQUIRE(good.config.has_value());
  CHECK(good.config->log_level == "debug");

  const std::string outside = bench.write("outside.wtns", "12345");
  CHECK_FALSE(bench.ask<Examined>(Examine{4, "", {}, named_input(outside)}).key_stamp.has_value());
  bench.files->put(FileLimits{{bench.folder.path()}, {4, 0}, 1'000});
  const auto too_large = bench.ask<Examined>(Examine{5, "", {}, named_input(outside)});
  CHECK(too_large.key_stamp.error().name == "spool.too_large");
  bench.files->put(FileLimits{{bench.folder.path()}, {1 << 20, 0}, 1'000});
  CHECK(bench.ask<Examined>(Examine{6, "", {}, named_input(outside)}).key_stamp.has_value());
}
