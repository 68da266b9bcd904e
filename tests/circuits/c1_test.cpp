// The first commit phase's output in its JSON forms: read to the digest, damaged files refused by name, and a sealed
// sector's witness native, exact and satisfying.
#include <catch2/catch.hpp>
#include <fstream>

#include "groth16/circuits/base64.hpp"
#include "groth16/circuits/c1.hpp"
#include "groth16/circuits/partition_input.hpp"
#include "groth16/circuits/stacked_system.hpp"
#include "groth16/circuits/stacked_witness.hpp"
#include "groth16/proof/evaluate.hpp"
#include "tests/circuits/described.hpp"

namespace groth16::circuits {
namespace {

std::string read_data(const std::string& name) {
  std::ifstream file("tests/circuits/data/" + name, std::ios::binary);
  if (!file) FAIL("cannot read " << name);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string& wrapper() {
  static const std::string text = read_data("c1_2kib_v1_1.json");
  return text;
}

const std::string& inner() {
  static const std::string text = read_data("synth_c1_2kib.inner.json");
  return text;
}

groth16d::Result<C1> read(const std::string& text) { return read_c1_json("c1", std::as_bytes(std::span(text))); }

std::string error_of(const std::string& text) {
  const auto c1 = read(text);
  return c1 ? "read" : c1.error().name;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_CASE("a wrapped file gives its sector and statement") {
  const auto c1 = read(wrapper());
  REQUIRE(c1);
  CHECK(c1->sector_number == 1);
  CHECK(c1->statement.proof.sector.sector_bytes() == 2048);
  CHECK(groth16d::to_hex(c1->statement.comm_r) == "a1c256ace0b2df0033eddf83945e5f25ddeb987eb323538fef75219be4210745");
  CHECK(groth16d::to_hex(c1->ticket) == "01080f161d242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd311");
  REQUIRE(c1->partitions.size() == 1);
  REQUIRE(c1->partitions[0].challenges.size() == 2);
  CHECK(c1->partitions[0].challenges[0].node == 29);
  CHECK(c1->partitions[0].challenges[1].replica_path.leaf_index == 58);
}

TEST_CASE("the keys of a file may come in any order, with white space and unknown keys") {
  const auto plain = read(inner());
  REQUIRE(plain);
  const auto loose = read(replaced(replaced(replaced(inner(), "{\"registered_proof\":\"StackedDrg2KiBV1_1\",", " {\n "),
                                            "\"_h\":null", "\"_h\" : {\"a\\\"b\": [1, {\"c\":-2.5e3}]}"),
                                   "\"comm_r\":", "\"registered_proof\" : \"StackedDrg2KiBV1_1\" ,\t\"comm_r\" : "));
  REQUIRE(loose);
  CHECK(loose->statement.comm_r == plain->statement.comm_r);
  CHECK(loose->partitions[0].comm_c == plain->partitions[0].comm_c);
}

// The whole way from a file to a packed witness, against the circuit's own evaluation.
void check_witness(const C1& c1, const std::string& witness_hash) {
  const SectorShape& shape = c1.statement.proof.sector;
  SlowWitness slow;
  CircuitBuilder builder{&slow};
  describe_stacked_circuit(builder, shape, c1.partitions[0]);
  CHECK_FALSE(slow.first_unsatisfied_row());
  CHECK(slow.hash() == witness_hash);
  const auto bytes = stacked_system(shape, Compute(1)).value();
  const auto system = ConstraintSystem<Bls12_381>::open(bytes).value();

  std::vector<std::byte> expected(packed_witness_bytes(system)), native(expected.size());
  const auto wires = slow.wires();
  REQUIRE(pack_witness<Bls12_381>(std::span<const Scalar>(wires), system, expected));
  REQUIRE(write_stacked_witness(shape, c1.partitions[0], system, native));
  CHECK(native == expected);

  const auto witness = PackedWitness<Bls12_381>::open(native, system).value();
  CHECK_FALSE(first_unsatisfied_row(system, witness, Compute(1)));
  const auto publics = public_inputs(c1.statement, 0);
  CHECK(std::ranges::equal(witness.public_inputs(), publics));
  CHECK(stacked_public_inputs(c1.partitions[0]) == publics);
}

TEST_CASE("a sealed sector's witness is exact, native, and satisfies the circuit of 2 KiB") {
  check_witness(read(wrapper()).value(), "57479d8fb7adbc2d0f1404509b549328a5a8e0094d2916d863f572014bb60b83");
}

TEST_CASE("a sector of sparse trees has the witness that upstream's circuit gives it") {
  check_witness(read(inner()).value(), "14dc4da097a26cafaa60b0f8016f5b2017b4699008245966ebfc56c937d0bda1");
}

TEST_CASE("a partition's input survives its flat form, and damage to that is refused by name") {
  const C1 c1 = read(wrapper()).value();
  const SectorShape& shape = c1.statement.proof.sector;
  std::vector<std::byte> bytes(partition_input_bytes(shape)), again(bytes.size());
  write_partition_input(shape, c1.partitions[0], bytes);
  const auto back = read_partition_input(shape, bytes);
  REQUIRE(back);
  CHECK(back->comm_r_last == c1.partitions[0].comm_r_last);
  CHECK(back->challenges[1].parents[13].path.siblings == c1.partitions[0].challenges[1].parents[13].path.siblings);
  CHECK(back->challenges[1].column_path.leaf_index == 58);
  write_partition_input(shape, *back, again);
  CHECK(again == bytes);

  const auto with = [&](std::size_t at, std::uint8_t value) {
    auto changed = bytes;
    changed[at] = std::byte{value};
    const auto result = read_partition_input(shape, changed);
    return result ? "read" : result.error().name;
  };
  CHECK(with(0, 'x') == "porep_input.magic");
  CHECK(with(8, 9) == "porep_input.version");
  CHECK(with(12, 11) == "porep_input.shape");
  CHECK(with(40 + 31, 0xff) == "porep_input.not_canonical");
  CHECK(with(40 + 5 * 32 + 7, 1) == "porep_input.index");
  for (std::size_t end = 0; end < bytes.size(); end += end < 48 ? 1 : 97) {
    CHECK(read_partition_input(shape, std::span(bytes).first(end)).error().name == "porep_input.length");
  }
  CHECK(read_partition_input(sector_of_name("8MiB").value(), bytes).error().name == "porep_input.shape");
}

TEST_CASE("a file that ends early is refused wherever it ends") {
  const auto cut_short = [](const std::string& text, std::size_t end) {
    return read_c1_json("c1", std::as_bytes(std::span(text)).first(end));
  };
  // At every byte of the beginning, then before every brace, bracket, colon and quote, and within some digests.
  for (std::size_t end = 0; end < inner().size(); ++end) {
    const bool is_boundary = std::string_view("{}[:\"").find(inner()[end]) != std::string_view::npos;
    if (!is_boundary && end > 400 && end % 997 != 0) continue;
    const auto refused = cut_short(inner(), end);
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().name == "c1.syntax");
  }
  for (std::size_t end = 0; end < wrapper().size(); end += end < 100 ? 1 : 3'001) {
    REQUIRE(cut_short(wrapper(), end).error().name == "c1.syntax");
  }
  CHECK(error_of(inner().substr(0, inner().size() - 1)) == "c1.syntax");
}

TEST_CASE("each fault of a file has its name") {
  const std::string zeros = "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]";
  const std::string too_large = "[" + std::string(
                                          "255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,255,"
                                          "255,255,255,255,255,255,255,255,255,255,255,255,255,255,255]");
  const auto with_leaf = [&](const std::string& leaf) {
    const std::size_t at = inner().find("\"leaf\":[") + 7, end = inner().find(']', at);
    return inner().substr(0, at) + leaf + inner().substr(end + 1);
  };
  CHECK(error_of(inner() + "x") == "c1.trailing");
  CHECK(error_of(replaced(inner(), "\"seed\":", "\"sead\":")) == "c1.missing_key");
  CHECK(error_of(replaced(inner(), "\"seed\":", "\"comm_r\":")) == "c1.duplicate_key");
  CHECK(error_of(replaced(inner(), "\"seed\":[", "\"seed\":[256,")) == "c1.number");
  CHECK(error_of(replaced(inner(), "\"seed\":[", "\"seed\":[1,")) == "c1.count");
  CHECK(error_of(replaced(inner(), "\"seed\":[1,", "\"seed\":[01,")) == "c1.syntax");
  CHECK(error_of(replaced(inner(), "\"seed\":[1,", "\"seed\":[-1,")) == "c1.syntax");
  CHECK(error_of(replaced(inner(), "\"seed\":[1,", "\"seed\":[")) == "c1.count");
  CHECK(error_of(with_leaf(too_large)) == "c1.not_canonical");
  CHECK(error_of(replaced(inner(), "\"Single\":", "\"Sub\":")) == "c1.variant");
  CHECK(error_of(replaced(inner(), "\"StackedDrg2KiBV1\":", "\"StackedDrg8MiBV1\":")) == "c1.count");
  CHECK(error_of(replaced(inner(), "\"StackedDrg2KiBV1\":", "\"StackedDrg2KiBV1_1\":")) == "c1.variant");
  CHECK(error_of(replaced(inner(), "\"StackedDrg2KiBV1_1\"", "\"StackedDrg8MiBV1_1\"")) == "c1.variant");
  CHECK(error_of(replaced(inner(), "\"StackedDrg2KiBV1_1\"", "\"StackedDrg2KiBV9\"")) == "registered_proof.name");
  CHECK(error_of(replaced(inner(), "\"index\":1}", "\"index\":2}")) == "c1.index");
  CHECK(error_of(replaced(inner(), "\"root\":[", "\"root\":[1],\"leaf\":[")) == "c1.count");
  CHECK(error_of(replaced(inner(), "\"StackedDrg2KiBV1\":[[", "\"StackedDrg2KiBV1\":[],\"x\":[[")) == "c1.syntax");
  CHECK(error_of(replaced(inner(), "\"vanilla_proofs\":{\"StackedDrg2KiBV1\":[[",
                          "\"vanilla_proofs\":{\"StackedDrg2KiBV1\":[]},\"x\":{\"y\":[[")) == "c1.count");

  const std::size_t root = inner().find("\"root\":[") + 7;
  CHECK(error_of(inner().substr(0, root) + zeros + inner().substr(inner().find(']', root) + 1)) == "c1.roots");
  const std::size_t seed = inner().find("\"seed\":[") + 7;
  CHECK(error_of(inner().substr(0, seed) + zeros + inner().substr(inner().find(']', seed) + 1)) == "statement.zero");

  CHECK(error_of(replaced(wrapper(), "\"SectorSize\":2048", "\"SectorSize\":4096")) == "c1.sector_size");
  CHECK(error_of(replaced(wrapper(), "\"Phase1Out\":\"ey", "\"Phase1Out\":\"e-")) == "c1.base64");
  CHECK(error_of(replaced(wrapper(), "\"Phase1Out\":\"", "\"Phase1Out\":\"A")) == "c1.base64");
  std::string deep = "{\"x\":" + std::string(100, '[') + std::string(100, ']') + "}";
  CHECK(error_of(deep) == "c1.depth");
}

TEST_CASE("base64 is whole groups of its alphabet") {
  const auto read_by = [](std::string_view text, std::size_t piece_bytes) {
    Base64Reader reader(text);
    std::string decoded, piece(piece_bytes, '\0');
    while (const std::size_t count = reader.read(std::as_writable_bytes(std::span(piece)))) {
      decoded += piece.substr(0, count);
    }
    return reader.is_bad() ? "refused" : decoded;
  };
  const auto text_of = [&](std::string_view text) {
    CHECK(read_by(text, 3) == read_by(text, 100));
    return read_by(text, 5);
  };
  const std::pair<const char*, std::string> pairs[] = {{"", ""},        {"Zg==", "f"},          {"Zm8=", "fo"},
                                                       {"Zm9v", "foo"}, {"Zm9vYmFy", "foobar"}, {"//4=", "\xff\xfe"}};
  for (const auto& [encoded, text] : pairs) {
    CHECK(text_of(encoded) == text);
    CHECK(encode_base64(std::as_bytes(std::span(text))) == encoded);
  }
  for (const char* bad : {"Z", "Zm9", "Zh==", "Zm9=", "Z===", "Zm=v", "=m9v", "Zm 9", "Zm9vZg==Zm9v"}) {
    CHECK(text_of(bad) == "refused");
  }
}

}  // namespace
}  // namespace groth16::circuits
