#include "client/web/gpu_gauge.hpp"

#include <array>

#include <dlfcn.h>

namespace groth16d::web {
namespace {

// The few declarations of nvml.h that are needed; its ABI names them with a version, and 0 is success everywhere.
using Device = void*;
struct Memory {
  unsigned long long total = 0, free = 0, used = 0;
};
struct Utilisation {
  unsigned gpu = 0, memory = 0;
};
constexpr int kSuccess = 0;
constexpr int kTemperatureOfGpu = 0;
constexpr unsigned kMostCards = 64;

template <class Function>
bool find(void* library, const char* name, Function*& out) {
  out = reinterpret_cast<Function*>(::dlsym(library, name));
  return out != nullptr;
}

}  // namespace

struct GpuGauge::Library {
  void* handle = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*device)(unsigned, Device*) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*utilisation)(Device, Utilisation*) = nullptr;

  bool complete() {
    return find(handle, "nvmlInit_v2", init) && find(handle, "nvmlShutdown", shutdown) &&
           find(handle, "nvmlDeviceGetCount_v2", count) && find(handle, "nvmlDeviceGetHandleByIndex_v2", device) &&
           find(handle, "nvmlDeviceGetUUID", uuid) && find(handle, "nvmlDeviceGetName", name) &&
           find(handle, "nvmlDeviceGetMemoryInfo", memory) && find(handle, "nvmlDeviceGetTemperature", temperature) &&
           find(handle, "nvmlDeviceGetUtilizationRates", utilisation);
  }

  GpuFigures figures_of(Device card) const {
    GpuFigures figures;
    std::array<char, 96> text{};
    if (uuid(card, text.data(), text.size()) == kSuccess) figures.uuid = text.data();
    if (name(card, text.data(), text.size()) == kSuccess) figures.name = text.data();
    if (Memory bytes; memory(card, &bytes) == kSuccess) {
      figures.memory_total_bytes = bytes.total;
      figures.memory_used_bytes = bytes.used;
    }
    if (unsigned celsius = 0; temperature(card, kTemperatureOfGpu, &celsius) == kSuccess)
      figures.temperature_celsius = celsius;
    if (Utilisation percent; utilisation(card, &percent) == kSuccess) figures.utilisation_percent = percent.gpu;
    return figures;
  }
};

GpuGauge::GpuGauge(const char* library) {
  auto loaded = std::make_unique<Library>();
  loaded->handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded->handle == nullptr) return;
  if (loaded->complete() && loaded->init() == kSuccess)
    library_ = std::move(loaded);
  else
    ::dlclose(loaded->handle);
}

GpuGauge::~GpuGauge() {
  if (!library_) return;
  library_->shutdown();
  ::dlclose(library_->handle);
}

std::vector<GpuFigures> GpuGauge::read() const {
  std::vector<GpuFigures> cards;
  unsigned count = 0;
  if (!library_ || library_->count(&count) != kSuccess) return cards;
  for (unsigned index = 0; index < count && index < kMostCards; ++index) {
    Device card = nullptr;
    if (library_->device(index, &card) == kSuccess) cards.push_back(library_->figures_of(card));
  }
  return cards;
}

}  // namespace groth16d::web
