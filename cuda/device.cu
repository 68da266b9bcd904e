// The card's facts, and CUDA's codes as errors.
#include "cuda/device.hpp"

#include <cstdio>

#include "cuda/card_processes.hpp"
#include "cuda/cuda_call.cuh"
#include "cuda/device_array.cuh"

namespace groth16::device {

using groth16d::Error;
using groth16d::ErrorCode;
using groth16d::Result;

namespace {

// The errors after which a context answers every call with the same error (CUDA Runtime API, cudaError_t: "this leaves
// the process in an inconsistent state and any further CUDA work will return the same error").
bool destroys_context(cudaError_t code) {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorDevicesUnavailable:
    case cudaErrorContained:
#if CUDART_VERSION >= 13000
    case cudaErrorTensorMemoryLeak:
#endif
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:  // nobody knows what of the context is left
      return true;
    default:
      return false;
  }
}

// There is none, or none that runs what this program was compiled for.
bool is_no_card_for_us(cudaError_t code) {
  switch (code) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInvalidDevice:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
      return true;
    default:
      return false;
  }
}

// Stands for all kernels: they are compiled for the same cards.
__global__ void any_kernel() {}

void check_code_for(const cudaDeviceProp& card) {
  cudaFuncAttributes attributes;
  check(
      cudaFuncGetAttributes(&attributes, any_kernel),
      "device code for a card of compute capability " + std::to_string(card.major) + "." + std::to_string(card.minor));
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string out = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    out += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9) out += '-';
  }
  return out;
}

Error error_of(cudaError_t code, const std::string& call) {
  const std::string text = call + ": " + cudaGetErrorName(code) + ", " + cudaGetErrorString(code);
  if (destroys_context(code)) return {ErrorCode::system, "gpu.lost", text};
  if (is_no_card_for_us(code)) return {ErrorCode::unavailable, "gpu.no_device", text};
  if (code == cudaErrorMemoryAllocation) {
    std::size_t free_bytes = 0, total_bytes = 0;
    const bool known = cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess;
    return {ErrorCode::too_large, "gpu.out_of_memory",
            text + (known ? "; free on the card: " + std::to_string(free_bytes) + " of " + std::to_string(total_bytes)
                          : std::string())};
  }
  return {ErrorCode::system, "gpu.call", text};
}

}  // namespace

void check(cudaError_t code, const std::string& call) {
  if (code == cudaSuccess) return;
  if (!destroys_context(code)) (void)cudaGetLastError();  // a call's own error is not the next launch's
  throw CudaFailure(error_of(code, call));
}

Result<DeviceFacts> use_first_device() {
  return guarded([] {
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    if (count == 0) check(cudaErrorNoDevice, "cudaGetDeviceCount");
    check(cudaSetDevice(0), "cudaSetDevice");
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    check_code_for(properties);
    std::size_t free_bytes = 0, total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    DeviceFacts facts;
    facts.name = properties.name;
    facts.uuid = uuid_text(properties.uuid);
    facts.multiprocessors = properties.multiProcessorCount;
    check(cudaDeviceGetAttribute(&facts.clock_khz, cudaDevAttrClockRate, 0), "cudaDeviceGetAttribute");
    facts.total_bytes = total_bytes;
    facts.free_bytes = free_bytes;
    return facts;
  });
}

// What fits the card but not what is left of it is somebody's doing, unless nobody is there.
Error no_room(std::uint64_t needed_bytes, std::uint64_t free_bytes, std::uint64_t total_bytes) {
  const std::string text = "the prove stage needs " + std::to_string(needed_bytes) + " bytes of the card's memory, " +
                           std::to_string(free_bytes) + " of " + std::to_string(total_bytes) + " are free";
  const Result<DeviceFacts> facts = use_first_device();
  const auto others = facts ? other_processes(facts->uuid) : std::vector<CardProcess>();
  if (needed_bytes > total_bytes || others.empty()) return {ErrorCode::too_large, "gpu.plan", text};
  std::string holders;
  for (const CardProcess& other : others) {
    holders += (holders.empty() ? "" : ", ") + ("pid " + std::to_string(other.pid));
    if (other.bytes > 0) holders += " (" + std::to_string(other.bytes) + " bytes)";
  }
  return {ErrorCode::unavailable, "gpu.memory_taken", text + "; the card is also used by " + holders};
}

Error over_limit(std::uint64_t needed_bytes, std::uint64_t most_bytes) {
  return {ErrorCode::too_large, "gpu.plan",
          "the prove stage needs " + std::to_string(needed_bytes) + " bytes of the card's memory, and may take " +
              std::to_string(most_bytes)};
}

std::shared_ptr<void> pin(std::span<const std::byte> bytes) {
  auto pinned = std::make_shared<PinnedRange>(bytes);
  return pinned->is_pinned() ? pinned : nullptr;
}

bool is_sticky(const Error& error) { return error.name == "gpu.lost"; }

}  // namespace groth16::device
