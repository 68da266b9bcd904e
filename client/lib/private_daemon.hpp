// PrivateDaemon: a groth16d of one's own, for a command that must not need an installed one. It lives in a temporary
// folder that only this user can enter, is reached like any other daemon, dies with its owner, and leaves nothing.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "client/lib/client.hpp"
#include "common/error.hpp"
#include "common/unique_fd.hpp"

namespace groth16d::client {

struct PrivateDaemonOptions {
  std::string program;             // path of groth16d; its workers lie beside it
  std::vector<std::string> roots;  // absolute folders, without symbolic links, that job files lie in
  std::string config_file;         // its TOML file; "": defaults
  bool one_shot = false;           // for one job: it waits for no disk, and each stage has every core
  std::uint32_t synth = 1;
  std::uint32_t cpu = 1;
  std::uint32_t final = 1;
  std::chrono::milliseconds start_timeout{30'000};
};

// The program `name` that belongs to the running one: it lies beside it, or where the packages install it, in
// ../libexec/groth16d from there. Errors: system "system.readlink"; unavailable "program.absent".
Result<std::string> companion_program(const std::string& name);

class PrivateDaemon {
 public:
  // Returns when the daemon accepts connections. Errors: system (no temporary folder, no fork), unavailable
  // "private_daemon.start" with the end of what the daemon wrote to standard error.
  static Result<PrivateDaemon> start(const PrivateDaemonOptions& options);

  PrivateDaemon(PrivateDaemon&& other) noexcept;
  PrivateDaemon& operator=(PrivateDaemon&&) = delete;
  ~PrivateDaemon();  // stop()

  Address address() const;
  std::string runtime_dir() const { return folder_ + "/run"; }
  pid_t pid() const { return pid_; }

  // False once it has ended by itself, which it never does in good health.
  bool is_running() { return !has_exited(); }

  // What the daemon and its workers have written to standard error, at most the last 64 KiB.
  std::string log() const;

  // Tells it to stop, without finishing what runs, and does not wait: stop() does.
  void begin_stop();

  // Stops without finishing what runs; SIGKILL after 10 s; the temporary folder is removed. Calling it again does
  // nothing.
  void stop();

 private:
  PrivateDaemon(std::string folder, pid_t pid) : folder_(std::move(folder)), pid_(pid) {}
  Result<void> wait_until_listening(std::chrono::milliseconds timeout);
  bool has_exited();

  bool stopping_ = false;
  std::string folder_;  // empty once stopped or moved from
  pid_t pid_ = -1;      // -1 once reaped
};

}  // namespace groth16d::client
