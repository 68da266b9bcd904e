// The readers of groth16/formats and groth16/circuits under arbitrary bytes. What a reader accepts is used as a worker
// would use it, and what can be written again must come out the same.
#include "tests/fuzz/targets.hpp"

#include <cstdlib>
#include <string_view>
#include <vector>

#include "groth16/circuits/c1.hpp"
#include "groth16/circuits/partition_input.hpp"
#include "groth16/formats/bellperson_params.hpp"
#include "groth16/formats/bellperson_writer.hpp"
#include "groth16/formats/proof_binary.hpp"
#include "groth16/formats/ptau.hpp"
#include "groth16/formats/r1cs_system.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/formats/wtns.hpp"
#include "groth16/formats/zkey.hpp"
#include "tests/formats/bellperson_circuit.hpp"

namespace groth16::fuzz {

using namespace groth16::formats;

namespace {

// Aborts, which the fuzzer reports, when a promise is broken.
void promise(bool kept) {
  if (!kept) std::abort();
}

std::string_view text(Input input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

template <class C>
void build(ConstraintSystemBuilder<C>& builder) {
  std::vector<std::byte> bytes(builder.serialized_bytes());
  builder.write(bytes);
  promise(ConstraintSystem<C>::open(bytes, SpanCheck::all).has_value());
}

template <class C>
void use(const R1csFile& file) {
  const auto sizes = system_sizes(file);
  if (!sizes) return;
  ConstraintSystemBuilder<C> builder(*sizes, true);
  if (collect(file, builder)) build(builder);
}

template <class C>
void use(const ZkeyFile& file) {
  const Compute compute(1);
  (void)file.verifying_key<C>();
  const auto sizes = file.check_coefficients(compute);
  if (!sizes) return;
  ConstraintSystemBuilder<C> builder(*sizes, false);
  promise(file.collect(builder).has_value());
  build(builder);
  std::vector<std::byte> key(file.key_bytes<C>(*sizes));
  const auto loaded = file.load_key<C>(*sizes, key, {.allow_insecure = true}, compute);
  if (loaded) promise(ProvingKey<C>::open(key).has_value());
}

template <class C>
void round_trip_json(Input input) {
  const auto proof = parse_proof_json<C>("input", text(input));
  if (!proof) return;
  const auto again = parse_proof_json<C>("output", formats::proof_json(*proof));
  promise(again.has_value() && *again == *proof);
}

template <class C>
void round_trip_binary(Input input) {
  const auto proof = decompress<C>(input);
  if (proof) promise(std::ranges::equal(compress(*proof), input));  // one encoding for each proof
}

// What intake hands on, and what the finalizer derives.
void use(const circuits::C1& c1) {
  const circuits::SectorShape& shape = c1.statement.proof.sector;
  promise(c1.partitions.size() == c1.statement.proof.partitions());
  std::vector<std::byte> bytes(circuits::partition_input_bytes(shape)), again(bytes.size());
  for (const circuits::PartitionInput& partition : c1.partitions) {
    circuits::write_partition_input(shape, partition, bytes);
    const auto read = circuits::read_partition_input(shape, bytes);
    promise(read.has_value());
    circuits::write_partition_input(shape, *read, again);
    promise(again == bytes);
  }
  promise(circuits::public_inputs(c1.statement, 0).size() == shape.system_sizes().n_public);
}

}  // namespace

void r1cs(Input input) {
  const auto file = R1csFile::parse("input", input);
  if (file) with_curve(file->header().curve, [&]<class C>() { use<C>(*file); });
}

void wtns(Input input) {
  const auto witness = WitnessFile::parse("input", input);
  if (!witness) return;
  std::vector<UInt<4>> values(witness->size());
  witness->copy_to(values);
  MemorySink sink;
  promise(write_wtns(sink, witness->curve(), values).has_value());
  const auto again = WitnessFile::parse("output", sink.bytes());
  promise(again.has_value() && again->value(again->size() - 1) == values.back());
}

void zkey(Input input) {
  const auto file = ZkeyFile::parse("input", input);
  if (file) with_curve(file->header().curve, [&]<class C>() { use<C>(*file); });
}

void ptau(Input input) {
  const auto file = PtauFile::parse("input", input);
  if (!file) return;
  with_curve(file->curve(), [&]<class C>() {
    std::vector<typename C::G1> points(ptau_point_count(PtauSection::tau_g1, file->power()));
    (void)file->load<C, typename C::G1>(PtauSection::tau_g1, 0, std::span<typename C::G1>(points), Compute(1));
  });
}

void verification_key_json(Input input) {
  const auto key = parse_verification_key_json("input", text(input));
  if (!key) return;
  std::visit(
      [](const auto& known) {
        const auto again = parse_verification_key_json("output", formats::verification_key_json(known));
        promise(again.has_value());
      },
      *key);
}

void proof_json(Input input) {
  round_trip_json<Bn254>(input);
  round_trip_json<Bls12_381>(input);
}

void public_json(Input input) {
  for (const CurveId curve : {CurveId::bn254, CurveId::bls12_381}) {
    const auto values = parse_public_json("input", text(input), curve);
    if (!values) continue;
    const auto again = parse_public_json("output", formats::public_json(*values), curve);
    promise(again.has_value() && *again == *values);
  }
}

void proof_binary(Input input) {
  round_trip_binary<Bn254>(input);
  round_trip_binary<Bls12_381>(input);
}

void bellperson_vk(Input input) {
  for (const PointForm form : {PointForm::uncompressed, PointForm::compressed}) {
    const auto vk = read_bellperson_vk("input", input, form);
    if (!vk || form == PointForm::compressed) continue;
    MemorySink sink;
    promise(write_bellperson_vk(sink, *vk).has_value() && std::ranges::equal(sink.bytes(), input));
  }
}

void bellperson_params(Input input) {
  static const std::vector<std::byte> circuit = formats::test::bellperson_circuit();
  const auto file = BellpersonParams::parse("input", input);
  if (!file) return;
  const auto system = ConstraintSystem<Bls12_381>::open(circuit).value();
  std::vector<std::byte> key(BellpersonParams::key_bytes(system.sizes()));
  const ParamsLoadOptions options{.allow_insecure = true, .check = PointCheck::subgroup};
  if (!file->load_key(system, key, options, Compute(1))) return;
  MemorySink sink;
  promise(write_bellperson_params(sink, ProvingKey<Bls12_381>::open(key).value()).has_value());
  promise(std::ranges::equal(sink.bytes(), input));
}

void c1_json(Input input) {
  const auto c1 = circuits::read_c1_json("input", input);
  if (c1) use(*c1);
}

void c1_bincode(Input input) {
  const auto c1 = circuits::read_c1_bincode("input", input, circuits::sector_of_name("2KiB").value());
  if (c1) use(*c1);
}

}  // namespace groth16::fuzz
