// worker list|restart|drain|reset|enable|disable: the processes behind the daemon, what each is doing, and an
// operator's hand on them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "client/ctl/command.hpp"
#include "client/ctl/render_text.hpp"
#include "client/json/message_json.hpp"
#include "client/lib/wait.hpp"

namespace groth16d::ctl {
namespace {

struct VerbArguments {
  std::string slot;
  bool now = false;
  bool enable = false;
  bool wait = false;
  double at_most_s = 0;
};

void run_list(Session& session) {
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  auto workers = client->workers();
  if (!workers) return session.fail_call(workers.error());
  session.print(client::array_of(*workers), table_of(*workers));
}

Result<v1::WorkerStatus> operate(client::Client& client, ipc::Command verb, const VerbArguments& arguments) {
  if (!arguments.wait) return client.operate(verb, arguments.slot, arguments.now);
  watch_for_interruption();
  client::WaitOptions options;
  options.is_interrupted = is_interrupted;
  if (arguments.at_most_s > 0) {
    options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.at_most_s * 1000));
  }
  return client::operate_and_wait(client, verb, arguments.slot, arguments.now, options);
}

// For service files, which know only "start": a slot that rests is enabled, any other gets a new process.
Result<ipc::Command> restart_or_enable(client::Client& client, const std::string& slot) {
  return client.workers().map([&](const std::vector<v1::WorkerStatus>& workers) {
    const bool rests = std::ranges::any_of(
        workers, [&](const v1::WorkerStatus& worker) { return worker.slot() == slot && worker.state() == "disabled"; });
    return rests ? ipc::Command::worker_enable : ipc::Command::worker_restart;
  });
}

void run_verb(Session& session, ipc::Command verb, std::string word, const VerbArguments& arguments) {
  auto client = session.connect_operator();
  if (!client) return session.fail_call(client.error());
  if (arguments.enable) {
    const auto chosen = restart_or_enable(*client, arguments.slot);
    if (!chosen) return session.fail_call(chosen.error());
    verb = *chosen;
    if (verb == ipc::Command::worker_enable) word = "enable";
  }
  auto worker = operate(*client, verb, arguments);
  if (!worker) return session.fail_call(worker.error());
  Json json = {{"verb", word}, {"done", client::is_done(verb, 0, *worker) && arguments.wait}};
  json["worker"] = client::to_json(*worker);
  session.print(
      json, arguments.slot + ": " + word + (arguments.wait ? " done, it is " : " accepted, it is ") + worker->state());
}

void add_verb(CLI::App& worker, Session& session, ipc::Command verb, const char* name, const char* help) {
  auto arguments = std::make_shared<VerbArguments>();
  auto* command = worker.add_subcommand(name, help);
  command->add_option("slot", arguments->slot, "the worker's slot, as `worker list` names it")
      ->type_name("SLOT")
      ->required();
  if (verb == ipc::Command::worker_restart) {
    command->add_flag("--now", arguments->now, "kill it; what it works on is done again, and counts against nobody");
    command->add_flag("--enable", arguments->enable, "where it rests, enable it instead");
  }
  auto* wait = command->add_flag("--wait", arguments->wait, "return when it is done, not when it is accepted");
  command->add_option("--at-most", arguments->at_most_s, "with --wait: give up waiting after so many seconds")
      ->check(CLI::PositiveNumber)
      ->needs(wait);
  command->callback([&session, verb, name, arguments] { run_verb(session, verb, name, *arguments); });
}

}  // namespace

void add_worker_commands(CLI::App& app, Session& session) {
  auto* worker = app.add_subcommand("worker", "the daemon's worker processes");
  worker->require_subcommand(1);
  worker->add_subcommand("list", "slot, state, process, restarts and work of each")->callback([&session] {
    run_list(session);
  });
  using ipc::Command;
  add_verb(*worker, session, Command::worker_restart, "restart", "a new process once its assignment is finished");
  add_verb(*worker, session, Command::worker_drain, "drain", "finish the assignment, then rest until `enable`");
  add_verb(*worker, session, Command::worker_disable, "disable", "kill it, and rest until `enable`");
  add_verb(*worker, session, Command::worker_enable, "enable", "work again after drain or disable");
  add_verb(*worker, session, Command::worker_reset, "reset", "forget what failed the slot, and work again");
}

}  // namespace groth16d::ctl
