// What NVIDIA's management library says of the cards of this machine. It is looked for at run time: where there is no
// driver there are no cards, and nothing else changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace groth16d::web {

struct GpuFigures {
  std::string uuid, name;
  std::uint64_t memory_total_bytes = 0;
  std::uint64_t memory_used_bytes = 0;
  std::uint32_t temperature_celsius = 0;
  std::uint32_t utilisation_percent = 0;
};

class GpuGauge {
 public:
  // `library` is what dlopen is given.
  explicit GpuGauge(const char* library = "libnvidia-ml.so.1");
  ~GpuGauge();
  GpuGauge(const GpuGauge&) = delete;
  GpuGauge& operator=(const GpuGauge&) = delete;

  // Takes some milliseconds a card. A figure that a card does not give is 0.
  std::vector<GpuFigures> read() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;  // none: no driver here
};

}  // namespace groth16d::web
