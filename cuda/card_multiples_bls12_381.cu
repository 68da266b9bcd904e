// Multiples of the generators of Bls12_381.
#include "cuda/card_multiples_instance.cuh"
#include "groth16/algebra/bls12_381.hpp"

namespace groth16::device {

template class CardMultiples<Bls12_381>;

}  // namespace groth16::device
