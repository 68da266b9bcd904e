// submit, wait, result, cancel, close, list, status JOB, logs JOB: a job's life by its verbs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "client/ctl/command.hpp"
#include "client/ctl/job_request.hpp"
#include "client/ctl/progress_bar.hpp"
#include "client/ctl/render_text.hpp"
#include "client/ctl/result_files.hpp"
#include "client/json/message_json.hpp"
#include "client/lib/wait.hpp"
#include "common/posix.hpp"

namespace groth16d::ctl {
namespace {

struct WaitArguments {
  std::string job;
  double at_most_s = 0;
};

struct ResultArguments {
  std::string job;
  std::string folder;  // for proof.json and public.json, where they are not named one by one
  ResultPaths paths;
};

struct ListArguments {
  std::vector<std::string> states;
  std::uint32_t limit = 0;
};

void run_submit(Session& session, const JobInput& input) {
  watch_for_interruption();
  auto submission = make_submission(input, session.is_remote());
  if (!submission) return session.fail(submission.error());
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  auto reply = hand_in(*client, *submission);
  if (!reply) return session.fail_call(reply.error());
  const std::string job = submission->request.job();
  session.print({{"job", job}, {"state", client::word_of(reply->state())}}, job);
}

void run_wait(Session& session, const WaitArguments& arguments) {
  watch_for_interruption();
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  client::WaitOptions options;
  options.is_interrupted = is_interrupted;
  if (arguments.at_most_s > 0) {
    options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.at_most_s * 1000));
  }
  auto ended = [&] {
    ProgressBar bar(!session.json);
    options.on_status = [&bar](const v1::JobStatus& status) { bar.show(status); };
    return client::wait_for_job(*client, arguments.job, options);
  }();
  if (!ended) return session.fail_call(ended.error());
  session.print(client::to_json(*ended), text_of(*ended));
  if (ended->state() != v1::DONE) session.exit_code = ExitCode::failed;
}

// Proofs on standard output where no file is named for them.
void print_result(Session& session, const v1::ResultReply& result) {
  std::string text;
  for (const auto& partition : result.partitions())
    text += partition.proof_json() + '\n' + partition.public_json() + '\n';
  session.print(client::to_json(result), text);
}

Result<ResultPaths> wanted_paths(const ResultArguments& arguments) {
  ResultPaths paths = arguments.paths;
  if (!arguments.folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(arguments.folder, error);
    if (error) return system_failure("mkdir", arguments.folder, error.value());
    if (paths.proof.empty()) paths.proof = arguments.folder + "/proof.json";
    if (paths.public_inputs.empty()) paths.public_inputs = arguments.folder + "/public.json";
  }
  return check_writable(paths).map([&] { return paths; });
}

void run_result(Session& session, const ResultArguments& arguments) {
  const auto wanted = wanted_paths(arguments);
  if (!wanted) return session.fail(wanted.error());
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  auto result = client->result(arguments.job);
  if (!result) return session.fail_call(result.error());
  if (!client::has_ended(result->job().state())) {
    return session.fail({ErrorCode::busy, "job.running", arguments.job + ": has not ended yet"}, ExitCode::busy);
  }
  if (result->job().state() != v1::DONE) return session.fail(reason_of(result->job()));
  const ResultPaths& paths = *wanted;
  const int n = result->partitions_size();
  if (paths.proof.empty() && paths.public_inputs.empty() && paths.binary.empty()) return print_result(session, *result);
  for (const auto& partition : result->partitions()) {
    const std::uint32_t index = partition.partition();
    const ResultPaths own = {numbered(paths.proof, index, n), numbered(paths.public_inputs, index, n),
                             numbered(paths.binary, index, n)};
    if (auto written = write_result(partition, own); !written) return session.fail(written.error());
  }
  session.print(client::to_json(*result), "");
}

void run_list(Session& session, const ListArguments& arguments) {
  v1::ListRequest request;
  request.set_limit(arguments.limit);
  for (std::string state : arguments.states) {
    std::transform(state.begin(), state.end(), state.begin(), [](char c) { return static_cast<char>(c & ~0x20); });
    v1::JobState value{};
    if (v1::JobState_Parse(state, &value)) request.add_states(value);
  }
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  auto jobs = client->list(request);
  if (!jobs) return session.fail_call(jobs.error());
  session.print(client::array_of(*jobs), table_of(*jobs));
}

void run_status(Session& session, const std::string& job) {
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  if (job.empty()) {
    auto daemon = client->daemon_status();
    return daemon ? session.print(client::to_json(*daemon), text_of(*daemon)) : session.fail_call(daemon.error());
  }
  auto status = client->status(job);
  return status ? session.print(client::to_json(*status), text_of(*status)) : session.fail_call(status.error());
}

std::string text_of_lines(const std::vector<v1::LogLine>& lines) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& line : lines) {
    rows.push_back({time_text(line.at_ms()), line.slot().empty() ? "supervisor" : line.slot(), line.text()});
  }
  return table(rows);
}

void run_logs(Session& session, const std::string& job) {
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  auto lines = client->logs(job);
  if (!lines) return session.fail_call(lines.error());
  session.print(client::array_of(*lines), text_of_lines(*lines));
}

// A verb that names a job and answers with nothing but success.
void run_close(Session& session, const std::string& job) {
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  if (auto closed = client->close(job); !closed) return session.fail_call(closed.error());
  session.print({{"job", job}, {"closed", true}}, job + " closed");
}

void add_job_name_command(CLI::App& app, const char* name, const char* help,
                          std::function<void(const std::string&)> run) {
  auto job = std::make_shared<std::string>();
  auto* command = app.add_subcommand(name, help);
  command->add_option("job", *job, "the job's name")->type_name("JOB")->required();
  command->callback([job, run = std::move(run)] { run(*job); });
}

void add_submit(CLI::App& app, Session& session) {
  auto input = std::make_shared<JobInput>();
  auto* command = app.add_subcommand("submit", "hand in a job of one or more witnesses; prints its name");
  add_job_options(*command, *input, "--zkey");
  command->add_option("--wtns,wtns", input->witnesses, "the witnesses, one a partition")->type_name("FILE")->required();
  command->callback([&session, input] {
    if (input->circuit.empty() == input->zkey.empty()) {
      throw CLI::ValidationError("submit", "one of --zkey and --circuit is needed");
    }
    run_submit(session, *input);
  });
}

void add_wait(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<WaitArguments>();
  auto* command = app.add_subcommand("wait", "wait until a job has ended");
  command->add_option("job", arguments->job, "the job's name")->type_name("JOB")->required();
  command->add_option("--at-most", arguments->at_most_s, "give up after so many seconds")->check(CLI::PositiveNumber);
  command->callback([&session, arguments] { run_wait(session, *arguments); });
}

void add_result(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<ResultArguments>();
  auto* command = app.add_subcommand("result", "the proofs of a job that is done");
  command->add_option("job", arguments->job, "the job's name")->type_name("JOB")->required();
  command
      ->add_option("--proof", arguments->paths.proof,
                   "where proof.json goes; -<partition> is added where there are several")
      ->type_name("FILE");
  command->add_option("--out", arguments->folder, "a folder for proof.json and public.json; made where it is missing")
      ->type_name("FOLDER");
  command->add_option("--public", arguments->paths.public_inputs, "where public.json goes")->type_name("FILE");
  command->add_option("--binary", arguments->paths.binary, "where the compressed proof goes")->type_name("FILE");
  command->callback([&session, arguments] { run_result(session, *arguments); });
}

void add_list(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<ListArguments>();
  auto* command = app.add_subcommand("list", "the jobs that the daemon knows");
  command->add_option("--state", arguments->states, "only jobs in these states")
      ->check(CLI::IsMember({"received", "queued", "running", "done", "failed", "cancelled", "quarantined"}));
  command->add_option("--limit", arguments->limit, "at most so many");
  command->callback([&session, arguments] { run_list(session, *arguments); });
}

void add_status(CLI::App& app, Session& session) {
  auto job = std::make_shared<std::string>();
  auto* command = app.add_subcommand("status", "the daemon's state, or a job's with its timeline");
  command->add_option("job", *job, "the job's name")->type_name("JOB");
  command->callback([&session, job] { run_status(session, *job); });
}

}  // namespace

void run_cancel(Session& session, const std::string& job) {
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  const auto stopped = client->cancel(job);
  if (!stopped) return session.fail_call(stopped.error());
  session.print({{"job", job}, {"cancelled", *stopped}}, job + (*stopped ? " cancelled" : " had ended before"));
}

void add_job_commands(CLI::App& app, Session& session) {
  add_submit(app, session);
  add_wait(app, session);
  add_result(app, session);
  add_status(app, session);
  add_list(app, session);
  add_job_name_command(app, "cancel", "stop a job wherever it is",
                       [&session](const std::string& job) { run_cancel(session, job); });
  add_job_name_command(app, "close", "forget an ended job and its result",
                       [&session](const std::string& job) { run_close(session, job); });
  add_job_name_command(app, "logs", "what the daemon and its workers said about a job",
                       [&session](const std::string& job) { run_logs(session, job); });
}

}  // namespace groth16d::ctl
