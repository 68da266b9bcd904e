// A wall clock that jumps: preloaded into a process, it adds to CLOCK_REALTIME as many seconds as the file named by
// JUMPING_CLOCK holds (a signed 64-bit number). Monotonic clocks stay as they are.
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

std::int64_t offset_s() {
  static const volatile std::int64_t* const kOffset = [] {
    const char* path = std::getenv("JUMPING_CLOCK");
    const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
    void* page = file < 0 ? MAP_FAILED : ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) ::close(file);
    return page == MAP_FAILED ? nullptr : static_cast<const volatile std::int64_t*>(page);
  }();
  return kOffset == nullptr ? 0 : *kOffset;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long status = ::syscall(SYS_clock_gettime, clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset_s();
  return static_cast<int>(status);
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec precise{};
  if (::clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* now) noexcept {
  timespec precise{};
  ::clock_gettime(CLOCK_REALTIME, &precise);
  if (now != nullptr) *now = precise.tv_sec;
  return precise.tv_sec;
}

}  // extern "C"
