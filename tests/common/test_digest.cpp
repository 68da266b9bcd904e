// SHA-256 against the examples of FIPS 180-4's validation set, and hexadecimal text.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "common/digest.hpp"
#include "common/posix.hpp"
#include "tests/temporary_directory.hpp"

using namespace groth16d;

TEST_CASE("SHA-256 gives the published digests") {
  CHECK(to_hex(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(to_hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("a million letters in uneven pieces, and as a file, have the digest of the whole") {
  const std::string text(1'000'000, 'a');
  const std::string expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
  Sha256 hash;
  for (std::size_t at = 0; at < text.size(); at += 777) hash.update(std::string_view(text).substr(at, 777));
  CHECK(to_hex(hash.finish()) == expected);

  const TemporaryDirectory directory;
  std::ofstream(directory / "file") << text << std::string(100'000, 'a');
  REQUIRE(::truncate((directory / "file").c_str(), 1'000'000) == 0);
  const UniqueFd fd = open_file(directory / "file", O_RDONLY).value();
  CHECK(to_hex(sha256_of_file(fd.get(), "file").value()) == expected);
}

TEST_CASE("hexadecimal text round-trips and nothing else is taken") {
  const std::string bytes("\x00\x7f\x80\xff", 4);
  CHECK(to_hex(bytes) == "007f80ff");
  CHECK(from_hex("007F80ff") == bytes);
  CHECK(from_hex("") == "");
  for (const char* text : {"0", "0g", "0x00", " 00", "00 "}) CHECK_FALSE(from_hex(text));
}
