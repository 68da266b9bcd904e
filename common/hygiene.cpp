#include "common/hygiene.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/posix.hpp"

namespace groth16d {

Result<void> harden_process() {
  const rlimit none{0, 0};
  if (::setrlimit(RLIMIT_CORE, &none) != 0) return system_failure("setrlimit", "RLIMIT_CORE");
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return system_failure("prctl", "PR_SET_DUMPABLE");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return system_failure("prctl", "PR_SET_NO_NEW_PRIVS");
  return {};
}

Result<void> die_with_parent(int parent_pid) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return system_failure("prctl", "PR_SET_PDEATHSIG");
  // The parent may have died before the line above: then no signal will ever come.
  if (::getppid() != parent_pid) return failure(ErrorCode::unavailable, "parent.gone", "the parent process has ended");
  return {};
}

}  // namespace groth16d
