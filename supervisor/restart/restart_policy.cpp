#include "supervisor/restart/restart_policy.hpp"

#include <algorithm>

namespace groth16d::supervisor {
namespace {

constexpr std::size_t kUnusableLimit = 3;  // faults.md case 17: three device losses in five minutes

}  // namespace

std::uint64_t SplitMix64::next() {
  state_ += 0x9e3779b97f4a7c15ull;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

bool counts(Death death) { return death != Death::requested && death != Death::operator_kill; }

RestartPolicy::Verdict RestartPolicy::on_death(Death death, std::uint64_t culprit, TimePoint now, SplitMix64& jitter) {
  restarts_ += death == Death::requested ? 0 : 1;
  if (!counts(death)) return {};
  if (death == Death::configuration) return {true, Millis{0}};
  while (!counted_.empty() && now - counted_.front().at > config_->restart_window) counted_.pop_front();
  counted_.push_back({now, culprit, death == Death::unusable});
  if (intensity_exceeded()) return {true, Millis{0}};
  Millis delay = config_->backoff_first;
  for (std::uint32_t n = 0; n < streak_ && delay < config_->backoff_max; ++n) delay *= 2;
  delay = std::min(delay, config_->backoff_max);
  ++streak_;
  const auto quarter = static_cast<std::uint64_t>(delay.count() / 4 + 1);
  return {false, delay + Millis{static_cast<std::int64_t>(jitter.next() % quarter)}};
}

bool RestartPolicy::intensity_exceeded() const {
  const auto unusable = std::count_if(counted_.begin(), counted_.end(), [](const Counted& c) { return c.unusable; });
  return counted_.size() > config_->restart_limit || static_cast<std::size_t>(unusable) >= kUnusableLimit;
}

void RestartPolicy::forgive(std::uint64_t culprit) {
  std::erase_if(counted_, [culprit](const Counted& c) { return c.culprit == culprit; });
}

void RestartPolicy::reset() {
  counted_.clear();
  streak_ = 0;
}

}  // namespace groth16d::supervisor
