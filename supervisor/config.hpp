// What an operator may tell the daemon, and nothing else: a strict TOML file and the flags of a private daemon.
//
//   state_dir = "/var/lib/groth16d"      journal and spool
//   runtime_dir = "/run/groth16d"        the sockets
//   roots = ["/srv/circuits"]            files that clients may name lie beneath these
//   budget = "auto" | 8589934592 | "8 GiB"
//   critical_reserved = "0 B"            of the budget, for CRITICAL jobs only
//   max_queued_jobs = 20000
//   max_in_flight = 0                    partitions admitted at once; 0: as many as the budget holds
//   ageing = "60 s"                      of a waiting job, after which nothing of any priority overtakes it
//   max_spool = "64 GiB"
//   max_spool_per_client = "0 B"         of it, of one client (user, or key over TCP); 0: all of it
//   upload_expiry = "1 h"                of an upload that nobody goes on with, or no job takes
//   cache_dir = "/var/cache/groth16d"    converted circuits; default: state_dir/cache
//   cache_max = "96 GiB"                 of them; 0 keeps none
//   retention = "7 d"                    of a finished job that nobody closes
//   max_jobs_per_client = 0              unfinished jobs of one client (user, or key over TCP); 0: any number
//   log_level = "info"                   debug info warning error
//   cgroup = "auto" | "off" | "/sys/fs/cgroup/..."   where each worker gets a leaf with a limit of its own
//   worker_memory_max = "auto" | "2 GiB" of a worker's leaf; auto: what its assignment is reckoned to need, twice
//   [slots]      load = 1, synth = 1, cpu = 1, final = 1, gpu = 0; where there are gpu slots, cpu = 0
//   [threads]    load, synth, cpu, final, gpu = "auto" | 4
//   [gpu]        devices = ["GPU-5f0c...", ...]   one card each gpu slot, by its UUID (nvidia-smi -L); slots.gpu is
//                then their number. Without it gpu-K takes card K in the order of nvidia-smi
//                memory_max = "auto" | "24 GiB"   of a card's memory; auto: what is free. Of a key that does not fit,
//                sections stay with the host and pass the card with every partition
//                b_g2 = "auto" | "cpu" | "gpu"   who sums b_g2_msm: finalizers, cards, or who is measured to be sooner
//   [remote]     clients over TCP, with CURVE alone
//     listen = "tcp://127.0.0.1:9817"    nothing listens without it
//     secret_key = "/etc/groth16d/server.key"      of `groth16ctl keygen`; its owner's alone
//     clients = "/etc/groth16d/clients"            lines NAME RIGHT KEY (access.hpp); reload reads it again
//   [deadlines]  heartbeat, heartbeat_timeout, start, cancel, drain = "5 s"; and, as the longest silence of a stage's
//                computing thread, inspect, load, synth, prove, b2, assemble
//
// Sizes take B, KiB, MiB, GiB, TiB; durations ms, s, min, h, d. An unknown key, unit or impossible value is an error
// that names file and line ("groth16d.toml:7: ..."). Defaults and their origins: core/config.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "supervisor/access.hpp"
#include "supervisor/core/config.hpp"
#include "supervisor/spool_account.hpp"

namespace groth16d::supervisor {

struct RemoteConfig {
  std::string listen;  // "": nothing over TCP
  std::filesystem::path secret_key;
  std::filesystem::path clients_file;
  std::vector<RemoteClient> clients;  // of clients_file, by resolve()
};

struct Config {
  std::filesystem::path state_dir = "/var/lib/groth16d";
  std::filesystem::path runtime_dir = "/run/groth16d";
  std::vector<std::filesystem::path> roots;
  std::optional<std::uint64_t> budget_bytes;  // none: auto (host.hpp)
  SpoolLimits spool{std::uint64_t{64} << 30, 0};
  Millis upload_expiry{3'600'000};
  std::filesystem::path cache_dir;                          // "": state_dir/cache
  std::uint64_t cache_max_bytes = std::uint64_t{96} << 30;  // a 32 GiB PoRep key and its system are 76; 0: no cache
  std::string log_level = "info";
  std::string cgroup = "auto";
  std::optional<std::uint64_t> worker_memory_max_bytes;  // none: auto
  std::vector<std::string> gpu_devices;                  // UUIDs, one a gpu slot; empty: cards 0, 1, ...
  std::optional<std::uint64_t> gpu_memory_max_bytes;     // of a card's memory; none: what is free
  RemoteConfig remote;
  CoreConfig core;  // threads are 0 where they are auto, until resolve_threads
};

// What an empty file means.
Config default_config();

// Read and check a file. Errors: those of ConfigFile (common/config.hpp).
Result<Config> read_config(const std::filesystem::path& file);

// Every key that a file may have, as a dotted path.
std::vector<std::string> known_keys();

// Where converted circuits are kept.
std::filesystem::path cache_folder(const Config& config);

// The same for text that is already here; `name` is what errors call it.
Result<Config> parse_config(std::string_view text, const std::string& name);

// What no single key can be blamed for: two directories, socket paths that fit sun_path, a budget above what workers at
// rest and the CRITICAL jobs' share take. Errors: config.value, config.core, that of usable_memory_bytes.
Result<void> check_config(const Config& config);

// Fills in what a file leaves to this machine: the budget and the threads; and reads the file of clients. Errors: those
// of usable_memory_bytes and read_remote_clients.
Result<Config> resolve(Config config);

// Where threads are auto, the cores are split by weight (load 1, synth 2, prove 4, final 2 for each slot), so that all
// workers computing at once do not oversubscribe the machine; each has at least 1.
void resolve_threads(CoreConfig& config, unsigned cores);

}  // namespace groth16d::supervisor
