// Any sequence of uploads' messages, jobs, expiries and kills. Input: steps of four bytes (upload_world.hpp).
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "tests/supervisor/scratch_folder.hpp"
#include "tests/supervisor/upload_world.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const groth16d::ScratchFolder folder;
  groth16d::supervisor::test::UploadWorld world(folder.path(), [](bool promise, const char*) {
    if (!promise) std::abort();
  });
  for (; size >= 4; data += 4, size -= 4) {
    std::array<std::uint8_t, 4> code{};
    std::copy_n(data, code.size(), code.begin());
    world.step(code);
  }
  return 0;
}
