// RELOAD: what a changed configuration file may change while the daemon runs. All of it or nothing.
//
// The files' thread reads and checks the file; here the result is compared with what is in force, key by key. A change
// of a key that shapes the process tree needs a restart, and then nothing is applied. Otherwise the core is asked (it
// refuses a budget that is in use already), and only when it agrees the rest follows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "supervisor/config.hpp"

namespace groth16d::supervisor {

struct ConfigChange {
  std::string key;            // as the file spells it, "deadlines.synth"
  std::string before, after;  // as the file would say it
};

// Every key whose value differs, in the order of the file's description. Both are resolved (config.hpp).
std::vector<ConfigChange> changes_between(const Config& before, const Config& after);

// Whether a running daemon cannot change it. False for what is no key.
bool needs_restart(const std::string& key);

class Reload {
 public:
  explicit Reload(Config in_force) : in_force_(std::move(in_force)) {}

  // What the core is to be asked for. Errors: conflict "config.needs_restart" naming the keys; busy "reload.busy" while
  // an earlier one waits for its answer.
  Result<CoreConfig> propose(ReplyToken token, Config next);

  bool waits_for(ReplyToken token) const { return proposed_ && token_ == token; }

  // The core's answer. After acceptance in_force() is the new configuration.
  std::vector<ConfigChange> accept();
  void drop() { proposed_.reset(); }

  const Config& in_force() const { return in_force_; }

 private:
  Config in_force_;
  std::optional<Config> proposed_;
  ReplyToken token_ = 0;
};

}  // namespace groth16d::supervisor
