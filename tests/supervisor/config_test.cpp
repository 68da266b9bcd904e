// A configuration either means what it says or is refused with the line to look at.
#include <catch2/catch.hpp>

#include "supervisor/config.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

std::string refusal(std::string_view text) {
  const auto config = parse_config(text, "groth16d.toml");
  REQUIRE_FALSE(config);
  return config.error().text;
}

}  // namespace

TEST_CASE("every key of the file arrives in the configuration") {
  const auto config = parse_config(R"(
state_dir = "/srv/state"
runtime_dir = "/run/proofs"
roots = ["/srv/a", "/srv/b"]
budget = "8 GiB"
max_queued_jobs = 7
max_in_flight = 9
ageing = "30 s"
max_spool = 4096
cache_dir = "/var/cache/proofs"
cache_max = "7 GiB"
retention = "2 h"
log_level = "debug"
[slots]
load = 1
synth = 2
cpu = 3
final = 4
[threads]
load = "auto"
synth = 5
[deadlines]
heartbeat = "500 ms"
heartbeat_timeout = "3900 ms"
prove = "2 min"
)",
                                   "groth16d.toml");
  REQUIRE(config);
  CHECK(config->state_dir == "/srv/state");
  CHECK(config->runtime_dir == "/run/proofs");
  CHECK(config->roots == std::vector<std::filesystem::path>{"/srv/a", "/srv/b"});
  CHECK(config->budget_bytes == std::uint64_t{8} << 30);
  CHECK(config->core.max_queued_jobs == 7);
  CHECK(config->core.max_in_flight == 9);
  CHECK(config->core.ageing == std::chrono::seconds(30));
  CHECK(config->spool.max_bytes == 4096);
  CHECK(cache_folder(*config) == "/var/cache/proofs");
  CHECK(config->cache_max_bytes == std::uint64_t{7} << 30);
  CHECK(config->core.retention == std::chrono::hours(2));
  CHECK(config->log_level == "debug");
  CHECK(config->core.role(Role::synth).slots == 2);
  CHECK(config->core.role(Role::cpu).slots == 3);
  CHECK(config->core.role(Role::final).slots == 4);
  CHECK(config->core.role(Role::load).threads == 0);
  CHECK(config->core.role(Role::synth).threads == 5);
  CHECK(config->core.heartbeats_missed == 8);
  CHECK(config->core.heartbeat == std::chrono::milliseconds(500));
  CHECK(config->core.stall[static_cast<std::size_t>(Stage::prove)] == std::chrono::minutes(2));
}

TEST_CASE("an empty file is the defaults, and the defaults pass the check") {
  const auto config = parse_config("", "groth16d.toml");
  REQUIRE(config);
  CHECK_FALSE(config->budget_bytes);
  CHECK(cache_folder(*config) == "/var/lib/groth16d/cache");
  CHECK(check_config(*config));
}

TEST_CASE("an unknown key is refused with its line") {
  CHECK(refusal("budget = \"auto\"\n\nbuget = 5\n") == "groth16d.toml:3: buget: no such key");
  CHECK(refusal("[slots]\nsynth = 1\ngpus = 2\n") == "groth16d.toml:3: slots.gpus: no such key");
  CHECK(refusal("\n[slot]\nsynth = 1\n") == "groth16d.toml:3: slot.synth: no such key");
  CHECK(refusal("slots = 3\n") == "groth16d.toml:1: slots: no such key");
}

TEST_CASE("a bad unit is refused with its line, the text and the units that exist") {
  CHECK(refusal("\nbudget = \"8 GB\"\n") ==
        "groth16d.toml:2: budget: \"8 GB\": expected a number of bytes, KiB, MiB, GiB or TiB");
  CHECK(refusal("[deadlines]\nprove = \"5 hours\"\n") ==
        "groth16d.toml:2: deadlines.prove: \"5 hours\": expected a whole number above 0 of ms, s, min, h or d");
  CHECK(refusal("retention = \"1.5 h\"").starts_with("groth16d.toml:1: retention:"));
}

TEST_CASE("an impossible value is refused with its line") {
  CHECK(refusal("[slots]\n\nsynth = 0\n") == "groth16d.toml:3: slots.synth: 0 is not within 1 .. 64");
  CHECK(refusal("[slots]\nsynth = -1\n").starts_with("groth16d.toml:2: slots.synth:"));
  CHECK(refusal("[slots]\nsynth = 1.0\n").starts_with("groth16d.toml:2: slots.synth:"));
  CHECK(refusal("[slots]\nsynth = \"2\"\n").starts_with("groth16d.toml:2: slots.synth:"));
  CHECK(refusal("[threads]\ncpu = 0\n").starts_with("groth16d.toml:2: threads.cpu:"));
  CHECK(refusal("[threads]\ncpu = \"many\"\n").starts_with("groth16d.toml:2: threads.cpu:"));
  CHECK(refusal("state_dir = \"var/lib\"\n") == "groth16d.toml:1: state_dir: \"var/lib\" is not an absolute path");
  CHECK(refusal("\nroots = [\"/a\", \"b\"]\n") == "groth16d.toml:2: roots: \"b\" is not an absolute path");
  CHECK(refusal("budget = \"1 KiB\"\n").starts_with("groth16d.toml:1: budget: 1024 bytes;"));
  CHECK(refusal("max_spool = \"auto\"\n").starts_with("groth16d.toml:1: max_spool:"));
  CHECK(refusal("[deadlines]\ncancel = \"0 s\"\n").starts_with("groth16d.toml:2: deadlines.cancel:"));
  CHECK(refusal("[deadlines]\n\nheartbeat_timeout = \"1 s\"\n")
            .starts_with("groth16d.toml:3: deadlines.heartbeat_timeout:"));
  CHECK(refusal("log_level = \"loud\"\n").starts_with("groth16d.toml:1: log_level: \"loud\" is not one of"));
}

TEST_CASE("GPU slots take cards by number or by UUID, and leave no cpu slot that is not asked for") {
  const auto numbered = parse_config("[slots]\ngpu = 2\n", "groth16d.toml");
  REQUIRE(numbered);
  CHECK(numbered->core.role(Role::gpu).slots == 2);
  CHECK(numbered->core.role(Role::cpu).slots == 0);
  CHECK(numbered->gpu_devices.empty());

  const auto named = parse_config("[slots]\ncpu = 1\n[gpu]\ndevices = [\"GPU-a\", \"MIG-b\"]\n", "groth16d.toml");
  REQUIRE(named);
  CHECK(named->core.role(Role::gpu).slots == 2);
  CHECK(named->core.role(Role::cpu).slots == 1);
  CHECK(named->gpu_devices == std::vector<std::string>{"GPU-a", "MIG-b"});

  CHECK(parse_config("", "groth16d.toml")->core.role(Role::gpu).slots == 0);

  CHECK_FALSE(named->gpu_memory_max_bytes);
  CHECK_FALSE(parse_config("[gpu]\nmemory_max = \"auto\"\n", "groth16d.toml")->gpu_memory_max_bytes);
  const auto bounded = parse_config("[gpu]\nmemory_max = \"24 GiB\"\n", "groth16d.toml");
  CHECK(bounded->gpu_memory_max_bytes == (std::uint64_t{24} << 30));
}

TEST_CASE("cards that are no UUIDs, named twice or not as many as their slots are refused with their line") {
  CHECK(refusal("[gpu]\ndevices = [\"0\"]\n").starts_with("groth16d.toml:2: gpu.devices: \"0\" is no UUID"));
  CHECK(refusal("[gpu]\ndevices = [\"GPU-a\", \"GPU-a\"]\n") == "groth16d.toml:2: gpu.devices: a card is named twice");
  CHECK(refusal("[slots]\ngpu = 1\n[gpu]\ndevices = [\"GPU-a\", \"GPU-b\"]\n")
            .starts_with("groth16d.toml:2: slots.gpu: 1 slots and 2 named cards;"));
  CHECK(refusal("[slots]\ncpu = 0\n") == "groth16d.toml:2: slots.cpu: 0 is not within 1 .. 64");
  CHECK(refusal("[slots]\ngpu = 65\n") == "groth16d.toml:2: slots.gpu: 65 is not within 0 .. 64");
}

TEST_CASE("text that is no TOML is refused with its line") {
  CHECK(refusal("budget = \"auto\"\nroots = [\n").starts_with("groth16d.toml:"));
  CHECK(refusal("budget = 1\nbudget = 2\n").starts_with("groth16d.toml:2:"));
}

TEST_CASE("a file that is not there is named") {
  const auto config = read_config("/nonexistent/groth16d.toml");
  REQUIRE_FALSE(config);
  CHECK(config.error().text.find("/nonexistent/groth16d.toml") != std::string::npos);
}

TEST_CASE("what no single key can be blamed for is still checked") {
  Config config = default_config();
  CHECK(check_config(config));
  config.runtime_dir = "/" + std::string(100, 'x');
  CHECK_FALSE(check_config(config));
  config.runtime_dir = config.state_dir / ".";
  CHECK_FALSE(check_config(config));
  config = default_config();
  config.budget_bytes = 1 << 20;  // less than workers rest with
  const auto checked = check_config(config);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().name == "config.core");
}

TEST_CASE("threads left to auto never oversubscribe the cores, and every worker has at least one") {
  for (const unsigned cores : {1U, 2U, 9U, 64U, 192U}) {
    CoreConfig config = parse_config("[slots]\nsynth = 2\nfinal = 2\n", "groth16d.toml")->core;
    resolve_threads(config, cores);
    std::uint32_t total = 0;
    for (const RoleConfig& role : config.roles) {
      CHECK(role.threads >= 1);
      total += role.slots * role.threads;
    }
    CHECK(total <= std::max(cores, 6U));
  }
}

TEST_CASE("threads that are configured stay") {
  CoreConfig config = parse_config("[threads]\ncpu = 3\n", "groth16d.toml")->core;
  resolve_threads(config, 64);
  CHECK(config.role(Role::cpu).threads == 3);
}
