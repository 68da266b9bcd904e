// How long work queued on a card takes there, by events around it.
#pragma once

#include <utility>
#include <vector>

#include "bench/timing.hpp"
#include "cuda/device_array.cuh"

namespace groth16d::bench {

// Milliseconds of what queue() puts on the stream: the median of `runs`, after two that are not counted.
template <class Queue>
double median_card_ms(const groth16::device::Stream& stream, int runs, Queue&& queue) {
  std::vector<double> ms;
  for (int run = -2; run < runs; ++run) {
    groth16::device::Event begin, end;
    begin.record(stream.get());
    queue();
    end.record(stream.get());
    stream.wait("a measurement");
    if (run >= 0) ms.push_back(end.since(begin));
  }
  return median(std::move(ms));
}

}  // namespace groth16d::bench
