#include "workers/runtime/worker_main.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

#include <signal.h>
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <zmq.hpp>

#include "common/build.hpp"
#include "common/hygiene.hpp"
#include "common/log.hpp"
#include "workers/runtime/confinement.hpp"
#include "workers/runtime/conversation.hpp"
#include "workers/runtime/environment.hpp"
#include "workers/runtime/last_stand.hpp"

namespace groth16d::worker {

namespace {

ExitCode give_up(const Error& error, ExitCode code) {
  spdlog::error("{} ({})", error.text, error.name);
  say_last_words(error.text);
  return code;
}

ExitCode exit_code_of(const Error& error) {
  return error.code == ErrorCode::internal ? ExitCode::bug : ExitCode::temporary;
}

ExitCode converse(const Environment& environment, const Handler& handler) {
  zmq::context_t context;
  Result<ipc::WorkerLink> link =
      ipc::WorkerLink::connect(context, environment.workers_socket, environment.slot, environment.epoch);
  if (!link) return give_up(link.error(), exit_code_of(link.error()));
  Conversation conversation(std::move(*link), kLifelineFd, handler);
  const Result<ExitCode> end = conversation.run();
  return end ? *end : give_up(end.error(), exit_code_of(end.error()));
}

ExitCode run(const Handler& handler, const TakeDevice& take_device) {
  if (Result<void> hardened = harden_process(); !hardened) return give_up(hardened.error(), ExitCode::temporary);
  ::signal(SIGPIPE, SIG_IGN);  // a closed log pipe must not kill a computation
  const Result<Environment> environment = read_environment();
  if (!environment) return give_up(environment.error(), ExitCode::configuration);
  start_log({environment->slot, environment->log_level, {.slot = environment->slot, .epoch = environment->epoch}});
  if (Result<void> ready = install_last_stand(kLastWordsFd); !ready) return give_up(ready.error(), ExitCode::temporary);
  if (Result<void> confined = confine(take_device ? Confinement::with_device : Confinement::full); !confined)
    return give_up(confined.error(), ExitCode::temporary);
  if (take_device) {
    if (Result<void> taken = take_device(); !taken) return give_up(taken.error(), ExitCode::device);
  }
  return converse(*environment, handler);
}

}  // namespace

int worker_main(int argc, char** argv, const Handler& handler, const TakeDevice& take_device) {
  if (std::find(argv, argv + argc, std::string_view("--version")) != argv + argc) {
    std::printf("%s %s\n", program_invocation_short_name, version_text().c_str());
    return 0;
  }
  try {
    return static_cast<int>(run(handler, take_device));
  } catch (const std::exception& exception) {
    spdlog::error("broken invariant: {}", exception.what());
    say_last_words(exception.what());
  }
  // Not by return: destructors of a process in an unknown state may hang.
  ::_exit(static_cast<int>(ExitCode::bug));
}

}  // namespace groth16d::worker
