// prove: one witness to one proof, as rapidsnark's `prover K W P Q`: submit, wait, write. Asks the daemon that runs,
// and where none does, brings one of its own for the time of the job.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "client/ctl/command.hpp"
#include "client/ctl/job_request.hpp"
#include "client/ctl/progress_bar.hpp"
#include "client/ctl/render_json.hpp"
#include "client/ctl/result_files.hpp"
#include "client/lib/private_daemon.hpp"
#include "client/lib/wait.hpp"

namespace groth16d::ctl {
namespace {

// A daemon of our own that does not answer is slow, not gone: its end is seen by its pid. On a machine with eight
// compilers to a core a SUBMIT took more than the 10 s of other commands.
constexpr std::uint64_t kOwnDaemonTimeout_ms = 120'000;

struct ProveArguments {
  JobInput input;
  std::string witness;
  ResultPaths paths;
  bool own_daemon = false;
};

// The folders of the job's files: all that the private daemon may read.
Result<std::vector<std::string>> roots_of(const JobInput& input) {
  std::set<std::string> roots;
  for (const auto& file : {input.zkey, input.r1cs, input.witnesses.front()}) {
    if (file.empty()) continue;
    auto path = absolute(file);
    if (!path) return tl::unexpected<Error>(path.error());
    roots.insert(std::filesystem::path(*path).parent_path().string());
  }
  return std::vector<std::string>(roots.begin(), roots.end());
}

Result<client::PrivateDaemon> start_private_daemon(const JobInput& input) {
  auto program = client::daemon_beside_this_program();
  if (!program) return tl::unexpected<Error>(program.error());
  auto roots = roots_of(input);
  if (!roots) return tl::unexpected<Error>(roots.error());
  client::PrivateDaemonOptions options;
  options.program = *program;
  options.roots = *roots;
  return client::PrivateDaemon::start(options);
}

// Submits and waits. On an interruption the job is cancelled before the Error is returned.
Result<v1::JobStatus> run_job(client::Client& client, const Submission& submission, bool show_progress) {
  auto accepted = client.submit(submission.request, submission.payload);
  if (!accepted) return tl::unexpected<Error>(accepted.error());
  ProgressBar bar(show_progress);
  client::WaitOptions options;
  options.on_status = [&](const v1::JobStatus& status) { bar.show(status); };
  options.is_interrupted = is_interrupted;
  auto ended = client::wait_for_job(client, submission.request.job(), options);
  if (!ended && ended.error().name == "wait.interrupted") {
    static_cast<void>(client.cancel(submission.request.job()));  // the interruption is what is reported
    ended.error().text = submission.request.job() + ": interrupted and cancelled";
  }
  return ended;
}

void report(Session& session, const v1::ResultReply& result, const ResultPaths& paths) {
  Json json = to_json(result);
  json.erase("proofs");
  json["proof_file"] = paths.proof;
  json["public_file"] = paths.public_inputs;
  session.print(json, paths.proof + " " + paths.public_inputs);
}

void run_prove(Session& session, ProveArguments& arguments) {
  arguments.input.witnesses = {arguments.witness};
  watch_for_interruption();
  const JobInput& input = arguments.input;
  if (auto writable = check_writable(arguments.paths, {input.zkey, input.r1cs, arguments.witness}); !writable)
    return session.fail(writable.error());
  auto submission = make_submission(arguments.input);
  if (!submission) return session.fail(submission.error());

  auto address = session.address();
  if (!address) return session.fail(address.error(), ExitCode::usage);
  std::optional<client::PrivateDaemon> own;
  const bool can_be_private = arguments.input.circuit.empty();
  if (can_be_private && (arguments.own_daemon || !client::is_listening(*address))) {
    auto started = start_private_daemon(arguments.input);
    if (!started) return session.fail(started.error());
    own.emplace(std::move(*started));
    address = own->address();
  }
  const std::uint64_t timeout_ms = own ? std::max(session.timeout_ms(), kOwnDaemonTimeout_ms) : session.timeout_ms();
  auto client = client::Client::connect(*address, timeout_ms);
  if (!client) return session.fail_call(client.error());

  auto ended = run_job(*client, *submission, !session.json);
  if (!ended && own && !own->is_running()) {
    return session.fail({ErrorCode::internal, "private_daemon.ended", "the private groth16d ended:\n" + own->log()});
  }
  if (!ended) return session.fail_call(ended.error());
  for (const auto& warning : ended->warnings()) say("warning: " + warning);
  if (ended->state() != v1::DONE) return session.fail(reason_of(*ended));
  auto result = client->result(ended->job());
  if (!result) return session.fail_call(result.error());
  if (result->partitions_size() != 1) {
    return session.fail({ErrorCode::internal, "result.partitions", ended->job() + ": the daemon has no result for it"});
  }
  if (auto written = write_result(result->partitions(0), arguments.paths); !written) {
    return session.fail(written.error());
  }
  // A job whose name nobody knows can be asked for by nobody. Should CLOSE fail, retention ends it.
  if (arguments.input.job.empty()) static_cast<void>(client->close(ended->job()));
  report(session, *result, arguments.paths);
}

}  // namespace

void add_prove_command(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<ProveArguments>();
  auto* command = app.add_subcommand("prove", "prove a witness; starts a private daemon where none runs");
  add_job_options(*command, arguments->input, "--zkey,zkey");
  command->add_option("--wtns,wtns", arguments->witness, "the witness")->type_name("FILE")->required();
  command->add_option("--proof,proof", arguments->paths.proof, "where proof.json goes")->type_name("FILE")->required();
  command->add_option("--public,public", arguments->paths.public_inputs, "where public.json goes")
      ->type_name("FILE")
      ->required();
  command->add_option("--binary", arguments->paths.binary, "where the compressed proof goes")->type_name("FILE");
  command->add_flag("--private", arguments->own_daemon, "start a private daemon even where one runs");
  command->callback([&session, arguments] {
    if (arguments->input.circuit.empty() == arguments->input.zkey.empty()) {
      throw CLI::ValidationError("prove", "one of --zkey and --circuit is needed");
    }
    run_prove(session, *arguments);
  });
}

}  // namespace groth16d::ctl
