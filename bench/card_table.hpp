// The rows of a card's table: what was measured, its time, the time that the card's ceiling alone would take, and how
// much of the ceiling that is.
#pragma once

#include <cstdio>
#include <string>

namespace groth16d::bench {

struct CardRow {
  std::string what;
  double ms = 0;
  double least_ms = 0;       // at the ceiling
  const char* ceiling = "";  // which one
  std::string remark;
};

inline void print_card_heading() {
  std::printf("| %-32s | %9s | %9s | %4s | %-16s | |\n|---|---|---|---|---|---|\n", "what", "ms", "at least", "%",
              "ceiling");
}

inline void print(const CardRow& row) {
  std::printf("| %-32s | %9.3f | %9.3f | %3.0f%% | %-16s | %s |\n", row.what.c_str(), row.ms, row.least_ms,
              row.least_ms / row.ms * 100, row.ceiling, row.remark.c_str());
  std::fflush(stdout);
}

}  // namespace groth16d::bench
