// libFuzzer's entry point for the function that GROTH16D_FUZZ_TARGET names.
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  groth16::fuzz::GROTH16D_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
  return 0;
}
