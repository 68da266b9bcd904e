// Failpoints: named places where a test build can be told to fail. Without GROTH16D_FAILPOINTS they compile to nothing.
//
//   if (GROTH16D_FAILPOINT("synth.before_seal")) return failpoint_error("synth.before_seal");
//   GROTH16D_FAILPOINT("prove.in_ntt");  // where there is no error to return: only kill, hang, delay and exit make
//   sense
//
// Armed by the environment variable GROTH16D_FAILPOINTS, a list separated by ';' of
//   name=action[@n][+]     fires at the n-th hit in this process (default 1), with '+' at every later hit too
// with action
//   kill          SIGKILL to this process
//   hang          never returns
//   exit:CODE     _exit(CODE)
//   delay:MS      sleeps, then goes on
//   error         the expression is true and the caller fails
// GROTH16D_FAILPOINT_MARKS=DIR makes each failpoint fire once among all processes that share DIR: firing creates the
// file DIR/<name>, which is also the test's evidence that it fired.
#pragma once

#include <string_view>

#include "common/error.hpp"

#ifdef GROTH16D_FAILPOINTS
#define GROTH16D_FAILPOINT(name) ::groth16d::failpoint_hit(name)
#else
#define GROTH16D_FAILPOINT(name) ::groth16d::failpoint_compiled_out()
#endif

namespace groth16d {

constexpr bool failpoint_compiled_out() { return false; }

// Counts a hit; acts when armed. True: the caller must fail.
bool failpoint_hit(std::string_view name);

// Replaces what the environment armed, and forgets all hits. Error: malformed "failpoint.syntax".
Result<void> arm_failpoints(std::string_view list);

// Error{internal, "failpoint", "failpoint NAME fired"}.
tl::unexpected<Error> failpoint_error(std::string_view name);

}  // namespace groth16d
