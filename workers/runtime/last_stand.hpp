// The last stand of a worker: whatever ends it, the page of last words says what it was doing and why it ended. Called
// "last words" where the supervisor reads them.
//
// Handlers of SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT write a line into the page by plain stores and then let the
// signal kill the process as it would have, so that the supervisor sees the true cause of death.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/error.hpp"

namespace groth16d::worker {

// Maps the page and installs the handlers, once, before there is a second thread. Without descriptor 4 the words go
// nowhere and the handlers still let the process die by its signal.
Result<void> install_last_stand(int last_words_fd);

// An alternate signal stack for the calling thread, so that a stack overflow can be reported too.
void give_thread_signal_stack();

// What the worker is busy with; from the computing thread.
void begin_last_words(std::string_view stage, std::string_view job, std::uint32_t partition, std::uint32_t attempt,
                      std::uint64_t assignment);
void say_last_words(std::string_view text);
void end_last_words();

// A first responder for SIGBUS: true when it repaired the fault at this address and the access may be repeated.
// Async-signal-safe.
using BusFaultRepair = bool (*)(const void* address);
void set_bus_fault_repair(BusFaultRepair repair);

}  // namespace groth16d::worker
