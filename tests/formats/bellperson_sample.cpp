#include "tests/formats/bellperson_sample.hpp"

#include <catch2/catch.hpp>

#include "groth16/formats/bellperson_writer.hpp"
#include "groth16/proof/keygen.hpp"
#include "tests/formats/bellperson_circuit.hpp"

namespace groth16::formats::test {

namespace {

using C = Bls12_381;

// A key as from a ceremony says nothing of how it was made.
FileBytes make_key(const ConstraintSystem<C>& system, const ToxicWaste<C>& toxic, bool is_marked) {
  FileBytes key(generated_key_bytes(system, HBasis::monomial));
  if (!generate_key<C>(system, toxic, HBasis::monomial, DomainRoot::seven, key, Compute(2))) FAIL("no key");
  if (is_marked) return key;
  KeyHeader header;
  std::memcpy(&header, key.data(), sizeof header);
  header.warnings = 0;
  std::memcpy(key.data(), &header, sizeof header);
  return key;
}

BellpersonSample make_sample() {
  BellpersonSample made;
  made.system = bellperson_circuit();
  const auto system = ConstraintSystem<C>::open(made.system).value();
  for (const std::uint64_t value : {1, 45, 3, 9}) made.values.push_back(UInt<4>::from_u64(value));

  ToxicWaste<C> toxic = ToxicWaste<C>::from_seed(1);
  toxic.gamma = C::Fr::from_u64(77);
  const FileBytes key_bytes = make_key(system, toxic, false);
  const auto key = ProvingKey<C>::open(key_bytes).value();
  MemorySink params, vk, development;
  if (!write_bellperson_params(params, key) || !write_bellperson_vk(vk, bellperson_vk(key))) FAIL("cannot write");
  made.params = params.bytes();
  made.vk = vk.bytes();

  toxic.gamma = development_gamma();
  const FileBytes marked = make_key(system, toxic, true);
  if (!write_bellperson_params(development, ProvingKey<C>::open(marked).value())) FAIL("cannot write");
  made.development_params = development.bytes();
  return made;
}

}  // namespace

const BellpersonSample& bellperson_sample() {
  static const BellpersonSample made = make_sample();
  return made;
}

}  // namespace groth16::formats::test
