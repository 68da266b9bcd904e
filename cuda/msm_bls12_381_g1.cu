// Sums in G1 of Bls12_381.
#include "cuda/msm_instance.cuh"
#include "cuda/streamed_points_instance.cuh"
#include "cuda/wire_points_instance.cuh"
#include "groth16/algebra/bls12_381.hpp"

namespace groth16::device {

GROTH16_INSTANTIATE_MSM(Bls12_381::Fq)
GROTH16_INSTANTIATE_STREAMED_POINTS(Bls12_381::Fq)
GROTH16_INSTANTIATE_WIRE_POINTS(Bls12_381::Fq)

}  // namespace groth16::device
