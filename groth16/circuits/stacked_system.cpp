#include "groth16/circuits/stacked_system.hpp"

#include "groth16/circuits/stacked_circuit.hpp"
#include "groth16/circuits/system_assembly.hpp"

namespace groth16::circuits {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

SectorShape with_challenges(SectorShape shape, std::uint32_t challenges) {
  shape.challenges = challenges;
  return shape;
}

void describe(CircuitSink& sink, const SectorShape& shape) {
  CircuitBuilder builder{&sink};
  describe_stacked_circuit(builder, shape, blank_input(shape));
}

SystemPlan<Bls12_381> plan_of(const SectorShape& shape) {
  SystemPlanning planning(shape.system_sizes());
  describe(planning, shape);
  return planning.plan();
}

// The first challenge among the rows and wires of a partition, whose private wires begin behind all public ones.
Repetition first_challenge(const SectorShape& shape) {
  const SystemSizes whole = shape.system_sizes();
  const SystemSizes start = with_challenges(shape, 0).system_sizes();
  const SystemSizes one = with_challenges(shape, 1).system_sizes();
  Repetition part;
  part.first_row = start.n_constraints;
  part.n_rows = one.n_constraints - start.n_constraints;
  part.first_public = static_cast<std::uint32_t>(1 + start.n_public);
  part.n_public = static_cast<std::uint32_t>(one.n_public - start.n_public);
  part.first_private = static_cast<std::uint32_t>(1 + whole.n_public + start.n_private());
  part.n_private = static_cast<std::uint32_t>(one.n_private() - start.n_private());
  part.times = shape.challenges - 1;
  return part;
}

}  // namespace

SystemPlan<Bls12_381> plan_stacked_system(const SectorShape& shape) {
  const SystemPlan<Bls12_381> start = plan_of(with_challenges(shape, 0));
  SystemPlan<Bls12_381> plan = plan_of(with_challenges(shape, 1));
  plan.sizes = shape.system_sizes();
  const std::uint64_t times = shape.challenges - 1;
  for (std::size_t i = 0; i < 3; ++i) plan.n_terms[i] += times * (plan.n_terms[i] - start.n_terms[i]);
  plan.n_boolean += times * (plan.n_boolean - start.n_boolean);
  return plan;
}

Result<void> write_stacked_system(const SectorShape& shape, const SystemPlan<Bls12_381>& plan, std::span<std::byte> out,
                                  const Compute& compute) {
  auto writer = SystemWriter<Bls12_381>::create(plan, out);
  if (!writer) return tl::unexpected(writer.error());
  SystemAssembly assembly(*writer, plan.sizes);
  describe(assembly, with_challenges(shape, 1));
  compute.beat();
  writer->repeat(first_challenge(shape), compute);
  if (compute.cancelled()) return failure(ErrorCode::cancelled, "cancelled", "the constraint system was cancelled");
  return writer->finish();
}

Result<std::vector<std::byte>> stacked_system(const SectorShape& shape, const Compute& compute) {
  const SystemPlan<Bls12_381> plan = plan_stacked_system(shape);
  std::vector<std::byte> bytes(plan.bytes());
  if (auto written = write_stacked_system(shape, plan, bytes, compute); !written) {
    return tl::unexpected(written.error());
  }
  return bytes;
}

}  // namespace groth16::circuits
