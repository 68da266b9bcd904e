// A card that does not exist, under the names of cuda/device.hpp and cuda/prove_stage.hpp: the host computes, and the
// card's own troubles are failpoints. Linked to the real GPU worker, it stands in a test's folder as groth16-gpu.
//
//   card.none   there is no device when the worker looks for one
//   card.plan   a circuit that does not fit
//   card.taken  a circuit that would fit, if another process did not hold memory
//   card.full   no memory for the multiples that keys are made of
//   card.no_b2  a circuit that fits without B2's points
//   card.lost   a sticky error in a computation
//
// A circuit takes the bytes of its points of H, and is streamed where there are fewer.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <spdlog/spdlog.h>

#include "common/failpoint.hpp"
#include "cuda/card_multiples.hpp"
#include "cuda/device.hpp"
#include "cuda/prove_stage.hpp"
#include "groth16/proof/b2.hpp"
#include "groth16/proof/evaluate.hpp"

namespace groth16::device {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::uint64_t kTotalBytes = std::uint64_t{16} << 30;

}  // namespace

Result<DeviceFacts> use_first_device() {
  if (GROTH16D_FAILPOINT("card.none")) {
    return failure(ErrorCode::unavailable, "gpu.no_device", "cudaGetDeviceCount: no CUDA-capable device is detected");
  }
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return DeviceFacts{"fake card", visible == nullptr ? "" : visible, 1, 1, kTotalBytes, kTotalBytes};
}

// What is pinned says so when it goes: before it is unmapped, or this faults.
std::shared_ptr<void> pin(std::span<const std::byte> bytes) {
  spdlog::info("pinned {} bytes", bytes.size());
  return {const_cast<std::byte*>(bytes.data()), [first = bytes.front()](const void* at) {
            const bool is_there = *static_cast<const std::byte*>(at) == first;
            spdlog::info("no longer pinned{}", is_there ? "" : ", and other memory");
          }};
}

bool is_sticky(const groth16d::Error& error) { return error.name == "gpu.lost"; }

// What a card would hold: copies, by which a stage that was loaded for another circuit is found out.
template <class C>
class GpuStageBody {
 public:
  GpuStageBody(const ProvingKey<C>& key, const ConstraintSystem<C>& system, bool with_b2)
      : has_b2_points(with_b2), h_(key.h().begin(), key.h().end()), wires_(wires_of(system)) {}

  bool is_of(const ProvingKey<C>& key, const ConstraintSystem<C>& system) const {
    return std::equal(h_.begin(), h_.end(), key.h().begin(), key.h().end()) && wires_ == wires_of(system);
  }

  const bool has_b2_points;
  GpuStageMemory memory;
  std::vector<std::pair<std::string, double>> steps;

 private:
  static std::vector<std::uint32_t> wires_of(const ConstraintSystem<C>& system) {
    const auto wires = system.matrix(MatrixId::a).wires();
    return {wires.begin(), wires.end()};
  }

  std::vector<typename C::G1> h_;
  std::vector<std::uint32_t> wires_;
};

template <class C>
GpuProveStage<C>::GpuProveStage(std::unique_ptr<GpuStageBody<C>> body) : body_(std::move(body)) {}
template <class C>
GpuProveStage<C>::~GpuProveStage() = default;

template <class C>
Result<std::unique_ptr<GpuProveStage<C>>> GpuProveStage<C>::load(const ProvingKey<C>& key,
                                                                 const ConstraintSystem<C>& system,
                                                                 const GpuStageOptions& options, const Compute&) {
  if (const auto checked = check_belong_together(key, system); !checked) return tl::unexpected(checked.error());
  if (GROTH16D_FAILPOINT("card.plan")) {
    return failure(ErrorCode::too_large, "gpu.plan",
                   "the prove stage needs 17 bytes of the card's memory, 16 of 16 are free");
  }
  if (GROTH16D_FAILPOINT("card.taken")) {
    return failure(ErrorCode::unavailable, "gpu.memory_taken",
                   "the prove stage needs 17 bytes of the card's memory, 16 of 32 are free; the card is also used by "
                   "pid 4711 (16 bytes)");
  }
  const bool fits = options.b2 != B2Points::if_they_fit || !GROTH16D_FAILPOINT("card.no_b2");
  const bool with_b2 = options.b2 != B2Points::none && fits;
  auto body = std::make_unique<GpuStageBody<C>>(key, system, with_b2);
  const std::uint64_t h_bytes = key.h().size_bytes();
  if (h_bytes > options.most_bytes) {
    body->memory.streamed = h_bytes;
  } else {
    body->memory.points = h_bytes;
  }
  return std::unique_ptr<GpuProveStage>(new GpuProveStage(std::move(body)));
}

template <class C>
std::uint64_t GpuProveStage<C>::most_wanted_bytes(const ProvingKey<C>& key, const ConstraintSystem<C>&,
                                                  const GpuStageOptions&) {
  return key.h().size_bytes();
}

template <class C>
bool GpuProveStage<C>::has_b2_points() const {
  return body_->has_b2_points;
}

template <class C>
Result<GpuSums<C>> GpuProveStage<C>::prove(const ProvingKey<C>& key, const PackedWitness<C>& witness, bool with_b2,
                                           const Compute& compute) {
  if (GROTH16D_FAILPOINT("card.lost")) {
    return failure(ErrorCode::system, "gpu.lost", "kernel accumulate_runs: an illegal memory access was encountered");
  }
  const ConstraintSystem<C>& system = witness.system();
  if (!body_->is_of(key, system)) {
    return failure(ErrorCode::internal, "card.circuit", "the circuit on the card is not the witness's");
  }
  std::vector<typename C::Fr> a(system.domain_size()), b(system.domain_size());
  evaluate<C>(system, witness, a, b, compute);
  auto sums = prove_sums<C>(key, witness, a, b, compute);
  if (!sums) return tl::unexpected(sums.error());
  if (!with_b2) return GpuSums<C>{*sums, std::nullopt};
  const auto b2 = b_g2_msm<C>(key, witness, compute);
  if (!b2) return tl::unexpected(b2.error());
  return GpuSums<C>{*sums, *b2};
}

template <class C>
const GpuStageMemory& GpuProveStage<C>::memory() const {
  return body_->memory;
}
template <class C>
const std::vector<std::pair<std::string, double>>& GpuProveStage<C>::steps() const {
  return body_->steps;
}

// The host's multiples under the card's name.
template <class C>
struct CardMultiples<C>::Body {
  HostMultiples<C> host;
};
template <class C>
CardMultiples<C>::CardMultiples(std::unique_ptr<Body> body) : body_(std::move(body)) {}
template <class C>
CardMultiples<C>::~CardMultiples() = default;
template <class C>
Result<std::unique_ptr<CardMultiples<C>>> CardMultiples<C>::make() {
  if (GROTH16D_FAILPOINT("card.full")) {
    return failure(ErrorCode::too_large, "gpu.out_of_memory", "cudaMalloc of 17 bytes; free on the card: 16 of 32");
  }
  return std::unique_ptr<CardMultiples>(new CardMultiples(std::make_unique<Body>()));
}
template <class C>
Result<void> CardMultiples<C>::in_g1(std::span<const Fr> scalars, std::span<typename C::G1> out,
                                     const Compute& compute) const {
  return body_->host.in_g1(scalars, out, compute);
}
template <class C>
Result<void> CardMultiples<C>::in_g2(std::span<const Fr> scalars, std::span<typename C::G2> out,
                                     const Compute& compute) const {
  return body_->host.in_g2(scalars, out, compute);
}

template class CardMultiples<Bls12_381>;
template class GpuProveStage<Bn254>;
template class GpuProveStage<Bls12_381>;

}  // namespace groth16::device
