// What commands that compute alone share: all cores, and output files that appear whole or not at all.
#pragma once

#include <algorithm>
#include <string>
#include <thread>

#include "common/error.hpp"
#include "groth16/algebra/compute.hpp"
#include "groth16/formats/byte_sink.hpp"

namespace groth16d::ctl {

inline groth16::Compute all_cores() { return groth16::Compute(std::max(1U, std::thread::hardware_concurrency())); }

// A file's fate is that of the work that fills it: committed when `write` succeeds, else gone.
template <class Fn>
Result<void> write_output(const std::string& path, Fn&& write) {
  auto file = groth16::formats::OutputFile::create(path);
  if (!file) return tl::unexpected<Error>(file.error());
  if (auto written = write(*file); !written) return written;
  return file->commit();
}

inline constexpr char kInsecureWarning[] =
    "warning: made without a ceremony: whoever saw this program's memory can forge proofs for ";

}  // namespace groth16d::ctl
