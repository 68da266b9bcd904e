// Proving key files: every rule of the format has a test that breaks it.
#include "groth16/formats/zkey.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "groth16/formats/encoding.hpp"
#include "groth16/formats/r1cs_system.hpp"
#include "groth16/formats/wtns.hpp"
#include "groth16/formats/zkey_writer.hpp"
#include "groth16/proof/prove.hpp"
#include "groth16/proof/verify.hpp"
#include "tests/formats/damage.hpp"

using namespace groth16;
using namespace groth16::formats;
using namespace groth16::formats::test;

namespace {

constexpr std::uint32_t kProtocol = 1, kHeader = 2, kIc = 3, kCoefficients = 4, kA = 5, kB1 = 6, kB2 = 7, kL = 8,
                        kH = 9;

// Offsets in section 2.
template <class C>
struct At {
  static constexpr std::size_t kQ = 4, kN8r = 4 + C::Fq::kBytes, kR = kN8r + 4, kVars = kR + 32, kPublic = kVars + 4,
                               kDomain = kPublic + 4, kAlpha1 = kDomain + 4, kG1 = 2 * C::Fq::kBytes, kG2 = 2 * kG1,
                               kBeta1 = kAlpha1 + kG1, kBeta2 = kBeta1 + kG1, kGamma2 = kBeta2 + kG2,
                               kDelta1 = kGamma2 + kG2, kDelta2 = kDelta1 + kG1;
};

struct Loaded {
  FileBytes system, key;
  groth16d::Result<void> result;
};

// Everything that a loader does with a key.
template <class C>
Loaded load(const FileBytes& bytes, ZkeyLoadOptions options = {}) {
  const Compute compute(2);
  Loaded loaded;
  const auto file = ZkeyFile::parse("the.file", bytes);
  if (!file) return {{}, {}, tl::unexpected(file.error())};
  if (file->header().curve != C::id) FAIL("another curve");
  const auto sizes = file->check_coefficients(compute);
  if (!sizes) return {{}, {}, tl::unexpected(sizes.error())};
  ConstraintSystemBuilder<C> builder(*sizes, false);
  if (const auto collected = file->collect(builder); !collected) return {{}, {}, tl::unexpected(collected.error())};
  loaded.system.resize(builder.serialized_bytes());
  builder.write(loaded.system);
  loaded.key.resize(file->template key_bytes<C>(*sizes));
  loaded.result = file->template load_key<C>(*sizes, loaded.key, options, compute);
  return loaded;
}

template <class C>
std::string read(const FileBytes& bytes, ZkeyLoadOptions options = {}) {
  return error_of(load<C>(bytes, options).result);
}

// A point of the curve that is outside the subgroup of order r: its multiple by r is not infinity.
template <class C, class Point>
Point outside_subgroup(const typename Point::Field& b) {
  using Field = typename Point::Field;
  for (std::uint64_t i = 1;; ++i) {
    const Field x = Field::from_u64(i);
    const auto y = (x.square() * x + b).sqrt();
    if (y && !C::in_subgroup(Point{x, *y})) return Point{x, *y};
  }
}

// Proves the witness with the loaded key and verifies the proof with the key's own verification key.
template <class C>
groth16d::Result<void> prove_loaded(const Loaded& loaded, const FileBytes& wtns) {
  const auto system = ConstraintSystem<C>::open(loaded.system);
  const auto key = ProvingKey<C>::open(loaded.key);
  REQUIRE(system);
  REQUIRE(key);
  const auto file = WitnessFile::parse("the.file", wtns);
  REQUIRE(file);
  REQUIRE(file->check_fits(C::id, system->n_vars()));
  std::vector<UInt<4>> values(file->size());
  file->copy_to(values);
  FileBytes witness(packed_witness_bytes(*system));
  REQUIRE(pack_witness<C>(std::span<const UInt<4>>(values), *system, witness));
  const auto packed = PackedWitness<C>::open(witness, *system);
  REQUIRE(packed);
  const auto proof = prove(*key, *packed, Compute(2));
  if (!proof) return tl::unexpected(proof.error());
  return verify(verifying_key(*key), packed->public_inputs(), *proof);
}

}  // namespace

TEMPLATE_TEST_CASE("a key that was written is read, proves, and gives the same verification key", "", Bn254,
                   Bls12_381) {
  const auto& made = sample<TestType>();
  const auto file = ZkeyFile::parse("the.file", made.zkey);
  REQUIRE(file);
  CHECK(file->header().n_vars == 5);
  CHECK(file->header().n_public == 1);
  CHECK(file->header().domain_log2 == 3);
  CHECK(file->check_coefficients(Compute(1))->n_constraints == 3);
  const auto vk = file->template verifying_key<TestType>();
  REQUIRE(vk);
  CHECK(digest(*vk) == digest(made.vk));

  const Loaded loaded = load<TestType>(made.zkey, {.check_subgroups = true});
  REQUIRE(loaded.result);
  CHECK(prove_loaded<TestType>(loaded, made.wtns));

  MemorySink sink;
  REQUIRE(write_zkey(sink, *ProvingKey<TestType>::open(loaded.key), *ConstraintSystem<TestType>::open(loaded.system)));
  CHECK(sink.bytes() == made.zkey);
}

TEMPLATE_TEST_CASE("a key and an .r1cs of one circuit have the same A and B", "", Bn254, Bls12_381) {
  const auto& made = sample<TestType>();
  const Loaded loaded = load<TestType>(made.zkey);
  const auto r1cs = R1csFile::parse("the.r1cs", made.r1cs);
  ConstraintSystemBuilder<TestType> builder(*system_sizes(*r1cs), true);
  REQUIRE(collect(*r1cs, builder));
  FileBytes system(builder.serialized_bytes());
  builder.write(system);
  const auto of_r1cs = ConstraintSystem<TestType>::open(system);
  CHECK(check_same_circuit(*ConstraintSystem<TestType>::open(loaded.system), "a.zkey", *of_r1cs, "a.r1cs", Compute(2)));

  // Another coefficient, as of another build of the circuit.
  const std::size_t value = 4 + 12;
  const FileBytes changed = Image(made.zkey).put(kCoefficients, value, UInt<4>::from_u64(12345)).bytes();
  const Loaded other = load<TestType>(changed);
  const auto differs =
      check_same_circuit(*ConstraintSystem<TestType>::open(other.system), "the.file", *of_r1cs, "a.r1cs", Compute(2));
  CHECK(error_of(differs) == "r1cs.other_circuit");
}

TEMPLATE_TEST_CASE("only Groth16 keys of the two curves are read", "", Bn254, Bls12_381) {
  const auto& good = sample<TestType>().zkey;
  using Offset = At<TestType>;
  CHECK(read<TestType>(Image(good).put(kProtocol, 0, std::uint32_t{2}).bytes()) == "zkey.protocol");
  CHECK(read<TestType>(Image(good).put(kProtocol, 0, std::uint32_t{10}).bytes()) == "zkey.protocol");
  CHECK(read<TestType>(Image(good).resize(kProtocol, 8).bytes()) == "zkey.section_length");
  CHECK(read<TestType>(Image(good).resize(kProtocol, 3).bytes()) == "zkey.section_length");
  CHECK(read<TestType>(Image(good).flip(kHeader, Offset::kQ).bytes()) == "zkey.prime");
  CHECK(read<TestType>(Image(good).flip(kHeader, Offset::kR).bytes()) == "zkey.prime");
  CHECK(read<TestType>(Image(good).put(kHeader, 0, std::uint32_t{0xffffffff}).bytes()) == "zkey.field_size");
  CHECK(read<TestType>(Image(good).put(kHeader, 0, std::uint32_t{16}).bytes()) != "accepted");
  CHECK(read<TestType>(Image(good).put(kHeader, Offset::kN8r, std::uint32_t{48}).bytes()) == "zkey.field_size");
}

TEST_CASE("the primes of two curves in one header are refused") {
  const auto& good = sample<Bn254>().zkey;
  const FileBytes mixed = Image(good).put(kHeader, At<Bn254>::kR, Bls12_381::Fr::modulus()).bytes();
  const auto file = ZkeyFile::parse("the.file", mixed);
  CHECK(error_of(file) == "zkey.prime");
  CHECK(file.error().text.find(Bls12_381::Fr::modulus().to_decimal()) != std::string::npos);
}

TEST_CASE("a domain that is no power of two, too small, too large or not that of the sections is refused") {
  const auto& good = sample<Bn254>().zkey;
  const std::size_t at = At<Bn254>::kDomain;
  for (const std::uint32_t domain : {0u, 1u, 3u, 7u, 9u, 24u, 1u << 28, 1u << 30, 0xffffffffu}) {
    INFO(domain);
    CHECK(read<Bn254>(Image(good).put(kHeader, at, domain).bytes()) == "zkey.domain");
  }
  for (const std::uint32_t domain : {2u, 4u, 16u, 1u << 20, 1u << 27}) {
    INFO(domain);
    CHECK(read<Bn254>(Image(good).put(kHeader, at, domain).bytes()) == "zkey.section_length");
  }
}

TEST_CASE("numbers of wires and public signals that contradict each other or the sections are refused") {
  const auto& good = sample<Bn254>().zkey;
  using Offset = At<Bn254>;
  CHECK(read<Bn254>(Image(good).put(kHeader, Offset::kPublic, std::uint32_t{5}).bytes()) == "zkey.sizes");
  CHECK(read<Bn254>(Image(good).put(kHeader, Offset::kPublic, std::uint32_t{9}).bytes()) == "zkey.sizes");
  CHECK(read<Bn254>(Image(good).put(kHeader, Offset::kPublic, std::uint32_t{0xffffffff}).bytes()) == "zkey.sizes");
  CHECK(read<Bn254>(Image(good).put(kHeader, Offset::kPublic, std::uint32_t{0}).bytes()) == "zkey.section_length");
  CHECK(read<Bn254>(Image(good).put(kHeader, Offset::kVars, std::uint32_t{0}).bytes()) == "zkey.sizes");
  CHECK(read<Bn254>(Image(good).put(kHeader, Offset::kVars, std::uint32_t{6}).bytes()) == "zkey.section_length");
  CHECK(read<Bn254>(Image(good).put(kHeader, Offset::kVars, std::uint32_t{0xffffffff}).bytes()) ==
        "zkey.section_length");
  const FileBytes many = Image(good)
                             .put(kHeader, Offset::kVars, std::uint32_t{0xffffffff})
                             .put(kHeader, Offset::kPublic, std::uint32_t{100})
                             .bytes();
  CHECK(read<Bn254>(many) == "zkey.sizes");  // more public rows than the domain has
}

TEMPLATE_TEST_CASE("each section has exactly its length, and the error has both lengths", "", Bn254, Bls12_381) {
  const auto& good = sample<TestType>().zkey;
  for (std::uint32_t id = kHeader; id <= kH; ++id) {
    const std::size_t size = Image(good).size_of(id);
    for (const std::size_t other : {size - 1, size + 1, size + 192, std::size_t{0}}) {
      if (other == size) continue;
      INFO("section " << id << " of " << other << " bytes");
      const std::string error = read<TestType>(Image(good).resize(id, other).bytes());
      CHECK((error == "zkey.section_length" || (id == kHeader && other == 0 && error == "zkey.field_size")));
    }
  }
  const auto file = ZkeyFile::parse("the.file", Image(good).resize(kA, 99).bytes());
  CHECK(file.error().text.find("section 5 at offset") != std::string::npos);
  CHECK(file.error().text.find(": length 99, expected " + std::to_string(5 * 2 * TestType::Fq::kBytes) + " (nVars") !=
        std::string::npos);
}

TEST_CASE("a number of coefficients that is not that of the section is refused") {
  const auto& good = sample<Bn254>().zkey;
  const std::uint32_t count = ZkeyFile::parse("the.file", good)->header().n_coefficients;
  for (const std::uint32_t other : {0u, count - 1, count + 1, 0xffffffffu}) {
    CHECK(read<Bn254>(Image(good).put(kCoefficients, 0, other).bytes()) == "zkey.section_length");
  }
}

TEMPLATE_TEST_CASE("a coefficient outside its matrices, rows, wires or field is refused by its number", "", Bn254,
                   Bls12_381) {
  const auto& good = sample<TestType>().zkey;
  const std::uint32_t count = ZkeyFile::parse("the.file", good)->header().n_coefficients;
  for (const std::uint32_t index : {0u, count - 1}) {
    const std::size_t at = 4 + index * std::size_t{44};
    for (const std::uint32_t value : {2u, 7u, 0xffffffffu}) {
      CHECK(read<TestType>(Image(good).put(kCoefficients, at, value).bytes()) == "zkey.matrix");
    }
    for (const std::uint32_t value : {8u, 100000u, 0xffffffffu}) {
      CHECK(read<TestType>(Image(good).put(kCoefficients, at + 4, value).bytes()) == "zkey.row");
    }
    for (const std::uint32_t value : {5u, 100000u, 0xffffffffu}) {
      CHECK(read<TestType>(Image(good).put(kCoefficients, at + 8, value).bytes()) == "zkey.wire");
    }
    CHECK(read<TestType>(Image(good).put(kCoefficients, at + 12, TestType::Fr::modulus()).bytes()) ==
          "zkey.coefficient");
    const auto bad = load<TestType>(Image(good).put(kCoefficients, at + 8, std::uint32_t{5}).bytes()).result;
    CHECK(bad.error().text.find("coefficient " + std::to_string(index) + ": wire 5, expected less than nVars 5") !=
          std::string::npos);
  }
}

TEMPLATE_TEST_CASE("each fixed point is checked: range, curve, subgroup, infinity", "", Bn254, Bls12_381) {
  using Offset = At<TestType>;
  using G1 = typename TestType::G1;
  using G2 = typename TestType::G2;
  const auto& good = sample<TestType>().zkey;
  const auto q = TestType::Fq::modulus();
  for (const std::size_t at : {Offset::kAlpha1, Offset::kBeta1, Offset::kDelta1}) {
    CHECK(read<TestType>(Image(good).put(kHeader, at, q).bytes()) == "zkey.coordinate");
    CHECK(read<TestType>(Image(good).flip(kHeader, at + TestType::Fq::kBytes).bytes()) == "zkey.not_on_curve");
    CHECK(read<TestType>(Image(good).put(kHeader, at, G1::infinity()).bytes()) == "zkey.infinity");
    if constexpr (TestType::g1_has_cofactor) {
      const G1 outside = outside_subgroup<TestType, G1>(TestType::b_g1());
      CHECK(read<TestType>(Image(good).put(kHeader, at, outside).bytes()) == "zkey.not_in_subgroup");
    }
  }
  const G2 outside = outside_subgroup<TestType, G2>(TestType::b_g2());
  for (const std::size_t at : {Offset::kBeta2, Offset::kGamma2, Offset::kDelta2}) {
    CHECK(read<TestType>(Image(good).put(kHeader, at + TestType::Fq::kBytes, q).bytes()) == "zkey.coordinate");
    CHECK(read<TestType>(Image(good).flip(kHeader, at).bytes()) == "zkey.not_on_curve");
    CHECK(read<TestType>(Image(good).put(kHeader, at, G2::infinity()).bytes()) == "zkey.infinity");
    CHECK(read<TestType>(Image(good).put(kHeader, at, outside).bytes()) == "zkey.not_in_subgroup");
  }
}

TEMPLATE_TEST_CASE("each point of the large sections is checked, and the error has section and index", "", Bn254,
                   Bls12_381) {
  const auto& good = sample<TestType>().zkey;
  const auto q = TestType::Fq::modulus();
  for (const std::uint32_t id : {kIc, kA, kB1, kB2, kL, kH}) {
    const std::size_t point = (id == kB2 ? 4 : 2) * TestType::Fq::kBytes;
    const std::size_t last = Image(good).size_of(id) - point;
    INFO("section " << id);
    CHECK(read<TestType>(Image(good).put(id, last, q).bytes()) == "zkey.coordinate");
    CHECK(read<TestType>(Image(good).put(id, last + point / 2, q).bytes()) == "zkey.coordinate");
    const auto bad = load<TestType>(Image(good).flip(id, last + point / 2).bytes()).result;
    CHECK(error_of(bad) == "zkey.not_on_curve");
    CHECK(bad.error().text.find("section " + std::to_string(id) + " at offset") != std::string::npos);
    CHECK(bad.error().text.find("point " + std::to_string(last / point) + " of ") != std::string::npos);
  }
}

TEMPLATE_TEST_CASE("points outside the subgroup are found in IC always, and elsewhere when asked", "", Bn254,
                   Bls12_381) {
  using G1 = typename TestType::G1;
  using G2 = typename TestType::G2;
  const auto& good = sample<TestType>().zkey;
  const G2 outside2 = outside_subgroup<TestType, G2>(TestType::b_g2());
  const FileBytes in_b2 = Image(good).put(kB2, 0, outside2).bytes();
  CHECK(read<TestType>(in_b2) == "accepted");
  CHECK(read<TestType>(in_b2, {.check_subgroups = true}) == "zkey.not_in_subgroup");
  if constexpr (TestType::g1_has_cofactor) {
    const G1 outside1 = outside_subgroup<TestType, G1>(TestType::b_g1());
    CHECK(read<TestType>(Image(good).put(kIc, 0, outside1).bytes()) == "zkey.not_in_subgroup");
    CHECK(read<TestType>(Image(good).put(kH, 0, outside1).bytes(), {.check_subgroups = true}) ==
          "zkey.not_in_subgroup");
  }
}

TEMPLATE_TEST_CASE("infinity is legal in the sections that circuits make so", "", Bn254, Bls12_381) {
  const auto& good = sample<TestType>().zkey;
  // Wire 4 occurs nowhere, so its points are at infinity already.
  const std::size_t last = Image(good).size_of(kA) - 2 * TestType::Fq::kBytes;
  const auto bytes = Image(good).part(kA).payload;
  CHECK(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(last), bytes.end(),
                    [](std::byte b) { return b == std::byte{0}; }));
  CHECK(read<TestType>(Image(good).put(kL, 0, TestType::G1::infinity()).bytes()) == "accepted");
}

TEMPLATE_TEST_CASE("a key that anyone can forge for is refused unless that is allowed, and then carries the warning",
                   "", Bn254, Bls12_381) {
  using Offset = At<TestType>;
  const auto& good = sample<TestType>().zkey;
  const auto gamma2 = TestType::generator_g2();
  const FileBytes no_contribution =
      Image(good).put(kHeader, Offset::kDelta1, TestType::generator_g1()).put(kHeader, Offset::kDelta2, gamma2).bytes();
  for (const FileBytes& bytes : {no_contribution, Image(good).put(kHeader, Offset::kDelta2, gamma2).bytes()}) {
    CHECK(read<TestType>(bytes) == "zkey.insecure");
    const Loaded allowed = load<TestType>(bytes, {.allow_insecure = true});
    REQUIRE(allowed.result);
    CHECK((ProvingKey<TestType>::open(allowed.key)->warnings() & kKeyForgeable) != 0);
  }
  CHECK(ZkeyFile::parse("the.file", good)->warnings() == 0);
}

TEMPLATE_TEST_CASE("a key made for development says so in the file", "", Bn254, Bls12_381) {
  const auto& bytes = sample<TestType>().development_zkey;
  CHECK(read<TestType>(bytes) == "zkey.insecure");
  const Loaded allowed = load<TestType>(bytes, {.allow_insecure = true});
  REQUIRE(allowed.result);
  CHECK(ProvingKey<TestType>::open(allowed.key)->warnings() == kKeyDevelopment);
}

TEST_CASE("a key without transcript proves and is noted") {
  const FileBytes bytes = Image(sample<Bn254>().zkey).drop(10).bytes();
  CHECK(read<Bn254>(bytes) == "accepted");
  CHECK(!ZkeyFile::parse("the.file", bytes)->has_transcript());
  CHECK(ZkeyFile::parse("the.file", sample<Bn254>().zkey)->has_transcript());
}

TEST_CASE("coefficients in another order are the same system") {
  Image image(sample<Bn254>().zkey);
  auto& payload = image.part(kCoefficients).payload;
  const std::size_t count = (payload.size() - 4) / 44;
  FileBytes reversed(payload.begin(), payload.begin() + 4);
  for (std::size_t i = count; i-- > 0;) {
    const auto at = payload.begin() + static_cast<std::ptrdiff_t>(4 + i * 44);
    reversed.insert(reversed.end(), at, at + 44);
  }
  payload = reversed;
  const Loaded loaded = load<Bn254>(image.bytes());
  REQUIRE(loaded.result);
  CHECK(prove_loaded<Bn254>(loaded, sample<Bn254>().wtns));
}

TEST_CASE("an unsatisfying witness gives an error and no proof") {
  const Loaded loaded = load<Bn254>(sample<Bn254>().zkey);
  const FileBytes wtns = Image(sample<Bn254>().wtns).put(2, 3 * 32, UInt<4>::from_u64(10)).bytes();
  const auto result = prove_loaded<Bn254>(loaded, wtns);
  REQUIRE(!result);
  CHECK(result.error().code == groth16d::ErrorCode::unsatisfied);
}

TEMPLATE_TEST_CASE("a coefficient that changes after it was checked is refused as it is collected", "", Bn254,
                   Bls12_381) {
  const auto& good = sample<TestType>().zkey;
  FileBytes mapped = good;  // as a mapping is: the same bytes for reader and writer
  const auto file = ZkeyFile::parse("the.file", mapped);
  REQUIRE(file);
  const auto sizes = file->check_coefficients(Compute(1));
  REQUIRE(sizes);
  const auto collected = [&](const FileBytes& now) {
    std::ranges::copy(now, mapped.begin());
    ConstraintSystemBuilder<TestType> builder(*sizes, false);
    return error_of(file->collect(builder));
  };
  const std::size_t last = Image(good).size_of(kCoefficients) - 44;  // matrix, row, wire, value
  const auto with = [&](std::size_t at, std::uint64_t value) {
    return Image(good).put(kCoefficients, last + at, static_cast<std::uint32_t>(value)).bytes();
  };
  CHECK(collected(with(0, 2)) == "file.changed");
  CHECK(collected(with(4, sizes->n_rows())) == "file.changed");
  CHECK(collected(with(4, UINT32_MAX)) == "file.changed");
  CHECK(collected(with(8, sizes->n_vars)) == "file.changed");
  CHECK(collected(good) == "accepted");
}

TEST_CASE("loading stops when it is cancelled") {
  Pulse pulse;
  pulse.cancel = true;
  const auto file = ZkeyFile::parse("the.file", sample<Bn254>().zkey);
  const auto sizes = file->check_coefficients(Compute(1, &pulse));
  REQUIRE(!sizes);
  CHECK(sizes.error().code == groth16d::ErrorCode::cancelled);
}
