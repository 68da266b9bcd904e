// Whole partitions of large sectors: the native witness is that of the circuit's evaluation, value by value, and its
// hash is the one that upstream's circuit gives the same sector.
#include <catch2/catch.hpp>

#include "common/blake2.hpp"
#include "groth16/circuits/c1.hpp"
#include "groth16/circuits/stacked_witness.hpp"
#include "tests/circuits/synthetic_expectation.hpp"

namespace groth16::circuits {
namespace {

// Compares a circuit's evaluation, as it goes, with what a generator has put, and hashes it.
class NativeComparison final : public CircuitSink {
 public:
  explicit NativeComparison(const PackedWitnessArrays<Bls12_381>& native) : native_(native) {
    for (const Scalar& value : native.publics) add_to_hash(value);
  }

  void on_public(const Fr& value) override { count(value.to_uint() == native_.publics[++n_public_]); }
  void on_private(const Fr& value, Storage storage) override {
    const Scalar expected = value.to_uint();
    add_to_hash(expected);
    if (storage == Storage::full) return count(expected == native_.full[n_full_++]);
    const std::uint64_t bit = n_bits_++;
    count(expected == Scalar::from_u64((native_.bits[bit / 64] >> (bit % 64)) & 1));
  }
  void on_row(const Row&) override {}

  std::uint64_t n_differences() const { return n_differences_; }
  std::string hash() {
    hash_.update(std::as_bytes(std::span(pending_)));
    return groth16d::to_hex(hash_.finish());
  }

 private:
  void count(bool same) { n_differences_ += same ? 0 : 1; }
  void add_to_hash(const Scalar& value) {
    pending_.push_back(value);
    if (pending_.size() < 1024) return;
    hash_.update(std::as_bytes(std::span(pending_)));
    pending_.clear();
  }

  PackedWitnessArrays<Bls12_381> native_;
  std::uint64_t n_public_ = 0, n_bits_ = 0, n_full_ = 0, n_differences_ = 0;
  std::vector<Scalar> pending_;
  groth16d::Blake2s256 hash_;
};

void check(const std::string& name, const std::string& witness_hash) {
  INFO(name);
  const std::string text = SyntheticSector::create(test::published_request(name))->c1_json(name);
  const C1 c1 = read_c1_json("c1", std::as_bytes(std::span(text))).value();
  const SectorShape& shape = c1.statement.proof.sector;

  const SystemSizes sizes = shape.system_sizes();
  std::vector<Scalar> publics(sizes.n_public + 1, Scalar::from_u64(1)), full(sizes.n_private() / 16);
  std::vector<std::uint64_t> bits(sizes.n_private() / 64 + 1, 0);
  const PackedWitnessArrays<Bls12_381> arrays{publics, bits, full};
  WitnessStream stream(arrays);
  put_stacked_witness(stream, shape, c1.partitions[0]);
  REQUIRE(stream.n_public() == sizes.n_public);
  REQUIRE(stream.n_bits() + stream.n_full() == sizes.n_private());
  REQUIRE(stream.n_full() <= full.size());

  NativeComparison comparison(arrays);
  CircuitBuilder builder{&comparison};
  describe_stacked_circuit(builder, shape, c1.partitions[0]);
  CHECK(comparison.n_differences() == 0);
  CHECK(comparison.hash() == witness_hash);
}

TEST_CASE("the witnesses of 8 and 512 MiB are upstream's") {
  check("StackedDrg8MiBV1_1", "d3c2bb943521986d7fce94a5ce4474cdf7dd454ba5d2ea20e2bb13d99d1c5c55");
  check("StackedDrg512MiBV1_1", "3c2b459ebe2ee7fcac49461d04aa7cab68a7b50de3dead517dcb7a5efba8350d");
}

TEST_CASE("the witness of a 32 GiB partition is upstream's", "[partition]") {
  check("StackedDrg32GiBV1_1", "2e55e2fd89d99fa8e90dca983c1625c72fab0e907d7aca531c564032e9bbdd2d");
}

TEST_CASE("the witness of a 64 GiB partition is upstream's", "[partition]") {
  check("StackedDrg64GiBV1_1", "575983187cc46b9b670810fe020c399530f45ca4d8e2bca411e31c7f7290db8a");
}

}  // namespace
}  // namespace groth16::circuits
