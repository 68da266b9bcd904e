// The builder and the view agree on every term, and no malformed span becomes a view.
#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "groth16/proof/flat_array.hpp"
#include "tests/proof/sample_circuit.hpp"

namespace groth16 {
namespace {

using test::Circuit;
using test::FlatBytes;
using test::Sample;

// (matrix, row, wire) -> sum of coefficients, zero sums left out.
template <class C>
using TermMap = std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, typename C::Fr>;

template <class C>
void add_to(TermMap<C>& map, std::uint32_t matrix, std::uint64_t row, std::uint32_t wire, const typename C::Fr& value) {
  auto [place, is_new] = map.try_emplace({matrix, row, wire}, C::Fr::zero());
  place->second += value;
}

template <class C>
TermMap<C> terms_of(const ConstraintSystem<C>& system) {
  TermMap<C> map;
  for (std::uint32_t matrix = 0; matrix < (system.has_c() ? 3u : 2u); ++matrix) {
    for (std::uint64_t row = 0; row < system.n_rows(); ++row) {
      system.matrix(static_cast<MatrixId>(matrix)).for_each_term(row, [&](std::uint32_t wire, std::uint32_t index) {
        add_to<C>(map, matrix, row, wire, system.dictionary()[index]);
      });
    }
  }
  return map;
}

// A system of random terms, added in the order that `shuffled` says, and the terms that went in.
template <class C>
std::pair<FlatBytes, TermMap<C>> random_system(std::uint64_t n_terms, std::uint64_t n_coefficients, bool shuffled) {
  std::mt19937_64 random(n_terms);
  const SystemSizes sizes{2000, 3, 700, 10};
  std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t>> terms;
  for (std::uint64_t i = 0; i < n_terms; ++i) {
    terms.emplace_back(random() % sizes.n_constraints, static_cast<std::uint32_t>(random() % 3),
                       static_cast<std::uint32_t>(random() % sizes.n_vars), random() % n_coefficients);
  }
  if (!shuffled) std::sort(terms.begin(), terms.end());
  ConstraintSystemBuilder<C> builder(sizes, true);
  TermMap<C> map;
  for (const auto& [row, matrix, wire, number] : terms) {
    const auto coefficient = C::Fr::from_u64(number);
    builder.add(static_cast<MatrixId>(matrix), row, wire, coefficient);
    if (!coefficient.is_zero()) add_to<C>(map, matrix, row, wire, coefficient);
  }
  builder.add_public_rows();
  for (std::uint32_t s = 0; s <= sizes.n_public; ++s) add_to<C>(map, 0, sizes.n_constraints + s, s, C::Fr::one());
  FlatBytes bytes(builder.serialized_bytes());
  builder.write(bytes.bytes());
  return {std::move(bytes), std::move(map)};
}

TEMPLATE_TEST_CASE("a system holds the terms that were added, in whatever order they came", "", Bn254, Bls12_381) {
  const bool shuffled = GENERATE(false, true);
  const std::uint64_t n_coefficients = GENERATE(5, 100000);  // indices of 2 and of 4 bytes
  const auto [bytes, expected] = random_system<TestType>(n_coefficients == 5 ? 1000 : 150000, n_coefficients, shuffled);
  const auto system = ConstraintSystem<TestType>::open(bytes.bytes(), SpanCheck::all);
  REQUIRE(system);
  CHECK(system->dictionary()[0].is_one());
  CHECK((system->dictionary()[1] + system->dictionary()[0]).is_zero());
  CHECK((load_flat<SystemHeader>(bytes.bytes()).coefficient_index_bytes == 2) == (n_coefficients == 5));
  CHECK(terms_of(*system) == expected);
}

TEST_CASE("zero coefficients are dropped and equal ones share a dictionary entry") {
  Circuit<Bn254> circuit;
  using Fr = Bn254::Fr;
  const auto x = circuit.add_wire(Fr::from_u64(2));
  circuit.constrain({{x, Fr::zero()}, {x, Fr::from_u64(9)}}, {{0, Fr::from_u64(9)}}, {{0, Fr::from_u64(162)}});
  const auto sample = circuit.build();
  const auto system = sample.system();
  CHECK(system.matrix(MatrixId::a).n_terms() == 2);  // and the public row of wire 0
  CHECK(system.dictionary().size() == 4);            // 1, -1, 9, 162
}

TEST_CASE("the domain is the smallest power of two that holds the rows, at least two") {
  CHECK(smallest_domain_log2(1) == 1);
  CHECK(smallest_domain_log2(2) == 1);
  CHECK(smallest_domain_log2(3) == 2);
  CHECK(smallest_domain_log2(1024) == 10);
  CHECK(smallest_domain_log2(1025) == 11);
}

TEMPLATE_TEST_CASE("bits, and what follows from bits, are found as boolean wires", "", Bn254, Bls12_381) {
  using Fr = typename TestType::Fr;
  Circuit<TestType> circuit;
  const auto in = circuit.add_public(Fr::one());
  circuit.constrain({{in, Fr::one()}}, {{in, Fr::one()}, {0, -Fr::one()}}, {});  // a public bit is stored as public
  const auto x = circuit.bit(true, Fr::from_u64(5), false);
  const auto y = circuit.bit(false, -Fr::one(), true);
  const auto both = circuit.product({{x, Fr::one()}}, {{y, Fr::one()}});
  const auto either = circuit.exclusive_or(x, y);
  const auto chained = circuit.exclusive_or(either, both);
  const auto number = circuit.product({{x, Fr::from_u64(2)}}, {{in, Fr::one()}});

  const auto with_c = circuit.build();
  const auto system = with_c.system();
  for (const auto wire : {x, y, both, either, chained}) CHECK(system.is_boolean(wire));
  CHECK_FALSE(system.is_boolean(in));
  CHECK_FALSE(system.is_boolean(number));
  CHECK(system.n_boolean() == 5);

  const auto without_c = circuit.build(false);
  CHECK(without_c.system().n_boolean() == 2);  // rule 1 alone
}

TEST_CASE("x (x - 1) = y makes no boolean wire where C is at hand") {
  using Fr = Bn254::Fr;
  Circuit<Bn254> circuit;
  const auto x = circuit.add_wire(Fr::from_u64(5));
  circuit.product({{x, Fr::one()}}, {{x, Fr::one()}, {0, -Fr::one()}});
  CHECK(circuit.build().system().n_boolean() == 0);
  CHECK(circuit.build(false).system().n_boolean() == 1);  // a guess
}

TEST_CASE("a wire that is marked boolean is one") {
  ConstraintSystemBuilder<Bn254> builder({10, 1, 2, 3}, true);
  builder.add_public_rows();
  builder.mark_boolean(7);
  builder.mark_boolean(1);  // public: stays public
  FlatBytes bytes(builder.serialized_bytes());
  builder.write(bytes.bytes());
  const auto system = ConstraintSystem<Bn254>::open(bytes.bytes(), SpanCheck::all);
  REQUIRE(system);
  CHECK(system->n_boolean() == 1);
  CHECK(system->is_boolean(7));
}

TEST_CASE("ranks count the boolean wires below every wire") {
  const auto sample = test::mixed_circuit<Bn254>(3000, 5, 4).build();
  const auto system = sample.system();
  REQUIRE(system.n_boolean() > 600);
  std::uint64_t rank = 0;
  for (std::uint64_t wire = 0; wire < system.n_vars(); ++wire) {
    REQUIRE(system.boolean_rank(wire) == rank);
    rank += system.is_boolean(wire) ? 1 : 0;
  }
}

TEST_CASE("sizes that contradict each other are refused") {
  using Builder = ConstraintSystemBuilder<Bn254>;
  CHECK(Builder::check_sizes({4, 1, 2, 2}));
  CHECK_FALSE(Builder::check_sizes({std::uint64_t{1} << 32, 1, 2, 2}));
  CHECK_FALSE(Builder::check_sizes({4, 4, 2, 3}));
  CHECK_FALSE(Builder::check_sizes({4, 1, 3, 2}));  // five rows in a domain of four
  CHECK_FALSE(Builder::check_sizes({4, 1, 2, 0}));
  CHECK_FALSE(Builder::check_sizes({4, 1, 2, 28}));  // no root for the odd coset
  CHECK_FALSE(Builder::check_sizes({4, 1, ~std::uint64_t{0} - 1, 20}));
}

// A good system, one field of its header changed.
template <class Change>
groth16d::Result<ConstraintSystem<Bn254>> open_changed(Change&& change) {
  auto sample = test::mixed_circuit<Bn254>(20, 2, 1).build();
  auto header = load_flat<SystemHeader>(sample.system_bytes.bytes());
  change(header);
  store_flat(sample.system_bytes.bytes(), header);
  auto opened = ConstraintSystem<Bn254>::open(sample.system_bytes.bytes(), SpanCheck::all);
  return opened;
}

TEST_CASE("a malformed system is refused by the name of its fault") {
  const auto refused = [](auto&& change, const std::string& name) {
    const auto opened = open_changed(change);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().name == name);
  };
  CHECK(open_changed([](SystemHeader&) {}));
  refused([](SystemHeader& h) { h.magic[0] = 'x'; }, "system.magic");
  refused([](SystemHeader& h) { h.layout_version = 9; }, "system.version");
  refused([](SystemHeader& h) { h.curve = 2; }, "system.curve");
  refused([](SystemHeader& h) { h.n_public = h.n_vars; }, "system.sizes");
  refused([](SystemHeader& h) { h.domain_log2 = 60; }, "system.sizes");
  refused([](SystemHeader& h) { h.n_boolean = h.n_vars; }, "system.sizes");
  refused([](SystemHeader& h) { h.n_terms[1] = ~std::uint64_t{0}; }, "system.sizes");
  refused([](SystemHeader& h) { h.start_bytes = 3; }, "system.widths");
  refused([](SystemHeader& h) { h.total_bytes += 8; }, "system.length");
  refused([](SystemHeader& h) { h.dictionary_offset = ~std::uint64_t{7}; }, "system.dictionary.bounds");
  refused([](SystemHeader& h) { h.dictionary_offset += 1; }, "system.dictionary.alignment");
  refused([](SystemHeader& h) { h.starts_offset[0] = h.total_bytes; }, "system.A_starts.bounds");
  refused([](SystemHeader& h) { h.wires_offset[1] = h.total_bytes; }, "system.B_wires.bounds");
  refused([](SystemHeader& h) { h.coefficients_offset[2] = h.total_bytes; }, "system.C_coefficients.bounds");
  refused([](SystemHeader& h) { h.starts_offset[0] = h.wires_offset[0]; }, "system.row_starts");
  refused([](SystemHeader& h) { h.n_boolean -= 1; }, "system.booleans");
}

TEST_CASE("indices out of range are refused when all is checked") {
  auto sample = test::mixed_circuit<Bn254>(20, 2, 1).build();
  const auto header = load_flat<SystemHeader>(sample.system_bytes.bytes());
  const auto spoil = [&](std::uint64_t offset, std::uint32_t value, const std::string& name) {
    Sample<Bn254> spoiled = sample;
    store_flat(spoiled.system_bytes.bytes().subspan(offset), value);
    const auto opened = ConstraintSystem<Bn254>::open(spoiled.system_bytes.bytes(), SpanCheck::all);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().name == name);
  };
  spoil(header.wires_offset[0], static_cast<std::uint32_t>(header.n_vars), "system.wire");
  spoil(header.coefficients_offset[1], 0xffffffff, "system.coefficient");
  spoil(header.dictionary_offset, 5, "system.coefficient");   // entry 0 is not 1
  spoil(header.boolean_bitmap_offset, 1, "system.booleans");  // wire 0
}

TEST_CASE("a system that is cut short anywhere is refused") {
  const auto sample = test::mixed_circuit<Bls12_381>(6, 1, 3).build();
  const auto whole = sample.system_bytes.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    FlatBytes cut(size);
    std::copy_n(whole.begin(), size, cut.bytes().begin());
    REQUIRE_FALSE(ConstraintSystem<Bls12_381>::open(cut.bytes(), SpanCheck::all));
  }
}

}  // namespace
}  // namespace groth16
