// A job's progress on a terminal: one line that is drawn over and over, and erased at the end.
#pragma once

#include <chrono>
#include <string>

#include "client/lib/client.hpp"

namespace groth16d::ctl {

class ProgressBar {
 public:
  // Draws only where standard error is a terminal and `wanted`.
  explicit ProgressBar(bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const v1::JobStatus& job);

 private:
  bool is_drawn_;
  std::chrono::steady_clock::time_point begin_;
};

// "[#####.....]  50 %  proving 3/10  about 12 s left"
std::string progress_line(const v1::JobStatus& job, std::chrono::milliseconds elapsed);

}  // namespace groth16d::ctl
