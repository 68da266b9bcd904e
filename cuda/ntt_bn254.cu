// The transforms of Bn254's scalar field.
#include "cuda/ntt_instance.cuh"
#include "groth16/algebra/bn254.hpp"

namespace groth16::device {

GROTH16_INSTANTIATE_NTT(Bn254::Fr)

}  // namespace groth16::device
