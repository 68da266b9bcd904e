// The native generators put the very values that the circuit's own evaluation gives: gate by gate for every kind of
// operand, gadget by gadget, and for whole circuits, whose constraint systems they satisfy.
#include <catch2/catch.hpp>

#include "groth16/circuits/label.hpp"
#include "groth16/circuits/native_gadgets.hpp"
#include "groth16/circuits/poseidon_gadget.hpp"
#include "groth16/circuits/sha256_gadget.hpp"
#include "groth16/circuits/stacked_system.hpp"
#include "groth16/circuits/stacked_witness.hpp"
#include "groth16/proof/boolean_search.hpp"
#include "tests/algebra/random.hpp"
#include "tests/circuits/described.hpp"

namespace groth16::circuits {
namespace {

using groth16::test::Random;

// Values by their storage, in order.
struct Values {
  std::vector<Scalar> publics, full;
  std::vector<std::uint64_t> bits;
  std::uint64_t n_bits = 0;
  bool operator==(const Values&) const = default;
};

template <class Describe>
Values slow_values(Describe&& describe) {
  const SlowWitness witness = test::evaluate(describe);
  Values values;
  for (const Fr& value : witness.publics()) values.publics.push_back(value.to_uint());
  for (std::uint64_t i = 0; i < witness.privates().size(); ++i) {
    const Scalar value = witness.privates()[i].to_uint();
    if (witness.storage(i) == Storage::full) {
      values.full.push_back(value);
      continue;
    }
    if (Scalar::from_u64(1) < value) FAIL("private variable " << i << " is told as a bit and is none");
    if (values.n_bits % 64 == 0) values.bits.push_back(0);
    values.bits.back() |= value.limb[0] << (values.n_bits++ % 64);
  }
  return values;
}

// write(stream) with room for as many values as expected.
template <class Write>
Values native_values(const Values& expected, Write&& write) {
  Values values = expected;
  std::fill(values.publics.begin() + 1, values.publics.end(), Scalar{});
  std::fill(values.full.begin(), values.full.end(), Scalar{});
  std::fill(values.bits.begin(), values.bits.end(), 0);
  WitnessStream stream({values.publics, values.bits, values.full});
  write(stream);
  CHECK(stream.n_public() + 1 == expected.publics.size());
  CHECK(stream.n_bits() == expected.n_bits);
  CHECK(stream.n_full() == expected.full.size());
  return values;
}

template <class Describe, class Write>
void check_same(Describe&& describe, Write&& write) {
  const Values expected = slow_values(describe);
  CHECK(native_values(expected, write) == expected);
}

// A word of constants, variables and negated variables, each bit by chance.
TracedWord random_word(Random& random) {
  const auto draw = [&] { return static_cast<std::uint32_t>(random.u64()); };
  const auto constant = draw();
  return {draw(), constant, draw() & ~constant};
}

Word32 described_word(CircuitBuilder& builder, const TracedWord& word) {
  Word32 bits;
  for (unsigned i = 0; i < 32; ++i) {
    const auto at = [&](std::uint32_t mask) { return ((mask >> i) & 1) != 0; };
    const bool value = at(word.value), is_negated = at(word.negated);
    bits[i] = at(word.constant) ? Bit::constant(value) : alloc_bit(builder, value != is_negated);
    if (is_negated) bits[i] = !bits[i];
  }
  return bits;
}

void put_word(WitnessStream& stream, const TracedWord& word) {
  stream.put_masked(word.value ^ word.negated, std::uint32_t{~word.constant});
}

TEST_CASE("gates on words allocate what gates on bits allocate, for every kind of operand") {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const TracedWord a = random_word(random), b = random_word(random), c = random_word(random);
    // A second gate on each result, so that its kinds count as well as its values.
    check_same(
        [&](CircuitBuilder& builder) {
          const Word32 x = described_word(builder, a), y = described_word(builder, b), z = described_word(builder, c);
          const Word32 sum = xor_gates(builder, x, y);
          const Word32 choice = choice_gates(builder, x, y, z);
          const Word32 majority = majority_gates(builder, x, y, z);
          majority_gates(builder, majority, choice, sum);
          EqualityBatch batch(builder);
          add_words(builder, std::array{sum, choice, rotate_right(majority, 7), shift_right(x, 3)}, batch);
          batch.finish();
        },
        [&](WitnessStream& stream) {
          for (const TracedWord& word : {a, b, c}) put_word(stream, word);
          const TracedWord sum = xor_gates(stream, a, b);
          const TracedWord choice = choice_gates(stream, a, b, c);
          const TracedWord majority = majority_gates(stream, a, b, c);
          majority_gates(stream, majority, choice, sum);
          TracedSum(sum).plus(choice).plus(rotate_right(majority, 7)).plus(shift_right(a, 3)).add_up(stream);
        });
  }
}

TEST_CASE("native SHA-256 of words of every kind, and of two numbers") {
  Random random(2);
  for (const std::size_t n_words : {1u, 13u, 14u, 16u, 29u}) {
    std::vector<TracedWord> words;
    for (std::size_t i = 0; i < n_words; ++i) {
      words.push_back(i % 3 == 0   ? TracedWord::of_constant(static_cast<std::uint32_t>(random.u64()))
                      : i % 3 == 1 ? random_word(random)
                                   : TracedWord::of_variables(static_cast<std::uint32_t>(random.u64())));
    }
    check_same(
        [&](CircuitBuilder& builder) {
          std::vector<Bit> message;
          for (const TracedWord& word : words) append_message(message, described_word(builder, word));
          sha256(builder, message);
        },
        [&](WitnessStream& stream) {
          for (const TracedWord& word : words) put_word(stream, word);
          sha256(stream, words);
        });
  }
  const Fr left = random.element<Fr>(), right = random.element<Fr>();
  check_same(
      [&](CircuitBuilder& builder) {
        const Number a = alloc_number(builder, left), b = alloc_number(builder, right);
        sha256_pair(builder, a, b);
      },
      [&](WitnessStream& stream) {
        stream.put(left);
        stream.put(right);
        sha256_pair(stream, left.to_uint(), right.to_uint());
      });
}

TEST_CASE("native Poseidon and insertion of every arity") {
  Random random(3);
  for (const std::size_t arity : {2u, 4u, 8u, 11u}) {
    std::vector<Fr> values;
    for (std::size_t i = 0; i < arity; ++i) values.push_back(random.element<Fr>());
    const auto described = [&](CircuitBuilder& builder) {
      std::vector<Number> numbers;
      for (const Fr& value : values) numbers.push_back(alloc_number(builder, value));
      return numbers;
    };
    const auto put_all = [&](WitnessStream& stream) {
      for (const Fr& value : values) stream.put(value);
    };
    check_same([&](CircuitBuilder& builder) { poseidon(builder, described(builder)); },
               [&](WitnessStream& stream) {
                 put_all(stream);
                 poseidon(stream, values);
               });
    for (std::uint64_t index = 0; index < arity && arity != 11; ++index) {
      check_same(
          [&](CircuitBuilder& builder) {
            const auto numbers = described(builder);
            std::vector<Bit> bits;
            for (unsigned i = 0; i < bits_of_level(static_cast<unsigned>(arity)); ++i) {
              bits.push_back(alloc_bit(builder, ((index >> i) & 1) != 0));
            }
            insert(builder, numbers[0], bits, std::span(numbers).subspan(1));
          },
          [&](WitnessStream& stream) {
            put_all(stream);
            stream.put_bits(index, bits_of_level(static_cast<unsigned>(arity)));
            insert(stream, values[0], index, std::span<const Fr>(values).subspan(1));
          });
    }
  }
}

TEST_CASE("native inclusion in trees of both hashes") {
  Random random(4);
  const std::vector<std::pair<TreeHash, TreeShape>> trees{
      {TreeHash::sha256, {2, 2}}, {TreeHash::poseidon, {8, 8, 2}}, {TreeHash::poseidon, {8, 4, 2}}};
  for (const auto& [hash, shape] : trees) {
    MerklePath path{random.u64() % 4, {}};
    for (std::size_t i = 0; i < sibling_count(shape); ++i) path.siblings.push_back(random.element<Fr>().to_uint());
    const Fr leaf = random.element<Fr>();
    check_same(
        [&, h = hash, s = shape](CircuitBuilder& builder) {
          const Number number = alloc_number(builder, leaf);
          prove_inclusion(builder, h, s, path, number, number);
        },
        [&, h = hash, s = shape](WitnessStream& stream) {
          stream.put(leaf);
          prove_inclusion(stream, h, s, path, leaf);
        });
  }
}

TEST_CASE("native labels of layers 1, 2 and 11") {
  Random random(5);
  for (const std::uint32_t layer : {1u, 2u, 11u}) {
    std::vector<Fr> numbers;
    for (std::size_t i = 0; i < 1 + (layer == 1 ? kBaseParents : kParents); ++i)
      numbers.push_back(random.element<Fr>());
    const std::uint64_t node = random.u64();
    check_same(
        [&](CircuitBuilder& builder) {
          std::vector<std::vector<Bit>> bits;
          for (const Fr& number : numbers) bits.push_back(to_message_bits(builder, alloc_number(builder, number)));
          const auto node_bits = alloc_u64(builder, node);
          label(builder, bits[0], std::span(bits).subspan(1), layer, node_bits);
        },
        [&](WitnessStream& stream) {
          std::vector<TracedState> words;
          for (const Fr& number : numbers) {
            stream.put(number);
            words.push_back(to_message_words(stream, number.to_uint()));
          }
          stream.put_bits(node, 64);
          label(stream, words[0], std::span(words).subspan(1), layer, node);
        });
  }
}

// Any numbers: what is compared holds for inputs that satisfy no constraint system, too.
PartitionInput random_input(const SectorShape& shape, Random& random) {
  PartitionInput input = blank_input(shape);
  const auto fill = [&](Scalar& value) { value = random.element<Fr>().to_uint(); };
  const auto fill_path = [&](MerklePath& path) {
    path.leaf_index = random.u64() % shape.nodes;
    for (Scalar& sibling : path.siblings) fill(sibling);
  };
  for (Scalar* value : {&input.replica_id, &input.comm_d, &input.comm_r, &input.comm_c, &input.comm_r_last}) {
    fill(*value);
  }
  for (ChallengeInput& challenge : input.challenges) {
    challenge.node = random.u64() % shape.nodes;
    fill(challenge.data_leaf);
    fill_path(challenge.data_path);
    for (ParentInput& parent : challenge.parents) {
      for (Scalar& row : parent.column) fill(row);
      fill_path(parent.path);
    }
    fill_path(challenge.replica_path);
    fill_path(challenge.column_path);
  }
  return input;
}

TEST_CASE("the packed witness of whole partitions of two shapes is that of the circuit's evaluation") {
  Random random(6);
  for (const SectorShape& shape : {SectorShape{64, {8, 0, 0}, 2, 2}, SectorShape{64, {8, 4, 2}, 2, 1}}) {
    SlowWitness slow;
    CircuitBuilder builder{&slow};
    const PartitionInput input = random_input(shape, random);
    describe_stacked_circuit(builder, shape, input);
    const auto bytes = stacked_system(shape, Compute(1)).value();
    const auto system = ConstraintSystem<Bls12_381>::open(bytes).value();

    std::vector<std::byte> expected(packed_witness_bytes(system)), native(expected.size());
    REQUIRE(pack_witness<Bls12_381>(std::span<const Scalar>(slow.wires()), system, expected));
    const auto written = write_stacked_witness(shape, input, system, native);
    REQUIRE(written);
    CHECK(native == expected);
    CHECK(PackedWitness<Bls12_381>::open(native, system)->exceptions().empty());
  }
}

TEST_CASE("a system of another shape is refused") {
  const SectorShape shape{8, {8, 0, 0}, 2, 1}, other{64, {8, 0, 0}, 2, 1};
  const auto bytes = stacked_system(shape, Compute(1)).value();
  const auto system = ConstraintSystem<Bls12_381>::open(bytes).value();
  std::vector<std::byte> out(packed_witness_bytes(system));
  CHECK(write_stacked_witness(other, blank_input(other), system, out).error().name == "circuit.mismatch");
}

TEST_CASE("the bits of a description are all that the search for boolean wires would find, and more") {
  const SectorShape shape{8, {8, 0, 0}, 2, 1};
  const auto bytes = stacked_system(shape, Compute(1)).value();
  const auto system = ConstraintSystem<Bls12_381>::open(bytes, SpanCheck::all).value();
  std::vector<std::uint64_t> found((system.n_vars() + 63) / 64, 0);
  find_boolean_wires(system, found);
  std::uint64_t found_only = 0, marked_only = 0;
  for (std::size_t word = 0; word < found.size(); ++word) {
    found_only += static_cast<std::uint64_t>(std::popcount(found[word] & ~system.boolean_bitmap()[word]));
    marked_only += static_cast<std::uint64_t>(std::popcount(system.boolean_bitmap()[word] & ~found[word]));
  }
  CHECK(found_only == 0);
  CHECK(marked_only > 0);  // majorities, whose rows hold for more than bits
}

}  // namespace
}  // namespace groth16::circuits
