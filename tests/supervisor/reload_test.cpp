// RELOAD compares key by key: what may change at once changes as a whole, what may not is named and nothing changes.
#include <catch2/catch.hpp>

#include <set>

#include "supervisor/reload.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

Config config_of(const std::string& text) {
  auto config = parse_config(text, "groth16d.toml").and_then(resolve);
  INFO((config ? std::string() : config.error().text));
  REQUIRE(config.has_value());
  return *config;
}

constexpr char kBase[] = "budget = \"2 GiB\"\n[threads]\nload = 1\nsynth = 1\ncpu = 1\nfinal = 1\ngpu = 1\n";

// Every key of the file, each with another value than its default and than kBase.
constexpr char kEveryKey[] = R"(
state_dir = "/srv/state"
runtime_dir = "/run/proofs"
roots = ["/srv/a"]
budget = "3 GiB"
critical_reserved = "1 MiB"
max_in_flight = 9
ageing = "90 s"
max_queued_jobs = 7
max_jobs_per_client = 3
max_spool = "1 GiB"
max_spool_per_client = "1 MiB"
upload_expiry = "5 min"
cache_dir = "/srv/cache"
cache_max = "5 GiB"
retention = "2 h"
log_level = "debug"
cgroup = "off"
worker_memory_max = "1 GiB"
[slots]
load = 2
synth = 2
cpu = 3
final = 4
gpu = 2
[threads]
load = 5
synth = 5
cpu = 5
final = 5
gpu = 5
[gpu]
devices = ["GPU-1", "GPU-2"]
memory_max = "24 GiB"
b_g2 = "cpu"
[deadlines]
heartbeat = "500 ms"
heartbeat_timeout = "30 s"
start = "31 s"
cancel = "7 s"
drain = "3 min"
inspect = "7 s"
load = "8 s"
synth = "9 s"
prove = "10 s"
b2 = "11 s"
assemble = "12 s"
)";

}  // namespace

TEST_CASE("every key of the file is compared") {
  std::set<std::string> wanted;
  std::string table;
  for (std::size_t begin = 0; begin < std::string(kEveryKey).size();) {
    const std::string text(kEveryKey);
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with('[')) table = line.substr(1, line.size() - 2) + ".";
    if (const auto equals = line.find(" = "); equals != std::string::npos)
      wanted.insert(table + line.substr(0, equals));
  }
  std::set<std::string> changed;
  for (const ConfigChange& change : changes_between(config_of(kBase), config_of(kEveryKey))) changed.insert(change.key);
  CHECK(changed == wanted);
  CHECK(wanted.size() == 42);
  CHECK(changes_between(config_of(kBase), config_of(kBase)).empty());
}

TEST_CASE("who may come over TCP changes at once, where and by which key needs a restart") {
  const Config before = config_of(kBase);
  Config after = before;
  after.remote.clients = {{"alice", Right::submit, std::string(40, 'a')}};
  Reload reload(before);
  REQUIRE(reload.propose(1, after).has_value());
  const auto changes = reload.accept();
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].key == "remote.clients");
  CHECK(changes[0].after.find("alice submit aaaaaaaa...") != std::string::npos);
  after.remote.listen = "tcp://127.0.0.1:1";
  after.remote.secret_key = "/k";
  const auto refused = reload.propose(2, after);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().text.find("remote.listen") != std::string::npos);
  CHECK(refused.error().text.find("remote.secret_key") != std::string::npos);
}

TEST_CASE("a change that needs a restart is named, and what came with it is not applied") {
  Reload reload(config_of(kBase));
  const auto core =
      reload.propose(1, config_of("log_level = \"debug\"\n" + std::string(kBase) + "[slots]\nsynth = 3\n"));
  REQUIRE_FALSE(core.has_value());
  CHECK(core.error().code == ErrorCode::conflict);
  CHECK(core.error().name == "config.needs_restart");
  CHECK(core.error().text.find("slots.synth (1 -> 3)") != std::string::npos);
  CHECK(core.error().text.find("log_level") == std::string::npos);
  CHECK(reload.in_force().log_level == "info");
  CHECK_FALSE(reload.waits_for(1));
}

TEST_CASE("what the core agrees to is in force and told, what it refuses is forgotten") {
  Reload reload(config_of(kBase));
  const Config next = config_of("log_level = \"debug\"\nretention = \"90 s\"\n" + std::string(kBase));
  REQUIRE(reload.propose(7, next).has_value());
  CHECK(reload.waits_for(7));
  CHECK_FALSE(reload.waits_for(8));
  CHECK(reload.propose(8, next).error().name == "reload.busy");
  reload.drop();
  CHECK(reload.in_force().log_level == "info");

  const auto core = reload.propose(9, next);
  REQUIRE(core.has_value());
  CHECK(core->retention == std::chrono::seconds(90));
  const auto changes = reload.accept();
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].key == "retention");
  CHECK(changes[0].before == "604800 s");
  CHECK(changes[0].after == "90 s");
  CHECK(changes[1].after == "debug");
  CHECK(reload.in_force().log_level == "debug");
  CHECK_FALSE(reload.waits_for(9));
}
