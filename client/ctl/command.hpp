// What every command of groth16ctl shares: the options that all of them take, their exit codes, and how they speak.
//
// Results go to standard output, as text or with --json as one JSON value; everything else goes to standard error. With
// --json an error is a JSON value too: {"error": {"code", "name", "text"}}.
#pragma once

#include <cstdint>
#include <string>

#include "client/json/message_json.hpp"
#include "client/lib/client.hpp"
#include "common/error.hpp"

namespace CLI {
class App;
}

namespace groth16d::ctl {

using client::Json;

// An API: scripts decide by these.
enum class ExitCode : int {
  ok = 0,
  failed = 1,       // the job failed, the proof is not valid, a file is bad
  usage = 2,        // the command line is wrong
  unreachable = 3,  // no daemon, or none that answers
  refused = 4,      // the daemon refused: bad request, unknown, conflict, too large
  no_verdict = 66,  // verify: a file cannot be read, or the verification key is none (EX_NOINPUT)
  busy = 75,        // try again later: queue full, draining, wait timed out (EX_TEMPFAIL)
  interrupted = 130,
};

class Session {
 public:
  bool json = false;
  ExitCode exit_code = ExitCode::ok;  // what main returns

  // Options that come before or after any command.
  void add_options(CLI::App& app);

  // Where the daemon is: --endpoint, else --runtime-dir, else $GROTH16D_RUNTIME_DIR, else /run/groth16d.
  Result<client::Address> address() const;
  Result<client::Client> connect() const;
  Result<client::Client> connect_operator() const;
  // A daemon of another machine: files are sent, not named.
  bool is_remote() const { return endpoint_.starts_with("tcp://"); }
  std::uint64_t timeout_ms() const { return static_cast<std::uint64_t>(timeout_s_ * 1000); }

  // Ends a command with an error of a daemon's call, or with one of this program's own work (exit code failed).
  void fail_call(const Error& error);
  void fail(const Error& error, ExitCode code = ExitCode::failed);

  // Ends a command with its result.
  void print(const Json& value, const std::string& text);

 private:
  std::string endpoint_, server_key_, key_file_;
  std::string runtime_dir_;
  double timeout_s_ = 10;
};

ExitCode exit_code_of_call(const Error& error);

// A line for the person, never for the program.
void say(const std::string& line);

// Installs a handler for SIGINT, SIGTERM and SIGHUP; is_interrupted() tells afterwards whether one came.
void watch_for_interruption();
bool is_interrupted();

// `cancel` and `job cancel`.
void run_cancel(Session& session, const std::string& job);

// Each adds its commands to the program.
void add_circuit_commands(CLI::App& app, Session& session);
void add_job_commands(CLI::App& app, Session& session);
void add_prove_command(CLI::App& app, Session& session);
void add_worker_commands(CLI::App& app, Session& session);
void add_top_command(CLI::App& app, Session& session);
void add_operator_commands(CLI::App& app, Session& session);
void add_proof_commands(CLI::App& app, Session& session);
void add_setup_commands(CLI::App& app, Session& session);
void add_porep_commands(CLI::App& app, Session& session);
void add_key_commands(CLI::App& app, Session& session);
void add_trace_command(CLI::App& app, Session& session);
void add_doctor_command(CLI::App& app, Session& session);
void add_describe_command(CLI::App& app);

// Each adds one command to the group that it belongs to.
void add_circuit_hash_command(CLI::App& circuit, Session& session);
void add_porep_parameters_command(CLI::App& porep, Session& session);
void add_porep_prove_command(CLI::App& porep, Session& session);
void add_porep_verify_command(CLI::App& porep, Session& session);

}  // namespace groth16d::ctl
