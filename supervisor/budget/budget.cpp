#include "supervisor/budget/budget.hpp"

#include <algorithm>
#include <limits>

#include "supervisor/core/mutation.hpp"

namespace groth16d::supervisor {
namespace {

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

std::uint64_t excess(std::uint64_t wanted, std::uint64_t limit) { return wanted > limit ? wanted - limit : 0; }

}  // namespace

std::uint64_t Charge::total() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t part : bytes) sum = add(sum, part);
  return sum;
}

Budget::Budget(std::uint64_t total_bytes, std::uint64_t critical_reserved_bytes)
    : total_(total_bytes), critical_reserved_(std::min(critical_reserved_bytes, total_bytes)) {}

bool Budget::resize(std::uint64_t total_bytes, std::uint64_t critical_reserved_bytes) {
  const std::uint64_t reserved = std::min(critical_reserved_bytes, total_bytes);
  if (used_ > total_bytes || used_ - critical_used_ > total_bytes - reserved) return false;
  total_ = total_bytes;
  critical_reserved_ = reserved;
  return true;
}

std::uint64_t Budget::deficit(std::uint64_t bytes, bool critical) const {
  if (mutated(Mutation::budget_ignored)) return 0;
  const std::uint64_t over_total = excess(add(used_, bytes), total_);
  if (critical) return over_total;
  return std::max(over_total, excess(add(used_ - critical_used_, bytes), limit(false)));
}

bool Budget::fits_reserved_share(std::uint64_t bytes) const {
  return add(critical_used_, bytes) <= critical_reserved_ && deficit(bytes, true) == 0;
}

std::uint64_t Budget::ever_available(bool critical) const { return excess(limit(critical), resting_); }

std::uint64_t Budget::free_bytes(bool critical) const {
  const std::uint64_t in_total = excess(total_, used_);
  return critical ? in_total : std::min(in_total, excess(limit(false), used_ - critical_used_));
}

bool Budget::try_reserve(AccountId account, const Charge& charge, bool critical) {
  const std::uint64_t bytes = charge.total();
  if (deficit(bytes, critical) > 0) return false;
  if (bytes == 0) return true;
  Account& entry = accounts_.try_emplace(account, Account{{}, critical}).first->second;
  for (std::size_t k = 0; k < kBufferKinds; ++k) entry.charge.bytes[k] += charge.bytes[k];
  used_ += bytes;
  if (entry.critical) critical_used_ += bytes;
  if (account.holder == Holder::slot) resting_ += bytes;
  return true;
}

void Budget::release(AccountId account, BufferKind kind, std::uint64_t bytes) {
  const auto it = accounts_.find(account);
  if (it == accounts_.end()) return;
  Account& entry = it->second;
  const std::uint64_t given = std::min(bytes, entry.charge[kind]);
  entry.charge[kind] -= given;
  used_ -= given;
  if (entry.critical) critical_used_ -= given;
  if (account.holder == Holder::slot) resting_ -= given;
  if (entry.charge.total() == 0) accounts_.erase(it);
}

void Budget::close(AccountId account) {
  const auto it = accounts_.find(account);
  if (it == accounts_.end()) return;
  const Charge charge = it->second.charge;
  for (std::size_t k = 0; k < kBufferKinds; ++k) release(account, static_cast<BufferKind>(k), charge.bytes[k]);
}

const Charge* Budget::find(AccountId account) const {
  const auto it = accounts_.find(account);
  return it == accounts_.end() ? nullptr : &it->second.charge;
}

}  // namespace groth16d::supervisor
