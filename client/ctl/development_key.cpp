#include "client/ctl/development_key.hpp"

#include <vector>

#include "client/ctl/long_work.hpp"
#include "groth16/formats/bellperson_writer.hpp"
#include "groth16/proof/keygen.hpp"

namespace groth16d::ctl {
namespace {

namespace formats = groth16::formats;
using Curve = groth16::Bls12_381;
using groth16::HBasis;

Result<groth16::ToxicWaste<Curve>> toxic_waste(const std::optional<std::uint64_t>& seed) {
  auto toxic = seed ? groth16::ToxicWaste<Curve>::from_seed(*seed) : groth16::ToxicWaste<Curve>::draw();
  if (toxic) toxic->gamma = formats::development_gamma();
  return toxic;
}

Result<std::vector<std::byte>> make_key(const groth16::circuits::BuiltinCircuit& circuit,
                                        const groth16::ToxicWaste<Curve>& toxic) {
  const auto plan = circuit.plan();
  std::vector<std::byte> system_bytes(plan.bytes());
  if (auto written = circuit.write_system(plan, system_bytes, all_cores()); !written) {
    return tl::unexpected<Error>(written.error());
  }
  auto system = groth16::ConstraintSystem<Curve>::open(system_bytes);
  if (!system) return tl::unexpected<Error>(system.error());
  std::vector<std::byte> key(groth16::generated_key_bytes(*system, HBasis::monomial));
  auto made =
      groth16::generate_key<Curve>(*system, toxic, HBasis::monomial, groth16::DomainRoot::seven, key, all_cores());
  if (!made) return tl::unexpected<Error>(made.error());
  return key;
}

}  // namespace

Result<void> make_development_key(const groth16::circuits::BuiltinCircuit& circuit, const KeyFiles& files,
                                  const std::optional<std::uint64_t>& seed) {
  const auto toxic = toxic_waste(seed);
  if (!toxic) return tl::unexpected<Error>(toxic.error());
  const auto bytes = make_key(circuit, *toxic);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  const auto key = groth16::ProvingKey<Curve>::open(*bytes);
  if (!key) return tl::unexpected<Error>(key.error());
  if (!files.params.empty()) {
    auto written = write_output(files.params,
                                [&](formats::ByteSink& sink) { return formats::write_bellperson_params(sink, *key); });
    if (!written) return written;
  }
  if (files.vk.empty()) return {};
  return write_output(files.vk, [&](formats::ByteSink& sink) {
    return formats::write_bellperson_vk(sink, formats::bellperson_vk(*key));
  });
}

}  // namespace groth16d::ctl
