// job kick|cancel and reload: what an operator tells the daemon as a whole.
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "client/ctl/command.hpp"
#include "client/ctl/render_text.hpp"

namespace groth16d::ctl {
namespace {

void run_kick(Session& session, const std::string& job) {
  auto client = session.connect_operator();
  if (!client) return session.fail_call(client.error());
  if (auto kicked = client->kick(job); !kicked) return session.fail_call(kicked.error());
  session.print({{"job", job}, {"kicked", true}}, job + " queued again");
}

std::string table_of(const std::vector<v1::ConfigChange>& changes) {
  if (changes.empty()) return "nothing has changed";
  std::vector<std::vector<std::string>> rows = {{"KEY", "BEFORE", "NOW"}};
  for (const auto& change : changes) rows.push_back({change.key(), change.before(), change.after()});
  return table(rows);
}

void run_reload(Session& session) {
  auto client = session.connect_operator();
  if (!client) return session.fail_call(client.error());
  auto changes = client->reload();
  if (!changes) return session.fail_call(changes.error());
  Json json = {{"reloaded", true}, {"changes", Json::array()}};
  for (const auto& change : *changes) {
    json["changes"].push_back({{"key", change.key()}, {"before", change.before()}, {"after", change.after()}});
  }
  session.print(json, table_of(*changes));
}

void add_job_verb(CLI::App& jobs, const char* name, const char* help, std::function<void(const std::string&)> run) {
  auto job = std::make_shared<std::string>();
  auto* command = jobs.add_subcommand(name, help);
  command->add_option("job", *job, "the job's name")->type_name("JOB")->required();
  command->callback([job, run = std::move(run)] { run(*job); });
}

}  // namespace

void add_operator_commands(CLI::App& app, Session& session) {
  auto* jobs = app.add_subcommand("job", "an operator's hand on one job");
  jobs->require_subcommand(1);
  add_job_verb(*jobs, "kick", "queue a quarantined job again",
               [&session](const std::string& job) { run_kick(session, job); });
  add_job_verb(*jobs, "cancel", "stop a job wherever it is",
               [&session](const std::string& job) { run_cancel(session, job); });

  auto* reload = app.add_subcommand("reload", "read the configuration again; returns with the verdict");
  auto wait = std::make_shared<bool>(true);
  reload->add_flag("--wait", *wait, "for service files: reload never returns before the verdict anyway");
  reload->callback([&session, wait] { run_reload(session); });
}

}  // namespace groth16d::ctl
