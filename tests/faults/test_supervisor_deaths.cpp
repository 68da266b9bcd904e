// The supervisor dies, is started twice, or is told to go: cases 4, 5, 6, 22 and 25.
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <thread>

#include "common/unique_fd.hpp"
#include "tests/e2e/run_program.hpp"
#include "tests/faults/scene.hpp"

using namespace groth16d;
using namespace groth16d::faults;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

std::set<ino_t> inodes_of(const std::map<ino_t, Memfd>& memfds) {
  std::set<ino_t> inodes;
  for (const auto& [inode, memfd] : memfds) inodes.insert(inode);
  return inodes;
}

// What systemd is to a service with WatchdogSec: it listens, and knows when it last heard WATCHDOG=1.
class Watchdog {
 public:
  explicit Watchdog(std::chrono::milliseconds interval)
      : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)), interval_(interval) {
    REQUIRE(socket_);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ear_ = std::jthread([this](const std::stop_token& stop) { listen(stop); });
  }
  std::vector<std::string> environment() const {
    return {"NOTIFY_SOCKET=" + path(), "WATCHDOG_USEC=" + std::to_string(interval_.count() * 1000)};
  }
  int pings() const { return pings_; }
  bool is_silent() const { return Clock::now().time_since_epoch() - last_.load() > interval_; }

 private:
  std::string path() const { return (folder_.path() / "notify").string(); }
  void listen(const std::stop_token& stop) {
    std::string notice(4096, '\0');
    while (!stop.stop_requested()) {
      pollfd readable{socket_.get(), POLLIN, 0};
      if (::poll(&readable, 1, 50) <= 0) continue;
      const ssize_t length = ::recv(socket_.get(), notice.data(), notice.size(), 0);
      if (length <= 0 || std::string_view(notice.data(), static_cast<std::size_t>(length)) != "WATCHDOG=1") continue;
      ++pings_;
      last_ = Clock::now().time_since_epoch();
    }
  }

  TemporaryFolder folder_;
  UniqueFd socket_;
  std::chrono::milliseconds interval_;
  std::atomic<int> pings_{0};
  std::atomic<Clock::duration> last_{Clock::now().time_since_epoch()};
  std::jthread ear_;  // last: it uses all of the above
};

// Jobs arrive, and SIGTERM comes in between, now and then twice; in the end every accepted job is proven.
void terminate_at_random_moments(int times) {
  const auto seed = static_cast<unsigned>(std::random_device{}());
  std::mt19937 random(seed);
  INFO("seed " << seed);
  Scene scene(ProveStage::scripted);
  scene.programs.script("always slow 20\n");
  scene.start();
  CHECK(scene.daemon.stop() == 0);
  for (int time = 0; time < times; ++time) {
    auto client = scene.restart();
    const bool twice = random() % 4 == 0;
    for (auto jobs = random() % 5; jobs > 0; --jobs) {
      const std::string job = "job-" + std::to_string(time) + "-" + std::to_string(jobs);
      submit(client, request(job, 1 + static_cast<std::uint32_t>(random() % 3)));
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    }
    const auto segments = inodes_of(memfds_of(scene.daemon.pid()));
    scene.daemon.signal(SIGTERM);
    if (twice) scene.daemon.signal(SIGTERM);
    REQUIRE(scene.daemon.wait() == 0);
    CHECK(scene.programs.processes().empty());
    CHECK_FALSE(anyone_holds(segments));
  }
  scene.programs.script("");
  auto client = scene.restart();
  v1::ListRequest all;
  all.set_limit(100'000);
  const auto listed = client.list(all);
  REQUIRE(listed.has_value());
  for (const auto& job : *listed) check_proven(client, job.job());
}

}  // namespace

TEST_CASE("fault 04: a supervisor that is killed leaves nothing, and its successor finishes every job once") {
  Scene scene(ProveStage::scripted);
  scene.programs.script("always slow 300\n");
  auto client = scene.start();
  submit(client, request("eight", 8));
  REQUIRE(eventually([&] {
    const auto status = client.status("eight");
    return status && std::all_of(status->partitions().begin(), status->partitions().end(),
                                 [](const auto& p) { return p.state() > v1::WAITING; });
  }));
  const auto segments = inodes_of(memfds_of(scene.daemon.pid()));
  REQUIRE(segments.size() >= 8);

  scene.daemon.signal(SIGKILL);
  const auto killed_at = Clock::now();
  REQUIRE(eventually([&] { return scene.programs.processes().empty(); }));
  const auto gone_after = Clock::now() - killed_at;
  CHECK(gone_after < 1s);
  CHECK(scene.daemon.wait() == 128 + SIGKILL);
  CHECK_FALSE(anyone_holds(segments));

  scene.programs.script("");
  auto again = scene.restart();
  check_proven(again, "eight");
  CHECK(again.list({})->size() == 1);
  CHECK(again.close("eight").has_value());
  CHECK(scene.daemon.stop() == 0);
}

TEST_CASE("fault 05: a job that was committed before its reply was sent is the same job when it is sent again") {
  Scene scene(ProveStage::scripted);
  {
    auto client = scene.start();
    prove(client, "first");
  }
  CHECK(scene.daemon.stop() == 0);
  const Marks marks;
  auto client = scene.restart(marks.environment("journal.committed=kill"));
  auto hasty = scene.daemon.client(1'000);
  const auto unanswered = hasty.submit(request("second"));
  REQUIRE_FALSE(unanswered.has_value());
  CHECK(client::is_unreachable(unanswered.error()));
  CHECK(scene.daemon.wait() == 128 + SIGKILL);

  auto again = scene.restart();
  const auto listed = again.list({});
  REQUIRE(listed.has_value());
  CHECK(listed->size() == 2);
  const auto same = again.submit(request("second"));
  REQUIRE(same.has_value());
  CHECK(same->status().code() == 200);  // known, not accepted a second time
  check_proven(again, "second");
  const auto other = again.submit(request("second", 2));
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == ErrorCode::conflict);
}

TEST_CASE("fault 06: a supervisor that is killed between fork and exec leaves no orphan") {
  for (const std::string place : {"spawn.orphaned_before_death_signal", "spawn.orphaned_before_exec"}) {
    INFO(place);
    Scene scene;
    const Marks marks;
    scene.daemon.launch(marks.environment(place + "=error"));
    marks.await(place);
    CHECK(scene.daemon.wait() == 128 + SIGKILL);
    CHECK(eventually([&] { return scene.programs.processes().empty(); }, 10s));

    auto client = scene.start();
    prove(client, "after");
  }
}

TEST_CASE("fault 22: a second supervisor on the same state or sockets exits with 78, and the first goes on") {
  Scene scene(ProveStage::scripted);
  scene.programs.script("always slow 200\n");
  auto client = scene.start();
  submit(client, request("first", 4));

  const auto second = [&](const fs::path& state, const fs::path& runtime) {
    return e2e::run_program({scene.programs.daemon().string(), "--state-dir", state.string(), "--runtime-dir",
                             runtime.string(), "--root", circuit().zkey.parent_path().string()});
  };
  const TemporaryFolder other;
  const auto same_state = second(scene.daemon.state_dir(), other.path() / "run");
  CHECK(same_state.exit_code == 78);
  CHECK(same_state.err.find(std::to_string(scene.daemon.pid())) != std::string::npos);
  CHECK_FALSE(fs::exists(other.path() / "run" / "client.sock"));
  CHECK(second(other.path() / "state", scene.daemon.runtime_dir()).exit_code == 78);

  check_proven(client, "first");
  CHECK(client.list({})->size() == 1);
}

TEST_CASE("fault 25: SIGTERM at any moment ends with 0 and leaves nothing, and what was accepted is done at last") {
  terminate_at_random_moments(10);
}

TEST_CASE("fault 25: so it is 200 times", "[.slow]") { terminate_at_random_moments(200); }

TEST_CASE("fault 25: a loop that is blocked pings no watchdog, and a restart recovers") {
  Scene scene(ProveStage::scripted);
  scene.programs.script("always slow 100\n");
  const Watchdog watchdog(2s);
  auto environment = watchdog.environment();
  environment.push_back("GROTH16D_FAILPOINTS=loop.turn=hang@2000");
  auto client = scene.start(environment);
  submit(client, request("job", 4));
  auto hasty = scene.daemon.client(100);
  REQUIRE(eventually([&] { return !hasty.ping().has_value(); }));

  REQUIRE(eventually([&] { return watchdog.is_silent(); }));
  CHECK(watchdog.pings() > 0);
  scene.daemon.signal(SIGABRT);  // what systemd sends
  CHECK(scene.daemon.wait() == 128 + SIGABRT);
  CHECK(eventually([&] { return scene.programs.processes().empty(); }, 10s));

  auto again = scene.restart();
  check_proven(again, "job");
}
