// The main function of every worker: harden, connect, converse, and say what went wrong when the end is not orderly.
#pragma once

#include <functional>

#include "workers/runtime/role.hpp"

namespace groth16d::worker {

// Takes the device that the role computes on, before the worker says HELLO. An error ends the worker with exit code 69.
using TakeDevice = std::function<Result<void>()>;

// argc and argv are main's: with --version among them it only says what it is. Returns the process's exit status
// (common/exit_code.hpp). An exception that gets here is a broken invariant: last words, 70.
int worker_main(int argc, char** argv, const Handler& handler, const TakeDevice& take_device = {});

}  // namespace groth16d::worker
