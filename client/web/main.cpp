// groth16-web: metrics, health and the dashboard over HTTP. A process of its own and a client like any other, so that
// nothing that a browser or a scraper does can reach the supervisor but as a request on its socket, at most a few a
// second.
#include <csignal>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include "client/web/server.hpp"
#include "common/build.hpp"
#include "common/hygiene.hpp"
#include "common/log.hpp"
#include "common/program.hpp"

namespace {

using namespace groth16d;
using namespace groth16d::web;

struct Flags {
  std::string runtime_dir = "/run/groth16d";
  std::string host = "127.0.0.1";
  std::uint16_t port = 9816;
  std::string tokens_file;
  std::vector<std::string> origins;
  std::string log_level = "info";
  std::string new_token_role;
};

void describe(CLI::App& app, Flags& flags) {
  app.set_version_flag("--version", "groth16-web " + version_text());
  app.add_option("--runtime-dir", flags.runtime_dir, "the daemon's runtime directory")
      ->envname("GROTH16D_RUNTIME_DIR")
      ->type_name("DIR");
  app.add_option("--host", flags.host, "address to listen at (127.0.0.1)")->type_name("ADDRESS");
  app.add_option("--port", flags.port, "port to listen at (9816); 0: any, printed")->type_name("PORT");
  app.add_option("--tokens", flags.tokens_file,
                 "lines \"read TOKEN\" and \"operate TOKEN\"; without it there is no page")
      ->type_name("FILE");
  app.add_option("--origin", flags.origins, "how browsers reach it through a proxy: https://prover.example")
      ->type_name("ORIGIN")
      ->expected(1)
      ->take_all();
  app.add_option("--log-level", flags.log_level, "debug, info, warning or error")->type_name("LEVEL");
  app.add_option("--new-token", flags.new_token_role, "print a line for the file of tokens and exit")
      ->type_name("ROLE")
      ->check(CLI::IsMember({"read", "operate"}));
}

int fail(const Error& error, ExitCode code) {
  std::cerr << "groth16-web: " << error.text << '\n';
  return static_cast<int>(code);
}

Result<Tokens> read_tokens(const Flags& flags) {
  if (!flags.tokens_file.empty()) return Tokens::read(flags.tokens_file);
  if (is_loopback(flags.host)) return Tokens();
  return failure(ErrorCode::malformed, "web.tokens", flags.host + " is not loopback: --tokens is needed there");
}

// SIGTERM and SIGINT, waited for by a thread of their own.
sigset_t block_signals() {
  sigset_t ends;
  ::sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT}) ::sigaddset(&ends, signal);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return ends;
}

int run(const Flags& flags) {
  if (!flags.new_token_role.empty()) {
    const auto token = new_token();
    if (!token) return fail(token.error(), ExitCode::temporary);
    std::cout << flags.new_token_role << ' ' << *token << '\n';
    return static_cast<int>(ExitCode::orderly);
  }
  if (auto hardened = harden_process(); !hardened) return fail(hardened.error(), ExitCode::temporary);
  start_log({"groth16-web", flags.log_level});
  const sigset_t ends = block_signals();
  const auto tokens = read_tokens(flags);
  if (!tokens) return fail(tokens.error(), ExitCode::configuration);
  const client::Address address = client::address_in(flags.runtime_dir);
  Watcher watcher(address);
  Desk desk(address);
  Server server({watcher, desk, *tokens, !is_loopback(flags.host)});
  const auto port = server.bind(flags.host, flags.port);
  if (!port) return fail(port.error(), ExitCode::temporary);
  auto guard = Guard::create(flags.host, *port, flags.origins);
  if (!guard) return fail(guard.error(), ExitCode::configuration);
  std::cout << "http://" << flags.host << ':' << *port << '/' << std::endl;
  std::thread waiter([&] {
    int signal = 0;
    ::sigwait(&ends, &signal);
    watcher.close();
    server.stop();
  });
  server.serve(std::move(*guard));
  waiter.join();
  return static_cast<int>(ExitCode::orderly);
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app("groth16-web: metrics, health and the dashboard of groth16d", "groth16-web");
  describe(app, flags);
  return parse_and_run(app, argc, argv, [&flags] { return run(flags); });
}
