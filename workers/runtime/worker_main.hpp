// The main function of every worker: harden, connect, converse, and say what went wrong when the end is not orderly.
#pragma once

#include "workers/runtime/role.hpp"

namespace groth16d::worker {

// Returns the process's exit status (exit_code.hpp). An exception that gets here is a broken invariant: last words, 70.
int worker_main(const Handler& handler);

}  // namespace groth16d::worker
