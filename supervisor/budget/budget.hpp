// The one budget of memory: who has reserved how much of what, and whether more may be promised.
//
// An account belongs to a partition in flight, a circuit that is loaded, or a slot (its resting worker). A reservation
// is made whole or not at all, before anything is allocated, and shrinks only when memory is confirmed gone. Sums are
// kept twice (by account and in total) so that a check can compare them (I1 of docs/DESIGN.md, section 8).
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

// Bytes by kind of buffer.
struct Charge {
  std::array<std::uint64_t, kBufferKinds> bytes{};
  std::uint64_t& operator[](BufferKind kind) { return bytes[static_cast<std::size_t>(kind)]; }
  std::uint64_t operator[](BufferKind kind) const { return bytes[static_cast<std::size_t>(kind)]; }
  std::uint64_t total() const;  // saturates
};

enum class Holder { partition, circuit, slot };

struct AccountId {
  Holder holder = Holder::partition;
  std::uint64_t id = 0;
  auto operator<=>(const AccountId&) const = default;
};

class Budget {
 public:
  struct Account {
    Charge charge;
    bool critical = false;
  };

  // `critical_reserved_bytes` of the total serve accounts of CRITICAL jobs only.
  Budget(std::uint64_t total_bytes, std::uint64_t critical_reserved_bytes);

  // Adds `charge` to the account, or changes nothing and returns false.
  bool try_reserve(AccountId account, const Charge& charge, bool critical);
  // Gives back part of one kind; never more than the account holds. An account without bytes disappears.
  void release(AccountId account, BufferKind kind, std::uint64_t bytes);
  // Gives back everything.
  void close(AccountId account);

  // New bounds, or false and no change where what is reserved would exceed them.
  bool resize(std::uint64_t total_bytes, std::uint64_t critical_reserved_bytes);

  // How many bytes must be given back before `bytes` more can be reserved; 0: now.
  std::uint64_t deficit(std::uint64_t bytes, bool critical) const;
  // CRITICAL only: whether `bytes` come out of the reserved share alone, so that nobody else loses by it.
  bool fits_reserved_share(std::uint64_t bytes) const;
  // The most that an account of this class can ever have while slots rest and nothing else is there.
  std::uint64_t ever_available(bool critical) const;

  std::uint64_t total_bytes() const { return total_; }
  std::uint64_t used_bytes() const { return used_; }
  std::uint64_t free_bytes(bool critical) const;
  const Charge* find(AccountId account) const;
  const std::map<AccountId, Account>& accounts() const { return accounts_; }

 private:
  std::uint64_t limit(bool critical) const { return critical ? total_ : total_ - critical_reserved_; }

  std::uint64_t total_;
  std::uint64_t critical_reserved_;
  std::uint64_t used_ = 0;
  std::uint64_t critical_used_ = 0;
  std::uint64_t resting_ = 0;  // of slots
  std::map<AccountId, Account> accounts_;
};

}  // namespace groth16d::supervisor
