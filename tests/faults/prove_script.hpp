// ProveScript: what the scripted prove stage shall do, as a test writes it down: one rule a line, read anew for every
// assignment, so a test may change its mind while the worker runs.
//
//   toxic SEED            keys are made with ToxicWaste::from_seed(SEED); default 1
//   random SEED           for chances; default 1
//   WHEN ACTION [NUMBER]  every rule whose WHEN holds is obeyed, in order
//
// WHEN is `always`, or some of these joined by ',', all of which must hold:
//   call:N      the N-th assignment of this folder's prove workers, whichever process has it; call:N+ from there on
//   chance:N    in N of 1000, by the script's random seed and the number of the call
//   slot:NAME   on this slot
//   job:PREFIX  of a job whose name begins so
// ACTION:
//   slow MS         takes MS longer, beating, and heeds CANCEL
//   slow-times N    takes N times as long
//   fail            FAILED, worth another try, blamed on the slot
//   refuse          FAILED, not worth another try, blamed on the input
//   stuck           computes nothing for ever, while heartbeats go on; deaf to CANCEL
//   freeze          SIGSTOP
//   linger          from now on the process does not end when its work does
//   ignore N        from now on signal N is ignored
//   wrong-point     does its work, and replaces H by the generator
//   leak BYTES      touches so many bytes, and keeps them
//   vandalize       tries to make its read-only segments writable, writes into prove-deeds what the kernel said, and
//                   then writes to one all the same
//   exit CODE       _exit
//   signal N        raises it
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace groth16d::faults {

enum class ProveAction {
  slow,
  slow_times,
  fail,
  refuse,
  stuck,
  freeze,
  linger,
  ignore,
  wrong_point,
  leak,
  vandalize,
  exit,
  signal
};

struct ProveStep {
  ProveAction action = ProveAction::slow;
  std::uint64_t number = 0;
};

// What a rule may depend on.
struct ProveCall {
  std::uint64_t number = 0;  // from 1
  std::string slot;
  std::string job;
};

class ProveScript {
 public:
  // Error: malformed "script.line", with the line's number and text.
  static Result<ProveScript> parse(std::string_view text);

  std::uint64_t toxic_seed() const { return toxic_seed_; }
  std::vector<ProveStep> steps_of(const ProveCall& call) const;

 private:
  struct Condition {
    enum class Kind { call, calls_from, chance, slot, job } kind = Kind::call;
    std::uint64_t number = 0;
    std::string name;
  };
  struct Rule {
    std::vector<Condition> conditions;  // none: always
    ProveStep step;
  };
  static bool parse_condition(std::string_view text, Condition& condition);
  static bool parse_rule(const std::vector<std::string>& words, Rule& rule);
  bool parse_line(const std::vector<std::string>& words);
  bool holds(const Condition& condition, std::size_t rule, const ProveCall& call) const;

  std::uint64_t toxic_seed_ = 1;
  std::uint64_t random_seed_ = 1;
  std::vector<Rule> rules_;
};

// Where a folder of programs keeps the script, what a vandal met, and the file that grows by a byte with every
// assignment.
inline constexpr char kScriptName[] = "prove-script";
inline constexpr char kDeedsName[] = "prove-deeds";
inline constexpr char kCallsName[] = "prove-calls";

}  // namespace groth16d::faults
