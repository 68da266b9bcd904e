// Sums in G1 of Bn254.
#include "cuda/msm_instance.cuh"
#include "cuda/streamed_points_instance.cuh"
#include "cuda/wire_points_instance.cuh"
#include "groth16/algebra/bn254.hpp"

namespace groth16::device {

GROTH16_INSTANTIATE_MSM(Bn254::Fq)
GROTH16_INSTANTIATE_STREAMED_POINTS(Bn254::Fq)
GROTH16_INSTANTIATE_WIRE_POINTS(Bn254::Fq)

}  // namespace groth16::device
