// The body of CardMultiples; each curve is compiled in a file of its own.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "cuda/card_multiples.hpp"
#include "cuda/device_array.cuh"
#include "cuda/msm_tables.cuh"
#include "cuda/threads.cuh"

namespace groth16::device {

namespace {

constexpr unsigned kWindowBits = 16;
constexpr unsigned kWindows = 256 / kWindowBits;
constexpr std::size_t kDigits = (std::size_t{1} << kWindowBits) - 1;
constexpr std::size_t kMultiplesBlock = std::size_t{1} << 21;  // scalars that are on the card together

// out[i] = [scalars[i]] generator, with table[window][digit - 1] = [digit 2^(16 window)] generator. Strided, so that
// neighbouring threads write neighbouring points.
template <class F, class Fr>
__global__ void __launch_bounds__(kTableThreads)
    multiply_generator(const Affine<F>* table, const Fr* scalars, Affine<F>* out, Denominators<F>* scratch,
                       std::size_t count) {
  const std::size_t t = thread_index(), stride = std::size_t{gridDim.x} * blockDim.x;
  if (t >= count) return;
  F product = F::one();
  for (std::size_t i = t; i < count; i += stride) {
    const UInt<4> scalar = load16(scalars + i).to_uint();
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (unsigned window = 0; window < kWindows; ++window) {
      const std::uint32_t digit = scalar.bits(window * kWindowBits, kWindowBits);
      if (digit != 0) sum += load16_constant(table + window * kDigits + digit - 1);
    }
    put_aside(sum, out, scratch, i, product);
  }
  normalize(out, scratch, t, stride, count, product);
}

// Maps the pages of memory that will be written, on all threads: alone, the copy from the card would wait for each of
// them (1.6 GB/s), and so would pinning.
template <class T>
void touch_pages(std::span<T> memory, const Compute& compute) {
  constexpr std::size_t kPage = 4096;
  const std::span<std::byte> bytes = std::as_writable_bytes(memory);
  const auto touch = [&](std::size_t begin, std::size_t end) {
    for (std::size_t page = begin; page < end; ++page) {
      volatile std::byte* const at = &bytes[page * kPage];
      *at = std::byte{0};
    }
  };
  compute.parallel_for(bytes.size() / kPage, touch, 1024);
}

// The multiples of one generator, and room for a block of points.
template <class F, class Fr>
class GeneratorTable {
 public:
  explicit GeneratorTable(const Affine<F>& generator)
      : table_(kWindows * kDigits, "multiples of a generator"),
        scalars_(kMultiplesBlock, "scalars"),
        points_(kMultiplesBlock, "points"),
        scratch_(kMultiplesBlock, "denominators") {
    auto base = Jacobian<F>::from_affine(generator);
    for (unsigned window = 0; window < kWindows; ++window) {
      walk(base.to_affine(), 1, kDigits, table_.data() + window * kDigits, stream_.get());
      for (unsigned bit = 0; bit < kWindowBits; ++bit) base = base.doubled();
    }
  }

  // Throws cancelled too.
  void multiply(std::span<const Fr> scalars, std::span<Affine<F>> out, const Compute& compute) const {
    constexpr const char* kWhat = "multiples of a generator";
    touch_pages(out, compute);
    const PinnedRange pinned(out);
    go_on(compute, kWhat);
    for (std::size_t first = 0; first < scalars.size(); first += kMultiplesBlock) {
      const std::size_t count = std::min(kMultiplesBlock, scalars.size() - first);
      const unsigned blocks = table_blocks(count);
      upload(scalars_.data(), scalars.subspan(first, count), stream_.get());
      multiply_generator<F, Fr><<<blocks, kTableThreads, 0, stream_.get()>>>(table_.data(), scalars_.data(),
                                                                             points_.data(), scratch_.data(), count);
      check_launch("multiply_generator");
      download(out.subspan(first, count), static_cast<const Affine<F>*>(points_.data()), stream_.get());
      stream_.wait(kWhat);
      go_on(compute, kWhat);
    }
  }

 private:
  Stream stream_;
  DeviceArray<Affine<F>> table_;
  DeviceArray<Fr> scalars_;
  DeviceArray<Affine<F>> points_;
  DeviceArray<Denominators<F>> scratch_;
};

}  // namespace

template <class C>
struct CardMultiples<C>::Body {
  GeneratorTable<typename C::Fq, Fr> g1{C::generator_g1()};
  GeneratorTable<typename C::Fq2, Fr> g2{C::generator_g2()};
};

template <class C>
CardMultiples<C>::CardMultiples(std::unique_ptr<Body> body) : body_(std::move(body)) {}
template <class C>
CardMultiples<C>::~CardMultiples() = default;

template <class C>
groth16d::Result<std::unique_ptr<CardMultiples<C>>> CardMultiples<C>::make() {
  return guarded([] { return std::unique_ptr<CardMultiples>(new CardMultiples(std::make_unique<Body>())); });
}

template <class C>
groth16d::Result<void> CardMultiples<C>::in_g1(std::span<const Fr> scalars, std::span<typename C::G1> out,
                                               const Compute& compute) const {
  return guarded([&] { body_->g1.multiply(scalars, out, compute); });
}

template <class C>
groth16d::Result<void> CardMultiples<C>::in_g2(std::span<const Fr> scalars, std::span<typename C::G2> out,
                                               const Compute& compute) const {
  return guarded([&] { body_->g2.multiply(scalars, out, compute); });
}

}  // namespace groth16::device
