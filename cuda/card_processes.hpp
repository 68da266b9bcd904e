// Who else holds memory of a card, as the driver's management library (NVML) tells. The library belongs to the driver
// and is opened when it is asked for: a machine without it only loses the names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace groth16::device {

struct CardProcess {
  std::uint32_t pid = 0;
  std::uint64_t bytes = 0;  // 0: the driver does not say
};

// Processes other than this one with a context on the card; empty where nobody can tell. uuid: "GPU-...".
std::vector<CardProcess> other_processes(const std::string& uuid);

}  // namespace groth16::device
