// DeviceArray<T>: memory of the card that frees itself; and what its contents travel by: streams with events to time
// them, pinned memory of the host, copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "cuda/cuda_call.cuh"

namespace groth16::device {

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  void wait(const char* what) const { check(cudaStreamSynchronize(stream_), what); }
  bool is_done(const char* what) const {
    const cudaError_t code = cudaStreamQuery(stream_);
    if (code != cudaErrorNotReady) check(code, what);
    return code != cudaErrorNotReady;
  }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  // What is queued on the stream from here on waits for it; not at all where it was never recorded.
  void hold(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent"); }
  bool has_happened() const {
    const cudaError_t code = cudaEventQuery(event_);
    if (code != cudaErrorNotReady) check(code, "cudaEventQuery");
    return code != cudaErrorNotReady;
  }
  // Milliseconds from earlier to this one; both have happened.
  float since(const Event& earlier) const {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, earlier.event_, event_), "cudaEventElapsedTime");
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Host memory that the card may reach by itself while this lives: 50 GiB/s instead of 6. Where the system does not let
// it be pinned (a limit, memory of another kind) nothing changes but the speed.
//
// Whole pages are pinned, so what is smaller than kLeastBytes or does not begin with a page is left alone: on a heap
// its pages are others' too, and a copy of those, half pinned, is refused (cudaErrorInvalidValue).
class PinnedRange {
 public:
  // What the card reads.
  template <class T>
  explicit PinnedRange(std::span<const T> range)
      // A mapping without the right to write is refused without the flag.
      : PinnedRange(range.data(), range.size_bytes(), cudaHostRegisterReadOnly) {}
  // What the card writes.
  template <class T>
  explicit PinnedRange(std::span<T> range) : PinnedRange(range.data(), range.size_bytes(), cudaHostRegisterDefault) {}
  ~PinnedRange() {
    if (is_pinned_) (void)cudaHostUnregister(begin_);
  }
  PinnedRange(const PinnedRange&) = delete;
  PinnedRange& operator=(const PinnedRange&) = delete;

  bool is_pinned() const { return is_pinned_; }

 private:
  static constexpr std::size_t kPage = 4096, kLeastBytes = std::size_t{1} << 20;

  PinnedRange(const void* data, std::size_t size, unsigned flags) : begin_(const_cast<void*>(data)) {
    if (size < kLeastBytes || reinterpret_cast<std::uintptr_t>(data) % kPage != 0) return;
    is_pinned_ = cudaHostRegister(begin_, (size + kPage - 1) / kPage * kPage, flags) == cudaSuccess;
    if (!is_pinned_) (void)cudaGetLastError();
  }

  void* begin_ = nullptr;
  bool is_pinned_ = false;
};

template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceArray() = default;
  // what names the array in an error.
  DeviceArray(std::size_t size, const char* what) : size_(size) {
    if (size == 0) return;
    check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)),
          "cudaMalloc of " + std::to_string(size * sizeof(T)) + " bytes for " + what);
  }
  ~DeviceArray() { (void)cudaFree(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
void upload(T* to, std::span<const T> from, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync up");
}
template <class T>
void download(std::span<T> to, const T* from, cudaStream_t stream) {
  check(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync down");
}
template <class T>
void set_bytes(T* at, int value, std::size_t count, cudaStream_t stream) {
  check(cudaMemsetAsync(at, value, count * sizeof(T), stream), "cudaMemsetAsync");
}

}  // namespace groth16::device
