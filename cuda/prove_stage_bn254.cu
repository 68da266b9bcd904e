// The prove stage on Bn254.
#include "cuda/prove_stage_instance.cuh"
#include "groth16/algebra/bn254.hpp"

namespace groth16::device {

template class GpuProveStage<Bn254>;

}  // namespace groth16::device
