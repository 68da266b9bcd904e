// Powers of tau: the writer against the definition of every section, and the reader against damage.
#include "groth16/formats/ptau.hpp"

#include <catch2/catch.hpp>

#include "groth16/formats/encoding.hpp"
#include "tests/formats/damage.hpp"

using namespace groth16;
using namespace groth16::formats;
using namespace groth16::formats::test;

namespace {

template <class C>
FileBytes write(std::uint32_t power) {
  MemorySink sink;
  REQUIRE(write_prepared_ptau(sink, power, ToxicWaste<C>::from_seed(7), Compute(2)));
  return sink.bytes();
}

std::string read(const FileBytes& bytes) { return error_of(PtauFile::parse("the.file", bytes)); }

template <class C, class Point>
std::vector<Point> points(const PtauFile& file, PtauSection section) {
  std::vector<Point> all(ptau_point_count(section, file.power()));
  REQUIRE(file.load<C, Point>(section, 0, std::span<Point>(all), Compute(2)));
  return all;
}

template <class C>
Jacobian<typename C::Fq> times_g1(const typename C::Fr& scalar) {
  return times(C::generator_g1(), scalar.to_uint());
}
template <class C>
Jacobian<typename C::Fq2> times_g2(const typename C::Fr& scalar) {
  return times(C::generator_g2(), scalar.to_uint());
}

// sum over i of w^(ij) L_i is tau^j: the Lagrange form of a power.
template <class C, class Point>
Jacobian<typename Point::Field> recombine(std::span<const Point> lagrange, unsigned log2, std::uint64_t j) {
  const auto root = C::root_of_unity(DomainRoot::five, log2).pow(j);
  auto factor = C::Fr::one();
  auto sum = Jacobian<typename Point::Field>::infinity();
  for (const Point& point : lagrange) {
    sum += times(point, factor.to_uint());
    factor *= root;
  }
  return sum;
}

}  // namespace

TEMPLATE_TEST_CASE("every section of a prepared file is what the format says", "", Bn254, Bls12_381) {
  using G1 = typename TestType::G1;
  using G2 = typename TestType::G2;
  constexpr std::uint32_t kPower = 2;
  const FileBytes bytes = write<TestType>(kPower);
  const auto file = PtauFile::parse("the.file", bytes);
  REQUIRE(file);
  CHECK(file->curve() == TestType::id);
  CHECK(file->power() == kPower);
  CHECK(file->is_prepared());
  const auto toxic = ToxicWaste<TestType>::from_seed(7);

  const auto tau1 = points<TestType, G1>(*file, PtauSection::tau_g1);
  const auto tau2 = points<TestType, G2>(*file, PtauSection::tau_g2);
  const auto alpha = points<TestType, G1>(*file, PtauSection::alpha_tau_g1);
  const auto beta = points<TestType, G1>(*file, PtauSection::beta_tau_g1);
  for (std::uint64_t i = 0; i < tau1.size(); ++i) CHECK(times_g1<TestType>(toxic.tau.pow(i)) == tau1[i]);
  for (std::uint64_t i = 0; i < tau2.size(); ++i) {
    CHECK(times_g2<TestType>(toxic.tau.pow(i)) == tau2[i]);
    CHECK(times_g1<TestType>(toxic.alpha * toxic.tau.pow(i)) == alpha[i]);
    CHECK(times_g1<TestType>(toxic.beta * toxic.tau.pow(i)) == beta[i]);
  }
  CHECK(times_g2<TestType>(toxic.beta) == points<TestType, G2>(*file, PtauSection::beta_g2)[0]);

  const auto lagrange1 = points<TestType, G1>(*file, PtauSection::lagrange_tau_g1);
  const auto lagrange2 = points<TestType, G2>(*file, PtauSection::lagrange_tau_g2);
  const auto lagrange_alpha = points<TestType, G1>(*file, PtauSection::lagrange_alpha_tau_g1);
  const auto lagrange_beta = points<TestType, G1>(*file, PtauSection::lagrange_beta_tau_g1);
  const auto block = [](const auto& all, std::uint32_t p) {
    return std::span(all).subspan((std::size_t{1} << p) - 1, std::size_t{1} << p);
  };
  for (std::uint32_t p = 0; p <= kPower; ++p) {
    for (std::uint64_t j = 0; j < std::uint64_t{1} << p; ++j) {
      INFO("block " << p << " power " << j);
      CHECK(recombine<TestType, G1>(block(lagrange1, p), p, j) == tau1[j]);
      CHECK(recombine<TestType, G2>(block(lagrange2, p), p, j) == tau2[j]);
      CHECK(recombine<TestType, G1>(block(lagrange_alpha, p), p, j) == alpha[j]);
      CHECK(recombine<TestType, G1>(block(lagrange_beta, p), p, j) == beta[j]);
    }
  }
  // The largest block is that of the powers that the file has: the last one counts as zero.
  const auto largest = block(lagrange1, kPower + 1);
  for (std::uint64_t j = 0; j < tau1.size(); ++j) {
    CHECK(recombine<TestType, G1>(largest, kPower + 1, j) == tau1[j]);
  }
  CHECK(recombine<TestType, G1>(largest, kPower + 1, tau1.size()).is_infinity());
}

TEST_CASE("a .ptau that contradicts itself is refused") {
  const FileBytes good = write<Bn254>(1);
  CHECK(read(good) == "accepted");
  CHECK(read(Image(good).put(1, 0, std::uint32_t{33}).bytes()) == "ptau.field_size");
  CHECK(read(Image(good).flip(1, 4).bytes()) == "ptau.prime");
  CHECK(read(Image(good).put(1, 36, std::uint32_t{0}).bytes()) == "ptau.power");
  CHECK(read(Image(good).put(1, 36, std::uint32_t{2}).bytes()) == "ptau.power");  // above the ceremony's
  CHECK(read(Image(good).put(1, 36, std::uint32_t{0xffffffff}).put(1, 40, std::uint32_t{0xffffffff}).bytes()) ==
        "ptau.power");
  CHECK(read(Image(good).put(1, 36, std::uint32_t{27}).put(1, 40, std::uint32_t{27}).bytes()) == "ptau.section_length");
  CHECK(read(Image(good).resize(1, 45).bytes()) == "ptau.section_length");
  for (const std::uint32_t id : {2u, 3u, 4u, 5u, 6u, 12u, 13u, 14u, 15u}) {
    CHECK(read(Image(good).resize(id, Image(good).size_of(id) - 1).bytes()) == "ptau.section_length");
  }
  CHECK(read(Image(good).drop(13).bytes()) == "ptau.missing_section");
  CHECK(read(Image(good).drop(4).bytes()) == "ptau.missing_section");
  const FileBytes unprepared = Image(good).drop(12).drop(13).drop(14).drop(15).bytes();
  REQUIRE(read(unprepared) == "accepted");
  CHECK(!PtauFile::parse("the.file", unprepared)->is_prepared());
}

TEST_CASE("points of a .ptau are checked as they are loaded") {
  const FileBytes bytes = Image(write<Bn254>(1)).flip(2, 64 + 32).bytes();
  const auto file = PtauFile::parse("the.file", bytes);
  REQUIRE(file);
  std::vector<Bn254::G1> out(2);
  const auto load = [&](std::uint64_t first) {
    return error_of(file->load<Bn254, Bn254::G1>(PtauSection::tau_g1, first, std::span(out), Compute(1)));
  };
  CHECK(load(0) == "ptau.not_on_curve");
  CHECK(load(2) == "ptau.range");
  CHECK(load(~std::uint64_t{0}) == "ptau.range");
}

TEST_CASE("a power that no tool can use, and toxic values that give no key, are refused") {
  MemorySink sink;
  auto toxic = ToxicWaste<Bn254>::from_seed(7);
  CHECK(write_prepared_ptau(sink, 0, toxic, Compute(1)).error().name == "ptau.power");
  CHECK(write_prepared_ptau(sink, 28, toxic, Compute(1)).error().name == "ptau.power");
  toxic.tau = Bn254::root_of_unity(DomainRoot::five, 3);
  CHECK(write_prepared_ptau(sink, 2, toxic, Compute(1)).error().name == "ptau.toxic");
  toxic.tau = Bn254::Fr::zero();
  CHECK(write_prepared_ptau(sink, 2, toxic, Compute(1)).error().name == "ptau.toxic");
}
