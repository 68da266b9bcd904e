// GpuProveStage: the prove stage on a GPU, with the key and the constraint system resident in the card's memory. A
// partition brings its packed witness (tens of MiB for a hundred million wires) and takes four or five points away; the
// rows of A w, B w and the scalars exist on the card alone. No CUDA type here.
//
// Sections of the key that do not fit are streamed past the card with every partition, in pieces: H first, whose
// arithmetic hides its copies, then B2, L, A, B1, as many as must be. All else stays on the card, or the circuit cannot
// be proven on it.
//
// All memory of the card is planned and taken by load; prove takes none. A loaded stage keeps no view of the host's key
// and system, so their mappings may go and come again. Errors: cuda/device.hpp's, and those of the CPU's prove stage
// (groth16/proof/sums.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/proof/packed_witness.hpp"
#include "groth16/proof/proving_key.hpp"
#include "groth16/proof/sums.hpp"

namespace groth16::device {

// Whether B2's points are on the card beside the others.
enum class B2Points { none, if_they_fit, required };

struct GpuStageOptions {
  B2Points b2 = B2Points::none;
  std::uint64_t spare_bytes = std::uint64_t{512} << 20;  // of the card's memory, left to others
  unsigned most_tables = 32;                             // multiples of each point at most, memory permitting
  std::uint64_t most_bytes = ~std::uint64_t{0};          // of the card's memory, whatever is free
  std::size_t piece_bytes = std::size_t{512} << 20;      // of a section that is streamed; there are two buffers
};

// What load has taken of the card's memory, by what it is for.
struct GpuStageMemory {
  std::uint64_t rows = 0, points = 0, twiddles = 0, vectors = 0, workspace = 0;
  std::uint64_t buffers = 0;   // that streamed points go through
  std::uint64_t streamed = 0;  // bytes of the key that are not on the card, and pass by with every partition
  unsigned tables = 0;         // multiples of each point of H; 0: it is streamed
  std::uint64_t total() const { return rows + points + twiddles + vectors + workspace + buffers; }
};

template <class C>
struct GpuSums {
  ProveSums<C> sums;
  std::optional<typename C::G2> b2;  // where it was asked for
};

// The card's side of a stage.
template <class C>
class GpuStageBody;

template <class C>
class GpuProveStage {
 public:
  // The card is the calling thread's (use_first_device). Errors: key.system_sizes, gpu.plan and gpu.memory_taken (with
  // the bytes needed and those free), gpu.system_terms, cancelled, gpu.*.
  static groth16d::Result<std::unique_ptr<GpuProveStage>> load(const ProvingKey<C>& key,
                                                               const ConstraintSystem<C>& system,
                                                               const GpuStageOptions& options, const Compute& compute);
  // No more than this does load take of the card at best, all of the key with all of its tables there; what it needs
  // for a while beside it and spare_bytes included.
  static std::uint64_t most_wanted_bytes(const ProvingKey<C>& key, const ConstraintSystem<C>& system,
                                         const GpuStageOptions& options);
  ~GpuProveStage();

  bool has_b2_points() const;

  // The same sums as evaluate() and prove_sums(), and with_b2 that of b_g2_msm(), for which the points are there. The
  // key and the witness's system have the contents that were loaded. Where memory().streamed is not 0 the key is read:
  // from memory that is pinned (device.hpp) in half the time.
  // Errors: gpu.exceptions (too_large: boolean wires that are no bits, more than the card has room for), cancelled,
  // gpu.*.
  groth16d::Result<GpuSums<C>> prove(const ProvingKey<C>& key, const PackedWitness<C>& witness, bool with_b2,
                                     const Compute& compute);

  const GpuStageMemory& memory() const;
  // Milliseconds of the last prove's steps on the card.
  const std::vector<std::pair<std::string, double>>& steps() const;

 private:
  explicit GpuProveStage(std::unique_ptr<GpuStageBody<C>> body);
  std::unique_ptr<GpuStageBody<C>> body_;
};

extern template class GpuProveStage<Bn254>;
extern template class GpuProveStage<Bls12_381>;

}  // namespace groth16::device
