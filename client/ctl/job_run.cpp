#include "client/ctl/job_run.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "client/ctl/progress_bar.hpp"
#include "client/ctl/result_files.hpp"
#include "client/lib/private_daemon.hpp"
#include "client/lib/wait.hpp"

namespace groth16d::ctl {
namespace {

// A daemon of our own that does not answer is slow, not gone: its end is seen by its pid. On a machine with eight
// compilers to a core a SUBMIT took more than the 10 s of other commands.
constexpr std::uint64_t kOwnDaemonTimeout_ms = 120'000;

Result<std::vector<std::string>> roots_of(const std::vector<std::string>& files) {
  std::set<std::string> roots;
  for (const auto& file : files) {
    if (file.empty()) continue;
    auto path = absolute(file);
    if (!path) return tl::unexpected<Error>(path.error());
    roots.insert(std::filesystem::path(*path).parent_path().string());
  }
  return std::vector<std::string>(roots.begin(), roots.end());
}

Result<client::PrivateDaemon> start_private_daemon(const std::vector<std::string>& files) {
  auto program = client::companion_program("groth16d");
  if (!program) return tl::unexpected<Error>(program.error());
  auto roots = roots_of(files);
  if (!roots) return tl::unexpected<Error>(roots.error());
  client::PrivateDaemonOptions options;
  options.program = *program;
  options.roots = *roots;
  options.one_shot = true;
  return client::PrivateDaemon::start(options);
}

// Submits and waits. On an interruption the job is cancelled before the Error is returned.
Result<v1::JobStatus> run_job(client::Client& client, const Submission& submission, bool show_progress) {
  auto accepted = hand_in(client, submission);
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

}  // namespace

bool run_to_result(Session& session, const JobRun& run,
                   const std::function<Result<void>(const v1::ResultReply&)>& deliver) {
  const auto failed = [&](const Error& error, ExitCode code) {
    session.fail(error, code);
    return false;
  };
  auto address = session.address();
  if (!address) return failed(address.error(), ExitCode::usage);
  std::optional<client::PrivateDaemon> own;
  if (run.can_be_private && (run.wants_private || !client::is_listening(*address))) {
    auto started = start_private_daemon(run.files);
    if (!started) return failed(started.error(), ExitCode::failed);
    own.emplace(std::move(*started));
    address = own->address();
  }
  const std::uint64_t timeout_ms = own ? std::max(session.timeout_ms(), kOwnDaemonTimeout_ms) : session.timeout_ms();
  auto client = client::Client::connect(*address, timeout_ms);
  if (!client) return failed(client.error(), exit_code_of_call(client.error()));

  auto ended = run_job(*client, run.submission, !session.json);
  if (!ended && own && !own->is_running()) {
    return failed({ErrorCode::internal, "private_daemon.ended", "the private groth16d ended:\n" + own->log()},
                  ExitCode::failed);
  }
  if (!ended) return failed(ended.error(), exit_code_of_call(ended.error()));
  for (const auto& warning : ended->warnings()) say("warning: " + warning);
  if (ended->state() != v1::DONE) return failed(reason_of(*ended), ExitCode::failed);
  auto result = client->result(ended->job());
  if (!result) return failed(result.error(), exit_code_of_call(result.error()));
  if (static_cast<std::size_t>(result->partitions_size()) != run.n_partitions) {
    return failed({ErrorCode::internal, "result.partitions", ended->job() + ": the daemon has no result for it"},
                  ExitCode::failed);
  }
  if (own) own->begin_stop();  // while the result is written
  if (auto delivered = deliver(*result); !delivered) return failed(delivered.error(), ExitCode::failed);
  // Should CLOSE fail, retention ends the job.
  if (run.forget && !own) static_cast<void>(client->close(ended->job()));
  return true;
}

}  // namespace groth16d::ctl
