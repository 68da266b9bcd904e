// The life of one supervisor: take the locks, recover, bind, run the loop, leave nothing.
#pragma once

#include <filesystem>
#include <functional>

#include "common/error.hpp"
#include "common/exit_code.hpp"
#include "supervisor/config.hpp"
#include "supervisor/durability.hpp"

namespace groth16d::supervisor {

// The exit code that a failure to start deserves.
ExitCode exit_code_of(const Error& error);

struct DaemonOptions {
  Config config;
  std::function<Result<Config>()> read_config;  // how `config` was made, to be made again by a RELOAD; any thread
  std::filesystem::path programs;               // the folder of the workers' executables
  bool end_with_parent = false;                 // of a private daemon
  Durability durability = Durability::durable;
  std::string version;
};

// Returns the process's exit code. Call from the main thread of a process without other threads: children are tied to
// it, and signals are blocked in every thread that is made here. Errors: what kept it from starting.
Result<int> run_daemon(const DaemonOptions& options);

}  // namespace groth16d::supervisor
