// A job from its submission to its proofs, for commands that wait: on the daemon that runs, or on one of their own
// where none does.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "client/ctl/command.hpp"
#include "client/ctl/job_request.hpp"

namespace groth16d::ctl {

struct JobRun {
  Submission submission;
  std::size_t n_partitions = 1;
  bool can_be_private = true;      // a daemon of one's own can do it: it names its circuit by a key file
  bool wants_private = false;      // even where a daemon runs
  std::vector<std::string> files;  // whose folders a private daemon may read; "" counts for none
  bool forget = false;             // close the job once its result is delivered: nobody else knows its name
};

// Draws progress, says the job's warnings, and cancels the job when the user interrupts. The result, which has so many
// partitions, goes to `deliver`. False: something failed, and the session has been told.
bool run_to_result(Session& session, const JobRun& run,
                   const std::function<Result<void>(const v1::ResultReply&)>& deliver);

}  // namespace groth16d::ctl
