// bellperson's parameters: what is written is read and proves, and every rule of the format has a test that breaks it.
#include "groth16/formats/bellperson_params.hpp"

#include <catch2/catch.hpp>

#include "groth16/formats/bellperson_writer.hpp"
#include "groth16/formats/uncompressed_point.hpp"
#include "groth16/proof/keygen.hpp"
#include "groth16/proof/prove.hpp"
#include "groth16/proof/verify.hpp"
#include "tests/formats/bellperson_sample.hpp"
#include "tests/formats/damage.hpp"

using namespace groth16;
using namespace groth16::formats;
using namespace groth16::formats::test;

namespace {

using C = Bls12_381;
constexpr std::size_t kG1 = 96, kG2 = 192, kVk = 3 * kG1 + 3 * kG2 + 4 + 2 * kG1;

// Where each array's count lies in the sample: h has 3 points, l 2, a 4, b_g1 and b_g2 2.
constexpr std::size_t kH = kVk, kL = kH + 4 + 3 * kG1, kA = kL + 4 + 2 * kG1, kBg1 = kA + 4 + 4 * kG1,
                      kBg2 = kBg1 + 4 + 2 * kG1, kEnd = kBg2 + 4 + 2 * kG2;

ConstraintSystem<C> sample_system() { return ConstraintSystem<C>::open(bellperson_sample().system).value(); }

struct Loaded {
  FileBytes key;
  groth16d::Result<void> result;
};

Loaded load(const FileBytes& bytes, const ParamsLoadOptions& options = {}) {
  const auto file = BellpersonParams::parse("the.file", bytes);
  if (!file) return {{}, tl::unexpected(file.error())};
  Loaded loaded;
  loaded.key.resize(BellpersonParams::key_bytes(sample_system().sizes()));
  loaded.result = file->load_key(sample_system(), loaded.key, options, Compute(2));
  return loaded;
}

std::string read(const FileBytes& bytes, const ParamsLoadOptions& options = {}) {
  return error_of(load(bytes, options).result);
}

FileBytes changed(std::size_t at, std::byte mask) {
  FileBytes bytes = bellperson_sample().params;
  bytes[at] ^= mask;
  return bytes;
}

// A point that is on the curve and outside the subgroup.
template <class Point>
void put_outsider(std::byte* to) {
  using Field = typename Point::Field;
  for (std::uint64_t i = 1;; ++i) {
    const Field x = Field::from_u64(i);
    const auto y = (x.square() * x + formats::curve_b<C>(Point{})).sqrt();
    if (!y || C::in_subgroup(Point{x, *y})) continue;
    return write_uncompressed(Point{x, *y}, to);
  }
}

}  // namespace

TEST_CASE("parameters that were written are read, prove, and are written again the same") {
  const auto& made = bellperson_sample();
  REQUIRE(made.params.size() == kEnd);
  const Loaded loaded = load(made.params, {.check = PointCheck::subgroup});
  REQUIRE(loaded.result);
  const auto key = ProvingKey<C>::open(loaded.key).value();
  CHECK(key.warnings() == 0);
  CHECK(key.basis() == HBasis::monomial);
  CHECK(key.root() == DomainRoot::seven);

  const auto system = sample_system();
  FileBytes witness(packed_witness_bytes(system));
  REQUIRE(pack_witness<C>(std::span<const UInt<4>>(made.values), system, witness));
  const auto packed = PackedWitness<C>::open(witness, system).value();
  const auto proof = prove(key, packed, Compute(2));
  REQUIRE(proof);
  const auto vk = read_bellperson_vk("the.file", made.vk, PointForm::uncompressed);
  REQUIRE(vk);
  CHECK(verify(vk->key, packed.public_inputs(), *proof));
  CHECK(digest(vk->key) == key.vk_digest());

  MemorySink params, vk_again;
  REQUIRE(write_bellperson_params(params, key));
  CHECK(params.bytes() == made.params);
  REQUIRE(write_bellperson_vk(vk_again, *vk));
  CHECK(vk_again.bytes() == made.vk);
  CHECK(std::ranges::equal(std::span(made.params).first(kVk), made.vk));
}

TEST_CASE("parameters for development say so, wherever they have been") {
  const FileBytes& marked = bellperson_sample().development_params;
  CHECK(read(marked) == "bellperson_params.insecure");
  const Loaded loaded = load(marked, {.allow_insecure = true});
  REQUIRE(loaded.result);
  CHECK(ProvingKey<C>::open(loaded.key)->warnings() == kKeyDevelopment);
  CHECK(warnings_of(read_bellperson_vk("vk", std::span(marked).first(kVk), PointForm::uncompressed).value()) ==
        kKeyDevelopment);

  // A key that was generated with another gamma cannot be written without its warning.
  FileBytes key(BellpersonParams::key_bytes(sample_system().sizes()));
  REQUIRE(generate_key<C>(sample_system(), ToxicWaste<C>::from_seed(2), HBasis::monomial, DomainRoot::seven, key,
                          Compute(1)));
  MemorySink sink;
  CHECK(write_bellperson_params(sink, ProvingKey<C>::open(key).value()).error().name == "bellperson_params.unmarked");
}

TEST_CASE("a key of another kind is not written as parameters") {
  FileBytes key(generated_key_bytes(sample_system(), HBasis::odd_coset_lagrange));
  REQUIRE(generate_key<C>(sample_system(), ToxicWaste<C>::from_seed(2), HBasis::odd_coset_lagrange, DomainRoot::five,
                          key, Compute(1)));
  MemorySink sink;
  CHECK(write_bellperson_params(sink, ProvingKey<C>::open(key).value()).error().name == "bellperson_params.basis");
}

TEST_CASE(
    "parameters cut short, in the key at any byte and behind it around every point and count, are refused by name") {
  const FileBytes& good = bellperson_sample().params;
  const auto is_boundary = [](std::size_t size) {
    std::size_t begin = kVk;
    for (const std::size_t next : {kL, kA, kBg1, kBg2, kEnd}) {
      const std::size_t point_bytes = next == kEnd ? kG2 : kG1;
      if (size < next) return size < begin + 4 || (size - begin - 4 + 1) % point_bytes <= 2;
      begin = next;
    }
    return true;
  };
  for (std::size_t size = 0; size < good.size(); ++size) {
    if (size > kVk && !is_boundary(size)) continue;  // each takes the check of a key
    const FileBytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    INFO(size);
    const auto parsed = BellpersonParams::parse("the.file", cut);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().name == (size < kVk ? "bellperson_vk.length" : "bellperson_params.length"));
  }
  FileBytes longer = good;
  longer.push_back(std::byte{0});
  CHECK(read(longer) == "bellperson_params.trailing");
}

TEST_CASE("a count that is not the circuit's is refused by the array's name") {
  const auto with_points = [](std::size_t array, std::size_t point_bytes, bool more) {
    FileBytes bytes = bellperson_sample().params;
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(array + 4);
    bytes[array + 3] = static_cast<std::byte>(static_cast<int>(bytes[array + 3]) + (more ? 1 : -1));
    if (more) {
      const FileBytes copy(first, first + static_cast<std::ptrdiff_t>(point_bytes));
      bytes.insert(first, copy.begin(), copy.end());
    } else {
      bytes.erase(first, first + static_cast<std::ptrdiff_t>(point_bytes));
    }
    return read(bytes);
  };
  for (const bool more : {true, false}) {
    CHECK(with_points(kH, kG1, more) == "bellperson_params.h_count");
    CHECK(with_points(kL, kG1, more) == "bellperson_params.l_count");
    CHECK(with_points(kA, kG1, more) == "bellperson_params.a_count");
    CHECK(with_points(kBg1, kG1, more) == "bellperson_params.b_g1_count");
    CHECK(with_points(kBg2, kG2, more) == "bellperson_params.b_g2_count");
  }
  CHECK(with_points(kVk - 2 * kG1 - 4, kG1, true) == "bellperson_params.ic_count");
  // Counts that lie about the bytes.
  for (const std::size_t array : {kH, kL, kA, kBg1, kBg2}) {
    CHECK(read(changed(array, std::byte{0xff})) == "bellperson_params.length");
  }
}

TEST_CASE("arrays that changed places are refused") {
  const FileBytes& good = bellperson_sample().params;
  const auto part = [&](std::size_t begin, std::size_t end) {
    return FileBytes(good.begin() + static_cast<std::ptrdiff_t>(begin),
                     good.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const auto joined = [](std::initializer_list<FileBytes> parts) {
    FileBytes all;
    for (const FileBytes& each : parts) all.insert(all.end(), each.begin(), each.end());
    return all;
  };
  const FileBytes vk = part(0, kVk), h = part(kH, kL), l = part(kL, kA), a = part(kA, kBg1), b1 = part(kBg1, kBg2),
                  b2 = part(kBg2, kEnd);
  CHECK(read(joined({vk, l, h, a, b1, b2})) == "bellperson_params.h_count");
  CHECK(read(joined({vk, h, a, l, b1, b2})) == "bellperson_params.l_count");
  CHECK(read(joined({vk, h, l, b1, a, b2})) == "bellperson_params.a_count");
  CHECK(read(joined({vk, h, b1, a, l, b2})) == "bellperson_params.pairing");  // l and b_g1 have as many points here
  CHECK(read(joined({vk, h, l, a, b2, b1})) != "accepted");
}

TEST_CASE("a bad point of any array is refused with its place") {
  const std::pair<std::size_t, std::size_t> arrays[] = {{kH, kG1}, {kL, kG1}, {kA, kG1}, {kBg1, kG1}, {kBg2, kG2}};
  for (const auto& [array, point_bytes] : arrays) {
    const std::size_t second = array + 4 + point_bytes;
    CHECK(read(changed(second, std::byte{0x80})) == "bellperson_params.flags");
    CHECK(read(changed(second, std::byte{0x40})) == "bellperson_params.infinity");
    CHECK(read(changed(second + point_bytes - 1, std::byte{1})) == "bellperson_params.not_on_curve");
    FileBytes bytes = bellperson_sample().params;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(second), point_bytes, std::byte{0x1f});
    CHECK(read(bytes) == "bellperson_params.coordinate");

    bytes = bellperson_sample().params;
    if (point_bytes == kG1) {
      put_outsider<C::G1>(bytes.data() + second);
    } else {
      put_outsider<C::G2>(bytes.data() + second);
    }
    CHECK(read(bytes, {.check = PointCheck::subgroup}) == "bellperson_params.not_in_subgroup");
  }
  CHECK(read(changed(5, std::byte{1})) == "bellperson_vk.not_on_curve");
}

TEST_CASE("b_g1 and b_g2 that are not the same in both groups are refused") {
  FileBytes bytes = bellperson_sample().params;
  std::swap_ranges(bytes.begin() + kBg1 + 4, bytes.begin() + kBg1 + 4 + kG1, bytes.begin() + kBg1 + 4 + kG1);
  CHECK(read(bytes) == "bellperson_params.pairing");
}
