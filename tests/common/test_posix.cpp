// Paths that clients name stay inside their root, and files are whole or absent.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/posix.hpp"
#include "tests/temporary_directory.hpp"

using namespace groth16d;

namespace {

void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string content_of(int fd) {
  const auto bytes = read_all(fd, 1 << 20, "test").value();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// root/inside.txt, root/sub/deep.txt, secret.txt beside the root, and links from the root to it
struct Tree {
  Tree() {
    std::filesystem::create_directories(root + "/sub");
    write_text(root + "/inside.txt", "inside");
    write_text(root + "/sub/deep.txt", "deep");
    write_text(directory / "secret.txt", "secret");
    std::filesystem::create_symlink("../secret.txt", root + "/link_out");
    std::filesystem::create_symlink("inside.txt", root + "/link_in");
    std::filesystem::create_directory_symlink("..", root + "/up");
  }
  TemporaryDirectory directory;
  std::string root = directory / "root";
};

}  // namespace

TEST_CASE("a file beneath its root opens") {
  const Tree tree;
  CHECK(content_of(open_beneath(tree.root, "inside.txt").value().get()) == "inside");
  CHECK(content_of(open_beneath(tree.root, "sub/deep.txt").value().get()) == "deep");
}

TEST_CASE("no path leaves its root: neither .., nor an absolute path, nor a symbolic or magic link") {
  const Tree tree;
  for (const char* path : {"../secret.txt", "sub/../../secret.txt", "/etc/passwd", "link_out", "link_in",
                           "up/secret.txt", "up/root/inside.txt"}) {
    CAPTURE(path);
    const auto opened = open_beneath(tree.root, path);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::denied);
    CHECK(opened.error().name == "path.outside_root");
  }
  CHECK_FALSE(open_beneath("/proc/self", "fd/0"));
}

TEST_CASE("what is no regular file is refused at once, a FIFO without waiting for its writer") {
  const Tree tree;
  REQUIRE(::mkfifo((tree.root + "/fifo").c_str(), 0600) == 0);
  CHECK(open_beneath(tree.root, "fifo").error().name == "path.not_regular");
  CHECK(open_beneath(tree.root, "sub").error().name == "path.not_regular");
  CHECK(open_beneath(tree.root, "absent").error().code == ErrorCode::not_found);
}

TEST_CASE("an absolute path opens through the configured root that contains it, and through no other") {
  const Tree tree;
  const std::vector<std::string> roots = {"/nowhere", tree.root + "/"};
  CHECK(content_of(open_inside_roots(roots, tree.root + "/sub/deep.txt").value().get()) == "deep");
  for (const std::string& path : {tree.directory / "secret.txt", tree.root + "/../secret.txt", tree.root + "x/y",
                                  tree.root, std::string("sub/deep.txt"), std::string()}) {
    CAPTURE(path);
    CHECK(open_inside_roots(roots, path).error().code == ErrorCode::denied);
  }
}

TEST_CASE("an atomic write replaces the whole file with the mode asked for and leaves nothing beside it") {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  REQUIRE(write_file_atomically(path, "first"));
  REQUIRE(write_file_atomically(path, "second", 0600));
  CHECK(read_text_file(path, 100).value() == "second");
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("an atomic write through a link that leads nowhere yet makes what it leads to") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "folder");
  std::filesystem::create_symlink("folder/next", directory / "link");
  std::filesystem::create_symlink(directory / "file", directory / "folder/next");
  REQUIRE(write_file_atomically(directory / "link", "text"));
  CHECK(std::filesystem::is_symlink(directory / "link"));
  CHECK(std::filesystem::is_symlink(directory / "folder/next"));
  CHECK(read_text_file(directory / "file", 100) == "text");

  std::filesystem::create_symlink("round", directory / "round");
  CHECK_FALSE(write_file_atomically(directory / "round/file", "text"));
}

TEST_CASE("an atomic write keeps a link, and writes to a pipe instead of replacing it") {
  const TemporaryDirectory directory;
  write_text(directory / "file", "first");
  std::filesystem::create_symlink("file", directory / "link");
  REQUIRE(write_file_atomically(directory / "link", "second"));
  CHECK(std::filesystem::is_symlink(directory / "link"));
  CHECK(read_text_file(directory / "file", 100).value() == "second");

  const std::string pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
  REQUIRE(write_file_atomically(pipe, "third"));
  CHECK(is_stream(pipe));
  std::array<char, 16> text{};
  CHECK(::read(reader.get(), text.data(), text.size()) == 5);
  CHECK_FALSE(is_stream(directory / "file"));
}

TEST_CASE("an atomic write that fails leaves neither file nor temporary") {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "taken/inside");
  CHECK_FALSE(write_file_atomically(directory / "taken", "text"));
  CHECK_FALSE(write_file_atomically(directory / "absent/file", "text"));
  CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("reading stops at its limit and names a file that is too short") {
  const TemporaryDirectory directory;
  write_text(directory / "ten", "0123456789");
  CHECK(read_text_file(directory / "ten", 10).value().size() == 10);
  CHECK(read_text_file(directory / "ten", 9).error().name == "file.too_large");
  const UniqueFd fd = open_file(directory / "ten", O_RDONLY).value();
  std::vector<std::byte> bytes(8);
  CHECK(read_exact_at(fd.get(), bytes, 2, "ten"));
  CHECK(bytes.front() == std::byte{'2'});
  CHECK(read_exact_at(fd.get(), bytes, 3, "ten").error().name == "file.truncated");
}

TEST_CASE("a failed call names itself, its object and errno's text") {
  const Error error = open_file("/no/such/file", O_RDONLY).error();
  CHECK(error.code == ErrorCode::not_found);
  CHECK(error.name == "system.open");
  CHECK(error.text == "open /no/such/file: No such file or directory");
}

TEST_CASE("a descriptor is closed when its owner goes, and only once") {
  int number = -1;
  {
    UniqueFd first = open_file("/dev/null", O_RDONLY).value();
    number = first.get();
    UniqueFd second = std::move(first);
    CHECK_FALSE(first);
    CHECK(second.get() == number);
    CHECK(::fcntl(number, F_GETFD) >= 0);
  }
  CHECK(::fcntl(number, F_GETFD) < 0);
}
