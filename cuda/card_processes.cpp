#include "cuda/card_processes.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <memory>

namespace groth16::device {

namespace {

// The part of NVML's interface that is used here (NVML API reference, "Device Queries"): types by their layout, which
// the suffixes _v2 and _v3 promise to keep.
using Device = struct OpaqueDevice*;
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
constexpr int kSuccess = 0;
constexpr unsigned long long kNotKnown = ~0ULL;
constexpr unsigned kMostProcesses = 256;

class ManagementLibrary {
 public:
  ManagementLibrary() : library_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    const auto init = function<int()>("nvmlInit_v2");
    is_open_ = init != nullptr && init() == kSuccess;
  }
  ~ManagementLibrary() {
    if (is_open_) {
      if (const auto shutdown = function<int()>("nvmlShutdown")) shutdown();
    }
    if (library_ != nullptr) ::dlclose(library_);
  }
  ManagementLibrary(const ManagementLibrary&) = delete;
  ManagementLibrary& operator=(const ManagementLibrary&) = delete;

  bool is_open() const { return is_open_; }

  // nullptr where the library has no such function.
  template <class Signature>
  Signature* function(const char* name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<Signature*>(::dlsym(library_, name));
  }

 private:
  void* library_ = nullptr;
  bool is_open_ = false;
};

}  // namespace

std::vector<CardProcess> other_processes(const std::string& uuid) {
  const ManagementLibrary nvml;
  if (!nvml.is_open()) return {};
  const auto by_uuid = nvml.function<int(const char*, Device*)>("nvmlDeviceGetHandleByUUID");
  const auto running = nvml.function<int(Device, unsigned*, ProcessInfo*)>("nvmlDeviceGetComputeRunningProcesses_v3");
  Device device = nullptr;
  if (by_uuid == nullptr || running == nullptr || by_uuid(uuid.c_str(), &device) != kSuccess) return {};
  std::vector<ProcessInfo> found(kMostProcesses);
  unsigned count = kMostProcesses;
  if (running(device, &count, found.data()) != kSuccess) return {};
  std::vector<CardProcess> others;
  for (unsigned i = 0; i < count && i < kMostProcesses; ++i) {
    if (found[i].pid == static_cast<unsigned>(::getpid())) continue;
    others.push_back({found[i].pid, found[i].used_bytes == kNotKnown ? 0 : found[i].used_bytes});
  }
  return others;
}

}  // namespace groth16::device
