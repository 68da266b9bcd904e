// Sparse matrix times packed witness, a few rows at a time on every thread.
#include "groth16/proof/evaluate.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace groth16 {

namespace {

constexpr std::size_t kRowGrain = 512;  // a hand-out costs nothing beside it

// What one row needs of a witness, with the boolean wires' bits spread out by wire.
template <class C>
class RowEvaluator {
 public:
  using Fr = typename C::Fr;

  RowEvaluator(const PackedWitness<C>& witness, const Compute& compute)
      : witness_(witness), system_(witness.system()), wire_bits_(witness.wire_bits(compute)) {}

  // <row, w> in Montgomery form. A boolean wire adds its coefficient or nothing. Products with full values, and full
  // values times 1 and -1, collect as plain numbers and enter Montgomery form together, with one multiplication a row.
  Fr evaluate(const SparseMatrix& matrix, std::uint64_t row) const {
    Fr sum = Fr::zero(), plain = Fr::zero();
    matrix.for_each_term(row, [&](std::uint32_t wire, std::uint32_t index) {
      if (((wire_bits_[wire / 64] >> (wire % 64)) & 1) != 0) {
        sum += system_.dictionary()[index];
      } else if (wire == 0) {
        sum += system_.dictionary()[index];
      } else if (!system_.is_boolean(wire) || !witness_.exceptions().empty()) {
        add_product(plain, index, witness_.value(wire));
      }
    });
    return plain.is_zero() ? sum : sum + Fr::from_uint(plain.limbs());
  }

 private:
  void add_product(Fr& plain, std::uint32_t index, const typename C::Scalar& value) const {
    if (index == ConstraintSystem<C>::kOneIndex) {
      plain += Fr::from_montgomery_limbs(value);
    } else if (index == ConstraintSystem<C>::kMinusOneIndex) {
      plain -= Fr::from_montgomery_limbs(value);
    } else {
      plain += Fr::from_montgomery_limbs(system_.dictionary()[index].mul_raw(value).limbs());
    }
  }

  const PackedWitness<C>& witness_;
  const ConstraintSystem<C>& system_;
  std::vector<std::uint64_t> wire_bits_;
};

}  // namespace

template <class C>
void evaluate(const ConstraintSystem<C>& system, const PackedWitness<C>& witness, std::span<typename C::Fr> a,
              std::span<typename C::Fr> b, const Compute& compute) {
  using Fr = typename C::Fr;
  const RowEvaluator<C> evaluator(witness, compute);
  const std::uint64_t n_rows = system.n_rows();
  const auto rows = [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      a[row] = row < n_rows ? evaluator.evaluate(system.matrix(MatrixId::a), row) : Fr::zero();
      b[row] = row < n_rows ? evaluator.evaluate(system.matrix(MatrixId::b), row) : Fr::zero();
    }
  };
  compute.parallel_for(a.size(), rows, kRowGrain);
}

template <class C>
std::optional<std::uint64_t> first_unsatisfied_row(const ConstraintSystem<C>& system, const PackedWitness<C>& witness,
                                                   const Compute& compute) {
  const RowEvaluator<C> evaluator(witness, compute);
  const std::uint64_t n_constraints = system.n_constraints();
  std::atomic<std::uint64_t> first{n_constraints};
  const auto rows = [&](std::size_t begin, std::size_t end) {
    for (std::uint64_t row = begin; row < end && row < first.load(std::memory_order_relaxed); ++row) {
      const auto product =
          evaluator.evaluate(system.matrix(MatrixId::a), row) * evaluator.evaluate(system.matrix(MatrixId::b), row);
      if (product == evaluator.evaluate(system.matrix(MatrixId::c), row)) continue;
      std::uint64_t known = first.load();
      while (row < known && !first.compare_exchange_weak(known, row)) {
      }
      return;
    }
  };
  compute.parallel_for(n_constraints, rows, kRowGrain);
  if (compute.cancelled() || first == n_constraints) return std::nullopt;
  return first.load();
}

std::uint64_t evaluate_private_bytes(const SystemSizes& sizes) { return sizes.n_vars / 8 + 8; }

#define GROTH16_DEFINE_EVALUATE(C)                                                                                 \
  template void evaluate(const ConstraintSystem<C>&, const PackedWitness<C>&, std::span<C::Fr>, std::span<C::Fr>,  \
                         const Compute&);                                                                          \
  template std::optional<std::uint64_t> first_unsatisfied_row(const ConstraintSystem<C>&, const PackedWitness<C>&, \
                                                              const Compute&);
GROTH16_DEFINE_EVALUATE(Bn254)
GROTH16_DEFINE_EVALUATE(Bls12_381)

}  // namespace groth16
