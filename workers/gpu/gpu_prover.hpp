// GpuProver: PROVE on the card, for one partition after another. Circuits stay in the card's memory, as many as fit
// with all their tables; a new one takes the place of those that were used least recently, and to load it is the only
// thing that moves gigabytes.
//
// A circuit is known by the names of its segments, not by where they are mapped: a sealed segment never changes, and
// its name is never given again, so what is on the card stays true when the mappings go.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "cuda/prove_stage.hpp"
#include "workers/partition.hpp"
#include "workers/runtime/lease.hpp"
#include "workers/runtime/role.hpp"

namespace groth16d::worker {

// Which key and which constraint system.
struct CircuitName {
  LeaseName key, r1cs;
  bool operator==(const CircuitName&) const = default;
};

// What an assignment wants of B2: that its points be on the card, and their sum with the others.
struct B2Wish {
  groth16::device::B2Points points = groth16::device::B2Points::none;
  bool sum = false;
};

// Canonical bytes, the same as the CPU's prove_stage and b2_stage give.
struct CardSums {
  std::string sums;
  std::string b2;  // "": not asked for, or its points did not fit
  std::chrono::milliseconds loading{0};
};

// A card's worker has a thread or two of its share; what it does once for a circuit takes every core for seconds.
groth16::Compute on_all_cores(const groth16::Compute& compute);

class GpuProver {
 public:
  // most_card_bytes: of the card's memory, that all circuits may take.
  explicit GpuProver(std::uint64_t most_card_bytes) : most_card_bytes_(most_card_bytes) {}

  // pin_key is called before a partition past which parts of the key are streamed. Errors: those of Partition::with and
  // of cuda/prove_stage.hpp; prove.middle of a test; cancelled. After an error that is_sticky (cuda/device.hpp) the
  // process can only end.
  Result<CardSums> prove(const CircuitName& circuit, const PartitionBytes& partition, const B2Wish& b2,
                         const std::function<void()>& pin_key, const groth16::Compute& compute, Progress& progress);

  // Leaves the card's memory to others; the next partition loads its circuit again.
  void clear() { residents_.clear(); }

 private:
  template <class C>
  using Stage = std::unique_ptr<groth16::device::GpuProveStage<C>>;

  // A circuit on the card, and what was asked for when it was loaded.
  struct Resident {
    CircuitName circuit;
    groth16::device::B2Points b2;
    std::uint64_t card_bytes;
    std::variant<Stage<groth16::Bn254>, Stage<groth16::Bls12_381>> stage;
  };

  bool find(const CircuitName& circuit, groth16::device::B2Points b2);  // and bring it to the front
  std::uint64_t bytes_left() const;                                     // of those that circuits may take
  Result<void> make_room(std::uint64_t bytes);
  template <class C>
  Result<void> load(const CircuitName& circuit, const Partition<C>& partition, groth16::device::B2Points b2,
                    const groth16::Compute& compute, Progress& progress);
  template <class C>
  Result<CardSums> prove_partition(const CircuitName& circuit, const Partition<C>& partition, const B2Wish& b2,
                                   const std::function<void()>& pin_key, const groth16::Compute& compute,
                                   Progress& progress);
  void log_partition(std::chrono::steady_clock::time_point begin);

  const std::uint64_t most_card_bytes_;
  std::list<Resident> residents_;  // the one that was used last first
  std::optional<std::chrono::steady_clock::time_point> idle_since_;
};

}  // namespace groth16d::worker
