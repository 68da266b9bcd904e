// What every process of the daemon does first in main: witnesses must not leave through a core dump, a debugger of
// another user, or a set-uid program.
#pragma once

#include "common/error.hpp"

namespace groth16d {

// RLIMIT_CORE = 0, PR_SET_DUMPABLE = 0, PR_SET_NO_NEW_PRIVS. Dumpable is reset by execve, so each program calls this
// itself.
Result<void> harden_process();

// A worker dies with its parent (PR_SET_PDEATHSIG SIGKILL; follows the parent's forking *thread*). Call with the
// parent's pid as known before the fork: a parent that is already gone is Error{unavailable, "parent.gone"}.
Result<void> die_with_parent(int parent_pid);

}  // namespace groth16d
