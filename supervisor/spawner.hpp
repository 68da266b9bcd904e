// From a slot to a process: fork and exec of one worker, done so that no crash of either side leaves a stray.
//
// Only the main thread spawns: PR_SET_PDEATHSIG follows the forking *thread*. Between fork and exec the child makes
// async-signal-safe calls only. Descriptors of the child: 0 /dev/null, 1 and 2 our standard error, 3 lifeline, 4 last
// words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "common/error.hpp"
#include "common/unique_fd.hpp"

namespace groth16d::supervisor {

struct SpawnRequest {
  std::filesystem::path executable;      // one a role
  std::vector<std::string> environment;  // the whole of it: "NAME=value"
  int oom_score_adj = 0;                 // raised to this; cheap-to-redo roles die first
  int lifeline = -1;                     // the child's end; stays the caller's to close
  int words = -1;                        // 4 KiB segment of last words
  int cgroup_procs = -1;                 // cgroup.procs of the leaf that it joins before it touches memory; -1: ours
};

struct Child {
  pid_t pid = 0;
  UniqueFd pidfd;
};

// How a child ended.
struct ExitStatus {
  bool by_signal = false;
  int code = 0;  // exit status, or the signal's number
  std::string text() const;
};

class Spawner {
 public:
  virtual ~Spawner() = default;

  // Errors: spawn.fork, spawn.pidfd, spawn.exec (names the step and the file); nothing is left behind then.
  virtual Result<Child> spawn(const SpawnRequest& request) = 0;

  // Through the pidfd, so never another process that got the same number. A child that is dead already is no error.
  virtual Result<void> kill(const Child& child, int signal) = 0;

  // After the pidfd became readable; reaps.
  virtual Result<ExitStatus> reap(const Child& child) = 0;
};

// The real one.
class ProcessSpawner final : public Spawner {
 public:
  Result<Child> spawn(const SpawnRequest& request) override;
  Result<void> kill(const Child& child, int signal) override;
  Result<ExitStatus> reap(const Child& child) override;
};

}  // namespace groth16d::supervisor
