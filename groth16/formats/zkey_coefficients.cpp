// Section 4 of a .zkey: the coefficients of A and B.
#include <fmt/format.h>

#include <atomic>
#include <vector>

#include "groth16/formats/zkey.hpp"
#include "groth16/formats/zkey_sections.hpp"

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

template <class C>
struct Record {
  std::uint32_t matrix, row, wire;
  typename C::Fr::Integer value;  // v R^2 mod r

  explicit Record(const std::byte* at)
      : matrix(load_u32(at)),
        row(load_u32(at + 4)),
        wire(load_u32(at + 8)),
        value(load_integer<typename C::Fr>(at + 12)) {
    // The file may be mapped and change meanwhile: what is tested and what is used are these copies, read once.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  // v: each of the two steps takes one factor R away.
  typename C::Fr coefficient() const {
    using Fr = typename C::Fr;
    return Fr::from_montgomery_limbs(Fr::from_montgomery_limbs(value).to_uint());
  }
};

// Numbers in a builder's dictionary of the coefficients that came last: most records repeat one of few, which is then
// known by its bytes and leaves Montgomery form once.
template <class C>
class KnownCoefficients {
 public:
  explicit KnownCoefficients(ConstraintSystemBuilder<C>& builder) : builder_(builder), places_(kPlaces) {}

  std::uint32_t number_of(const Record<C>& record) {
    Place& place = places_[hash(record.value) % kPlaces];
    if (!place.is_used || !(place.value == record.value)) {
      place = {record.value, builder_.number_of(record.coefficient()), true};
    }
    return place.number;
  }

 private:
  using Integer = typename C::Fr::Integer;
  static constexpr std::size_t kPlaces = 1024;
  struct Place {
    Integer value{};
    std::uint32_t number = 0;
    bool is_used = false;
  };
  static std::size_t hash(const Integer& value) {
    return static_cast<std::size_t>((value.limb[0] * 0x9e3779b97f4a7c15) >> 32);
  }

  ConstraintSystemBuilder<C>& builder_;
  std::vector<Place> places_;
};

template <class Atomic, class Value, class Better>
void keep_best(Atomic& best, Value value, Better better) {
  Value known = best.load();
  while (better(value, known) && !best.compare_exchange_weak(known, value)) {
  }
}

// Which rule a record breaks: "matrix", "row", "wire", "coefficient"; empty for none.
template <class C>
std::string_view broken_rule(const Record<C>& record, const ZkeyHeader& header) {
  if (record.matrix > 1) return "matrix";
  if (record.row >= std::uint64_t{1} << header.domain_log2) return "row";
  if (record.wire >= header.n_vars) return "wire";
  if (!C::Fr::is_canonical(record.value)) return "coefficient";
  return {};
}

template <class C>
std::string rule_text(std::string_view rule, const Record<C>& record, const ZkeyHeader& header) {
  if (rule == "matrix") return fmt::format("matrix {}, expected 0 (A) or 1 (B)", record.matrix);
  if (rule == "row") {
    return fmt::format("row {}, expected less than the domain size {}", record.row,
                       std::uint64_t{1} << header.domain_log2);
  }
  if (rule == "wire") return fmt::format("wire {}, expected less than nVars {}", record.wire, header.n_vars);
  return "its value is not below the prime r";
}

}  // namespace

Result<SystemSizes> ZkeyFile::check_coefficients(const Compute& compute) const {
  return with_curve(header_.curve, [&]<class C>() { return check_coefficients_of<C>(compute); });
}

template <class C>
Result<SystemSizes> ZkeyFile::check_coefficients_of(const Compute& compute) const {
  const Section section = container_.section(zkey::kCoefficients);
  const std::byte* const first = section.payload.data() + zkey::kCountBytes;
  const std::uint64_t count = header_.n_coefficients;
  std::atomic<std::uint64_t> first_bad{count}, n_rows{std::uint64_t{header_.n_public} + 1};
  compute.parallel_for(
      count,
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t rows = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const Record<C> record(first + i * zkey::kRecordBytes);
          if (!broken_rule(record, header_).empty()) {
            keep_best(first_bad, std::uint64_t{i}, std::less<>());
            return;
          }
          rows = std::max(rows, std::uint64_t{record.row} + 1);
        }
        keep_best(n_rows, rows, std::greater<>());
      },
      4096);
  if (compute.cancelled()) return failure(ErrorCode::cancelled, "cancelled", file() + ": loading was cancelled");
  if (const std::uint64_t bad = first_bad.load(); bad != count) {
    const Record<C> record(first + bad * zkey::kRecordBytes);
    const std::string_view rule = broken_rule(record, header_);
    return container_.fail(section, section.offset + zkey::kCountBytes + bad * zkey::kRecordBytes, rule,
                           fmt::format("coefficient {}: {}", bad, rule_text(rule, record, header_)));
  }
  SystemSizes sizes;
  sizes.n_vars = header_.n_vars;
  sizes.n_public = header_.n_public;
  sizes.n_constraints = n_rows.load() - sizes.n_public - 1;
  sizes.domain_log2 = header_.domain_log2;
  return sizes;
}

template <class C>
Result<void> ZkeyFile::collect(ConstraintSystemBuilder<C>& builder) const {
  const std::byte* at = container_.section(zkey::kCoefficients).payload.data() + zkey::kCountBytes;
  const std::uint64_t n_rows = builder.sizes().n_rows(), n_vars = builder.sizes().n_vars;
  KnownCoefficients<C> known(builder);
  for (std::uint64_t i = 0; i < header_.n_coefficients; ++i, at += zkey::kRecordBytes) {
    const Record<C> record(at);
    // What would be written out of bounds. A value that is not canonical is still some number.
    if (record.matrix > 1 || record.row >= n_rows || record.wire >= n_vars) {
      return failure(ErrorCode::conflict, "file.changed",
                     fmt::format("{}: coefficient {} is not what it was when it was checked", file(), i));
    }
    if (record.value.is_zero()) continue;
    builder.add_numbered(record.matrix == 0 ? MatrixId::a : MatrixId::b, record.row, record.wire,
                         known.number_of(record));
  }
  return {};
}

template Result<void> ZkeyFile::collect(ConstraintSystemBuilder<Bn254>&) const;
template Result<void> ZkeyFile::collect(ConstraintSystemBuilder<Bls12_381>&) const;

}  // namespace groth16::formats
