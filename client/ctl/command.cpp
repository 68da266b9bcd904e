#include "client/ctl/command.hpp"

#include <signal.h>

#include <CLI/CLI.hpp>

#include <atomic>
#include <cstdlib>
#include <iostream>

#include "client/prove/telling.hpp"

namespace groth16d::ctl {
namespace {

constexpr char kName[] = "groth16ctl";
constexpr char kDefaultRuntimeDir[] = "/run/groth16d";

std::atomic<bool> interrupted{false};  // written by a signal handler
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int /*number*/) { interrupted = true; }

}  // namespace

void Session::add_options(CLI::App& app) {
  app.add_flag("--json", json, "print results and errors as JSON");
  app.add_option("--runtime-dir", runtime_dir_, "the daemon's runtime directory")
      ->envname("GROTH16D_RUNTIME_DIR")
      ->type_name("DIR");
  app.add_option("--endpoint", endpoint_, "the daemon's client socket, ipc:///... or a path; or tcp://host:port")
      ->type_name("ENDPOINT");
  app.add_option("--server-key", server_key_, "with tcp://: the daemon's public key")
      ->envname("GROTH16D_SERVER_KEY")
      ->type_name("KEY");
  app.add_option("--key", key_file_, "with tcp://: the file of our own secret key, of `keygen`")
      ->envname("GROTH16D_KEY")
      ->type_name("FILE");
  app.add_option("--timeout", timeout_s_, "seconds to wait for an answer")->check(CLI::PositiveNumber);
}

Result<client::Address> Session::address() const {
  if (endpoint_.starts_with("tcp://")) return client::remote_address(endpoint_, server_key_, key_file_);
  if (!endpoint_.empty()) return client::address_of_endpoint(endpoint_);
  return client::address_in(runtime_dir_.empty() ? kDefaultRuntimeDir : runtime_dir_);
}

Result<client::Client> Session::connect() const {
  return address().and_then(
      [&](const client::Address& address) { return client::Client::connect(address, timeout_ms()); });
}

Result<client::Client> Session::connect_operator() const {
  return address().and_then(
      [&](const client::Address& address) { return client::Client::connect_operator(address, timeout_ms()); });
}

void Session::fail_call(const Error& error) { fail(error, exit_code_of_call(error)); }

void Session::fail(const Error& error, ExitCode code) {
  exit_code = code;
  client::tell_error(kName, error, json);
}

void Session::print(const Json& value, const std::string& text) {
  if (json) {
    client::print_json(value);
  } else {
    std::cout << text;
    if (!text.empty() && text.back() != '\n') std::cout << '\n';
  }
}

ExitCode exit_code_of_call(const Error& error) {
  if (client::is_unreachable(error)) return ExitCode::unreachable;
  switch (error.code) {
    case ErrorCode::busy:
    case ErrorCode::unavailable:
      return ExitCode::busy;
    case ErrorCode::cancelled:
      return ExitCode::interrupted;
    case ErrorCode::system:
    case ErrorCode::internal:
      return ExitCode::failed;
    default:
      return ExitCode::refused;
  }
}

void say(const std::string& line) { client::say_as(kName, line); }

void watch_for_interruption() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

bool is_interrupted() { return interrupted; }

}  // namespace groth16d::ctl
