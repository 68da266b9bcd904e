// The body of GpuProveStage; each curve is compiled in a file of its own.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "cuda/h_points.cuh"
#include "cuda/h_transforms_instance.cuh"
#include "cuda/key_section.cuh"
#include "cuda/key_stream.cuh"
#include "cuda/prove_stage.hpp"
#include "cuda/resident_rows_instance.cuh"
#include "cuda/step_clock.cuh"
#include "cuda/threads.cuh"
#include "groth16/algebra/msm.hpp"

namespace groth16::device {

namespace {

// Room for boolean wires that are no bits. A satisfying witness has none, or few where a system has no C.
constexpr std::size_t kMostExceptions = std::size_t{1} << 16;
// Sorted pairs at once: 16 bytes each.
constexpr std::size_t kMostPairs = std::size_t{1} << 28;

template <class Fr>
__global__ void to_montgomery(const UInt<4>* plain, Fr* out, std::size_t count) {
  const std::size_t i = thread_index();
  if (i < count) store16(out + i, Fr::from_uint(load16(plain + i)));
}

}  // namespace

// How a key and a system will lie in the card's memory.
template <class C>
struct StagePlan {
  HPointsPlan h;
  SectionPlan l, a, b1, b2;
  std::size_t piece_bytes = 0;  // 0: nothing is streamed
  GpuStageMemory memory;
};

// What a plan is asked for: the first n_streamed of H, B2, L, A, B1 are streamed, the others have so many tables.
struct StageWish {
  bool with_b2 = false;
  unsigned n_streamed = 0, tables = 1;
  std::size_t piece_bytes = 0;
};
inline constexpr unsigned kStreamedSections = 5;

template <class C>
HPointsPlan plan_h(const ProvingKey<C>& key, const StageWish& wish) {
  constexpr unsigned kScalarBits = static_cast<unsigned>(C::Fr::modulus().bit_length());
  const SystemSizes& sizes = key.sizes();
  HPointsPlan plan{plan_msm(sizes.domain_size(), kScalarBits, wish.tables, kMostPairs), std::nullopt, sizes.domain_log2,
                   key.basis() == HBasis::monomial};
  if (wish.n_streamed == 0) return plan;
  plan.pieces.emplace();
  const std::size_t piece = KeyStream::piece_points<typename C::Fq>(wish.piece_bytes), n_points = key.h().size();
  for (std::size_t first = 0; first < n_points; first += piece) {
    plan.pieces->push_back(plan_msm(std::min(piece, n_points - first), kScalarBits, 1, kMostPairs));
  }
  return plan;
}

template <class C>
StagePlan<C> plan_stage(const ProvingKey<C>& key, const ConstraintSystem<C>& system, const StageWish& wish,
                        const std::array<std::size_t, 4>& bit_points) {
  using Fq = typename C::Fq;
  using Fq2 = typename C::Fq2;
  using Fr = typename C::Fr;
  constexpr unsigned kScalarBits = static_cast<unsigned>(Fr::modulus().bit_length());
  const std::uint64_t n_full = system.n_full() + system.n_public() + 1, n = system.domain_size();
  StagePlan<C> plan;
  GpuStageMemory& memory = plan.memory;
  if (wish.n_streamed > 0) plan.piece_bytes = wish.piece_bytes;
  const auto section = [&]<class F>(std::uint64_t first_wire, std::span<const Affine<F>> points, std::size_t n_bits,
                                    unsigned place) {
    const MsmPlan full = plan_msm(points.empty() ? 0 : n_full - first_wire, kScalarBits, wish.tables, kMostPairs);
    SectionPlan out{{first_wire, points.size(), n_bits, full}, std::nullopt};
    if (place >= wish.n_streamed || points.empty()) return out;
    const std::size_t piece = KeyStream::piece_points<F>(wish.piece_bytes);
    out.pieces = plan_pieces(system, first_wire, points.size(), piece, kMostPairs);
    memory.streamed += points.size_bytes();
    return out;
  };
  const std::span<const Affine<Fq2>> no_b2;
  plan.b2 = section(0, wish.with_b2 ? key.b2() : no_b2, bit_points[3], 1);
  plan.l = section(system.n_public() + 1, key.l(), bit_points[0], 2);
  plan.a = section(0, key.a(), bit_points[1], 3);
  plan.b1 = section(0, key.b1(), bit_points[2], 4);
  plan.h = plan_h(key, wish);
  if (plan.h.pieces) memory.streamed += key.h().size_bytes();

  memory.tables = plan.h.pieces ? 0 : plan.h.resident.tables;
  memory.rows = ResidentRows<C>::planned_bytes(system) + (plan.piece_bytes == 0 ? 0 : WireSlots::planned_bytes(system));
  memory.points = HPoints<Fq>::planned_bytes(plan.h) + KeySection<Fq>::planned_bytes(plan.l) +
                  KeySection<Fq>::planned_bytes(plan.a) + KeySection<Fq>::planned_bytes(plan.b1) +
                  KeySection<Fq2>::planned_bytes(plan.b2);
  memory.twiddles = HTransforms<C>::planned_bytes(system.sizes().domain_log2, key.basis());
  memory.vectors = 3 * n * sizeof(Fr) + 2 * n_full * sizeof(Fr) + (system.n_boolean() + 7) / 8 + 8 +
                   kMostExceptions * sizeof(BitException<Fr>);
  memory.workspace = std::max({HPoints<Fq>::workspace_bytes(plan.h), KeySection<Fq>::workspace_bytes(plan.l),
                               KeySection<Fq>::workspace_bytes(plan.a), KeySection<Fq>::workspace_bytes(plan.b1),
                               wish.with_b2 ? KeySection<Fq2>::workspace_bytes(plan.b2) : std::size_t{0}});
  memory.buffers = KeyStream::planned_bytes(plan.piece_bytes);
  return plan;
}

// What loading takes for a while: bitmap and ranks, a matrix's row starts where they are wide, staged points,
// denominators.
template <class C>
std::uint64_t loading_bytes(const ConstraintSystem<C>& system) {
  const bool has_wide_starts = system.matrix(MatrixId::a).starts_bytes_each() == 8;
  return system.n_vars() / 2 + (has_wide_starts ? 8 * (system.n_rows() + 1) : 0) +
         kStagedPoints * (sizeof(typename C::G2) + sizeof(Denominators<typename C::Fq2>) + 64);
}

template <class C>
class GpuStageBody {
 public:
  using Fq = typename C::Fq;
  using Fq2 = typename C::Fq2;
  using Fr = typename C::Fr;

  GpuStageBody(const ProvingKey<C>& key, const ConstraintSystem<C>& system, const StagePlan<C>& plan, bool with_b2,
               const Compute& compute)
      : plan_(plan),
        n_full_(system.n_full() + system.n_public() + 1),
        domain_size_(system.domain_size()),
        slots_(std::make_unique<WireSlots>(system.boolean_bitmap(), stream_)),
        rows_(system, *slots_, stream_),
        transforms_(system.sizes().domain_log2, key.root(), key.basis(), stream_),
        h_(key.h(), plan.h, stream_, compute),
        l_(key.l(), plan.l, *slots_, stream_, compute),
        a_(key.a(), plan.a, *slots_, stream_, compute),
        b1_(key.b1(), plan.b1, *slots_, stream_, compute),
        workspace_(plan.memory.workspace),
        row_values_(3 * system.domain_size(), "rows"),
        bits_((system.n_boolean() + 63) / 64, "bits of a witness"),
        full_plain_(n_full_, "full-size values"),
        full_(n_full_, "full-size values in Montgomery form"),
        exceptions_(kMostExceptions, "boolean wires that are no bits") {
    if (with_b2) b2_.emplace(key.b2(), plan.b2, *slots_, stream_, compute);
    if (plan.piece_bytes == 0) {
      slots_.reset();
    } else {
      key_stream_.emplace(plan.piece_bytes);
    }
  }
  // A cancelled prove may have left work in the queue.
  ~GpuStageBody() { (void)cudaStreamSynchronize(stream_.get()); }

  bool has_b2_points() const { return b2_.has_value(); }

  GpuSums<C> prove(const ProvingKey<C>& key, const PackedWitness<C>& witness, bool with_b2, const Compute& compute) {
    StepClock clock;
    const cudaStream_t stream = stream_.get();
    clock.mark("witness up", stream);
    const std::vector<BitException<Fr>> exceptions = upload_witness(witness);
    stream_.wait("witness up");  // whatever is cancelled later, the card reads no host memory any more
    Fr* const a = row_values_.data();
    Fr* const b = a + domain_size_;
    const WitnessView<Fr> view{reinterpret_cast<const std::uint32_t*>(bits_.data()), full_.data(), exceptions_.data(),
                               static_cast<std::uint32_t>(exceptions.size())};
    clock.mark("rows", stream);
    rows_.evaluate(MatrixId::a, view, a, stream);
    rows_.evaluate(MatrixId::b, view, b, stream);
    clock.mark("transforms", stream);
    auto* const h_scalars = reinterpret_cast<UInt<4>*>(b);
    transforms_.run(a, b, b + domain_size_, h_scalars, stream);
    wait(compute, "transforms");
    clock.mark("H", stream);
    KeyStream* const key_stream = key_stream_ ? &*key_stream_ : nullptr;
    const KeyStream::Use key_stream_use(key_stream);
    h_.start(key.h(), h_scalars, Fr::modulus(), key_stream, workspace_, stream, compute);
    wait(compute, "H");
    const WitnessSum sum{view.bits,  full_plain_.data(), Fr::modulus(), slots_ ? slots_->view() : WireSlots::View{},
                         key_stream, workspace_,         stream,        compute};
    const auto start_over_witness = [&](const char* name, auto& section, const auto& points) {
      clock.mark(name, stream);
      section.start(points, sum);
    };
    start_over_witness("L", l_, key.l());
    start_over_witness("A", a_, key.a());
    start_over_witness("B1", b1_, key.b1());
    if (with_b2) start_over_witness("B2", *b2_, key.b2());
    clock.mark(nullptr, stream);
    wait(compute, "sums over the witness");
    steps = clock.milliseconds();
    return collect(key, witness, with_b2, compute);
  }

  std::vector<std::pair<std::string, double>> steps;
  const GpuStageMemory& memory() const { return plan_.memory; }

 private:
  // Public and full-size values, bits, and exceptions by the place of their bit.
  std::vector<BitException<Fr>> upload_witness(const PackedWitness<C>& witness) {
    if (witness.exceptions().size() > kMostExceptions) {
      throw CudaFailure({groth16d::ErrorCode::too_large, "gpu.exceptions",
                         std::to_string(witness.exceptions().size()) +
                             " boolean wires are no bits; the card has room for " + std::to_string(kMostExceptions)});
    }
    const cudaStream_t stream = stream_.get();
    const std::size_t n_public = witness.public_values().size();
    upload(full_plain_.data(), witness.public_values(), stream);
    upload(full_plain_.data() + n_public, witness.full_values(), stream);
    upload(bits_.data(), witness.bits().first(bits_.size()), stream);
    to_montgomery<Fr><<<blocks_for(n_full_, 256), 256, 0, stream>>>(full_plain_.data(), full_.data(), n_full_);
    check_launch("to_montgomery");
    std::vector<BitException<Fr>> exceptions;
    for (const WitnessException& exception : witness.exceptions()) {
      const auto bit = static_cast<std::uint32_t>(witness.system().boolean_rank(exception.wire));
      exceptions.push_back({bit, {}, Fr::from_uint(exception.value)});
    }
    upload(exceptions_.data(), std::span<const BitException<Fr>>(exceptions), stream);
    return exceptions;
  }

  // Looks for a cancel while the card works: what is queued runs on, up to 0.7 s for 2^27 rows, and the next
  // partition's work is queued behind it. No sign of life before it is done, or a card that hangs would pass for one
  // that works.
  void wait(const Compute& compute, const char* what) {
    constexpr std::chrono::microseconds kBetweenLooks{100};
    while (!stream_.is_done(what) && !compute.cancelled()) std::this_thread::sleep_for(kBetweenLooks);
    go_on(compute, what);
  }

  // The exceptions' part of a sum, few points.
  template <class F>
  Jacobian<F> exceptional_sum(std::span<const Affine<F>> section, std::uint64_t first_wire,
                              const PackedWitness<C>& witness, const Compute& compute) const {
    std::vector<Affine<F>> points;
    std::vector<UInt<4>> scalars;
    for (const WitnessException& exception : witness.exceptions()) {
      points.push_back(section[exception.wire - first_wire]);
      scalars.push_back(exception.value);
    }
    return msm<F>(points, scalars, compute);
  }

  GpuSums<C> collect(const ProvingKey<C>& key, const PackedWitness<C>& witness, bool with_b2,
                     const Compute& compute) const {
    const std::uint64_t first_private = witness.system().n_public() + 1;
    GpuSums<C> out;
    out.sums.h = h_.finish().to_affine();
    out.sums.l = (l_.finish() + exceptional_sum(key.l(), first_private, witness, compute)).to_affine();
    out.sums.a = (a_.finish() + exceptional_sum(key.a(), 0, witness, compute)).to_affine();
    out.sums.b1 = (b1_.finish() + exceptional_sum(key.b1(), 0, witness, compute)).to_affine();
    if (with_b2) out.b2 = (b2_->finish() + exceptional_sum(key.b2(), 0, witness, compute)).to_affine();
    return out;
  }

  const StagePlan<C> plan_;
  const std::size_t n_full_;
  const std::size_t domain_size_;
  Stream stream_;
  std::unique_ptr<WireSlots> slots_;  // while loading, and where the key is streamed
  ResidentRows<C> rows_;
  HTransforms<C> transforms_;
  HPoints<Fq> h_;
  KeySection<Fq> l_, a_, b1_;
  std::optional<KeySection<Fq2>> b2_;
  std::optional<KeyStream> key_stream_;
  Workspace workspace_;
  DeviceArray<Fr> row_values_;  // a, b and their product
  DeviceArray<std::uint64_t> bits_;
  DeviceArray<UInt<4>> full_plain_;
  DeviceArray<Fr> full_;
  DeviceArray<BitException<Fr>> exceptions_;
};

template <class C>
GpuProveStage<C>::GpuProveStage(std::unique_ptr<GpuStageBody<C>> body) : body_(std::move(body)) {}
template <class C>
GpuProveStage<C>::~GpuProveStage() = default;

template <class C>
groth16d::Result<std::unique_ptr<GpuProveStage<C>>> GpuProveStage<C>::load(const ProvingKey<C>& key,
                                                                           const ConstraintSystem<C>& system,
                                                                           const GpuStageOptions& options,
                                                                           const Compute& compute) {
  if (const auto checked = check_belong_together(key, system); !checked) return tl::unexpected(checked.error());
  return guarded([&] {
    const auto bitmap = system.boolean_bitmap();
    const std::uint64_t first_private = system.n_public() + 1;
    const bool may_have_b2 = options.b2 != B2Points::none;
    const std::array<std::size_t, 4> bit_points = {count_bit_points(key.l(), first_private, bitmap, compute),
                                                   count_bit_points(key.a(), 0, bitmap, compute),
                                                   count_bit_points(key.b1(), 0, bitmap, compute),
                                                   may_have_b2 ? count_bit_points(key.b2(), 0, bitmap, compute) : 0};
    std::size_t free_bytes = 0, total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    const std::uint64_t besides = options.spare_bytes + loading_bytes(system);
    const auto fits = [&](const StagePlan<C>& plan) {
      return plan.memory.total() <= options.most_bytes && plan.memory.total() + besides <= free_bytes;
    };
    const std::size_t largest = std::max({key.h().size_bytes(), key.l().size_bytes(), key.a().size_bytes(),
                                          key.b1().size_bytes(), may_have_b2 ? key.b2().size_bytes() : 0});
    StageWish wish{may_have_b2, 0, 1, std::min(options.piece_bytes, largest)};
    const auto fitting_plan = [&]() -> std::optional<StagePlan<C>> {
      for (wish.tables = std::max(1u, options.most_tables); wish.tables > 0; --wish.tables) {
        const StagePlan<C> plan = plan_stage(key, system, wish, bit_points);
        if (fits(plan)) return plan;
      }
      return std::nullopt;
    };
    std::optional<StagePlan<C>> plan = fitting_plan();
    if (!plan && options.b2 == B2Points::if_they_fit) {
      wish.with_b2 = false;
      plan = fitting_plan();
    }
    while (!plan && wish.n_streamed < kStreamedSections) {
      ++wish.n_streamed;
      plan = fitting_plan();
    }
    if (!plan) {
      wish.tables = 1;
      const std::uint64_t least = plan_stage(key, system, wish, bit_points).memory.total();
      if (least > options.most_bytes) throw CudaFailure(over_limit(least, options.most_bytes));
      throw CudaFailure(no_room(least + besides, free_bytes, total_bytes));
    }
    auto body = std::make_unique<GpuStageBody<C>>(key, system, *plan, wish.with_b2, compute);
    return std::unique_ptr<GpuProveStage>(new GpuProveStage(std::move(body)));
  });
}

// As if no point were infinity: to count them takes seconds for large keys.
template <class C>
std::uint64_t GpuProveStage<C>::most_wanted_bytes(const ProvingKey<C>& key, const ConstraintSystem<C>& system,
                                                  const GpuStageOptions& options) {
  const std::size_t n = system.n_boolean();
  const StageWish wish{options.b2 != B2Points::none, 0, std::max(1u, options.most_tables), options.piece_bytes};
  const StagePlan<C> plan = plan_stage(key, system, wish, {n, n, n, n});
  return plan.memory.total() + options.spare_bytes + loading_bytes(system);
}

template <class C>
bool GpuProveStage<C>::has_b2_points() const {
  return body_->has_b2_points();
}

template <class C>
groth16d::Result<GpuSums<C>> GpuProveStage<C>::prove(const ProvingKey<C>& key, const PackedWitness<C>& witness,
                                                     bool with_b2, const Compute& compute) {
  return guarded([&] { return body_->prove(key, witness, with_b2, compute); });
}

template <class C>
const GpuStageMemory& GpuProveStage<C>::memory() const {
  return body_->memory();
}
template <class C>
const std::vector<std::pair<std::string, double>>& GpuProveStage<C>::steps() const {
  return body_->steps;
}

}  // namespace groth16::device
