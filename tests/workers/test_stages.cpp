// The stages as functions: what intake and loading refuse, and with which words. No process is started.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <chrono>
#include <cstring>
#include <thread>

#include "common/posix.hpp"
#include "groth16/circuits/builtin_circuit.hpp"
#include "groth16/formats/bellperson_params.hpp"
#include "groth16/formats/key_recipe.hpp"
#include "groth16/formats/r1cs.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "tests/proof/sample_circuit.hpp"
#include "tests/workers/circuit_files.hpp"
#include "workers/cpu/prove_stage.hpp"
#include "workers/load/circuit.hpp"
#include "workers/load/inspect_input.hpp"
#include "workers/runtime/last_stand.hpp"
#include "workers/statement.hpp"
#include "workers/synth/synthesize.hpp"

namespace groth16d::worker::test {

namespace {

using groth16::Bls12_381;
using groth16::Bn254;
using groth16::Compute;
using groth16::CurveId;
using groth16::UInt;
using groth16::test::FlatBytes;

const Compute kCompute(2);

// An unnamed file with this content.
UniqueFd file_of(std::span<const std::byte> content) {
  UniqueFd fd(::memfd_create("test", MFD_CLOEXEC));
  REQUIRE(write_all(fd.get(), content, "test file"));
  return fd;
}

// A file and its guard; `fd` can be written and truncated by a test that plays its owner.
struct OpenFile {
  UniqueFd fd;
  GuardedFile file;

  OpenFile(std::span<const std::byte> content, const char* name)
      : fd(file_of(content)), file(GuardedFile::open(fd.get(), name).value()) {
    // As groth16-load does it, but without a page of last words.
    install_truncation_guard();
    REQUIRE(install_last_stand(-1));
  }
};

template <class C>
InputExpectation expectation() {
  return {C::id, sample<C>().values.size(), 1, ""};
}

std::string name_of_error(const auto& result) { return result ? "no error" : result.error().name; }

template <class C>
Result<v1::InputFacts> inspected(const FileBytes& wtns, const InputExpectation& expected) {
  const OpenFile input(wtns, "witness.wtns");
  C1Shelf shelf;
  return inspect_input(input.file, expected, shelf);
}

CircuitDigests digests_in(const v1::CircuitFacts& facts) {
  CircuitDigests digests;
  std::memcpy(digests.key.data(), facts.key_digest().data(), digests.key.size());
  if (!facts.r1cs_digest().empty()) std::memcpy(digests.r1cs.data(), facts.r1cs_digest().data(), digests.r1cs.size());
  return digests;
}

// The same circuit but for one coefficient of C.
FileBytes other_r1cs() {
  FileBytes bytes = sample<Bn254>().r1cs;
  const auto file = groth16::formats::R1csFile::parse("other", bytes);
  REQUIRE(file);
  groth16::formats::R1csWriter<Bn254> writer;
  groth16::formats::R1csRow<Bn254> row;
  for (auto rows = file->rows<Bn254>(); rows.next(row).value();) {
    row.a.push_back({4, Bn254::Fr::from_u64(5)});
    writer.add_row(row);
  }
  groth16::formats::MemorySink sink;
  REQUIRE(writer.write(sink, file->header(), file->labels()));
  return sink.bytes();
}

}  // namespace

TEST_CASE("intake refuses a witness of another curve, length or form, and says which") {
  const auto expected = expectation<Bn254>();
  CHECK(inspected<Bn254>(sample<Bn254>().wtns, expected));
  CHECK(name_of_error(inspected<Bn254>(sample<Bls12_381>().wtns, expected)) == "wtns.curve");
  auto longer = expected;
  longer.n_vars = 6;
  CHECK(name_of_error(inspected<Bn254>(sample<Bn254>().wtns, longer)) == "wtns.count");
  CHECK(name_of_error(inspected<Bn254>(sample<Bn254>().zkey, expected)) == "wtns.magic");
  FileBytes too_large = sample<Bn254>().wtns;
  std::fill(too_large.end() - 32, too_large.end(), std::byte{0xff});
  CHECK(name_of_error(inspected<Bn254>(too_large, expected)) == "wtns.value");
}

TEST_CASE("intake makes a statement of declared public signals, and only of those that the witness has") {
  auto expected = expectation<Bn254>();
  const auto none = inspected<Bn254>(sample<Bn254>().wtns, expected);
  REQUIRE(none);
  CHECK(none->statement().empty());

  expected.declared_public_json = groth16::formats::public_json(sample<Bn254>().publics);
  const auto declared = inspected<Bn254>(sample<Bn254>().wtns, expected);
  REQUIRE(declared);
  CHECK(check_statement(declared->statement(), CurveId::bn254, sample<Bn254>().publics));
  CHECK(name_of_error(check_statement(declared->statement(), CurveId::bls12_381, sample<Bn254>().publics)) ==
        "statement.form");
  CHECK(name_of_error(check_statement(declared->statement(), CurveId::bn254, {})) == "witness.statement");

  expected.declared_public_json = "[\"46\"]";
  CHECK(name_of_error(inspected<Bn254>(sample<Bn254>().wtns, expected)) == "witness.statement");
  expected.declared_public_json = "[\"45\", \"1\"]";
  CHECK(name_of_error(inspected<Bn254>(sample<Bn254>().wtns, expected)) == "witness.statement");
  expected.declared_public_json = "[45";
  CHECK(name_of_error(inspected<Bn254>(sample<Bn254>().wtns, expected)) == "json.syntax");
}

TEST_CASE("a file that its owner shortens while it is read is named, and the process lives") {
  const OpenFile input(sample<Bn254>().wtns, "witness.wtns");
  REQUIRE(::ftruncate(input.fd.get(), 0) == 0);
  C1Shelf shelf;
  const auto facts = inspect_input(input.file, expectation<Bn254>(), shelf);
  REQUIRE_FALSE(facts);
  CHECK(facts.error().name == "file.changed");
  CHECK_THAT(facts.error().text, Catch::Contains("witness.wtns"));
}

TEMPLATE_TEST_CASE("inspection predicts the sizes that loading needs", "", Bn254, Bls12_381) {
  using C = TestType;
  Inspections inspections;
  const OpenFile key(sample<C>().zkey, "circuit.zkey");
  const OpenFile r1cs(sample<C>().r1cs, "circuit.r1cs");
  const bool with_r1cs = GENERATE(false, true);
  const CircuitFiles files{key.file, with_r1cs ? &r1cs.file : nullptr, false};
  const auto inspected = inspect_circuit(files, KeyCache(), inspections, kCompute);
  REQUIRE(inspected);
  CHECK(inspected->vk_digest().size() == 32);
  FlatBytes key_segment(inspected->key_bytes()), r1cs_segment(inspected->r1cs_bytes());
  const auto loaded = load_circuit(files, KeyCache(), inspections, digests_in(*inspected), key_segment.bytes(),
                                   r1cs_segment.bytes(), kCompute);
  REQUIRE(loaded);
  CHECK(loaded->facts.key_bytes() == inspected->key_bytes());
  CHECK(loaded->facts.r1cs_bytes() == inspected->r1cs_bytes());
  CHECK(loaded->facts.witness_bytes() <= inspected->witness_bytes());
  CHECK(loaded->facts.vk_digest() == inspected->vk_digest());
  CHECK(loaded->facts.has_c() == with_r1cs);
  const auto opened = groth16::ProvingKey<C>::open(key_segment.bytes());
  REQUIRE(opened);
  CHECK(groth16::digest(groth16::verifying_key(*opened)) == opened->vk_digest());

  FlatBytes too_small(inspected->key_bytes() - 1);
  CHECK(name_of_error(load_circuit(files, KeyCache(), inspections, digests_in(*inspected), too_small.bytes(),
                                   r1cs_segment.bytes(), kCompute)) == "segment.too_small");
}

TEST_CASE("a development key is refused unless the operator allows it, and then warned about") {
  Inspections inspections;
  const OpenFile key(sample<Bn254>().development_zkey, "circuit.zkey");
  CHECK(name_of_error(inspect_circuit({key.file, nullptr, false}, KeyCache(), inspections, kCompute)) ==
        "zkey.insecure");
  const auto facts = inspect_circuit({key.file, nullptr, true}, KeyCache(), inspections, kCompute);
  REQUIRE(facts);
  REQUIRE(facts->warnings_size() > 0);
  CHECK_THAT(facts->warnings(0), Catch::Contains("development"));
}

TEST_CASE("a recipe is inspected as the circuit whose key it makes, and only where insecure keys are allowed") {
  const auto recipe = [](const groth16::formats::KeyRecipe& words) {
    const std::string text = groth16::formats::key_recipe_text(words);
    return OpenFile(std::as_bytes(std::span(text)), "key.recipe");
  };
  const OpenFile key = recipe({"porep-2KiB", 7});
  const groth16::SystemSizes sizes = groth16::circuits::builtin_circuit("porep-2KiB").value()->sizes();

  Inspections inspections;
  const auto facts = inspect_circuit({key.file, nullptr, true}, KeyCache(), inspections, kCompute);
  REQUIRE(facts);
  CHECK(facts->is_generated());
  CHECK(facts->n_vars() == sizes.n_vars);
  CHECK(facts->key_bytes() == groth16::formats::BellpersonParams::key_bytes(sizes));
  CHECK(facts->load_private_bytes() > 3 * sizes.n_vars * sizeof(Bls12_381::Fr));
  REQUIRE(facts->warnings_size() == 1);
  CHECK_THAT(facts->warnings(0), Catch::Contains("development"));

  CHECK(name_of_error(inspect_circuit({key.file, nullptr, false}, KeyCache(), inspections, kCompute)) ==
        "recipe.insecure");
  const OpenFile r1cs(sample<Bls12_381>().r1cs, "circuit.r1cs");
  CHECK(name_of_error(inspect_circuit({key.file, &r1cs.file, true}, KeyCache(), inspections, kCompute)) ==
        "recipe.r1cs");
  const OpenFile unknown = recipe({"porep-3KiB", 7});
  CHECK(name_of_error(inspect_circuit({unknown.file, nullptr, true}, KeyCache(), inspections, kCompute)) != "no error");
}

TEST_CASE("an .r1cs of another curve or circuit than the key is refused") {
  Inspections inspections;
  const OpenFile key(sample<Bn254>().zkey, "circuit.zkey");
  const OpenFile other_curve(sample<Bls12_381>().r1cs, "circuit.r1cs");
  CHECK(name_of_error(inspect_circuit({key.file, &other_curve.file, false}, KeyCache(), inspections, kCompute)) ==
        "r1cs.curve");

  const OpenFile other(other_r1cs(), "circuit.r1cs");
  const CircuitFiles files{key.file, &other.file, false};
  const auto inspected = inspect_circuit(files, KeyCache(), inspections, kCompute);
  REQUIRE(inspected);  // the same sizes: only loading compares the rows
  FlatBytes key_segment(inspected->key_bytes()), r1cs_segment(inspected->r1cs_bytes());
  CHECK(name_of_error(load_circuit(files, KeyCache(), inspections, digests_in(*inspected), key_segment.bytes(),
                                   r1cs_segment.bytes(), kCompute)) == "r1cs.other_circuit");
}

TEST_CASE("a key that changed between inspection and loading is refused by name") {
  const OpenFile key(sample<Bn254>().zkey, "circuit.zkey");
  const bool is_settled = GENERATE(false, true);  // then a file that stood still is not hashed again
  if (is_settled) std::this_thread::sleep_for(std::chrono::milliseconds(120));
  Inspections inspections;
  const CircuitFiles files{key.file, nullptr, false};
  const auto inspected = inspect_circuit(files, KeyCache(), inspections, kCompute);
  REQUIRE(inspected);
  FlatBytes key_segment(inspected->key_bytes()), r1cs_segment(inspected->r1cs_bytes());
  const auto load = [&] {
    return load_circuit(files, KeyCache(), inspections, digests_in(*inspected), key_segment.bytes(),
                        r1cs_segment.bytes(), kCompute);
  };
  REQUIRE(load());
  // One bit of the transcript, which no reader looks at.
  const std::byte last{0xff};
  REQUIRE(::pwrite(key.fd.get(), &last, 1, static_cast<off_t>(sample<Bn254>().zkey.size() - 1)) == 1);
  const auto changed = load();
  REQUIRE_FALSE(changed);
  CHECK(changed.error().name == "file.changed");
  CHECK_THAT(changed.error().text, Catch::Contains("circuit.zkey"));
}

TEST_CASE("inspections know files by identity and digest, the latest of them") {
  Inspections inspections;
  SourceIdentity source;
  CircuitDigests digests, other;
  other.r1cs[0] = 1;
  CHECK_FALSE(inspections.knows(source, digests));
  inspections.remember(source, digests);
  CHECK(inspections.knows(source, digests));
  CHECK_FALSE(inspections.knows(source, other));
  inspections.remember(source, other);
  CHECK(inspections.knows(source, other));
  CHECK_FALSE(inspections.knows(source, digests));
  for (int i = 1; i <= 64; ++i) {
    SourceIdentity later;
    later.key.inode = static_cast<std::uint64_t>(i);
    inspections.remember(later, digests);
  }
  CHECK_FALSE(inspections.knows(source, other));
}

TEMPLATE_TEST_CASE("synthesis packs the witness of a mixed circuit and evaluates its rows", "", Bn254, Bls12_381) {
  using C = TestType;
  using Fr = typename C::Fr;
  const auto made = groth16::test::mixed_circuit<C>(200, 3, 7).build();
  const auto system = made.system();
  const FileBytes wtns = witness_file<C>(made.values);
  FlatBytes witness(groth16::packed_witness_bytes(system)), ab(AbRows<C>::bytes(system.domain_size()));
  const auto used =
      synthesize({wtns, "witness.wtns", made.system_bytes.bytes()}, {witness.bytes(), ab.bytes()}, kCompute);
  REQUIRE(used);
  const auto packed = groth16::PackedWitness<C>::open(witness.bytes().first(*used), system);
  REQUIRE(packed);
  for (std::uint64_t wire = 0; wire < system.n_vars(); ++wire) REQUIRE(packed->value(wire) == made.values[wire]);
  const auto rows = AbRows<C>::open(ab.bytes(), system.domain_size());
  REQUIRE(rows);
  for (std::uint64_t row = 0; row < system.n_rows(); ++row) {
    Fr a = Fr::zero();
    system.matrix(groth16::MatrixId::a).for_each_term(row, [&](std::uint32_t wire, std::uint32_t coefficient) {
      a += system.dictionary()[coefficient] * Fr::from_uint(made.values[wire]);
    });
    REQUIRE(rows->a[row] == a);
  }
  CHECK(name_of_error(synthesize({wtns, "witness.wtns", made.system_bytes.bytes()},
                                 {witness.bytes().first(*used - 8), {}}, kCompute)) == "witness.length");
}

TEST_CASE("every stage stops early once it is cancelled") {
  Inspections inspections;
  groth16::Pulse pulse;
  pulse.cancel = true;
  const Compute cancelled(2, &pulse);
  const OpenFile key(sample<Bn254>().zkey, "circuit.zkey");
  CHECK(name_of_error(inspect_circuit({key.file, nullptr, false}, KeyCache(), inspections, cancelled)) == "cancelled");

  const auto made = groth16::test::mixed_circuit<Bn254>(100, 1, 3).build();
  const auto system = made.system();
  const FileBytes wtns = witness_file<Bn254>(made.values);
  FlatBytes witness(groth16::packed_witness_bytes(system)), ab(AbRows<Bn254>::bytes(system.domain_size()));
  const SynthesisInput input{wtns, "witness.wtns", made.system_bytes.bytes()};
  CHECK(name_of_error(synthesize(input, {witness.bytes(), ab.bytes()}, cancelled)) == "cancelled");

  REQUIRE(synthesize(input, {witness.bytes(), ab.bytes()}, kCompute));
  const FlatBytes key_bytes = groth16::test::sample_key(made);
  CHECK(name_of_error(prove_stage({key_bytes.bytes(), made.system_bytes.bytes(), witness.bytes()}, ab.bytes(), true,
                                  cancelled)) == "cancelled");
}

}  // namespace groth16d::worker::test
