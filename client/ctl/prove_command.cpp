// prove: one witness to one proof, as rapidsnark's `prover K W P Q`. Asks the daemon that runs: submit, wait, write.
// Where none does, it becomes groth16-prove for what a key and a witness are enough for, and brings a daemon of its own
// for the time of any other job.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <memory>
#include <vector>

#include "client/ctl/command.hpp"
#include "client/ctl/job_request.hpp"
#include "client/ctl/job_run.hpp"
#include "client/ctl/result_files.hpp"
#include "client/json/message_json.hpp"
#include "client/lib/private_daemon.hpp"
#include "common/posix.hpp"

namespace groth16d::ctl {
namespace {

struct ProveArguments {
  JobInput input;
  std::string witness;
  ResultPaths paths;
  bool own_daemon = false;
};

void report(Session& session, const v1::ResultReply& result, const ResultPaths& paths) {
  Json json = client::to_json(result);
  json.erase("proofs");
  json["proof_file"] = paths.proof;
  json["public_file"] = paths.public_inputs;
  session.print(json, paths.proof + " " + paths.public_inputs);
}

// A key, a witness, and nothing that only a daemon does.
bool is_plain(const JobInput& input) {
  return !input.zkey.empty() && input.r1cs.empty() && input.publics.empty() && !input.send_inputs &&
         input.deadline_s == 0;
}

bool is_without_daemon(const Session& session, const ProveArguments& arguments) {
  if (arguments.own_daemon || !is_plain(arguments.input)) return false;
  const auto address = session.address();
  return address && !address->remote && !client::is_listening(*address);
}

std::vector<std::string> words_of_groth16_prove(const Session& session, const ProveArguments& arguments) {
  std::vector<std::string> words = {"groth16-prove"};
  if (session.json) words.emplace_back("--json");
  if (arguments.input.allow_insecure_key) words.emplace_back("--allow-insecure-key");
  if (!arguments.input.job.empty()) words.push_back("--job=" + arguments.input.job);
  if (!arguments.paths.binary.empty()) words.push_back("--binary=" + arguments.paths.binary);
  words.insert(words.end(),
               {"--", arguments.input.zkey, arguments.witness, arguments.paths.proof, arguments.paths.public_inputs});
  return words;
}

// Does not return where it succeeds: one process, whose memory is the proof's alone.
void become_groth16_prove(Session& session, const ProveArguments& arguments) {
  const auto program = client::companion_program("groth16-prove");
  if (!program) return session.fail(program.error());
  std::vector<std::string> words = words_of_groth16_prove(session, arguments);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program->c_str(), argv.data());
  session.fail(system_failure("exec", *program).value());
}

void run_prove(Session& session, ProveArguments& arguments) {
  arguments.input.witnesses = {arguments.witness};
  const JobInput& input = arguments.input;
  if (auto writable = check_writable(arguments.paths, {input.zkey, input.r1cs, arguments.witness}); !writable)
    return session.fail(writable.error());
  if (is_without_daemon(session, arguments)) return become_groth16_prove(session, arguments);
  watch_for_interruption();
  auto submission = make_submission(arguments.input, session.is_remote());
  if (!submission) return session.fail(submission.error());

  // A job whose name nobody knows can be asked for by nobody.
  JobRun run;
  run.submission = std::move(*submission);
  run.can_be_private = arguments.input.circuit.empty();
  run.wants_private = arguments.own_daemon;
  run.files = {arguments.input.zkey, arguments.input.r1cs, arguments.witness};
  run.forget = arguments.input.job.empty();
  run_to_result(session, run, [&](const v1::ResultReply& result) -> Result<void> {
    if (auto written = write_result(result.partitions(0), arguments.paths); !written) return written;
    report(session, result, arguments.paths);
    return {};
  });
}

}  // namespace

void add_prove_command(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<ProveArguments>();
  auto* command = app.add_subcommand("prove", "prove a witness; by one process where no daemon runs");
  add_job_options(*command, arguments->input, "--zkey,zkey");
  command->add_option("--wtns,wtns", arguments->witness, "the witness")->type_name("FILE")->required();
  command->add_option("--proof,proof", arguments->paths.proof, "where proof.json goes")->type_name("FILE")->required();
  command->add_option("--public,public", arguments->paths.public_inputs, "where public.json goes")
      ->type_name("FILE")
      ->required();
  command->add_option("--binary", arguments->paths.binary, "where the compressed proof goes")->type_name("FILE");
  command->add_flag("--private", arguments->own_daemon, "by a private daemon, whether one runs or not");
  command->callback([&session, arguments] {
    if (arguments->input.circuit.empty() == arguments->input.zkey.empty()) {
      throw CLI::ValidationError("prove", "one of --zkey and --circuit is needed");
    }
    run_prove(session, *arguments);
  });
}

}  // namespace groth16d::ctl
