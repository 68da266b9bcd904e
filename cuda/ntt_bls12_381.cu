// The transforms of Bls12_381's scalar field.
#include "cuda/ntt_instance.cuh"
#include "groth16/algebra/bls12_381.hpp"

namespace groth16::device {

GROTH16_INSTANTIATE_NTT(Bls12_381::Fr)

}  // namespace groth16::device
