// When a slot's next process starts, and when the slot has failed too often to be given one.
//
// Restart intensity in the words of Erlang/OTP: more than `limit` deaths that count within `window` fail the slot. The
// delay before a restart is first * 2^n (n deaths in a row), at most max, plus up to a quarter of jitter so that slots
// that died together do not start together. A death that counts against nobody restarts at once.
#pragma once

#include <cstdint>
#include <deque>

#include "supervisor/core/config.hpp"

namespace groth16d::supervisor {

// SplitMix64 (Steele, Lea, Flood 2014): a deterministic generator whose whole state is one word.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

class RestartPolicy {
 public:
  explicit RestartPolicy(const CoreConfig& config) : config_(&config) {}

  struct Verdict {
    bool failed = false;
    Millis delay{0};
  };

  // `culprit`: uid of the job or circuit that it was working for, 0: none.
  Verdict on_death(Death death, std::uint64_t culprit, TimePoint now, SplitMix64& jitter);
  void on_success() { streak_ = 0; }
  // The culprit was found guilty: its deaths no longer count against this slot.
  void forgive(std::uint64_t culprit);
  void reset();
  std::uint32_t restarts() const { return restarts_; }

 private:
  struct Counted {
    TimePoint at;
    std::uint64_t culprit;
    bool unusable;
  };
  bool intensity_exceeded() const;

  const CoreConfig* config_;
  std::deque<Counted> counted_;
  std::uint32_t streak_ = 0;
  std::uint32_t restarts_ = 0;
};

// Whether a death says something against the slot or its work: operators' and our own deliberate kills do not.
bool counts(Death death);

}  // namespace groth16d::supervisor
