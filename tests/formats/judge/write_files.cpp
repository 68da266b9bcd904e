// Writes what this project writes, for both curves, into a folder: judge_files FOLDER. snarkjs then judges the files
// (judge.mjs). The key's toxic values are those of the .ptau with delta = 1, so that a setup by snarkjs from the .ptau
// must give the same key.
#include <fmt/format.h>

#include <filesystem>
#include <span>

#include "common/posix.hpp"
#include "groth16/formats/calldata.hpp"
#include "groth16/formats/ptau.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/formats/wtns.hpp"
#include "groth16/formats/zkey_writer.hpp"
#include "groth16/proof/prove.hpp"
#include "tests/formats/sample_circuit.hpp"

namespace {

using namespace groth16;
using namespace groth16::formats;
using FileBytes = std::vector<std::byte>;

template <class T>
T must(groth16d::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().name + ": " + result.error().text);
  return std::move(*result);
}
void must(groth16d::Result<void> result) {
  if (!result) throw std::runtime_error(result.error().name + ": " + result.error().text);
}

template <class C>
void write_curve(const std::filesystem::path& folder) {
  const Compute compute(2);
  const auto save = [&](const char* name, const auto& content) {
    must(groth16d::write_file_atomically((folder / (std::string(C::name) + "." + name)).string(), content));
  };
  auto toxic = ToxicWaste<C>::from_seed(11);
  toxic.delta = C::Fr::one();

  MemorySink r1cs_file, wtns_file, zkey_file, ptau_file;
  must(test::write_sample_r1cs<C>(r1cs_file, 5));
  save("r1cs", r1cs_file.bytes());
  must(write_prepared_ptau(ptau_file, 4, toxic, compute));
  save("ptau", ptau_file.bytes());
  const std::vector<UInt<4>> values{UInt<4>::from_u64(1), UInt<4>::from_u64(45), UInt<4>::from_u64(3),
                                    UInt<4>::from_u64(9), UInt<4>::from_u64(0)};
  const std::span<const UInt<4>> publics(values.data() + 1, 1);
  must(write_wtns(wtns_file, C::id, values));
  save("wtns", wtns_file.bytes());

  const R1csFile r1cs = must(R1csFile::parse("r1cs", r1cs_file.bytes()));
  ConstraintSystemBuilder<C> builder(must(system_sizes(r1cs)), true);
  must(collect(r1cs, builder));
  FileBytes system_bytes(builder.serialized_bytes());
  builder.write(system_bytes);
  const auto system = must(ConstraintSystem<C>::open(system_bytes));
  FileBytes key_bytes(generated_key_bytes(system, HBasis::odd_coset_lagrange));
  must(generate_key(system, toxic, HBasis::odd_coset_lagrange, DomainRoot::five, key_bytes, compute));
  const auto key = must(ProvingKey<C>::open(key_bytes));
  must(write_zkey(zkey_file, key, system));
  save("zkey", zkey_file.bytes());
  save("vk.json", verification_key_json(verifying_key(key)));

  FileBytes witness_bytes(packed_witness_bytes(system));
  must(pack_witness<C>(std::span<const UInt<4>>(values), system, witness_bytes));
  const auto witness = must(PackedWitness<C>::open(witness_bytes, system));
  const Proof<C> proof = must(prove(key, witness, compute));
  save("proof.json", proof_json(proof));
  save("public.json", public_json(publics));
  if constexpr (C::id == CurveId::bn254) save("calldata", solidity_calldata(proof, publics));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    std::filesystem::create_directories(argv[1]);
    write_curve<Bn254>(argv[1]);
    write_curve<Bls12_381>(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
