// Opening input files, and output files that appear complete or not at all.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "groth16/formats/byte_sink.hpp"
#include "groth16/formats/input_file.hpp"
#include "tests/formats/damage.hpp"

using namespace groth16::formats;
using namespace groth16::formats::test;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "formats.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const char* name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void put(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

std::string open_error(const fs::path& path, std::uint64_t max_bytes = UINT64_MAX) {
  const auto copied = InputFile::open(path, Access::copy, max_bytes);
  const auto mapped = InputFile::open(path, Access::map, max_bytes);
  REQUIRE(copied.has_value() == mapped.has_value());
  if (copied) return "accepted";
  CHECK(copied.error().name == mapped.error().name);
  return copied.error().name;
}

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

TEST_CASE("a file has the same bytes mapped and copied, also from a descriptor that was read already") {
  const Folder folder;
  put(folder / "a", "twelve bytes");
  for (const Access access : {Access::copy, Access::map}) {
    const auto file = InputFile::open(folder / "a", access);
    REQUIRE(file);
    CHECK(std::ranges::equal(file->bytes(), bytes_of("twelve bytes")));
  }
  const int fd = ::open((folder / "a").c_str(), O_RDONLY | O_CLOEXEC);
  ::lseek(fd, 7, SEEK_SET);
  const auto file = InputFile::from_fd(fd, "the.file", Access::copy);
  REQUIRE(file);
  CHECK(file->bytes().size() == 12);
  CHECK(file->name() == "the.file");
  CHECK(::lseek(fd, 0, SEEK_CUR) == 7);
  ::close(fd);
}

TEST_CASE("a copied file does not change when the file is cut or written afterwards") {
  const Folder folder;
  put(folder / "a", std::string(10000, 'x'));
  const auto file = InputFile::open(folder / "a", Access::copy);
  REQUIRE(file);
  fs::resize_file(folder / "a", 0);
  CHECK(std::ranges::all_of(file->bytes(), [](std::byte b) { return b == std::byte{'x'}; }));
}

TEST_CASE("what is no regular, readable, non-empty file of a sensible size is refused by name and at once") {
  const Folder folder;
  put(folder / "empty", "");
  put(folder / "large", std::string(1000, 'x'));
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  fs::create_symlink("nowhere", folder / "dangling");
  CHECK(open_error(folder / "empty") == "file.empty");
  CHECK(open_error(folder / "large", 999) == "file.too_large");
  CHECK(open_error(folder / "large", 1000) == "accepted");
  CHECK(open_error(folder / "fifo") == "file.not_regular");
  CHECK(open_error(folder.path()) == "file.not_regular");
  CHECK(open_error("/dev/zero") == "file.not_regular");
  CHECK(open_error(folder / "dangling") != "accepted");
  CHECK(open_error(folder / "missing") != "accepted");
  CHECK(open_error(std::string("a\0b", 3)) == "file.name");
  CHECK(open_error(std::string(5000, 'a')) != "accepted");
  CHECK(InputFile::open(folder / "missing", Access::copy).error().code == groth16d::ErrorCode::not_found);
}

TEST_CASE("an output file appears at commit, complete, and leaves nothing behind without it") {
  const Folder folder;
  const std::string half(700 << 10, 'a'), rest(3 << 20, 'b');
  {
    auto file = OutputFile::create(folder / "out");
    REQUIRE(file);
    REQUIRE(file->write(bytes_of(half)));
    CHECK(!fs::exists(folder / "out"));
    REQUIRE(file->write(bytes_of(half)));
    REQUIRE(file->write(bytes_of(rest)));
    REQUIRE(file->commit());
  }
  CHECK(read_text((folder / "out").string()) == half + half + rest);
  {
    auto file = OutputFile::create(folder / "abandoned");
    REQUIRE(file);
    REQUIRE(file->write(bytes_of(half)));
  }
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
  CHECK(!OutputFile::create(folder / "no" / "folder"));
}
