// How a failed CUDA call travels inside cuda/: as an exception that carries the Error, caught where the folder's face
// is (guarded). A call whose code nobody reads does not exist here.
#pragma once

#include <cuda_runtime.h>

#include <exception>
#include <string>
#include <utility>

#include "common/error.hpp"
#include "cuda/device.hpp"
#include "groth16/algebra/compute.hpp"

namespace groth16::device {

class CudaFailure : public std::exception {
 public:
  explicit CudaFailure(groth16d::Error error) : error_(std::move(error)) {}
  const groth16d::Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.text.c_str(); }

 private:
  groth16d::Error error_;
};

// Throws unless code is success. call names what was called: "cudaMalloc of 96 MiB for buckets", "kernel ntt_pass".
void check(cudaError_t code, const std::string& call);

// After a launch: its own error, not that of the kernel's run.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), std::string("kernel ") + kernel); }

// Between two pieces of work: the sign of life, and the end of what nobody wants any more. Throws cancelled.
inline void go_on(const Compute& compute, const char* what) {
  compute.beat();
  if (!compute.cancelled()) return;
  throw CudaFailure({groth16d::ErrorCode::cancelled, "cancelled", std::string(what) + ": cancelled"});
}

// Calls fn and turns what it throws into an Error: the border between cuda/ and its users.
template <class Fn>
auto guarded(Fn&& fn) -> groth16d::Result<decltype(fn())> {
  try {
    if constexpr (std::is_void_v<decltype(fn())>) {
      fn();
      return {};
    } else {
      return fn();
    }
  } catch (const CudaFailure& failure) {
    return tl::unexpected(failure.error());
  } catch (const std::exception& exception) {
    return groth16d::failure(groth16d::ErrorCode::internal, "gpu.exception",
                             std::string("device code's host side: ") + exception.what());
  }
}

}  // namespace groth16::device
