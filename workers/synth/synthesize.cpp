#include "workers/synth/synthesize.hpp"

#include <fmt/format.h>

#include "common/failpoint.hpp"
#include "groth16/circuits/builtin_circuit.hpp"
#include "groth16/formats/wtns.hpp"
#include "groth16/proof/evaluate.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "workers/partition.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

namespace {

using groth16::Compute;
using groth16::ConstraintSystem;
using groth16::PackedWitness;
using groth16::formats::WitnessFile;

// Values between two beats: less than a millisecond of packing.
constexpr std::uint32_t kValuesPerBeat = 1 << 16;

template <class C>
Result<void> pack(const WitnessFile& file, const ConstraintSystem<C>& system, std::span<std::byte> out,
                  const Compute& compute) {
  auto writer = groth16::PackedWitnessWriter<C>::create(system, out);
  if (!writer) return tl::unexpected(writer.error());
  for (std::uint32_t wire = 0; wire < file.size(); ++wire) {
    writer->append(file.value(wire));
    if (wire % kValuesPerBeat != 0) continue;
    compute.beat();
    if (Result<void> wanted = unless_cancelled(compute); !wanted) return wanted;
  }
  if (Result<void> packed = writer->finish(); !packed) {
    return failure(packed.error().code, packed.error().name, fmt::format("{}: {}", file.file(), packed.error().text));
  }
  return {};
}

// From a .wtns file.
template <class C>
Result<void> fill_from_file(const SynthesisInput& input, const ConstraintSystem<C>& system,
                            std::span<std::byte> witness, const Compute& compute) {
  const Result<WitnessFile> file = WitnessFile::parse(input.input_name, input.input);
  if (!file) return tl::unexpected(file.error());
  if (auto fits = file->check_fits(C::id, system.n_vars()); !fits) return fits;
  return pack<C>(*file, system, witness, compute);
}

// From a .wtns file, or from the input of a built-in circuit, whose own generator makes the witness.
template <class C>
Result<void> fill(const SynthesisInput& input, const ConstraintSystem<C>& system, std::span<std::byte> witness,
                  const Compute& compute) {
  const auto circuit = groth16::circuits::builtin_circuit_of_input(input.input);
  if (!circuit) return fill_from_file<C>(input, system, witness, compute);
  if constexpr (std::is_same_v<C, groth16::Bls12_381>) {
    return circuit->write_witness(input.input, system, witness);
  } else {
    return failure(ErrorCode::mismatch, "circuit.mismatch",
                   fmt::format("{}: is for {}, on another curve", input.input_name, circuit->name()));
  }
}

template <class C>
Result<void> evaluate_rows(const ConstraintSystem<C>& system, std::span<const std::byte> witness,
                           std::span<std::byte> ab, const Compute& compute) {
  const auto packed = PackedWitness<C>::open(witness, system);
  if (!packed) return tl::unexpected(packed.error());
  const auto rows = AbRows<C>::open(ab, system.domain_size());
  if (!rows) return tl::unexpected(rows.error());
  groth16::evaluate(system, *packed, rows->a, rows->b, compute);
  return unless_cancelled(compute);
}

template <class C>
Result<std::uint64_t> synthesize_on(const SynthesisInput& input, const SynthesisOutput& output,
                                    const Compute& compute) {
  const auto system = ConstraintSystem<C>::open(input.r1cs);
  if (!system) return tl::unexpected(system.error());
  const std::uint64_t size = groth16::packed_witness_bytes(*system);
  if (output.witness.size() < size) {
    return failure(ErrorCode::internal, "witness.length",
                   fmt::format("the packed witness takes {} bytes, its segment has {}", size, output.witness.size()));
  }
  const std::span<std::byte> witness = output.witness.first(size);
  if (auto filled = fill<C>(input, *system, witness, compute); !filled) return tl::unexpected(filled.error());
  if (GROTH16D_FAILPOINT("synth.middle")) return failpoint_error("synth.middle");
  if (output.ab.empty()) return size;
  if (auto rows = evaluate_rows<C>(*system, witness, output.ab, compute); !rows) return tl::unexpected(rows.error());
  return size;
}

}  // namespace

Result<std::uint64_t> synthesize(const SynthesisInput& input, const SynthesisOutput& output, const Compute& compute) {
  const Result<groth16::CurveId> curve = curve_of_system(input.r1cs);
  if (!curve) return tl::unexpected(curve.error());
  return groth16::with_curve(*curve, [&]<class C>() { return synthesize_on<C>(input, output, compute); });
}

}  // namespace groth16d::worker
