// worker list: the processes behind the daemon, and what each is doing.
#include <CLI/CLI.hpp>

#include "client/ctl/command.hpp"
#include "client/ctl/render_json.hpp"
#include "client/ctl/render_text.hpp"

namespace groth16d::ctl {
namespace {

void run_worker_list(Session& session) {
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  auto workers = client->workers();
  if (!workers) return session.fail_call(workers.error());
  Json json = Json::array();
  for (const auto& worker : *workers) json.push_back(to_json(worker));
  session.print(json, table_of(*workers));
}

}  // namespace

void add_daemon_commands(CLI::App& app, Session& session) {
  auto* worker = app.add_subcommand("worker", "the daemon's worker processes");
  worker->require_subcommand(1);
  worker->add_subcommand("list", "slot, state, process, restarts and work of each")->callback([&session] {
    run_worker_list(session);
  });
}

}  // namespace groth16d::ctl
