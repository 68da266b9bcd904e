// How long something takes: one run of it, or the median of several.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace groth16d::bench {

// Of an even number of values the upper of the two in the middle.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Body>
double seconds_of(Body&& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The median of `runs`, after one run that is not counted.
template <class Body>
double median_seconds(int runs, Body&& body) {
  std::vector<double> seconds;
  body();
  for (int run = 0; run < runs; ++run) seconds.push_back(seconds_of(body));
  return median(std::move(seconds));
}

}  // namespace groth16d::bench
