// ConstraintSystem: an R1CS as a view over one flat, relocatable span of bytes, the contents of a segment "r1cs".
//
// Row i says <A_i, w> * <B_i, w> = <C_i, w>. Rows 0 .. n_constraints-1 are the circuit's constraints; the n_public+1
// rows after them are the public rows "w_s * 0 = 0", s = 0 .. n_public, which A alone holds (they make the public
// wires' polynomials independent). Wire 0 is the constant one, wires 1 .. n_public are public. A system that came from
// a zkey has no C.
//
// Each matrix is in compressed sparse row form, and a coefficient is an index into one dictionary of field elements: a
// real circuit has millions of terms and few different coefficients. Index 0 is always 1 and index 1 always -1.
//
// The system also says how its witnesses are packed: a bitmap names the boolean wires, private ones that can only be 0
// or 1 in a satisfying witness (boolean_search.hpp says how they are found), and ranks count them every 512 wires.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/error.hpp"
#include "groth16/algebra/bls12_381.hpp"
#include "groth16/algebra/bn254.hpp"
#include "groth16/algebra/curve_id.hpp"

namespace groth16 {

enum class MatrixId : std::uint32_t { a = 0, b = 1, c = 2 };

struct SystemSizes {
  std::uint64_t n_vars = 0;         // wires, the constant one included; below 2^32
  std::uint64_t n_public = 0;       // public wires, without the constant one; n_public + 1 <= n_vars
  std::uint64_t n_constraints = 0;  // without the public rows
  std::uint32_t domain_log2 = 0;    // n_rows() <= 2^domain_log2

  std::uint64_t n_rows() const { return n_constraints + n_public + 1; }
  std::uint64_t domain_size() const { return std::uint64_t{1} << domain_log2; }
  std::uint64_t n_private() const { return n_vars - n_public - 1; }
  bool operator==(const SystemSizes&) const = default;
};

// The smallest power of two that holds the rows, at least 2: what snarkjs and bellman use.
constexpr std::uint32_t smallest_domain_log2(std::uint64_t n_rows) {
  return n_rows <= 2 ? 1 : static_cast<std::uint32_t>(std::bit_width(n_rows - 1));
}

// Counts that decide how many bytes a system takes.
struct SystemCounts {
  std::array<std::uint64_t, 3> n_terms{};  // of A, B, C
  std::uint64_t dictionary_size = 2;
  bool has_c = false;
};

// The first bytes of the span. Offsets are from the start of the span; every array is aligned to 8 bytes.
struct SystemHeader {
  static constexpr std::array<char, 8> kMagic{'g', '1', '6', 'r', '1', 'c', 's', '\0'};
  static constexpr std::uint32_t kLayoutVersion = 1;
  static constexpr std::uint64_t kWiresPerRank = 512;

  std::array<char, 8> magic;
  std::uint32_t layout_version;
  std::uint32_t curve;  // CurveId
  std::uint64_t n_vars, n_public, n_constraints;
  std::uint32_t domain_log2;
  std::uint32_t has_c;                    // 0 or 1
  std::uint32_t start_bytes;              // width of a row start: 4 or 8
  std::uint32_t coefficient_index_bytes;  // 2 or 4
  std::uint64_t n_boolean;
  std::uint64_t dictionary_size;
  std::array<std::uint64_t, 3> n_terms;
  std::uint64_t dictionary_offset;                   // dictionary_size x Fr, Montgomery form
  std::uint64_t boolean_bitmap_offset;               // ceil(n_vars / 64) x u64, bit i % 64 of word i / 64 is wire i
  std::uint64_t boolean_ranks_offset;                // ceil(n_vars / 512) x u32: boolean wires below wire 512 i
  std::array<std::uint64_t, 3> starts_offset;        // (n_rows + 1) x start_bytes, of A, B, C
  std::array<std::uint64_t, 3> wires_offset;         // n_terms x u32
  std::array<std::uint64_t, 3> coefficients_offset;  // n_terms x coefficient_index_bytes
  std::uint64_t total_bytes;
};

// The header, offsets included, of a system with these sizes; total_bytes is what the span must hold. Also the
// prediction of a segment's size from counts that an intake knows.
SystemHeader system_header(CurveId curve, const SystemSizes& sizes, const SystemCounts& counts);

// Fills the ranks of a bitmap of boolean wires; the number of them.
std::uint64_t rank_booleans(std::span<const std::uint64_t> bitmap, std::span<std::uint32_t> ranks);

// One matrix: rows of (wire, coefficient index).
class SparseMatrix {
 public:
  SparseMatrix() = default;
  SparseMatrix(const std::byte* starts, std::uint32_t start_bytes, std::span<const std::uint32_t> wires,
               const std::byte* coefficients, std::uint32_t coefficient_index_bytes)
      : starts_(starts),
        start_bytes_(start_bytes),
        wires_(wires),
        coefficients_(coefficients),
        coefficient_index_bytes_(coefficient_index_bytes) {}

  std::uint64_t n_terms() const { return wires_.size(); }

  // The index of the row's first term; row may be n_rows, for the end of the last.
  std::uint64_t start(std::uint64_t row) const {
    return start_bytes_ == 4 ? load<std::uint32_t>(starts_, row) : load<std::uint64_t>(starts_, row);
  }
  std::uint32_t wire(std::uint64_t term) const { return wires_[term]; }
  std::uint32_t coefficient_index(std::uint64_t term) const {
    return coefficient_index_bytes_ == 2 ? load<std::uint16_t>(coefficients_, term)
                                         : load<std::uint32_t>(coefficients_, term);
  }

  // The arrays as they lie in the span, for who copies them whole: starts_bytes_each() bytes a start, n_rows + 1 of
  // them; coefficient_bytes_each() bytes a coefficient index.
  std::span<const std::uint32_t> wires() const { return wires_; }
  const std::byte* starts() const { return starts_; }
  std::uint32_t starts_bytes_each() const { return start_bytes_; }
  const std::byte* coefficients() const { return coefficients_; }
  std::uint32_t coefficient_bytes_each() const { return coefficient_index_bytes_; }

  // Calls fn(wire, coefficient index) for each term of the row. A wire may occur more than once.
  template <class Fn>
  void for_each_term(std::uint64_t row, Fn&& fn) const {
    const std::uint64_t end = start(row + 1);
    for (std::uint64_t term = start(row); term < end; ++term) fn(wire(term), coefficient_index(term));
  }

 private:
  template <class T>
  static T load(const std::byte* array, std::uint64_t index) {
    return reinterpret_cast<const T*>(array)[index];
  }

  const std::byte* starts_ = nullptr;
  std::uint32_t start_bytes_ = 4;
  std::span<const std::uint32_t> wires_;
  const std::byte* coefficients_ = nullptr;
  std::uint32_t coefficient_index_bytes_ = 2;
};

// How much open() trusts the bytes: a header is always checked against the span; all also reads every index, for bytes
// that did not come from our own builder through a sealed segment.
enum class SpanCheck { header, all };

template <class C>
class ConstraintSystem {
 public:
  using Fr = typename C::Fr;

  static constexpr std::uint32_t kOneIndex = 0;
  static constexpr std::uint32_t kMinusOneIndex = 1;

  // The bytes outlive the view and are aligned to 8. Errors (malformed): system.magic, .version, .curve (mismatch),
  // .sizes, .widths, .length, .<array>.bounds, and with SpanCheck::all .row_starts, .wire, .coefficient, .booleans.
  static groth16d::Result<ConstraintSystem> open(std::span<const std::byte> bytes, SpanCheck check = SpanCheck::header);

  const SystemSizes& sizes() const { return sizes_; }
  std::uint64_t n_vars() const { return sizes_.n_vars; }
  std::uint64_t n_public() const { return sizes_.n_public; }
  std::uint64_t n_constraints() const { return sizes_.n_constraints; }
  std::uint64_t n_rows() const { return sizes_.n_rows(); }
  std::uint64_t domain_size() const { return sizes_.domain_size(); }

  bool has_c() const { return has_c_; }
  // C is empty (no terms, no rows) where has_c() is false.
  const SparseMatrix& matrix(MatrixId id) const { return matrices_[static_cast<std::size_t>(id)]; }
  std::span<const Fr> dictionary() const { return dictionary_; }

  std::uint64_t n_boolean() const { return n_boolean_; }
  // Private wires whose values a packed witness stores in full.
  std::uint64_t n_full() const { return sizes_.n_private() - n_boolean_; }
  std::span<const std::uint64_t> boolean_bitmap() const { return boolean_bitmap_; }
  bool is_boolean(std::uint64_t wire) const { return ((boolean_bitmap_[wire / 64] >> (wire % 64)) & 1) != 0; }
  // The number of boolean wires below this one: the place of a boolean wire's bit.
  std::uint64_t boolean_rank(std::uint64_t wire) const {
    constexpr std::uint64_t kWordsPerRank = SystemHeader::kWiresPerRank / 64;
    const std::uint64_t word = wire / 64;
    std::uint64_t rank = boolean_ranks_[wire / SystemHeader::kWiresPerRank];
    for (std::uint64_t i = word / kWordsPerRank * kWordsPerRank; i < word; ++i) {
      rank += static_cast<std::uint64_t>(std::popcount(boolean_bitmap_[i]));
    }
    const std::uint64_t below = (std::uint64_t{1} << (wire % 64)) - 1;
    return rank + static_cast<std::uint64_t>(std::popcount(boolean_bitmap_[word] & below));
  }

 private:
  groth16d::Result<void> check_indices() const;
  groth16d::Result<void> check_booleans() const;

  SystemSizes sizes_;
  bool has_c_ = false;
  std::uint64_t n_boolean_ = 0;
  std::span<const Fr> dictionary_;
  std::array<SparseMatrix, 3> matrices_;
  std::span<const std::uint64_t> boolean_bitmap_;
  std::span<const std::uint32_t> boolean_ranks_;
};

extern template class ConstraintSystem<Bn254>;
extern template class ConstraintSystem<Bls12_381>;

}  // namespace groth16
