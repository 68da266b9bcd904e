// Terms to their places, and blocks of rows copied with their wires shifted.
#include "groth16/proof/system_writer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "groth16/proof/flat_array.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::size_t kRowGrain = std::size_t{1} << 18;

template <class T>
T& item(std::byte* array, std::uint64_t index) {
  return reinterpret_cast<T*>(array)[index];
}

// Calls fn(repetition, first, count) for the pieces of [begin, end), where i is item i % size of repetition i / size +
// 1.
template <class Fn>
void for_each_piece(std::uint64_t begin, std::uint64_t end, std::uint64_t size, Fn&& fn) {
  while (begin < end) {
    const std::uint64_t first = begin % size, count = std::min(size - first, end - begin);
    fn(begin / size + 1, first, count);
    begin += count;
  }
}

// The arrays lie where system_header put them, inside a span of total_bytes: no check can fail.
template <class T>
std::span<T> array_of(std::span<std::byte> out, std::uint64_t offset, std::uint64_t count) {
  return flat_array<T>(out, offset, count, "system").value();
}

}  // namespace

MatrixWriter::MatrixWriter(std::span<std::byte> out, const SystemHeader& header, std::size_t index)
    : starts_(out.data() + header.starts_offset[index]),
      start_bytes_(header.start_bytes),
      wires_(array_of<std::uint32_t>(out, header.wires_offset[index], header.n_terms[index])),
      indices_(out.data() + header.coefficients_offset[index]),
      index_bytes_(header.coefficient_index_bytes) {
  set_start(0, 0);
}

std::uint64_t MatrixWriter::start(std::uint64_t row) const {
  return start_bytes_ == 4 ? item<std::uint32_t>(starts_, row) : item<std::uint64_t>(starts_, row);
}

void MatrixWriter::set_start(std::uint64_t row, std::uint64_t term) {
  if (start_bytes_ == 4) {
    item<std::uint32_t>(starts_, row) = static_cast<std::uint32_t>(term);
  } else {
    item<std::uint64_t>(starts_, row) = term;
  }
}

void MatrixWriter::add(std::uint32_t wire, std::uint32_t coefficient_index) {
  wires_[n_terms_] = wire;
  if (index_bytes_ == 2) {
    item<std::uint16_t>(indices_, n_terms_) = static_cast<std::uint16_t>(coefficient_index);
  } else {
    item<std::uint32_t>(indices_, n_terms_) = coefficient_index;
  }
  ++n_terms_;
}

void MatrixWriter::repeat(const Repetition& part, const Compute& compute) {
  const std::uint64_t first_term = start(part.first_row), size = n_terms_ - first_term;
  const auto repeat_terms = [&](std::uint64_t repetition, std::uint64_t first, std::uint64_t count) {
    const std::uint64_t from = first_term + first, to = from + repetition * size;
    const auto by_public = static_cast<std::uint32_t>(repetition * part.n_public);
    const auto by_private = static_cast<std::uint32_t>(repetition * part.n_private);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t wire = wires_[from + i];
      const bool is_private = wire - part.first_private < part.n_private;  // modulo 2^32: not below the first
      const bool is_public = wire - part.first_public < part.n_public;
      wires_[to + i] = wire + (is_private ? by_private : is_public ? by_public : 0);
    }
    std::memcpy(indices_ + to * index_bytes_, indices_ + from * index_bytes_, count * index_bytes_);
  };
  const auto repeat_starts = [&](std::uint64_t repetition, std::uint64_t first, std::uint64_t count) {
    const std::uint64_t from = part.first_row + 1 + first, to = from + repetition * part.n_rows;
    for (std::uint64_t i = 0; i < count; ++i) set_start(to + i, start(from + i) + repetition * size);
  };
  compute.parallel_for(
      size * part.times, [&](std::size_t begin, std::size_t end) { for_each_piece(begin, end, size, repeat_terms); },
      kRowGrain);
  compute.parallel_for(
      part.n_rows * part.times,
      [&](std::size_t begin, std::size_t end) { for_each_piece(begin, end, part.n_rows, repeat_starts); }, kRowGrain);
  n_terms_ += size * part.times;
}

template <class C>
Result<SystemWriter<C>> SystemWriter<C>::create(const SystemPlan<C>& plan, std::span<std::byte> out) {
  SystemWriter writer;
  writer.header_ = plan.header();
  writer.header_.n_boolean = plan.n_boolean;
  if (out.size() < writer.header_.total_bytes || reinterpret_cast<std::uintptr_t>(out.data()) % 8 != 0) {
    return failure(ErrorCode::internal, "system.length",
                   "constraint system: " + std::to_string(out.size()) + " bytes to write to, expected " +
                       std::to_string(writer.header_.total_bytes) + ", aligned to 8");
  }
  writer.out_ = out;
  writer.dictionary_ = plan.dictionary;
  for (std::size_t i = 0; i < 3; ++i) writer.matrices_[i] = MatrixWriter(out, writer.header_, i);
  const std::span<const Fr> dictionary = plan.dictionary.values();
  std::ranges::copy(dictionary, array_of<Fr>(out, writer.header_.dictionary_offset, dictionary.size()).begin());
  writer.bitmap_ = array_of<std::uint64_t>(out, writer.header_.boolean_bitmap_offset, (plan.sizes.n_vars + 63) / 64);
  std::ranges::fill(writer.bitmap_, 0);
  return writer;
}

template <class C>
void SystemWriter<C>::mark_boolean(std::uint64_t wire) {
  if (wire <= header_.n_public || wire >= header_.n_vars) {
    is_as_planned_ = false;
    return;
  }
  bitmap_[wire / 64] |= std::uint64_t{1} << (wire % 64);
}

template <class C>
void SystemWriter<C>::add(MatrixId matrix, std::uint64_t wire, const Fr& coefficient) {
  MatrixWriter& writer = matrices_[static_cast<std::size_t>(matrix)];
  const std::uint32_t index = dictionary_.index_of(coefficient);
  if (wire >= header_.n_vars || writer.n_terms() == writer.capacity() || index >= header_.dictionary_size) {
    is_as_planned_ = false;
    return;
  }
  writer.add(static_cast<std::uint32_t>(wire), index);
}

template <class C>
void SystemWriter<C>::end_row() {
  if (n_rows_ == header_.n_constraints + header_.n_public + 1) {
    is_as_planned_ = false;
    return;
  }
  ++n_rows_;
  for (MatrixWriter& matrix : matrices_) matrix.end_row(n_rows_);
}

template <class C>
bool SystemWriter<C>::fits(const Repetition& part) const {
  const std::uint64_t last_public = part.first_public + (part.times + 1) * part.n_public;
  const std::uint64_t last_private = part.first_private + (part.times + 1) * part.n_private;
  if (part.first_row + part.n_rows != n_rows_ || n_rows_ + part.times * part.n_rows > header_.n_constraints ||
      last_public > header_.n_public + 1 || part.first_private <= header_.n_public || last_private > header_.n_vars) {
    return false;
  }
  return std::ranges::all_of(matrices_, [&](const MatrixWriter& matrix) {
    const std::uint64_t n_terms = matrix.n_terms() - matrix.start(part.first_row);
    return matrix.n_terms() + part.times * n_terms <= matrix.capacity();
  });
}

template <class C>
void SystemWriter<C>::repeat(const Repetition& part, const Compute& compute) {
  if (!fits(part)) {
    is_as_planned_ = false;
    return;
  }
  for (MatrixWriter& matrix : matrices_) matrix.repeat(part, compute);
  n_rows_ += part.times * part.n_rows;
  repeat_booleans(part);
}

// 64 bits of the bitmap at a time: those from wire `from` on become those from wire `to` on.
template <class C>
void SystemWriter<C>::repeat_booleans(const Repetition& part) {
  const auto bits_at = [&](std::uint64_t wire) {
    const std::uint64_t word = wire / 64, shift = wire % 64;
    const std::uint64_t low = bitmap_[word] >> shift;
    return shift == 0 || word + 1 == bitmap_.size() ? low : low | bitmap_[word + 1] << (64 - shift);
  };
  const std::uint64_t total = part.times * part.n_private;
  for (std::uint64_t i = 0, count = 0; i < total; i += count) {
    // What a block copies has been marked, at first by the caller, then by the blocks before it.
    count = std::min<std::uint64_t>({64, total - i, part.n_private});
    const std::uint64_t from = part.first_private + i, to = from + part.n_private;
    const std::uint64_t bits = bits_at(from) & (~std::uint64_t{0} >> (64 - count));
    bitmap_[to / 64] |= bits << (to % 64);
    if (to % 64 + count > 64) bitmap_[to / 64 + 1] |= bits >> (64 - to % 64);
  }
}

template <class C>
Result<void> SystemWriter<C>::finish() {
  const std::uint64_t n_rows = n_rows_;
  for (std::uint64_t wire = 0; wire <= header_.n_public; ++wire) {
    add(MatrixId::a, wire, Fr::one());
    end_row();
  }
  for (const MatrixWriter& matrix : matrices_) is_as_planned_ &= matrix.n_terms() == matrix.capacity();
  const std::uint64_t n_ranks = (header_.n_vars + SystemHeader::kWiresPerRank - 1) / SystemHeader::kWiresPerRank;
  const std::uint64_t n_boolean =
      rank_booleans(bitmap_, array_of<std::uint32_t>(out_, header_.boolean_ranks_offset, n_ranks));
  if (is_as_planned_ && n_rows == header_.n_constraints && n_boolean == header_.n_boolean) {
    store_flat(out_, header_);
    return {};
  }
  const auto describe = [](std::uint64_t rows, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t bits) {
    return std::to_string(rows) + " rows with " + std::to_string(a) + ", " + std::to_string(b) + " and " +
           std::to_string(c) + " terms in A, B, C and " + std::to_string(bits) + " bits";
  };
  return failure(
      ErrorCode::internal, "system.plan",
      "constraint system: " +
          describe(n_rows, matrices_[0].n_terms(), matrices_[1].n_terms(), matrices_[2].n_terms(), n_boolean) +
          "; planned were " +
          describe(header_.n_constraints, matrices_[0].capacity(), matrices_[1].capacity(), matrices_[2].capacity(),
                   header_.n_boolean));
}

template class SystemWriter<Bn254>;
template class SystemWriter<Bls12_381>;

}  // namespace groth16
