#include "tests/formats/sample.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "groth16/formats/wtns.hpp"
#include "groth16/formats/zkey_writer.hpp"
#include "groth16/proof/keygen.hpp"
#include "groth16/proof/prove.hpp"
#include "tests/formats/sample_circuit.hpp"

namespace groth16::formats::test {

namespace {

template <class T>
T must(groth16d::Result<T> result) {
  if (!result) FAIL(result.error().name << ": " << result.error().text);
  return std::move(*result);
}
void must(groth16d::Result<void> result) {
  if (!result) FAIL(result.error().name << ": " << result.error().text);
}

template <class C>
FileBytes make_r1cs() {
  MemorySink sink;
  must(write_sample_r1cs<C>(sink, 9));
  return sink.bytes();
}

// The bytes of a key whose header says how it was made, said otherwise.
template <class C>
FileBytes without_warning(FileBytes key) {
  KeyHeader header;
  std::memcpy(&header, key.data(), sizeof header);
  header.warnings = 0;
  std::memcpy(key.data(), &header, sizeof header);
  return key;
}

template <class C>
FileBytes make_zkey(const FileBytes& key_bytes, const ConstraintSystem<C>& system) {
  MemorySink sink;
  must(write_zkey(sink, must(ProvingKey<C>::open(key_bytes)), system));
  return sink.bytes();
}

template <class C>
Sample<C> make_sample() {
  Sample<C> made;
  made.r1cs = make_r1cs<C>();
  made.values = {UInt<4>::from_u64(1), UInt<4>::from_u64(45), UInt<4>::from_u64(3), UInt<4>::from_u64(9),
                 UInt<4>::from_u64(0)};
  made.publics = {made.values[1]};
  MemorySink wtns;
  must(write_wtns(wtns, C::id, made.values));
  made.wtns = wtns.bytes();

  const R1csFile r1cs = must(R1csFile::parse("sample.r1cs", made.r1cs));
  ConstraintSystemBuilder<C> builder(must(system_sizes(r1cs)), true);
  must(collect(r1cs, builder));
  FileBytes system_bytes(builder.serialized_bytes());
  builder.write(system_bytes);
  const auto system = must(ConstraintSystem<C>::open(system_bytes));

  const Compute compute(2);
  FileBytes key_bytes(generated_key_bytes(system, HBasis::odd_coset_lagrange));
  must(generate_key(system, ToxicWaste<C>::from_seed(1), HBasis::odd_coset_lagrange, DomainRoot::five, key_bytes,
                    compute));
  made.development_zkey = make_zkey(key_bytes, system);
  made.zkey = make_zkey(without_warning<C>(key_bytes), system);

  const auto key = must(ProvingKey<C>::open(key_bytes));
  made.vk = verifying_key(key);
  FileBytes witness_bytes(packed_witness_bytes(system));
  must(pack_witness<C>(std::span<const UInt<4>>(made.values), system, witness_bytes));
  made.proof = must(prove(key, must(PackedWitness<C>::open(witness_bytes, system)), compute));
  return made;
}

}  // namespace

template <class C>
const Sample<C>& sample() {
  static const Sample<C> made = make_sample<C>();
  return made;
}
template const Sample<Bn254>& sample<Bn254>();
template const Sample<Bls12_381>& sample<Bls12_381>();

FileBytes read_file(const std::string& path) {
  const std::string text = read_text(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) FAIL("cannot read " << path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string test_data() {
  const char* folder = std::getenv("GROTH16D_TEST_DATA");
  if (folder != nullptr && *folder != '\0') return folder;
  WARN("skipped: GROTH16D_TEST_DATA is not set");
  return {};
}

std::vector<std::byte> bytes_of_hex(std::string_view hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string hex_of_bytes(std::span<const std::byte> bytes) {
  std::string hex;
  for (const std::byte b : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned>(b) >> 4];
    hex += "0123456789abcdef"[static_cast<unsigned>(b) & 15];
  }
  return hex;
}

}  // namespace groth16::formats::test
