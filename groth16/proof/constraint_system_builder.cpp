// Collecting terms block by block, and laying them out row by row without a sort.
#include "groth16/proof/constraint_system_builder.hpp"

#include <algorithm>
#include <string>

#include "groth16/proof/boolean_search.hpp"
#include "groth16/proof/flat_array.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

void TermList::add(std::uint64_t row, Term term) {
  if (in_order_ && row < last_row_) start_recording_rows();
  const std::size_t place = size_ % kBlock;
  if (place == 0) {
    blocks_.push_back(std::make_unique_for_overwrite<Term[]>(kBlock));
    if (!in_order_) row_blocks_.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(kBlock));
  }
  blocks_.back()[place] = term;
  if (!in_order_) row_blocks_.back()[place] = static_cast<std::uint32_t>(row);
  ++counts_[row];
  ++size_;
  last_row_ = row;
}

// The rows of the terms so far follow from the counts, since they came in order.
void TermList::start_recording_rows() {
  in_order_ = false;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    row_blocks_.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(kBlock));
  }
  std::uint64_t term = 0;
  for (std::uint64_t row = 0; row < counts_.size(); ++row) {
    for (std::uint32_t i = 0; i < counts_[row]; ++i, ++term) {
      row_blocks_[term / kBlock][term % kBlock] = static_cast<std::uint32_t>(row);
    }
  }
}

template <class Fn>
void TermList::drain(Fn&& fn) {
  std::uint64_t row = 0;
  std::uint32_t left_in_row = counts_.empty() ? 0 : counts_[0];
  for (std::uint64_t first = 0; first < size_; first += kBlock) {
    const std::uint64_t block = first / kBlock;
    const std::uint64_t count = std::min<std::uint64_t>(kBlock, size_ - first);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (in_order_) {
        while (left_in_row == 0) left_in_row = counts_[++row];
        --left_in_row;
        fn(row, blocks_[block][i]);
      } else {
        fn(row_blocks_[block][i], blocks_[block][i]);
      }
    }
    blocks_[block].reset();
    if (!in_order_) row_blocks_[block].reset();
  }
  blocks_.clear();
  row_blocks_.clear();
  counts_ = {};
  size_ = 0;
}

namespace {

// Row starts in place: start(row + 1) first holds where the row's next term goes, and ends as where the row ends.
template <class Start>
class RowFiller {
 public:
  RowFiller(std::span<Start> starts, std::span<const std::uint32_t> counts) : starts_(starts) {
    Start sum = 0;
    starts_[0] = 0;
    for (std::size_t row = 0; row < counts.size(); ++row) {
      starts_[row + 1] = sum;
      sum += counts[row];
    }
  }
  std::uint64_t next(std::uint64_t row) { return starts_[row + 1]++; }

 private:
  std::span<Start> starts_;
};

// The arrays lie where system_header put them, inside a span of total_bytes: no check can fail.
template <class T>
std::span<T> array_of(std::span<std::byte> out, std::uint64_t offset, std::uint64_t count) {
  return flat_array<T>(out, offset, count, "system").value();
}

template <class Start, class Index>
void fill_rows(TermList& terms, std::span<Start> starts, std::span<std::uint32_t> wires, std::span<Index> indices) {
  RowFiller<Start> filler(starts, terms.row_counts());
  terms.drain([&](std::uint64_t row, TermList::Term term) {
    const std::uint64_t place = filler.next(row);
    wires[place] = term.wire;
    indices[place] = static_cast<Index>(term.coefficient);
  });
}

}  // namespace

template <class C>
ConstraintSystemBuilder<C>::ConstraintSystemBuilder(const SystemSizes& sizes, bool has_c)
    : sizes_(sizes), has_c_(has_c) {
  for (std::size_t matrix = 0; matrix < (has_c ? 3u : 2u); ++matrix) terms_[matrix] = TermList(sizes.n_rows());
}

template <class C>
Result<void> ConstraintSystemBuilder<C>::check_sizes(const SystemSizes& sizes) {
  const auto refuse = [](const std::string& text) {
    return failure(ErrorCode::malformed, "system.sizes", "constraint system: " + text);
  };
  if (sizes.n_vars >= (std::uint64_t{1} << 32))
    return refuse(std::to_string(sizes.n_vars) + " wires, at most 2^32 - 1");
  if (sizes.n_public >= sizes.n_vars) {
    return refuse(std::to_string(sizes.n_public) + " public wires of " + std::to_string(sizes.n_vars) +
                  ", wire 0 being the constant one");
  }
  if (sizes.domain_log2 < 1 || sizes.domain_log2 >= C::two_adicity) {
    return refuse("a domain of 2^" + std::to_string(sizes.domain_log2) + ", expected 2^1 to 2^" +
                  std::to_string(C::two_adicity - 1));
  }
  if (sizes.n_constraints > sizes.domain_size() || sizes.n_rows() > sizes.domain_size()) {
    return refuse(std::to_string(sizes.n_constraints) + " constraints and " + std::to_string(sizes.n_public + 1) +
                  " public rows in a domain of " + std::to_string(sizes.domain_size()));
  }
  return {};
}

template <class C>
void ConstraintSystemBuilder<C>::add(MatrixId matrix, std::uint64_t row, std::uint32_t wire, const Fr& coefficient) {
  if (coefficient.is_zero()) return;
  add_numbered(matrix, row, wire, number_of(coefficient));
}

template <class C>
void ConstraintSystemBuilder<C>::add_public_rows() {
  for (std::uint64_t wire = 0; wire <= sizes_.n_public; ++wire) {
    add(MatrixId::a, sizes_.n_constraints + wire, static_cast<std::uint32_t>(wire), Fr::one());
  }
}

template <class C>
void ConstraintSystemBuilder<C>::mark_boolean(std::uint32_t wire) {
  if (wire <= sizes_.n_public || wire >= sizes_.n_vars) return;
  if (marked_.empty()) marked_.resize((sizes_.n_vars + 63) / 64, 0);
  marked_[wire / 64] |= std::uint64_t{1} << (wire % 64);
}

template <class C>
SystemHeader ConstraintSystemBuilder<C>::header() const {
  return system_header(C::id, sizes_,
                       {{terms_[0].size(), terms_[1].size(), terms_[2].size()}, dictionary_.values().size(), has_c_});
}

template <class C>
std::uint64_t ConstraintSystemBuilder<C>::serialized_bytes() const {
  return header().total_bytes;
}

template <class C>
void ConstraintSystemBuilder<C>::write_matrix(std::span<std::byte> out, const SystemHeader& header,
                                              std::size_t matrix) {
  const std::uint64_t n_terms = header.n_terms[matrix];
  const auto wires = array_of<std::uint32_t>(out, header.wires_offset[matrix], n_terms);
  const auto with_indices = [&](auto starts) {
    const std::uint64_t offset = header.coefficients_offset[matrix];
    if (header.coefficient_index_bytes == 2) {
      fill_rows(terms_[matrix], starts, wires, array_of<std::uint16_t>(out, offset, n_terms));
    } else {
      fill_rows(terms_[matrix], starts, wires, array_of<std::uint32_t>(out, offset, n_terms));
    }
  };
  const std::uint64_t offset = header.starts_offset[matrix];
  if (header.start_bytes == 4) {
    with_indices(array_of<std::uint32_t>(out, offset, sizes_.n_rows() + 1));
  } else {
    with_indices(array_of<std::uint64_t>(out, offset, sizes_.n_rows() + 1));
  }
}

template <class C>
void ConstraintSystemBuilder<C>::write(std::span<std::byte> out) {
  SystemHeader header = this->header();
  store_flat(out, header);
  const std::span<const Fr> dictionary = dictionary_.values();
  std::ranges::copy(dictionary, array_of<Fr>(out, header.dictionary_offset, dictionary.size()).begin());
  dictionary_ = {};
  for (std::size_t matrix = 0; matrix < (has_c_ ? 3u : 2u); ++matrix) write_matrix(out, header, matrix);

  const std::uint64_t n_words = (sizes_.n_vars + 63) / 64;
  const auto bitmap = array_of<std::uint64_t>(out, header.boolean_bitmap_offset, n_words);
  std::ranges::fill(bitmap, 0);
  std::ranges::copy(marked_, bitmap.begin());
  if (search_booleans_) find_boolean_wires(ConstraintSystem<C>::open(out).value(), bitmap);
  const std::uint64_t n_ranks = (sizes_.n_vars + SystemHeader::kWiresPerRank - 1) / SystemHeader::kWiresPerRank;
  header.n_boolean = rank_booleans(bitmap, array_of<std::uint32_t>(out, header.boolean_ranks_offset, n_ranks));
  store_flat(out, header);
}

template class ConstraintSystemBuilder<Bn254>;
template class ConstraintSystemBuilder<Bls12_381>;

}  // namespace groth16
