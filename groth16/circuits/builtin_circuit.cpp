#include "groth16/circuits/builtin_circuit.hpp"

#include <algorithm>
#include <array>

#include "groth16/circuits/parameter_files.hpp"
#include "groth16/circuits/partition_input.hpp"
#include "groth16/circuits/stacked_circuit.hpp"
#include "groth16/circuits/stacked_system.hpp"
#include "groth16/circuits/stacked_witness.hpp"

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

using Circuit = std::unique_ptr<const BuiltinCircuit>;

class ReplicationCircuit final : public BuiltinCircuit {
 public:
  explicit ReplicationCircuit(const SectorShape& shape) : shape_(shape) {}

  std::string name() const override { return "porep-" + sector_name(shape_.sector_bytes()); }
  SystemSizes sizes() const override { return shape_.system_sizes(); }
  void describe(CircuitBuilder& builder) const override {
    describe_stacked_circuit(builder, shape_, blank_input(shape_));
  }
  SystemPlan<Bls12_381> plan() const override { return plan_stacked_system(shape_); }
  Result<void> write_system(const SystemPlan<Bls12_381>& plan, std::span<std::byte> out,
                            const Compute& compute) const override {
    return write_stacked_system(shape_, plan, out, compute);
  }
  std::uint64_t input_bytes() const override { return partition_input_bytes(shape_); }
  Result<void> write_witness(std::span<const std::byte> input, const ConstraintSystem<Bls12_381>& system,
                             std::span<std::byte> out) const override {
    return read_partition_input(shape_, input).and_then([&](const PartitionInput& partition) {
      return write_stacked_witness(shape_, partition, system, out);
    });
  }
  Result<std::vector<Scalar>> public_inputs(std::span<const std::byte> input) const override {
    return read_partition_input(shape_, input).map(stacked_public_inputs);
  }
  std::string parameter_stem() const override { return porep_parameter_stem(shape_); }
  bool is_for_production() const override { return shape_.sector_bytes() > kLargestTestSectorBytes; }

 private:
  static constexpr std::uint64_t kLargestTestSectorBytes = std::uint64_t{512} << 20;

  SectorShape shape_;
};

struct Family {
  std::string_view prefix;
  Result<Circuit> (*make)(std::string_view rest);
  std::vector<Circuit> (*all)();
  Circuit (*of_input)(std::span<const std::byte> input);  // nullptr: not one of the family's inputs
};

Circuit replication_circuit(const SectorShape& shape) { return std::make_unique<ReplicationCircuit>(shape); }

constexpr std::array kFamilies{
    Family{"porep-", [](std::string_view sector) { return sector_of_name(sector).map(replication_circuit); },
           [] {
             std::vector<Circuit> circuits;
             for (const SectorShape& shape : known_sectors()) circuits.push_back(replication_circuit(shape));
             return circuits;
           },
           [](std::span<const std::byte> input) -> Circuit {
             const auto shape = shape_of_partition_input(input);
             return shape ? replication_circuit(*shape) : nullptr;
           }},
};

}  // namespace

Result<Circuit> builtin_circuit(std::string_view name) {
  for (const Family& family : kFamilies) {
    if (!name.starts_with(family.prefix)) continue;
    if (auto circuit = family.make(name.substr(family.prefix.size()))) return circuit;
  }
  return failure(ErrorCode::not_found, "circuit.name",
                 "\"" + std::string(name.substr(0, 64)) +
                     "\" is no built-in circuit; expected porep-2KiB ... "
                     "porep-64GiB");
}

Result<Circuit> builtin_circuit_of_sizes(std::uint64_t n_inputs, std::uint64_t n_private) {
  for (const Family& family : kFamilies) {
    for (Circuit& circuit : family.all()) {
      const SystemSizes sizes = circuit->sizes();
      if (sizes.n_public + 1 == n_inputs && sizes.n_private() == n_private) return std::move(circuit);
    }
  }
  return failure(ErrorCode::not_found, "circuit.sizes",
                 "no built-in circuit has " + std::to_string(n_inputs) + " inputs and " + std::to_string(n_private) +
                     " private variables");
}

bool has_builtin_circuit(std::uint64_t n_inputs) {
  return std::ranges::any_of(kFamilies, [&](const Family& family) {
    const std::vector<Circuit> circuits = family.all();
    return std::ranges::any_of(circuits, [&](const Circuit& each) { return each->sizes().n_public + 1 == n_inputs; });
  });
}

Circuit builtin_circuit_of_input(std::span<const std::byte> input) {
  for (const Family& family : kFamilies) {
    if (Circuit circuit = family.of_input(input)) return circuit;
  }
  return nullptr;
}

}  // namespace groth16::circuits
