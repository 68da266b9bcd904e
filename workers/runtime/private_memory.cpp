#include "workers/runtime/private_memory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace groth16d::worker {

namespace {

// The next decimal number of `text`, which is shortened by it; 0 where there is none.
std::uint64_t take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{} ? number : 0;
}

}  // namespace

PrivateMemory::PrivateMemory()
    : statm_(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)),
      page_bytes_(static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))) {}

// statm: size resident shared text lib data dt, in pages (proc(5)); resident - shared is RssAnon of /proc/self/status.
PrivateMemory::Pages PrivateMemory::read() const {
  std::array<char, 128> buffer{};
  const auto length = ::pread(statm_.get(), buffer.data(), buffer.size(), 0);
  if (length <= 0) return {};
  std::string_view text(buffer.data(), static_cast<std::size_t>(length));
  take_number(text);
  Pages pages;
  pages.resident = take_number(text);
  pages.shared = take_number(text);
  return pages;
}

std::uint64_t PrivateMemory::resident_bytes() const { return read().resident * page_bytes_; }

void PrivateMemory::begin() {
  peak_.store(0, std::memory_order_relaxed);
  sample();
}

void PrivateMemory::sample() {
  const Pages pages = read();
  const std::uint64_t now = pages.resident > pages.shared ? (pages.resident - pages.shared) * page_bytes_ : 0;
  std::uint64_t peak = peak_.load(std::memory_order_relaxed);
  while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

}  // namespace groth16d::worker
