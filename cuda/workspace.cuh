// Workspace: one piece of the card's memory, planned before work starts, from which kernels' temporary arrays are cut.
// Nothing is ever freed in it but all at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda/device_array.cuh"

namespace groth16::device {

inline constexpr std::size_t kWorkspaceAlignment = 256;

// Stands for a workspace before there is one: gives nothing, and adds up what is taken of it. Who cuts arrays writes it
// once, for either, so that what was planned is what is taken.
class WorkspaceSize {
 public:
  template <class T>
  T* take(std::size_t count) {
    bytes_ += (count * sizeof(T) + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
    return nullptr;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

class Workspace {
 public:
  explicit Workspace(std::size_t bytes) : memory_(bytes, "the workspace") {}

  std::size_t bytes() const { return memory_.size(); }
  void reset() { used_ = 0; }

  template <class T>
  T* take(std::size_t count) {
    WorkspaceSize size;
    size.take<T>(count);
    if (size.bytes() > memory_.size() - used_) {
      throw CudaFailure({groth16d::ErrorCode::internal, "gpu.workspace",
                         "a device workspace of " + std::to_string(memory_.size()) + " bytes was planned too small"});
    }
    T* const at = reinterpret_cast<T*>(memory_.data() + used_);
    used_ += size.bytes();
    return at;
  }

 private:
  DeviceArray<std::byte> memory_;
  std::size_t used_ = 0;
};

}  // namespace groth16::device
