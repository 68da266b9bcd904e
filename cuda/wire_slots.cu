// Ranks by a scan of the bitmap's words.
#include "cuda/wire_slots.cuh"

#include "cuda/ordering.cuh"
#include "cuda/threads.cuh"

namespace groth16::device {

namespace {

constexpr unsigned kThreads = 256;

__global__ void count_bits(const std::uint32_t* words, std::uint32_t* counts, std::size_t count) {
  const std::size_t i = thread_index();
  if (i < count) counts[i] = static_cast<std::uint32_t>(__popc(words[i]));
}

__global__ void translate(WireSlots::View slots, const std::uint32_t* wires, std::uint32_t* out, std::size_t count) {
  const std::size_t i = thread_index();
  if (i < count) out[i] = slots.slot(wires[i]);
}

}  // namespace

WireSlots::WireSlots(std::span<const std::uint64_t> bitmap, const Stream& stream)
    : bitmap_(2 * bitmap.size(), "the bitmap of boolean wires"), ranks_(2 * bitmap.size(), "ranks of boolean wires") {
  if (bitmap.size() > View::kFullBit / 64) {
    throw CudaFailure({groth16d::ErrorCode::too_large, "gpu.system_terms",
                       std::to_string(64 * bitmap.size()) + " wires; the card's slots have room for 2^31"});
  }
  const std::size_t words = bitmap_.size();
  const DeviceArray<std::uint32_t> counts(words, "counts of boolean wires");
  const std::size_t bytes = scan_temporary_bytes(words);
  const DeviceArray<std::byte> temporary(bytes, "a scan");
  upload(reinterpret_cast<std::uint64_t*>(bitmap_.data()), bitmap, stream.get());
  count_bits<<<blocks_for(words, kThreads), kThreads, 0, stream.get()>>>(bitmap_.data(), counts.data(), words);
  check_launch("count_bits");
  exclusive_scan(counts.data(), ranks_.data(), words, temporary.data(), bytes, stream.get());
  stream.wait("ranks of boolean wires");
}

void wires_to_slots(const WireSlots& slots, const std::uint32_t* wires, std::uint32_t* out, std::size_t count,
                    cudaStream_t stream) {
  if (count == 0) return;
  translate<<<blocks_for(count, kThreads), kThreads, 0, stream>>>(slots.view(), wires, out, count);
  check_launch("translate");
}

}  // namespace groth16::device
