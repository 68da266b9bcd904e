// The bodies of resident_rows.cuh; each curve is compiled in a file of its own.
#pragma once

#include <string>

#include "cuda/resident_rows.cuh"
#include "cuda/threads.cuh"

namespace groth16::device {

namespace {

constexpr unsigned kRowThreads = 128;
constexpr std::uint64_t kLongRow = 48;  // terms; a longer row would keep the other 31 rows of its warp waiting

struct MatrixView {
  const std::uint32_t *starts, *slots;
  const std::byte* coefficients;
  std::uint32_t coefficient_bytes;

  __device__ __forceinline__ std::uint32_t coefficient(std::uint32_t term) const {
    return coefficient_bytes == 2 ? reinterpret_cast<const std::uint16_t*>(coefficients)[term]
                                  : reinterpret_cast<const std::uint32_t*>(coefficients)[term];
  }
};

template <class Fr>
__device__ __forceinline__ void add_scaled(Fr& sum, const Fr* dictionary, std::uint32_t index, const Fr& value) {
  if (index == 0) {
    sum += value;
  } else if (index == 1) {
    sum -= value;
  } else {
    sum += load16_constant(dictionary + index) * value;
  }
}

template <class Fr>
__device__ void add_exception(Fr& sum, const WitnessView<Fr>& witness, const Fr* dictionary, std::uint32_t index,
                              std::uint32_t bit) {
  std::uint32_t low = 0, high = witness.n_exceptions;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (witness.exceptions[middle].bit < bit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low < witness.n_exceptions && witness.exceptions[low].bit == bit) {
    add_scaled(sum, dictionary, index, witness.exceptions[low].value);
  }
}

template <class Fr>
__device__ __forceinline__ void add_term(Fr& sum, const MatrixView& matrix, const Fr* dictionary,
                                         const WitnessView<Fr>& witness, std::uint32_t term) {
  const std::uint32_t slot = matrix.slots[term], index = matrix.coefficient(term);
  if ((slot & WireSlots::View::kFullBit) != 0) {
    add_scaled(sum, dictionary, index, load16_constant(witness.full + (slot & ~WireSlots::View::kFullBit)));
  } else if (((witness.bits[slot / 32] >> (slot % 32)) & 1) != 0) {
    sum += load16_constant(dictionary + index);
  } else if (witness.n_exceptions != 0) {
    add_exception(sum, witness, dictionary, index, slot);
  }
}

template <class Fr>
__global__ void __launch_bounds__(kRowThreads)
    short_rows(MatrixView matrix, const Fr* dictionary, WitnessView<Fr> witness, Fr* out, std::uint32_t n_rows,
               std::uint32_t domain_size) {
  const std::uint32_t row = static_cast<std::uint32_t>(thread_index());
  if (row >= domain_size) return;
  Fr sum = Fr::zero();
  if (row < n_rows) {
    const std::uint32_t begin = matrix.starts[row], end = matrix.starts[row + 1];
    if (end - begin > kLongRow) return;
    for (std::uint32_t term = begin; term < end; ++term) add_term(sum, matrix, dictionary, witness, term);
  }
  store16(out + row, sum);
}

template <class Fr>
__device__ __forceinline__ Fr from_lane_below(const Fr& value, unsigned distance) {
  typename Fr::Integer limbs = value.limbs();
#pragma unroll
  for (std::size_t i = 0; i < Fr::kLimbs; ++i) limbs.limb[i] = __shfl_down_sync(0xffffffff, limbs.limb[i], distance);
  return Fr::from_montgomery_limbs(limbs);
}

template <class Fr>
__global__ void __launch_bounds__(kRowThreads)
    long_rows(MatrixView matrix, const std::uint32_t* rows, std::size_t count, const Fr* dictionary,
              WitnessView<Fr> witness, Fr* out) {
  const std::size_t warp = thread_index() / 32;
  if (warp >= count) return;
  const std::uint32_t row = rows[warp], end = matrix.starts[row + 1];
  Fr sum = Fr::zero();
  for (std::uint32_t term = matrix.starts[row] + threadIdx.x % 32; term < end; term += 32) {
    add_term(sum, matrix, dictionary, witness, term);
  }
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2) sum += from_lane_below(sum, distance);
  if (threadIdx.x % 32 == 0) store16(out + row, sum);
}

__global__ void narrow_starts(const std::uint64_t* wide, std::uint32_t* narrow, std::size_t count) {
  const std::size_t i = thread_index();
  if (i < count) narrow[i] = static_cast<std::uint32_t>(wide[i]);
}

}  // namespace

template <class C>
typename ResidentRows<C>::Matrix ResidentRows<C>::load(const SparseMatrix& matrix, std::uint64_t n_rows,
                                                       const WireSlots& slots, const Stream& stream) {
  const std::uint64_t n_terms = matrix.n_terms(), n_starts = n_rows + 1;
  if (n_terms >> 32 != 0) {
    throw CudaFailure({groth16d::ErrorCode::too_large, "gpu.system_terms",
                       "a matrix of " + std::to_string(n_terms) + " terms; the card's copy indexes 2^32"});
  }
  Matrix out;
  out.starts = DeviceArray<std::uint32_t>(n_starts, "row starts");
  if (matrix.starts_bytes_each() == 4) {
    upload(out.starts.data(), std::span(reinterpret_cast<const std::uint32_t*>(matrix.starts()), n_starts),
           stream.get());
  } else {
    const DeviceArray<std::uint64_t> wide(n_starts, "row starts");
    upload(wide.data(), std::span(reinterpret_cast<const std::uint64_t*>(matrix.starts()), n_starts), stream.get());
    narrow_starts<<<blocks_for(n_starts, 256), 256, 0, stream.get()>>>(wide.data(), out.starts.data(), n_starts);
    check_launch("narrow_starts");
    stream.wait("row starts");
  }
  out.slots = DeviceArray<std::uint32_t>(n_terms, "terms");
  upload(out.slots.data(), matrix.wires(), stream.get());
  wires_to_slots(slots, out.slots.data(), out.slots.data(), n_terms, stream.get());
  out.coefficient_bytes = matrix.coefficient_bytes_each();
  out.coefficients = DeviceArray<std::byte>(n_terms * out.coefficient_bytes, "coefficient indices");
  upload(out.coefficients.data(), std::span(matrix.coefficients(), out.coefficients.size()), stream.get());

  std::vector<std::uint32_t> longs;
  for (std::uint64_t row = 0; row < n_rows; ++row) {
    if (matrix.start(row + 1) - matrix.start(row) > kLongRow) longs.push_back(static_cast<std::uint32_t>(row));
  }
  out.long_rows = DeviceArray<std::uint32_t>(longs.size(), "long rows");
  upload(out.long_rows.data(), std::span<const std::uint32_t>(longs), stream.get());
  stream.wait("a matrix");
  return out;
}

template <class C>
ResidentRows<C>::ResidentRows(const ConstraintSystem<C>& system, const WireSlots& slots, const Stream& stream)
    : matrices_{load(system.matrix(MatrixId::a), system.n_rows(), slots, stream),
                load(system.matrix(MatrixId::b), system.n_rows(), slots, stream)},
      dictionary_(system.dictionary().size(), "coefficients"),
      n_rows_(static_cast<std::uint32_t>(system.n_rows())),
      domain_size_(static_cast<std::uint32_t>(system.domain_size())) {
  upload(dictionary_.data(), system.dictionary(), stream.get());
  stream.wait("coefficients");
}

template <class C>
std::uint64_t ResidentRows<C>::planned_bytes(const ConstraintSystem<C>& system) {
  std::uint64_t bytes = system.dictionary().size_bytes();
  for (const MatrixId id : {MatrixId::a, MatrixId::b}) {
    const SparseMatrix& matrix = system.matrix(id);
    bytes += 4 * (system.n_rows() + 1) + matrix.n_terms() * (4 + matrix.coefficient_bytes_each());
    bytes += 4 * matrix.n_terms() / kLongRow;  // at most so many long rows
  }
  return bytes;
}

template <class C>
void ResidentRows<C>::evaluate(MatrixId id, const WitnessView<Fr>& witness, Fr* out, cudaStream_t stream) const {
  const Matrix& matrix = matrices_[static_cast<std::size_t>(id)];
  const MatrixView view{matrix.starts.data(), matrix.slots.data(), matrix.coefficients.data(),
                        matrix.coefficient_bytes};
  short_rows<Fr><<<blocks_for(domain_size_, kRowThreads), kRowThreads, 0, stream>>>(view, dictionary_.data(), witness,
                                                                                    out, n_rows_, domain_size_);
  check_launch("short_rows");
  const std::size_t longs = matrix.long_rows.size();
  if (longs == 0) return;
  long_rows<Fr><<<blocks_for(32 * longs, kRowThreads), kRowThreads, 0, stream>>>(view, matrix.long_rows.data(), longs,
                                                                                 dictionary_.data(), witness, out);
  check_launch("long_rows");
}

}  // namespace groth16::device
