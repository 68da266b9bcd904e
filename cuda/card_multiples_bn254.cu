// Multiples of the generators of Bn254.
#include "cuda/card_multiples_instance.cuh"
#include "groth16/algebra/bn254.hpp"

namespace groth16::device {

template class CardMultiples<Bn254>;

}  // namespace groth16::device
