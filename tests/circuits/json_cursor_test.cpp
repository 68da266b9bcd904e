// A text that comes piece by piece is read as one that is there at once, wherever the pieces end.
#include "groth16/circuits/json_cursor.hpp"

#include <catch2/catch.hpp>

namespace groth16::circuits {
namespace {

// Gives a text in pieces of one size.
class Pieces final : public TextPieces {
 public:
  Pieces(std::string_view text, std::size_t piece_bytes) : text_(text), piece_bytes_(piece_bytes) {}

  std::string_view more(std::string_view rest) override {
    std::string next(rest);
    next += text_.substr(0, piece_bytes_);
    text_.remove_prefix(std::min(piece_bytes_, text_.size()));
    given_ = std::move(next);
    return given_;
  }

 private:
  std::string_view text_;
  std::size_t piece_bytes_;
  std::string given_;
};

// Everything that a text can have, with white space here and there.
std::string text() {
  std::string digest = "[0";
  for (int i = 1; i < 32; ++i) digest += (i % 5 == 0 ? " , " : ",") + std::to_string(7 * i % 256);
  const std::string tight = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,255]";
  std::string all = "[";
  for (int i = 0; i < 40; ++i) {
    all += (i == 0 ? "" : ",") + std::string(static_cast<std::size_t>(i), ' ') + "{\"name\":\"" +
           std::string(static_cast<std::size_t>(10 * i), 'n') +
           "\",\"number\": 18446744073709551615,\"loose\":" + digest + "],\"tight\":" + tight +
           ",\"other\":{\"a\\\"b\": [1,{\"c\":-2.5e3}, \"\\\\\"]} }";
  }
  return all + "]\n";
}

std::string read(JsonCursor& cursor) {
  std::string seen;
  cursor.array([&](std::size_t) {
    cursor.object<4>({"name", "number", "loose", "tight"}, [&](std::size_t field) {
      if (field == 0) seen += cursor.string();
      if (field == 1) seen += std::to_string(cursor.number(~std::uint64_t{0}));
      if (field > 1) {
        for (const auto byte : cursor.bytes32()) seen += std::to_string(byte) + ",";
      }
    });
  });
  const auto finished = cursor.finish();
  return finished ? seen : finished.error().text;
}

std::string read_whole(std::string_view text) {
  JsonCursor cursor("c1", "file", text);
  return read(cursor);
}
std::string read_pieces(std::string_view text, std::size_t piece_bytes) {
  Pieces pieces(text, piece_bytes);
  JsonCursor cursor("c1", "file", pieces);
  return read(cursor);
}

TEST_CASE("pieces of any size are read as the whole") {
  const std::string good = text(), whole = read_whole(good);
  REQUIRE(whole.find("18446744073709551615") != std::string::npos);
  for (std::size_t piece_bytes = 128; piece_bytes < 600; ++piece_bytes) CHECK(read_pieces(good, piece_bytes) == whole);
}

TEST_CASE("what is wrong in a later piece is found at its place") {
  const std::string good = text();
  for (const std::size_t at : {good.find("\"number\"", good.size() / 2), good.rfind("\"other\""), good.size() - 2}) {
    std::string bad = good;
    bad[at] = '}';
    const std::string whole = read_whole(bad);
    REQUIRE(whole.find("at byte") != std::string::npos);
    for (const std::size_t piece_bytes : {128, 131, 500}) CHECK(read_pieces(bad, piece_bytes) == whole);
    CHECK(read_pieces(good.substr(0, at), 130) == read_whole(good.substr(0, at)));
  }
  CHECK(read_pieces(good + "x", 128) == read_whole(good + "x"));
}

}  // namespace
}  // namespace groth16::circuits
