// Secret<T>: a value that is wiped when its scope ends. For r, s and copies of witness values.
#pragma once

#include <string.h>

#include <cstddef>
#include <span>
#include <type_traits>

namespace groth16d {

// Overwrites with zeros; the compiler may not drop it (explicit_bzero).
inline void wipe(std::span<std::byte> bytes) { ::explicit_bzero(bytes.data(), bytes.size()); }

// Neither copied nor moved: one place in memory, wiped once. Copies that an expression makes are its writer's duty.
template <class T>
class Secret {
  static_assert(std::is_trivially_copyable_v<T>, "a secret must be wiped as bytes");

 public:
  Secret() = default;
  explicit Secret(const T& value) : value_(value) {}
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { ::explicit_bzero(&value_, sizeof value_); }

  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_{};
};

}  // namespace groth16d
