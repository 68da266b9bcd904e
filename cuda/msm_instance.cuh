// The bodies of msm.cuh's interface; each group is compiled in a file of its own.
#pragma once

#include <algorithm>
#include <bit>

#include "cuda/msm.cuh"
#include "cuda/msm_buckets.cuh"
#include "cuda/msm_digits.cuh"
#include "cuda/msm_tables.cuh"
#include "cuda/ordering.cuh"
#include "cuda/selection.cuh"
#include "cuda/threads.cuh"

namespace groth16::device {

namespace {

// Threads of the accumulating kernels that the card holds at once.
template <class F>
std::size_t resident_threads() {
  int device = 0, multiprocessors = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return std::size_t{kPointThreads} * kPointBlocks<F> * static_cast<std::size_t>(multiprocessors);
}

constexpr std::size_t kAimedRun = 128, kShortestRun = 8;

// Pairs are cut into whole waves of runs, so that the last is as full as the first; runs of about 128 pairs, of which
// the two that a run shares with its neighbours are little.
template <class F>
std::size_t most_runs(std::size_t pairs) {
  const std::size_t resident = resident_threads<F>();
  const std::size_t waves = std::max<std::size_t>(1, (pairs + resident * kAimedRun / 2) / (resident * kAimedRun));
  return resident * waves;
}
template <class F>
std::uint32_t run_length(std::size_t pairs) {
  const std::size_t runs = most_runs<F>(pairs);
  return static_cast<std::uint32_t>(std::max(kShortestRun, (pairs + runs - 1) / runs));
}

std::size_t runs_of(std::size_t count, std::size_t run) { return (count + run - 1) / run; }

// The levels of a reduction: chunks of eight while they fill the card, then pairs, whose latency is one addition.
template <class F>
std::vector<unsigned> reduction_levels(const MsmPlan& plan) {
  std::vector<unsigned> levels;
  unsigned bits = plan.window_bits - 1;
  while (bits > 0) {
    const bool fills = bits >= 3 && ((plan.sets << bits) >> 3) >= resident_threads<F>();
    levels.push_back(fills ? 3 : 1);
    bits -= levels.back();
  }
  return levels;
}

// Points in the arrays after each level.
std::vector<std::size_t> reduction_sizes(const MsmPlan& plan, const std::vector<unsigned>& levels) {
  std::vector<std::size_t> sizes;
  unsigned bits = plan.window_bits - 1;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    bits -= levels[i];
    sizes.push_back((plan.sets * (i + 2)) << bits);
  }
  return sizes;
}

// The two buffers that levels alternate between: sizes of the first and of the second.
std::pair<std::size_t, std::size_t> reduction_buffers(const std::vector<std::size_t>& sizes) {
  std::pair<std::size_t, std::size_t> largest{1, 1};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::size_t& buffer = i % 2 == 0 ? largest.first : largest.second;
    buffer = std::max(buffer, sizes[i]);
  }
  return largest;
}

template <class F>
struct MsmArrays {
  SortBuffers sort;
  std::byte* sort_temporary;
  std::size_t sort_temporary_bytes;
  Xyzz<F>* buckets;
  std::uint32_t* shared_keys[2];
  Xyzz<F>* shared[2];
  Xyzz<F>* levels[2];
};

struct MsmSizes {
  std::size_t pairs, sort_temporary, buckets, shared[2], levels[2];
  unsigned key_bits;
};

template <class F>
MsmSizes msm_sizes(const MsmPlan& plan) {
  MsmSizes sizes{};
  sizes.pairs = plan.pairs();
  sizes.key_bits = static_cast<unsigned>(std::bit_width(plan.sets_at_once * plan.buckets_per_set()));
  sizes.sort_temporary = sort_temporary_bytes(sizes.pairs, sizes.key_bits);
  sizes.buckets = plan.buckets();
  sizes.shared[0] = 2 * std::min(most_runs<F>(sizes.pairs), runs_of(sizes.pairs, kShortestRun));
  sizes.shared[1] = 2 * runs_of(sizes.shared[0], kMergeRun);
  const auto levels = reduction_buffers(reduction_sizes(plan, reduction_levels<F>(plan)));
  sizes.levels[0] = levels.first;
  sizes.levels[1] = levels.second;
  return sizes;
}

template <class F, class Source>
MsmArrays<F> take_arrays(const MsmSizes& sizes, Source& workspace) {
  MsmArrays<F> arrays;
  arrays.sort.keys = workspace.template take<std::uint32_t>(sizes.pairs);
  arrays.sort.other_keys = workspace.template take<std::uint32_t>(sizes.pairs);
  arrays.sort.values = workspace.template take<std::uint32_t>(sizes.pairs);
  arrays.sort.other_values = workspace.template take<std::uint32_t>(sizes.pairs);
  arrays.sort_temporary = workspace.template take<std::byte>(sizes.sort_temporary);
  arrays.sort_temporary_bytes = sizes.sort_temporary;
  arrays.buckets = workspace.template take<Xyzz<F>>(sizes.buckets);
  for (int i = 0; i < 2; ++i) {
    arrays.shared_keys[i] = workspace.template take<std::uint32_t>(sizes.shared[i]);
    arrays.shared[i] = workspace.template take<Xyzz<F>>(sizes.shared[i]);
    arrays.levels[i] = workspace.template take<Xyzz<F>>(sizes.levels[i]);
  }
  return arrays;
}

template <class F>
struct SelectedArrays {
  std::uint32_t *list, *total;
  std::uint32_t sums;
  Xyzz<F>*from, *to;  // as many as sums, and an eighth of them
};

template <class F, class Source>
SelectedArrays<F> take_selected(std::size_t points, Source& workspace) {
  SelectedArrays<F> arrays;
  arrays.list = workspace.template take<std::uint32_t>(points);
  arrays.total = workspace.template take<std::uint32_t>(1);
  arrays.sums = static_cast<std::uint32_t>(resident_threads<F>());
  arrays.from = workspace.template take<Xyzz<F>>(arrays.sums);
  arrays.to = workspace.template take<Xyzz<F>>((arrays.sums + 7) / 8);
  return arrays;
}

// The sorted pairs into the buckets of some sets.
template <class F>
void accumulate(const Affine<F>* tables, const MsmArrays<F>& arrays, std::size_t pairs, std::uint32_t none,
                Xyzz<F>* buckets, cudaStream_t stream) {
  const std::uint32_t run = run_length<F>(pairs);
  std::size_t runs = runs_of(pairs, run);
  accumulate_runs<F><<<blocks_for(runs, kPointThreads), kPointThreads, 0, stream>>>(
      tables, arrays.sort.keys, arrays.sort.values, static_cast<std::uint32_t>(pairs), run, none,
      {buckets, arrays.shared_keys[0], arrays.shared[0]});
  check_launch("accumulate_runs");
  for (int from = 0; runs > 1; from = 1 - from) {
    const std::size_t count = 2 * runs;
    runs = runs_of(count, kMergeRun);
    merge_runs<F><<<blocks_for(runs, kPointThreads), kPointThreads, 0, stream>>>(
        arrays.shared_keys[from], arrays.shared[from], static_cast<std::uint32_t>(count), none,
        {buckets, arrays.shared_keys[1 - from], arrays.shared[1 - from]});
    check_launch("merge_runs");
  }
}

template <class F>
void reduce(const MsmPlan& plan, const MsmArrays<F>& arrays, PendingSum<F>& out, cudaStream_t stream) {
  out.sets = plan.sets;
  out.window_bits = plan.window_bits;
  out.level_bits = reduction_levels<F>(plan);
  const Xyzz<F>* from = arrays.buckets;
  std::uint32_t length = static_cast<std::uint32_t>(plan.buckets_per_set());
  for (std::size_t i = 0; i < out.level_bits.size(); ++i) {
    const std::uint32_t chunks = length >> out.level_bits[i];
    const dim3 grid(blocks_for(chunks, kPointThreads), static_cast<unsigned>(i + 1), plan.sets);
    reduce_level<F><<<grid, kPointThreads, 0, stream>>>(from, arrays.levels[i % 2], length, out.level_bits[i]);
    check_launch("reduce_level");
    from = arrays.levels[i % 2];
    length = chunks;
  }
  const std::size_t points = plan.sets * (out.level_bits.size() + 1);
  if (points > PendingSum<F>::kCapacity) {
    throw CudaFailure({groth16d::ErrorCode::internal, "gpu.msm_plan",
                       "a plan with " + std::to_string(plan.sets) + " bucket sets leaves too many sums for the host"});
  }
  download(std::span(out.points, points), from, stream);
}

}  // namespace

template <class F>
FixedBases<F>::FixedBases(const MsmPlan& plan)
    : plan_(plan), tables_(plan.table_points(), "a key's points and their multiples") {}

template <class F>
FixedBases<F>::FixedBases(const Affine<F>* points, const MsmPlan& plan, const Stream& stream) : FixedBases(plan) {
  check(cudaMemcpyAsync(tables_.data(), points, plan.points * sizeof(Affine<F>), cudaMemcpyDefault, stream.get()),
        "cudaMemcpyAsync of points");
  const DeviceArray<Denominators<F>> scratch(scratch_size(plan), "denominators of tables");
  make_tables(scratch.data(), stream.get());
  stream.wait("making tables");
}

template <class F>
std::size_t FixedBases<F>::scratch_size(const MsmPlan& plan) {
  return plan.tables > 1 ? std::min(plan.points, kTableBlock) : 0;
}

template <class F>
void FixedBases<F>::make_tables(Denominators<F>* scratch, cudaStream_t stream) {
  const unsigned doublings = plan_.window_bits * plan_.sets;
  for (unsigned table = 1; table < plan_.tables; ++table) {
    Affine<F>* const out = tables_.data() + table * plan_.points;
    for (std::size_t first = 0; first < plan_.points; first += kTableBlock) {
      const std::size_t count = std::min(kTableBlock, plan_.points - first);
      multiply_by_power_of_two<F><<<table_blocks(count), kTableThreads, 0, stream>>>(
          out - plan_.points + first, out + first, scratch, count, doublings);
      check_launch("multiply_by_power_of_two");
    }
  }
}

template <class F>
PendingSum<F>::PendingSum() {
  check(cudaMallocHost(reinterpret_cast<void**>(&points), kCapacity * sizeof(Xyzz<F>)), "cudaMallocHost of sums");
}
template <class F>
PendingSum<F>::~PendingSum() {
  (void)cudaFreeHost(points);
}

template <class F>
Jacobian<F> PendingSum<F>::finish() const {
  auto total = Jacobian<F>::infinity();
  const std::size_t arrays = level_bits.size() + 1;
  for (unsigned set = sets; set-- > 0;) {
    for (unsigned i = 0; i < window_bits; ++i) total = total.doubled();
    const Xyzz<F>* const sums = points + set * arrays;  // all buckets, then the last level's weighted sum, ...
    auto weighted = Jacobian<F>::infinity();
    for (std::size_t level = level_bits.size(); level-- > 0;) {
      for (unsigned i = 0; i < level_bits[level]; ++i) weighted = weighted.doubled();
      weighted += sums[level_bits.size() - level].to_jacobian();
    }
    total += weighted + sums[0].to_jacobian();
  }
  return total;
}

template <class F>
std::size_t msm_workspace_bytes(const MsmPlan& plan) {
  WorkspaceSize size;
  take_arrays<F>(msm_sizes<F>(plan), size);
  return size.bytes();
}

template <class F>
void start_msm(const MsmPlan& plan, const Affine<F>* tables, const UInt<4>* scalars, const UInt<4>& modulus,
               Workspace& workspace, PendingSum<F>& out, cudaStream_t stream, StepClock* clock) {
  out.sets = 0;
  if (plan.points == 0) return;
  const MsmSizes sizes = msm_sizes<F>(plan);
  MsmArrays<F> arrays = take_arrays<F>(sizes, workspace);
  set_bytes(arrays.buckets, 0, sizes.buckets, stream);  // infinity
  for (unsigned first = 0; first < plan.sets; first += plan.sets_at_once) {
    MsmPlan part = plan;
    part.sets_at_once = std::min(plan.sets_at_once, plan.sets - first);
    mark(clock, "digits", stream);
    make_pairs(scalars, modulus, part, first, arrays.sort.keys, arrays.sort.values, stream);
    mark(clock, "sort", stream);
    sort_pairs(arrays.sort, part.pairs(), sizes.key_bits, arrays.sort_temporary, arrays.sort_temporary_bytes, stream);
    const auto none = static_cast<std::uint32_t>(part.sets_at_once * plan.buckets_per_set());
    mark(clock, "accumulate", stream);
    accumulate(tables, arrays, part.pairs(), none, arrays.buckets + first * plan.buckets_per_set(), stream);
  }
  mark(clock, "reduce", stream);
  reduce(plan, arrays, out, stream);
  mark(clock, nullptr, stream);
}

template <class F>
std::size_t selected_workspace_bytes(std::size_t points) {
  WorkspaceSize size;
  take_selected<F>(points, size);
  return size.bytes() + selection_workspace_bytes(points);
}

template <class F>
void start_selected_sum(const Affine<F>* points, const std::uint32_t* bit_of, const std::uint32_t* bits,
                        std::size_t count, Workspace& workspace, PendingSum<F>& out, cudaStream_t stream) {
  out.sets = 0;
  if (count == 0) return;
  auto [list, total, sums, from, to] = take_selected<F>(count, workspace);
  select_set_bits(bits, bit_of, count, list, total, workspace, stream);
  sum_list<F><<<blocks_for(sums, kPointThreads), kPointThreads, 0, stream>>>(points, list, total, from, sums);
  check_launch("sum_list");
  while (sums > 1) {
    const std::uint32_t eights = (sums + 7) / 8;
    sum_eights<F><<<blocks_for(eights, kPointThreads), kPointThreads, 0, stream>>>(from, sums, to);
    check_launch("sum_eights");
    std::swap(from, to);
    sums = eights;
  }
  out.sets = 1;
  out.window_bits = 0;
  out.level_bits.clear();
  download(std::span(out.points, 1), static_cast<const Xyzz<F>*>(from), stream);
}

template <class F>
void walk(const Affine<F>& generator, std::uint64_t first, std::size_t count, Affine<F>* out, cudaStream_t stream) {
  const std::size_t block = std::min(count, kTableBlock);
  const DeviceArray<Denominators<F>> scratch(block, "denominators of a walk");
  for (std::size_t begin = 0; begin < count; begin += block) {
    const std::size_t here = std::min(block, count - begin);
    walk_from<F>
        <<<table_blocks(here), kTableThreads, 0, stream>>>(generator, first + begin, out + begin, scratch.data(), here);
    check_launch("walk_from");
  }
  check(cudaStreamSynchronize(stream), "a walk of points");
}

#define GROTH16_INSTANTIATE_MSM(F)                                                                            \
  template class FixedBases<F>;                                                                               \
  template class PendingSum<F>;                                                                               \
  template std::size_t msm_workspace_bytes<F>(const MsmPlan&);                                                \
  template void start_msm(const MsmPlan&, const Affine<F>*, const UInt<4>*, const UInt<4>&, Workspace&,       \
                          PendingSum<F>&, cudaStream_t, StepClock*);                                          \
  template std::size_t selected_workspace_bytes<F>(std::size_t);                                              \
  template void start_selected_sum(const Affine<F>*, const std::uint32_t*, const std::uint32_t*, std::size_t, \
                                   Workspace&, PendingSum<F>&, cudaStream_t);                                 \
  template void walk(const Affine<F>&, std::uint64_t, std::size_t, Affine<F>*, cudaStream_t);

}  // namespace groth16::device
