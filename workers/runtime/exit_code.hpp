// How a worker ends on its own: the status is read by the supervisor's restart policy, so it is an API.
#pragma once

namespace groth16d::worker {

enum class ExitCode : int {
  orderly = 0,         // drained
  device = 69,         // the GPU is unusable
  bug = 70,            // a broken invariant of ours; the last words say which
  temporary = 75,      // the supervisor is gone or does not answer; a later start may work
  configuration = 78,  // started wrongly: no slot, no lifeline, no socket
};

}  // namespace groth16d::worker
