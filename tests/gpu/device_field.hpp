// Field operations run on the card, one result an operand pair, for comparison with the host's.
#pragma once

#include <span>
#include <vector>

#include "groth16/algebra/curves.hpp"

namespace groth16::test {

// What the card computes from a and b.
template <class F>
struct DeviceResults {
  F sum, difference, product, square, inverse, merged_difference;  // the last: a * b - b * (a + b)
};

template <class F>
std::vector<DeviceResults<F>> compute_on_device(std::span<const F> a, std::span<const F> b);

}  // namespace groth16::test
