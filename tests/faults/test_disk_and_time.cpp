// A disk that is full or broken, and a clock that jumps: cases 23 and 28.
#include <signal.h>
#include <sys/mount.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "tests/faults/scene.hpp"
#include "tests/sanitizers.hpp"

using namespace groth16d;
using namespace groth16d::faults;
using namespace std::chrono_literals;

namespace {

// A small file system of its own; only root may mount one.
class SmallDisk {
 public:
  static constexpr std::uint64_t kBytes = 8ULL << 20;

  explicit SmallDisk(const fs::path& place) : place_(place) {
    fs::create_directories(place);
    mounted_ = ::mount("tmpfs", place.c_str(), "tmpfs", 0, ("size=" + std::to_string(kBytes)).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(place_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }
  // Takes every byte that is left.
  void fill() const {
    std::ofstream filler(place_ / "filler", std::ios::binary);
    const std::string block(4096, 'f');
    while (filler.write(block.data(), 4096).flush()) {
    }
  }
  void make_room() const { fs::remove(place_ / "filler"); }

 private:
  const fs::path place_;
  bool mounted_ = false;
};

}  // namespace

TEST_CASE("fault 23: with a full disk SUBMIT gets 503, and finished work waits in memory until there is room") {
  Scene scene(ProveStage::scripted);
  const SmallDisk disk(scene.daemon.state_dir());
  if (!disk.mounted()) {
    if (std::getenv("CI") != nullptr || std::getenv("GROTH16D_TEST_ALL") != nullptr)
      FAIL("no small file system can be mounted here, and every test is to run");
    WARN("skipped: no small file system can be mounted here");
    return;
  }
  scene.programs.script("job:early slow 1500\n");
  auto client = scene.start();
  submit(client, request("early", 2));
  await_stage(client, "cpu-0", "early", "prove");

  disk.fill();
  const auto refused = client.submit(request("refused"));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::unavailable);
  REQUIRE(eventually([&] { return scene.daemon.log().find("the journal refused the result") != std::string::npos; }));
  CHECK(client.status("early")->state() != v1::DONE);  // no state before its commit
  const auto waiting = client.result("early");
  REQUIRE(waiting.has_value());
  CHECK(waiting->status().code() == 300);

  disk.make_room();
  check_proven(client, "early");
  prove(client, "refused");
  CHECK(scene.daemon.stop() == 0);
}

TEST_CASE("fault 23: whichever commit fails, its reply is 503 or the result is stored later") {
  for (int n = 1; n <= 8; ++n) {
    INFO("commit " << n);
    Scene scene(ProveStage::scripted);
    {
      auto client = scene.start();
      CHECK(scene.daemon.stop() == 0);
    }
    const Marks marks;
    auto client = scene.restart(marks.environment("journal.commit=error@" + std::to_string(n)));
    await_resident(client, kCircuit);
    const auto accepted = client.submit(request("job", 2));
    if (!accepted) {
      CHECK(accepted.error().code == ErrorCode::unavailable);
      const auto unknown = client.status("job");
      REQUIRE_FALSE(unknown.has_value());
      CHECK(unknown.error().code == ErrorCode::not_found);
      submit(client, request("job", 2));
    }
    check_proven(client, "job");
    CHECK(eventually([&] { return client.close("job").has_value(); }));
    CHECK((n > 4 || marks.fired("journal.commit")));  // so many commits at least: acceptance, two results, the end
    CHECK(scene.daemon.stop() == 0);
  }
}

TEST_CASE("fault 23: a torn tail of the write-ahead log loses nothing that was answered") {
  Scene scene(ProveStage::scripted);
  scene.programs.script("job:second slow 60000\n");
  auto client = scene.start();
  prove(client, "first");
  submit(client, request("second"));
  await_stage(client, "cpu-0", "second", "prove");
  scene.daemon.kill();
  // A crash in the middle of a later write: half a frame of no valid checksum behind what was committed.
  const fs::path log = scene.daemon.state_dir() / "journal-wal";
  REQUIRE(fs::exists(log));
  std::ofstream(log, std::ios::binary | std::ios::app) << std::string(3000, '\x5a');

  scene.programs.script("");
  auto again = scene.restart();
  CHECK(again.list({})->size() == 2);
  check_proven(again, "first");
  check_proven(again, "second");
}

TEST_CASE("fault 28: a wall clock that jumps by an hour kills nobody and delays nothing") {
  if (kAddressSanitizer) {
    WARN("skipped: the address sanitizer must be the first library, and the jumping clock is preloaded");
    return;
  }
  Settings settings;
  settings.synth = 2;
  Scene scene(ProveStage::scripted, settings);
  scene.programs.script("always slow 100\n");
  const TemporaryFolder folder;
  const fs::path offset_file = folder.path() / "offset";
  const auto jump = [&](std::int64_t seconds) {
    std::fstream file(offset_file, std::ios::in | std::ios::out | std::ios::binary);
    REQUIRE(file.write(reinterpret_cast<const char*>(&seconds), sizeof seconds).flush());
  };
  std::ofstream(offset_file, std::ios::binary) << std::string(4096, '\0');
  auto client = scene.start({"LD_PRELOAD=" GROTH16D_JUMPING_CLOCK, "JUMPING_CLOCK=" + offset_file.string()});
  const auto before = daemon_status(client);
  auto timely = request("timely", 4);
  timely.set_deadline_ms(60'000);
  submit(client, timely);
  auto late = request("late", 8);
  late.set_deadline_ms(300);
  int job = 0;

  for (const std::int64_t seconds : {3600, 0, -3600, 3600, -3600, 0}) {
    jump(seconds);
    const auto lines = client.logs("timely");
    REQUIRE(lines.has_value());
    prove(client, "job-" + std::to_string(job++), 2);
  }
  check_proven(client, "timely");  // its deadline did not pass
  submit(client, late);
  CHECK(e2e::wait_for(client, "late").state() != v1::DONE);  // and this one did

  for (const auto& status : before.workers()) CHECK(worker_on(client, status.slot()).epoch() == status.epoch());
  // The jumps were seen: the log's own times, which are the wall clock's, go back and forth by an hour.
  const auto first = client.logs("job-0"), third = client.logs("job-2");
  REQUIRE((first && third && !first->empty() && !third->empty()));
  CHECK(first->front().at_ms() > third->front().at_ms() + 7'000'000);
  CHECK(scene.daemon.stop() == 0);
}
