// The flat layout of a constraint system, and the checks that make a view of it safe to use.
#include "groth16/proof/constraint_system.hpp"

#include <string>

#include "groth16/proof/flat_array.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::uint64_t kAlignment = 8;
constexpr std::uint64_t kMaxWires = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxTerms = std::uint64_t{1} << 40;  // keeps every product below 2^64
constexpr std::uint32_t kMaxDomainLog2 = 32;
constexpr std::array<const char*, 3> kMatrixNames{"A", "B", "C"};

constexpr std::uint64_t words_for(std::uint64_t count, std::uint64_t per_word) {
  return (count + per_word - 1) / per_word;
}

tl::unexpected<groth16d::Error> malformed(const std::string& name, const std::string& text) {
  return failure(ErrorCode::malformed, "system." + name, "constraint system: " + text);
}

Result<void> check_header(const SystemHeader& header, std::uint64_t available_bytes) {
  if (header.magic != SystemHeader::kMagic) return malformed("magic", "the first 8 bytes are not its magic");
  if (header.layout_version != SystemHeader::kLayoutVersion) {
    return malformed("version", "layout version " + std::to_string(header.layout_version) + ", expected " +
                                    std::to_string(SystemHeader::kLayoutVersion));
  }
  const bool sizes_hold = header.n_vars < kMaxWires && header.n_public < header.n_vars && header.domain_log2 >= 1 &&
                          header.domain_log2 <= kMaxDomainLog2 &&
                          header.n_constraints <= (std::uint64_t{1} << header.domain_log2) - header.n_public - 1 &&
                          header.n_public < (std::uint64_t{1} << header.domain_log2) && header.has_c <= 1 &&
                          header.n_boolean < header.n_vars - header.n_public && header.dictionary_size >= 2 &&
                          header.dictionary_size <= kMaxTerms;
  bool terms_hold = header.has_c == 1 || header.n_terms[2] == 0;
  for (const std::uint64_t n_terms : header.n_terms) terms_hold = terms_hold && n_terms <= kMaxTerms;
  if (!sizes_hold || !terms_hold) return malformed("sizes", "the counts of its header contradict each other");
  if ((header.start_bytes != 4 && header.start_bytes != 8) ||
      (header.coefficient_index_bytes != 2 && header.coefficient_index_bytes != 4)) {
    return malformed("widths", "row starts of " + std::to_string(header.start_bytes) + " bytes (4 or 8), indices of " +
                                   std::to_string(header.coefficient_index_bytes) + " bytes (2 or 4)");
  }
  if (header.total_bytes > available_bytes) {
    return malformed("length", "says " + std::to_string(header.total_bytes) + " bytes, " +
                                   std::to_string(available_bytes) + " are there");
  }
  return {};
}

// A matrix over the span, each of its arrays checked against it.
Result<SparseMatrix> open_matrix(std::span<const std::byte> bytes, const SystemHeader& header, std::size_t index) {
  const std::string name = std::string("system.") + kMatrixNames[index];
  const std::uint64_t n_rows = header.n_constraints + header.n_public + 1;
  const std::uint64_t n_terms = header.n_terms[index];
  const std::uint64_t starts_offset = header.starts_offset[index];
  const std::uint64_t indices_offset = header.coefficients_offset[index];
  if (!fits_inside(starts_offset, n_rows + 1, header.start_bytes, bytes.size()) || starts_offset % kAlignment != 0) {
    return failure(ErrorCode::malformed, name + "_starts.bounds", name + ": its row starts lie outside the span");
  }
  if (!fits_inside(indices_offset, n_terms, header.coefficient_index_bytes, bytes.size()) ||
      indices_offset % kAlignment != 0) {
    return failure(ErrorCode::malformed, name + "_coefficients.bounds", name + ": its indices lie outside the span");
  }
  const auto wires = flat_array<std::uint32_t>(bytes, header.wires_offset[index], n_terms, name + "_wires");
  if (!wires) return tl::unexpected(wires.error());
  return SparseMatrix(bytes.data() + starts_offset, header.start_bytes, *wires, bytes.data() + indices_offset,
                      header.coefficient_index_bytes);
}

}  // namespace

SystemHeader system_header(CurveId curve, const SystemSizes& sizes, const SystemCounts& counts) {
  SystemHeader header{};
  header.magic = SystemHeader::kMagic;
  header.layout_version = SystemHeader::kLayoutVersion;
  header.curve = static_cast<std::uint32_t>(curve);
  header.n_vars = sizes.n_vars;
  header.n_public = sizes.n_public;
  header.n_constraints = sizes.n_constraints;
  header.domain_log2 = sizes.domain_log2;
  header.has_c = counts.has_c ? 1 : 0;
  header.dictionary_size = counts.dictionary_size;
  header.n_terms = counts.n_terms;
  header.coefficient_index_bytes = counts.dictionary_size <= (std::uint64_t{1} << 16) ? 2 : 4;
  header.start_bytes = 4;
  for (const std::uint64_t n_terms : counts.n_terms) {
    if (n_terms >= (std::uint64_t{1} << 32)) header.start_bytes = 8;
  }

  std::uint64_t end = align_up(sizeof(SystemHeader), kAlignment);
  const auto place = [&end](std::uint64_t count, std::uint64_t item_bytes) {
    const std::uint64_t offset = end;
    end = align_up(end + count * item_bytes, kAlignment);
    return offset;
  };
  constexpr std::uint64_t kFrBytes = 32;  // both curves
  header.dictionary_offset = place(counts.dictionary_size, kFrBytes);
  header.boolean_bitmap_offset = place(words_for(sizes.n_vars, 64), sizeof(std::uint64_t));
  header.boolean_ranks_offset = place(words_for(sizes.n_vars, SystemHeader::kWiresPerRank), sizeof(std::uint32_t));
  for (std::size_t matrix = 0; matrix < (counts.has_c ? 3u : 2u); ++matrix) {
    header.starts_offset[matrix] = place(sizes.n_rows() + 1, header.start_bytes);
    header.wires_offset[matrix] = place(counts.n_terms[matrix], sizeof(std::uint32_t));
    header.coefficients_offset[matrix] = place(counts.n_terms[matrix], header.coefficient_index_bytes);
  }
  header.total_bytes = end;
  return header;
}

std::uint64_t rank_booleans(std::span<const std::uint64_t> bitmap, std::span<std::uint32_t> ranks) {
  std::uint64_t count = 0;
  for (std::size_t word = 0; word < bitmap.size(); ++word) {
    if (64 * word % SystemHeader::kWiresPerRank == 0) {
      ranks[64 * word / SystemHeader::kWiresPerRank] = static_cast<std::uint32_t>(count);
    }
    count += static_cast<std::uint64_t>(std::popcount(bitmap[word]));
  }
  return count;
}

template <class C>
Result<ConstraintSystem<C>> ConstraintSystem<C>::open(std::span<const std::byte> bytes, SpanCheck check) {
  if (bytes.size() < sizeof(SystemHeader)) {
    return malformed("length", std::to_string(bytes.size()) + " bytes are too few for its header");
  }
  const auto header = load_flat<SystemHeader>(bytes);
  if (const auto checked = check_header(header, bytes.size()); !checked) return tl::unexpected(checked.error());
  if (header.curve != static_cast<std::uint32_t>(C::id)) {
    return failure(ErrorCode::mismatch, "system.curve",
                   "constraint system: curve number " + std::to_string(header.curve) + ", expected " +
                       std::to_string(static_cast<std::uint32_t>(C::id)) + " (" + std::string(C::name) + ")");
  }
  bytes = bytes.first(static_cast<std::size_t>(header.total_bytes));

  ConstraintSystem system;
  system.sizes_ = {header.n_vars, header.n_public, header.n_constraints, header.domain_log2};
  system.has_c_ = header.has_c == 1;
  system.n_boolean_ = header.n_boolean;
  const auto dictionary = flat_array<Fr>(bytes, header.dictionary_offset, header.dictionary_size, "system.dictionary");
  if (!dictionary) return tl::unexpected(dictionary.error());
  system.dictionary_ = *dictionary;
  const auto bitmap = flat_array<std::uint64_t>(bytes, header.boolean_bitmap_offset, words_for(header.n_vars, 64),
                                                "system.boolean_bitmap");
  if (!bitmap) return tl::unexpected(bitmap.error());
  system.boolean_bitmap_ = *bitmap;
  const auto ranks =
      flat_array<std::uint32_t>(bytes, header.boolean_ranks_offset,
                                words_for(header.n_vars, SystemHeader::kWiresPerRank), "system.boolean_ranks");
  if (!ranks) return tl::unexpected(ranks.error());
  system.boolean_ranks_ = *ranks;
  for (std::size_t index = 0; index < (system.has_c_ ? 3u : 2u); ++index) {
    const auto matrix = open_matrix(bytes, header, index);
    if (!matrix) return tl::unexpected(matrix.error());
    system.matrices_[index] = *matrix;
  }
  if (check == SpanCheck::all) {
    if (const auto checked = system.check_indices(); !checked) return tl::unexpected(checked.error());
    if (const auto checked = system.check_booleans(); !checked) return tl::unexpected(checked.error());
  }
  return system;
}

template <class C>
Result<void> ConstraintSystem<C>::check_indices() const {
  for (const Fr& coefficient : dictionary_) {
    if (!Fr::is_canonical(coefficient.limbs())) return malformed("coefficient", "a coefficient is not below r");
  }
  if (!dictionary_[kOneIndex].is_one() || !(dictionary_[kMinusOneIndex] == -Fr::one())) {
    return malformed("coefficient", "the dictionary does not start with 1 and -1");
  }
  for (std::size_t index = 0; index < (has_c_ ? 3u : 2u); ++index) {
    const SparseMatrix& matrix = matrices_[index];
    const std::string where = std::string("matrix ") + kMatrixNames[index] + ", row ";
    std::uint64_t previous = 0;
    for (std::uint64_t row = 0; row <= n_rows(); ++row) {
      const std::uint64_t start = matrix.start(row);
      const bool in_order = row == 0 ? start == 0 : start >= previous && start <= matrix.n_terms();
      if (!in_order || (row == n_rows() && start != matrix.n_terms())) {
        return malformed("row_starts", where + std::to_string(row) + " starts at term " + std::to_string(start) +
                                           ", before the row above or behind the last term");
      }
      previous = start;
    }
    for (std::uint64_t term = 0; term < matrix.n_terms(); ++term) {
      if (matrix.wire(term) >= n_vars()) {
        return malformed("wire", where + "of term " + std::to_string(term) + ": wire " +
                                     std::to_string(matrix.wire(term)) + " of " + std::to_string(n_vars()));
      }
      if (matrix.coefficient_index(term) >= dictionary_.size()) {
        return malformed("coefficient", where + "of term " + std::to_string(term) + ": coefficient " +
                                            std::to_string(matrix.coefficient_index(term)) + " of " +
                                            std::to_string(dictionary_.size()));
      }
    }
  }
  return {};
}

template <class C>
Result<void> ConstraintSystem<C>::check_booleans() const {
  std::uint64_t count = 0;
  for (std::uint64_t word = 0; word < boolean_bitmap_.size(); ++word) {
    if (64 * word % SystemHeader::kWiresPerRank == 0 &&
        boolean_ranks_[64 * word / SystemHeader::kWiresPerRank] != count) {
      return malformed("booleans", "the rank of wire " + std::to_string(64 * word) + " is not " +
                                       std::to_string(count) + ", the number of boolean wires below it");
    }
    count += static_cast<std::uint64_t>(std::popcount(boolean_bitmap_[word]));
  }
  if (count != n_boolean_) {
    return malformed("booleans",
                     std::to_string(count) + " bits in the bitmap, " + std::to_string(n_boolean_) + " in the header");
  }
  for (std::uint64_t wire = 0; wire <= n_public(); ++wire) {
    if (is_boolean(wire)) return malformed("booleans", "the public wire " + std::to_string(wire) + " is in the bitmap");
  }
  const std::uint64_t used = n_vars() % 64;
  if (used != 0 && (boolean_bitmap_.back() >> used) != 0) {
    return malformed("booleans", "the bitmap has bits behind the last wire");
  }
  return {};
}

template class ConstraintSystem<Bn254>;
template class ConstraintSystem<Bls12_381>;

}  // namespace groth16
