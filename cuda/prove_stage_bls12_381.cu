// The prove stage on Bls12_381.
#include "cuda/prove_stage_instance.cuh"
#include "groth16/algebra/bls12_381.hpp"

namespace groth16::device {

template class GpuProveStage<Bls12_381>;

}  // namespace groth16::device
