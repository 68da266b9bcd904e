// groth16ctl: the command of operators and users. Some commands ask a daemon; verify, vk, calldata and setup work
// alone; prove does, too, where none runs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string_view>

#include "client/ctl/command.hpp"
#include "client/ctl/usage.hpp"
#include "client/prove/file_names.hpp"
#include "common/build.hpp"

namespace {

constexpr char kDescription[] = "groth16ctl: proofs, circuits and workers of groth16d";

constexpr char kFooter[] =
    "exit codes: 0 done, 1 failed or not valid, 2 wrong usage, 3 no daemon answers, 4 the daemon refuses,\n"
    "            66 verify: no verdict, 75 busy, try again later, 130 interrupted\n"
    "A command's own options: groth16ctl COMMAND --help";

}  // namespace

int main(int argc, char** argv) {
  using groth16d::ctl::ExitCode;
  CLI::App app(kDescription, "groth16ctl");
  groth16d::ctl::Session session;
  app.footer(kFooter);
  app.fallthrough();  // common options may follow a command; commands inherit this
  app.require_subcommand(1);
  app.set_version_flag("--version", "groth16ctl " + groth16d::version_text());
  session.add_options(app);
  groth16d::ctl::add_prove_command(app, session);
  groth16d::ctl::add_circuit_commands(app, session);
  groth16d::ctl::add_job_commands(app, session);
  groth16d::ctl::add_worker_commands(app, session);
  groth16d::ctl::add_top_command(app, session);
  groth16d::ctl::add_operator_commands(app, session);
  groth16d::ctl::add_proof_commands(app, session);
  groth16d::ctl::add_setup_commands(app, session);
  groth16d::ctl::add_porep_commands(app, session);
  groth16d::ctl::add_key_commands(app, session);
  groth16d::ctl::add_trace_command(app, session);
  groth16d::ctl::add_doctor_command(app, session);
  groth16d::ctl::add_describe_command(app);
  groth16d::client::refuse_empty_file_names(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    // The refused parse may not have come as far as --json.
    session.json =
        std::any_of(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
    session.fail(groth16d::ctl::usage_error(app, error), ExitCode::usage);
  }
  std::cout.flush();
  if (!std::cout) {
    groth16d::ctl::say("standard output cannot be written");
    return static_cast<int>(ExitCode::failed);
  }
  return static_cast<int>(session.exit_code);
}
