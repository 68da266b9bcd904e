// Masks of 32 items, a scan of their counts, and the places written out.
#include "cuda/selection.cuh"

#include "cuda/ordering.cuh"
#include "cuda/threads.cuh"

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

struct SelectionArrays {
  std::size_t words;
  std::uint32_t *masks, *counts, *places;
  std::byte* temporary;
  std::size_t temporary_bytes;
};

template <class Source>
SelectionArrays take_arrays(std::size_t count, Source& workspace) {
  SelectionArrays arrays;
  arrays.words = (count + 31) / 32;
  arrays.masks = workspace.template take<std::uint32_t>(arrays.words);
  arrays.counts = workspace.template take<std::uint32_t>(arrays.words);
  arrays.places = workspace.template take<std::uint32_t>(arrays.words);
  arrays.temporary_bytes = scan_temporary_bytes(arrays.words);
  arrays.temporary = workspace.template take<std::byte>(arrays.temporary_bytes);
  return arrays;
}

}  // namespace

std::size_t selection_workspace_bytes(std::size_t count) {
  WorkspaceSize size;
  take_arrays(count, size);
  return size.bytes();
}

void select_set_bits(const std::uint32_t* bits, const std::uint32_t* bit_of, std::size_t count, std::uint32_t* list,
                     std::uint32_t* total, Workspace& workspace, cudaStream_t stream) {
  if (count == 0) return set_bytes(total, 0, 1, stream);
  const SelectionArrays arrays = take_arrays(count, workspace);
  const unsigned blocks = blocks_for(count, kThreads);
  gather_masks<<<blocks, kThreads, 0, stream>>>(bits, bit_of, count, arrays.masks, arrays.counts);
  check_launch("gather_masks");
  exclusive_scan(arrays.counts, arrays.places, arrays.words, arrays.temporary, arrays.temporary_bytes, stream);
  write_places<<<blocks, kThreads, 0, stream>>>(arrays.masks, arrays.places, count, list, total);
  check_launch("write_places");
}

}  // namespace groth16::device
