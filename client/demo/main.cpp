// groth16-demo-circuit: writes the demonstration's circuit and witnesses of it, one a key 1 .. N; or, with the word
// bits, the circuit that is nearly all bits.
//
//   groth16-demo-circuit CURVE DOMAIN_LOG2 N FOLDER [bits]      -> FOLDER/circuit.r1cs FOLDER/witness-1.wtns ...
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "client/demo/boolean_circuit.hpp"
#include "client/demo/fifth_power_circuit.hpp"

namespace {

using groth16d::Result;
using groth16d::demo::BooleanCircuit;
using groth16d::demo::FifthPowerCircuit;
namespace formats = groth16::formats;

constexpr std::uint64_t kPlaintext = 1789;

template <class Fn>
Result<void> write_file(const std::string& path, Fn&& write) {
  auto file = formats::OutputFile::create(path);
  if (!file) return tl::unexpected<groth16d::Error>(file.error());
  if (auto written = write(*file); !written) return written;
  return file->commit();
}

// write_circuit(sink), write_witness(number, sink).
template <class WriteCircuit, class WriteWitness>
Result<void> write_all(std::uint64_t n, const std::string& folder, const WriteCircuit& write_circuit,
                       const WriteWitness& write_witness) {
  auto written = write_file(folder + "/circuit.r1cs", write_circuit);
  for (std::uint64_t number = 1; written && number <= n; ++number) {
    written = write_file(folder + "/witness-" + std::to_string(number) + ".wtns",
                         [&](formats::ByteSink& sink) { return write_witness(number, sink); });
  }
  return written;
}

Result<void> write_powers(groth16::CurveId curve, std::uint32_t domain_log2, std::uint64_t n,
                          const std::string& folder) {
  const FifthPowerCircuit circuit(FifthPowerCircuit::rounds_that_fill(domain_log2));
  return write_all(
      n, folder, [&](formats::ByteSink& sink) { return circuit.write_r1cs(curve, sink); },
      [&](std::uint64_t key, formats::ByteSink& sink) { return circuit.write_witness(curve, kPlaintext, key, sink); });
}

Result<void> write_bits(groth16::CurveId curve, std::uint32_t domain_log2, std::uint64_t n, const std::string& folder) {
  const BooleanCircuit circuit(domain_log2);
  return write_all(
      n, folder, [&](formats::ByteSink& sink) { return circuit.write_r1cs(curve, sink); },
      [&](std::uint64_t seed, formats::ByteSink& sink) { return circuit.write_witness(curve, seed, sink); });
}

}  // namespace

int main(int argc, char** argv) {
  const bool bits = argc == 6 && std::string_view(argv[5]) == "bits";
  const bool is_whole = argc == 5 || bits;
  const auto curve = is_whole ? groth16::curve_from_name(argv[1]) : std::nullopt;
  const auto domain_log2 = is_whole ? std::strtoul(argv[2], nullptr, 10) : 0;
  const unsigned least = bits ? 7 : 3;
  if (!curve || domain_log2 < least || domain_log2 > 24) {
    std::cerr << "usage: groth16-demo-circuit CURVE DOMAIN_LOG2 N FOLDER [bits]    (3 <= DOMAIN_LOG2 <= 24, bits: 7)\n";
    return 2;
  }
  const auto write = bits ? write_bits : write_powers;
  const auto written =
      write(*curve, static_cast<std::uint32_t>(domain_log2), std::strtoull(argv[3], nullptr, 10), argv[4]);
  if (written) return 0;
  std::cerr << "groth16-demo-circuit: " << written.error().text << '\n';
  return 1;
}
