// KeyStream: points that stay with the host, on their way to the card in pieces, each into one of two buffers: while
// kernels read one, the copies of a stream of their own fill the other. Where the host's memory is pinned a copy takes
// no processor time and 50 GiB/s; where it is not, all is slower and stays right.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>

#include "cuda/device_array.cuh"
#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/curve.hpp"

namespace groth16::device {

class KeyStream {
 public:
  // Two buffers of piece_bytes each.
  explicit KeyStream(std::size_t piece_bytes) : piece_bytes_(piece_bytes) {
    for (Buffer& buffer : buffers_) buffer.memory = DeviceArray<std::byte>(piece_bytes, "a key on its way");
  }
  static std::uint64_t planned_bytes(std::size_t piece_bytes) { return 2 * std::uint64_t{piece_bytes}; }

  // Points in a piece.
  template <class F>
  static std::size_t piece_points(std::size_t piece_bytes) {
    return std::max<std::size_t>(1, piece_bytes / sizeof(Affine<F>));
  }

  // Calls read(points on the card, piece's number) for each piece of the section, which queues on `stream` what reads
  // them. Two pieces are queued at once, not more: after a cancel (thrown) the card soon reads no host memory.
  template <class F, class Reader>
  void each_piece(std::span<const Affine<F>> section, cudaStream_t stream, const Compute& compute, Reader&& read) {
    const std::size_t most = piece_points<F>(piece_bytes_);
    for (std::size_t first = 0, number = 0; first < section.size(); first += most, ++number) {
      Buffer& buffer = buffers_[number % buffers_.size()];
      wait(buffer.used, compute);
      auto* const points = reinterpret_cast<Affine<F>*>(buffer.memory.data());
      upload(points, section.subspan(first, std::min(most, section.size() - first)), copies_.get());
      buffer.arrived.record(copies_.get());
      buffer.arrived.hold(stream);
      read(static_cast<const Affine<F>*>(points), number);
      buffer.used.record(stream);
    }
  }

  // Where its user ends, however it ends, the card reads no host memory any more.
  class Use {
   public:
    explicit Use(const KeyStream* stream) : stream_(stream) {}  // nullptr: nothing is streamed
    ~Use() {
      if (stream_ != nullptr) (void)cudaStreamSynchronize(stream_->copies_.get());
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const KeyStream* stream_;
  };

 private:
  struct Buffer {
    DeviceArray<std::byte> memory;
    Event arrived, used;
  };

  void wait(const Event& event, const Compute& compute) const {
    constexpr std::chrono::microseconds kBetweenLooks{100};
    while (!event.has_happened() && !compute.cancelled()) std::this_thread::sleep_for(kBetweenLooks);
    go_on(compute, "a key's points to the card");
  }

  std::size_t piece_bytes_;
  Stream copies_;
  std::array<Buffer, 2> buffers_;
};

}  // namespace groth16::device
