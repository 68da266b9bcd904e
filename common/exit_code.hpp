// How a process of the daemon ends on its own. Whoever started it reads the status, the supervisor's restart policy or
// systemd, so it is an API.
#pragma once

namespace groth16d {

enum class ExitCode : int {
  orderly = 0,         // drained, or there was nothing more to do
  device = 69,         // a worker's GPU is unusable
  bug = 70,            // a broken invariant of ours; a worker's last words say which
  temporary = 75,      // the system or the other side would not let us; a later start may work
  configuration = 78,  // started wrongly, and nothing but an operator can help: systemd does not restart after it
};

}  // namespace groth16d
