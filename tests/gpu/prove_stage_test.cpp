// The GPU's prove stage computes the sums that the CPU's does: both bases, both roots, circuits of all kinds of wires,
// sizes around powers of two, witnesses with and without exceptions.
#include "cuda/prove_stage.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cuda/cuda_call.cuh"
#include "cuda/device.hpp"
#include "groth16/proof/b2.hpp"
#include "groth16/proof/evaluate.hpp"
#include "tests/algebra/random.hpp"
#include "tests/gpu/synthetic_partition.hpp"
#include "tests/proof/sample_circuit.hpp"

using namespace groth16;
using namespace groth16::test;

namespace {

template <class C>
ProveSums<C> sums_on_host(const ProvingKey<C>& key, const PackedWitness<C>& witness) {
  const auto& system = witness.system();
  std::vector<typename C::Fr> a(system.domain_size()), b(system.domain_size());
  evaluate<C>(system, witness, a, b, Compute(2));
  return prove_sums<C>(key, witness, a, b, Compute(2)).value();
}

// A sample with its key and witness, and the host's sums over it.
template <class C>
struct HostSide {
  HostSide(Sample<C> of, HBasis basis, DomainRoot root)
      : sample(std::move(of)),
        system(sample.system()),
        key_bytes(sample_key(sample, basis, root)),
        key(ProvingKey<C>::open(key_bytes.bytes()).value()),
        witness_bytes(packed(sample, system).value()),
        witness(PackedWitness<C>::open(witness_bytes.bytes(), system).value()),
        sums(sums_on_host(key, witness)),
        b2(b_g2_msm(key, witness, Compute(2)).value()) {}

  HostSide(const HostSide&) = delete;
  HostSide& operator=(const HostSide&) = delete;

  const Sample<C> sample;  // the system is a view of it
  const ConstraintSystem<C> system;
  const FlatBytes key_bytes;
  const ProvingKey<C> key;
  const FlatBytes witness_bytes;
  const PackedWitness<C> witness;
  const ProveSums<C> sums;
  const typename C::G2 b2;
};

template <class C>
void compare(device::GpuProveStage<C>& stage, const HostSide<C>& host, bool with_b2) {
  const auto got = stage.prove(host.key, host.witness, with_b2, Compute(2));
  if (!got) FAIL(got.error().text);
  CHECK(got->sums.h == host.sums.h);
  CHECK(got->sums.l == host.sums.l);
  CHECK(got->sums.a == host.sums.a);
  CHECK(got->sums.b1 == host.sums.b1);
  CHECK(got->b2.has_value() == with_b2);
  if (got->b2) CHECK(*got->b2 == host.b2);
}

template <class C>
void compare(const Sample<C>& sample, HBasis basis, DomainRoot root, const device::GpuStageOptions& options) {
  const HostSide<C> host(sample, basis, root);
  auto stage = device::GpuProveStage<C>::load(host.key, host.system, options, Compute(2));
  if (!stage) FAIL(stage.error().text);
  const bool has_b2 = options.b2 != device::B2Points::none;
  CHECK((*stage)->has_b2_points() == has_b2);
  for (const bool with_b2 : {has_b2, false, has_b2}) compare(**stage, host, with_b2);
}

}  // namespace

TEMPLATE_TEST_CASE("the prove stage's sums on the card are the host's", "[stage]", GROTH16_TEST_CURVES) {
  using C = TestType;
  const std::uint64_t n_constraints = GENERATE(1u, 5u, 13u, 60u, 61u, 300u, 2500u, 5000u);
  const HBasis basis = GENERATE(HBasis::odd_coset_lagrange, HBasis::monomial);
  const DomainRoot root =
      C::has_root(DomainRoot::seven) && n_constraints % 2 == 0 ? DomainRoot::seven : DomainRoot::five;
  CAPTURE(n_constraints, static_cast<int>(basis), static_cast<int>(root));
  const Circuit<C> circuit = mixed_circuit<C>(n_constraints, n_constraints % 4, n_constraints);
  device::GpuStageOptions options;
  options.b2 = n_constraints % 3 == 0 ? device::B2Points::none : device::B2Points::if_they_fit;
  options.most_tables = static_cast<unsigned>(1 + n_constraints % 5);
  compare(circuit.build(), basis, root, options);
}

TEMPLATE_TEST_CASE("sizes around every power of two are right", "[stage][many]", GROTH16_TEST_CURVES) {
  using C = TestType;
  for (unsigned log2 = 1; log2 <= 12; ++log2) {
    for (const std::uint64_t n_constraints :
         {(std::uint64_t{1} << log2) - 1, std::uint64_t{1} << log2, (std::uint64_t{1} << log2) + 1}) {
      CAPTURE(n_constraints);
      compare(mixed_circuit<C>(n_constraints, 2, n_constraints).build(), HBasis::odd_coset_lagrange, DomainRoot::five,
              {device::B2Points::required});
    }
  }
}

// In four parts, which four processes may take: -c "part 0" ...
TEMPLATE_TEST_CASE("five hundred small circuits of each curve are right", "[stage][many]", GROTH16_TEST_CURVES) {
  using C = TestType;
  for (unsigned part = 0; part < 4; ++part) {
    DYNAMIC_SECTION("part " << part) {
      std::mt19937_64 random(11 + part);
      for (int number = 0; number < 125; ++number) {
        const std::uint64_t n_constraints = 1 + random() % 40;
        const HBasis basis = random() % 2 == 0 ? HBasis::monomial : HBasis::odd_coset_lagrange;
        device::GpuStageOptions options;
        options.b2 = random() % 3 == 0 ? device::B2Points::none : device::B2Points::required;
        options.most_tables = static_cast<unsigned>(1 + random() % 8);
        CAPTURE(number, n_constraints, static_cast<int>(basis), options.most_tables);
        compare(mixed_circuit<C>(n_constraints, random() % 4, random()).build(), basis, DomainRoot::five, options);
      }
    }
  }
}

TEST_CASE("partitions of every size around powers of two up to 2^24 are right", "[stage][large]") {
  for (unsigned log2 = 13; log2 <= 24; ++log2) {
    for (const std::uint64_t n_rows :
         {(std::uint64_t{1} << log2) - 1, std::uint64_t{1} << log2, (std::uint64_t{1} << log2) + 1}) {
      const HBasis basis = n_rows % 2 == 0 ? HBasis::monomial : HBasis::odd_coset_lagrange;
      CAPTURE(n_rows, static_cast<int>(basis));
      const SyntheticPartition partition(n_rows, basis);
      device::GpuStageOptions options;
      options.b2 = device::B2Points::required;
      options.most_tables = 2;
      auto stage =
          device::GpuProveStage<SyntheticPartition::C>::load(partition.key(), partition.system(), options, Compute(16));
      if (!stage) FAIL(stage.error().text);
      const auto got = (*stage)->prove(partition.key(), partition.witness(), true, Compute(16));
      if (!got) FAIL(got.error().text);
      const auto expected = partition.expected_sums();
      CHECK(got->sums == expected.sums);
      CHECK(*got->b2 == *expected.b2);
    }
  }
}

// Each plan takes less of the card than the one before, until nothing of the key is left on it.
TEMPLATE_TEST_CASE("a key that does not fit is streamed, as little of it as must be, to the same sums", "[stage]",
                   GROTH16_TEST_CURVES) {
  using C = TestType;
  const HBasis basis = GENERATE(HBasis::odd_coset_lagrange, HBasis::monomial);
  const bool with_b2 = GENERATE(true, false);
  const HostSide<C> host(mixed_circuit<C>(700, 2, 12).build(), basis, DomainRoot::five);
  const ProvingKey<C>& key = host.key;
  const std::uint64_t whole = key.h().size_bytes() + key.l().size_bytes() + key.a().size_bytes() +
                              key.b1().size_bytes() + (with_b2 ? key.b2().size_bytes() : 0);
  device::GpuStageOptions options;
  options.b2 = with_b2 ? device::B2Points::required : device::B2Points::none;
  options.piece_bytes = 10'000;
  std::vector<std::uint64_t> streamed;
  for (;;) {
    auto stage = device::GpuProveStage<C>::load(key, host.system, options, Compute(2));
    if (!stage) {
      CHECK(stage.error().name == "gpu.plan");
      CHECK(stage.error().text.find("may take " + std::to_string(options.most_bytes)) != std::string::npos);
      break;
    }
    const device::GpuStageMemory& memory = (*stage)->memory();
    CAPTURE(memory.streamed, memory.tables, options.most_bytes);
    REQUIRE(memory.total() <= options.most_bytes);
    if (streamed.empty() || streamed.back() != memory.streamed) {
      streamed.push_back(memory.streamed);
      compare(**stage, host, with_b2);
      compare(**stage, host, with_b2);
    }
    options.most_bytes = memory.total() - 1;
  }
  CHECK(streamed.front() == 0);
  CHECK(std::is_sorted(streamed.begin(), streamed.end()));
  CHECK(streamed.back() == whole);
}

TEST_CASE("a streamed partition that is cancelled leaves the stage ready for the next", "[stage]") {
  const SyntheticPartition partition(std::uint64_t{1} << 18, HBasis::monomial);
  using C = SyntheticPartition::C;
  device::GpuStageOptions options;
  options.b2 = device::B2Points::required;
  options.piece_bytes = std::size_t{1} << 20;
  const auto resident = device::GpuProveStage<C>::load(partition.key(), partition.system(), options, Compute(4));
  if (!resident) FAIL(resident.error().text);
  const auto& memory = (*resident)->memory();
  options.most_bytes = memory.total() - memory.points;
  auto stage = device::GpuProveStage<C>::load(partition.key(), partition.system(), options, Compute(4));
  if (!stage) FAIL(stage.error().text);
  REQUIRE((*stage)->memory().streamed > 0);
  Pulse pulse;
  std::jthread canceller([&pulse] {
    while (pulse.beats == 0) std::this_thread::yield();  // of some fifty
    pulse.cancel = true;
  });
  const auto cancelled = (*stage)->prove(partition.key(), partition.witness(), true, Compute(1, &pulse));
  REQUIRE_FALSE(cancelled);
  CHECK(cancelled.error().name == "cancelled");
  const auto got = (*stage)->prove(partition.key(), partition.witness(), true, Compute(1));
  if (!got) FAIL(got.error().text);
  CHECK(got->sums == partition.expected_sums().sums);
}

TEMPLATE_TEST_CASE("boolean wires that are no bits count with their values", "[stage]", GROTH16_TEST_CURVES) {
  using C = TestType;
  std::mt19937_64 random(7);
  Circuit<C> circuit = mixed_circuit<C>(400, 2, 7);
  const Sample<C> before = circuit.build();
  const ConstraintSystem<C> system = before.system();
  REQUIRE(system.n_boolean() > 10);
  int n_changed = 0;
  for (std::uint32_t wire = 0; wire < system.n_vars() && n_changed < 5; ++wire) {
    if (!system.is_boolean(wire) || random() % 4 != 0) continue;
    circuit.set_value(wire, random_element<C>(random));
    ++n_changed;
  }
  compare(circuit.build(), HBasis::monomial, DomainRoot::five, {device::B2Points::required});
}

TEMPLATE_TEST_CASE("rows of hundreds of terms are right", "[stage]", GROTH16_TEST_CURVES) {
  using C = TestType;
  using Fr = typename C::Fr;
  std::mt19937_64 random(8);
  Circuit<C> circuit = mixed_circuit<C>(200, 2, 8);
  typename Circuit<C>::Terms terms;
  for (std::uint32_t i = 0; i < 150; ++i) terms.emplace_back(i, i % 3 == 0 ? Fr::one() : random_element<C>(random));
  circuit.product(terms, {{1, Fr::one()}});
  circuit.product({{2, -Fr::one()}}, terms);
  compare(circuit.build(), HBasis::odd_coset_lagrange, DomainRoot::five, {});
}

TEST_CASE("a stage that cannot fit names the bytes", "[stage]") {
  using C = Bls12_381;
  const Sample<C> sample = mixed_circuit<C>(20, 1, 9).build();
  const ConstraintSystem<C> system = sample.system();
  const FlatBytes key_bytes = sample_key(sample);
  const auto key = ProvingKey<C>::open(key_bytes.bytes()).value();
  device::GpuStageOptions options;
  options.spare_bytes = std::uint64_t{1} << 50;
  const auto stage = device::GpuProveStage<C>::load(key, system, options, Compute(1));
  REQUIRE_FALSE(stage);
  CHECK(stage.error().name == "gpu.plan");
  CHECK_FALSE(device::is_sticky(stage.error()));
}

// ------------------------------------------------------------------ CUDA's codes

namespace {

std::string name_of(cudaError_t code) {
  try {
    device::check(code, "a call");
  } catch (const device::CudaFailure& failure) {
    return failure.error().name;
  }
  return "";
}

}  // namespace

TEST_CASE("a card that has none of our code is no card, and a client that MPS has ended is lost", "[codes]") {
  for (const cudaError_t code :
       {cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction, cudaErrorUnsupportedPtxVersion})
    CHECK(name_of(code) == "gpu.no_device");
  for (const cudaError_t code : {cudaErrorMpsClientTerminated, cudaErrorExternalDevice})
    CHECK(name_of(code) == "gpu.lost");
#if CUDART_VERSION >= 13000
  CHECK(name_of(cudaErrorTensorMemoryLeak) == "gpu.lost");
#endif
  CHECK(name_of(cudaErrorInvalidValue) == "gpu.call");
  CHECK(name_of(cudaSuccess).empty());
}
