// The one thread that asks the daemon: once a second, however many pages are open or how often Prometheus comes. What
// it learns is kept as the last answer and as a quarter of an hour of history; readers are woken for each tick.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "client/lib/client.hpp"
#include "client/web/gpu_gauge.hpp"

namespace groth16d::web {

// One answer of the daemon, or why there is none. Never changed once it is made.
struct Tick {
  std::uint64_t number = 0;                       // counts from 1
  std::shared_ptr<const v1::MetricsReply> reply;  // nullptr: the daemon does not answer
  std::string error;                              // why
  std::vector<GpuFigures> cards;
  std::string json;  // what a page is told: page_json.hpp
};

class Watcher {
 public:
  static constexpr std::chrono::milliseconds kPace{1'000};
  // A tick that is older than this says that the thread hangs on a daemon that does not answer.
  static constexpr std::chrono::seconds kStale{15};

  explicit Watcher(client::Address address);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // The last tick; nullptr before the first.
  std::shared_ptr<const Tick> last() const;
  bool is_stale() const;

  // The ticks after `number`, oldest first, at most the last 30; waits for one. Empty: none within the timeout, or the
  // end.
  std::vector<std::shared_ptr<const Tick>> after(std::uint64_t number, std::chrono::milliseconds timeout) const;

  // The past as JSON for a page that opens now, and the number of the tick that it ends with.
  std::pair<std::string, std::uint64_t> history() const;

  // Wakes everybody who waits; after() returns at once from then on.
  void close();

 private:
  static constexpr std::size_t kTicks = 30;
  static constexpr std::size_t kSamples = 900;
  static constexpr std::size_t kSpans = 4'096;
  static constexpr std::size_t kDeaths = 256;

  void watch();
  Tick look(std::unique_ptr<client::Client>& client);
  void remember(Tick tick);
  void restart_numbering_if_new(const v1::DaemonStatus& daemon);

  client::Address address_;
  GpuGauge gauge_;
  v1::MetricsRequest request_;   // the thread's own: what it has seen
  std::uint64_t uptime_ms_ = 0;  // of the daemon that it saw them of
  std::uint32_t pid_ = 0;

  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  std::deque<std::shared_ptr<const Tick>> ticks_;
  std::deque<std::string> samples_, spans_, deaths_;  // JSON values
  std::chrono::steady_clock::time_point last_at_;
  bool closing_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace groth16d::web
