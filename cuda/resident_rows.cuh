// ResidentRows: the matrices A and B of a constraint system in the card's memory, and their products with a witness.
//
// A term is the slot of its wire and the index of its coefficient. Terms of bits add a coefficient or nothing, terms of
// full-size values with coefficient 1 or -1 add or subtract; only the others cost a product. A thread takes a row; the
// few long rows are taken by a warp each.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cuda/device_array.cuh"
#include "cuda/wire_slots.cuh"
#include "groth16/proof/constraint_system.hpp"

namespace groth16::device {

// Values of boolean wires that are no bits, by the place of the bit, rising. Their bits are 0.
template <class Fr>
struct BitException {
  std::uint32_t bit;
  std::uint32_t zero[3];
  Fr value;
};

// A witness as kernels read it.
template <class Fr>
struct WitnessView {
  const std::uint32_t* bits;
  const Fr* full;  // Montgomery form
  const BitException<Fr>* exceptions;
  std::uint32_t n_exceptions;
};

template <class C>
class ResidentRows {
 public:
  using Fr = typename C::Fr;

  // Errors by exception: gpu.system_terms (too_large: 2^32 terms or more in a matrix).
  ResidentRows(const ConstraintSystem<C>& system, const WireSlots& slots, const Stream& stream);
  static std::uint64_t planned_bytes(const ConstraintSystem<C>& system);

  // out[row] = <row of matrix, w> in Montgomery form, zero behind the last row; domain_size elements.
  void evaluate(MatrixId matrix, const WitnessView<Fr>& witness, Fr* out, cudaStream_t stream) const;

 private:
  struct Matrix {
    DeviceArray<std::uint32_t> starts, slots;
    DeviceArray<std::byte> coefficients;
    DeviceArray<std::uint32_t> long_rows;
    std::uint32_t coefficient_bytes = 2;
  };
  static Matrix load(const SparseMatrix& matrix, std::uint64_t n_rows, const WireSlots& slots, const Stream& stream);

  std::array<Matrix, 2> matrices_;
  DeviceArray<Fr> dictionary_;
  std::uint32_t n_rows_ = 0, domain_size_ = 0;
};

}  // namespace groth16::device
