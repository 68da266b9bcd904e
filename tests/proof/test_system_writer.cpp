// A system written in place, a part of it by repetition, is byte for byte the one that was collected; and a circuit
// that is not as planned is refused.
#include <catch2/catch.hpp>
#include <functional>

#include "groth16/proof/constraint_system_builder.hpp"
#include "groth16/proof/system_writer.hpp"
#include "tests/proof/sample_circuit.hpp"

namespace groth16 {
namespace {

using test::FlatBytes;
using C = Bls12_381;

struct Term {
  MatrixId matrix;
  std::uint32_t wire;
  std::uint64_t coefficient;
};
using Rows = std::vector<std::vector<Term>>;

Term random_term(std::mt19937_64& random, std::uint32_t first, std::uint32_t n_wires) {
  return {static_cast<MatrixId>(random() % 3), first + static_cast<std::uint32_t>(random() % n_wires),
          1 + random() % 5};
}

// A start over its own wires, then a part of three rows over the start's wires and its own, several times.
struct RepeatedCircuit {
  SystemSizes sizes;
  Repetition part;
  Rows rows;                        // all of them
  std::vector<std::uint32_t> bits;  // boolean wires, all of them

  RepeatedCircuit(std::uint32_t n_own, std::uint64_t times, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto n_public = static_cast<std::uint32_t>(1 + 2 * (times + 1));
    sizes = {n_public + 1 + 10 + n_own * (times + 1), n_public, 4 + 3 * (times + 1), 7};
    part = {4, 3, 2, 2, n_public + 1 + 10, n_own, times};
    for (int row = 0; row < 4; ++row)
      rows.push_back({random_term(random, 0, 2), random_term(random, n_public + 1, 10)});
    for (int row = 0; row < 3; ++row) {
      rows.push_back({random_term(random, 0, 2), random_term(random, part.first_public, 2),
                      random_term(random, n_public + 1, 10), random_term(random, part.first_private, n_own)});
    }
    bits.push_back(n_public + 2);
    for (std::uint32_t wire = part.first_private; wire < part.first_private + n_own; ++wire) {
      if (random() % 2 == 0) bits.push_back(wire);
    }
    n_described_rows = rows.size();
    n_described_bits = bits.size();
    for (std::uint32_t k = 1; k <= times; ++k) repeat(k);
  }

  std::size_t n_described_rows = 0, n_described_bits = 0;  // start and first part

  SystemPlan<C> plan() const {
    SystemPlan<C> plan{sizes, {}, bits.size(), {}};
    for (const auto& row : rows) {
      for (const Term& term : row) plan.count(term.matrix, C::Fr::from_u64(term.coefficient));
    }
    plan.count_public_rows();
    return plan;
  }

  // What the writer is told before the repetition.
  void describe(SystemWriter<C>& writer) const {
    for (std::size_t row = 0; row < n_described_rows; ++row) {
      for (const Term& term : rows[row]) writer.add(term.matrix, term.wire, C::Fr::from_u64(term.coefficient));
      writer.end_row();
    }
    for (std::size_t i = 0; i < n_described_bits; ++i) writer.mark_boolean(bits[i]);
  }

 private:
  void repeat(std::uint32_t k) {
    for (std::uint64_t row = part.first_row; row < part.first_row + part.n_rows; ++row) {
      auto terms = rows[row];
      for (Term& term : terms) {
        if (term.wire >= part.first_private) {
          term.wire += k * part.n_private;
        } else if (term.wire >= part.first_public && term.wire < part.first_public + part.n_public) {
          term.wire += k * part.n_public;
        }
      }
      rows.push_back(terms);
    }
    for (std::size_t i = 1; i < n_described_bits; ++i) bits.push_back(bits[i] + k * part.n_private);
  }
};

TEST_CASE("a system with a repeated part is byte for byte the one that was collected") {
  for (const std::uint32_t n_own : {1u, 7u, 63u, 64u, 65u, 200u}) {
    for (const std::uint64_t times : {0u, 1u, 5u}) {
      const RepeatedCircuit circuit(n_own, times, n_own + times);
      ConstraintSystemBuilder<C> builder(circuit.sizes, true);
      for (std::uint64_t row = 0; row < circuit.rows.size(); ++row) {
        for (const Term& term : circuit.rows[row]) {
          builder.add(term.matrix, row, term.wire, C::Fr::from_u64(term.coefficient));
        }
      }
      builder.add_public_rows();
      for (const std::uint32_t wire : circuit.bits) builder.mark_boolean(wire);
      builder.marks_are_complete();
      FlatBytes expected(builder.serialized_bytes());
      builder.write(expected.bytes());

      const SystemPlan<C> plan = circuit.plan();
      FlatBytes written(plan.bytes());
      auto writer = SystemWriter<C>::create(plan, written.bytes());
      REQUIRE(writer);
      circuit.describe(*writer);
      writer->repeat(circuit.part, Compute(2));
      REQUIRE(writer->finish());
      INFO(n_own << " wires, " << times << " times");
      CHECK(std::ranges::equal(written.bytes(), expected.bytes()));
      CHECK(ConstraintSystem<C>::open(written.bytes(), SpanCheck::all));
    }
  }
}

// What finish() says after the circuit and this.
std::string outcome(const std::function<void(SystemWriter<C>&, Repetition&)>& deviate) {
  const RepeatedCircuit circuit(7, 2, 1);
  const SystemPlan<C> plan = circuit.plan();
  FlatBytes written(plan.bytes());
  auto writer = SystemWriter<C>::create(plan, written.bytes()).value();
  circuit.describe(writer);
  Repetition part = circuit.part;
  deviate(writer, part);
  writer.repeat(part, Compute(1));
  const auto finished = writer.finish();
  return finished ? "" : finished.error().name;
}

TEST_CASE("a circuit that is not as planned is refused") {
  const auto one = C::Fr::one();
  CHECK(outcome([](auto&, auto&) {}) == "");
  CHECK(outcome([](auto& writer, auto&) { writer.end_row(); }) == "system.plan");
  CHECK(outcome([](auto&, auto& part) { --part.times; }) == "system.plan");
  CHECK(outcome([](auto&, auto& part) { ++part.times; }) == "system.plan");
  CHECK(outcome([](auto&, auto& part) { ++part.first_row; }) == "system.plan");
  CHECK(outcome([](auto&, auto& part) { part.first_private += 8; }) == "system.plan");
  CHECK(outcome([](auto&, auto& part) { part.n_public = 100; }) == "system.plan");
  CHECK(outcome([&](auto& writer, auto&) { writer.add(MatrixId::b, 1, one); }) == "system.plan");
  CHECK(outcome([&](auto& writer, auto&) { writer.add(MatrixId::b, 1000, one); }) == "system.plan");
  CHECK(outcome([](auto& writer, auto&) { writer.add(MatrixId::b, 1, C::Fr::from_u64(77)); }) == "system.plan");
  CHECK(outcome([](auto& writer, auto&) { writer.mark_boolean(1); }) == "system.plan");
  CHECK(outcome([](auto& writer, auto&) { writer.mark_boolean(15); }) == "system.plan");

  const SystemPlan<C> plan = RepeatedCircuit(7, 2, 1).plan();
  FlatBytes short_by_one(plan.bytes() - 8);
  CHECK(SystemWriter<C>::create(plan, short_by_one.bytes()).error().name == "system.length");
}

}  // namespace
}  // namespace groth16
