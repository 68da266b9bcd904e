// What a worker gives up before it hears of any work: a new program, another process, and every network.
//
// It parses what clients send and holds their witnesses; whoever takes it over finds a process that has its leases, one
// connection to the supervisor, and no way to anywhere else.
#pragma once

#include "common/error.hpp"

namespace groth16d::worker {

// What CUDA does for itself (it may start helpers of the driver) is left to it; the network is not.
enum class Confinement { full, with_device };

// A seccomp filter over every thread, for ever. Refused calls fail with EPERM; sockets other than AF_UNIX with
// EAFNOSUPPORT. Error: system "worker.seccomp".
Result<void> confine(Confinement confinement);

}  // namespace groth16d::worker
