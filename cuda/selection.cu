// Masks of 32 items, a scan of their counts, and the places written out.
#include "cuda/selection.cuh"

#include "cuda/ordering.cuh"

namespace groth16::device {

namespace {

constexpr unsigned kThreads = 256;

__global__ void gather_masks(const std::uint32_t* bits, const std::uint32_t* bit_of, std::size_t count,
                             std::uint32_t* masks, std::uint32_t* counts) {
  const std::size_t i = thread_index();
  bool is_set = false;
  if (i < count) {
    const std::uint32_t at = bit_of == nullptr ? static_cast<std::uint32_t>(i) : bit_of[i];
    is_set = ((bits[at / 32] >> (at % 32)) & 1) != 0;
  }
  const std::uint32_t mask = __ballot_sync(0xffffffff, is_set);
  if (threadIdx.x % 32 == 0 && i < count) {
    masks[i / 32] = mask;
    counts[i / 32] = static_cast<std::uint32_t>(__popc(mask));
  }
}

// One thread an item: its place is its mask's first place and the set bits before its own.
__global__ void write_places(const std::uint32_t* masks, const std::uint32_t* places, std::size_t count,
                             std::uint32_t* list, std::uint32_t* total) {
  const std::size_t i = thread_index();
  if (i >= count) return;
  const std::uint32_t mask = masks[i / 32], below = mask & ((1u << (i % 32)) - 1);
  const std::uint32_t place = places[i / 32] + static_cast<std::uint32_t>(__popc(below));
  const bool is_set = ((mask >> (i % 32)) & 1) != 0;
  if (is_set) list[place] = static_cast<std::uint32_t>(i);
  if (i + 1 == count) *total = place + (is_set ? 1 : 0);
}

}  // namespace

std::size_t selection_workspace_bytes(std::size_t count) {
  const std::size_t words = (count + 31) / 32;
  WorkspaceSize size;
  for (int i = 0; i < 3; ++i) size.add<std::uint32_t>(words);
  size.add<std::byte>(scan_temporary_bytes(words));
  return size.bytes();
}

void select_set_bits(const std::uint32_t* bits, const std::uint32_t* bit_of, std::size_t count, std::uint32_t* list,
                     std::uint32_t* total, Workspace& workspace, cudaStream_t stream) {
  if (count == 0) return set_bytes(total, 0, 1, stream);
  const std::size_t words = (count + 31) / 32;
  auto* const masks = workspace.take<std::uint32_t>(words);
  auto* const counts = workspace.take<std::uint32_t>(words);
  auto* const places = workspace.take<std::uint32_t>(words);
  const std::size_t bytes = scan_temporary_bytes(words);
  auto* const temporary = workspace.take<std::byte>(bytes);
  const unsigned blocks = blocks_for(count, kThreads);
  gather_masks<<<blocks, kThreads, 0, stream>>>(bits, bit_of, count, masks, counts);
  check_launch("gather_masks");
  exclusive_scan(counts, places, words, temporary, bytes, stream);
  write_places<<<blocks, kThreads, 0, stream>>>(masks, places, count, list, total);
  check_launch("write_places");
}

}  // namespace groth16::device
