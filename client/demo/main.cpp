// groth16-demo-circuit: writes the demonstration's circuit and witnesses of it, one a key 1 .. N.
//
//   groth16-demo-circuit CURVE DOMAIN_LOG2 N FOLDER      -> FOLDER/circuit.r1cs FOLDER/witness-1.wtns ...
#include <cstdlib>
#include <iostream>
#include <string>

#include "client/demo/fifth_power_circuit.hpp"

namespace {

using groth16d::Result;
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

Result<void> write_all(groth16::CurveId curve, std::uint32_t domain_log2, std::uint64_t n, const std::string& folder) {
  const FifthPowerCircuit circuit(FifthPowerCircuit::rounds_that_fill(domain_log2));
  auto written =
      write_file(folder + "/circuit.r1cs", [&](formats::ByteSink& sink) { return circuit.write_r1cs(curve, sink); });
  for (std::uint64_t key = 1; written && key <= n; ++key) {
    written = write_file(folder + "/witness-" + std::to_string(key) + ".wtns",
                         [&](formats::ByteSink& sink) { return circuit.write_witness(curve, kPlaintext, key, sink); });
  }
  return written;
}

}  // namespace

int main(int argc, char** argv) {
  const auto curve = argc == 5 ? groth16::curve_from_name(argv[1]) : std::nullopt;
  const auto domain_log2 = argc == 5 ? std::strtoul(argv[2], nullptr, 10) : 0;
  if (!curve || domain_log2 < 3 || domain_log2 > 24) {
    std::cerr << "usage: groth16-demo-circuit CURVE DOMAIN_LOG2 N FOLDER    (3 <= DOMAIN_LOG2 <= 24)\n";
    return 2;
  }
  const auto written =
      write_all(*curve, static_cast<std::uint32_t>(domain_log2), std::strtoull(argv[3], nullptr, 10), argv[4]);
  if (written) return 0;
  std::cerr << "groth16-demo-circuit: " << written.error().text << '\n';
  return 1;
}
