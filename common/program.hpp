// What main of the daemon and of groth16-web does around its own work: the command line is parsed, and whatever goes
// wrong ends as an exit code (exit_code.hpp).
#pragma once

#include <exception>
#include <functional>
#include <iostream>

#include <CLI/CLI.hpp>

#include "common/exit_code.hpp"

namespace groth16d {

// The process's exit status: what `run` returns, configuration for a command line that is wrong, bug for an exception.
inline int parse_and_run(CLI::App& app, int argc, char** argv, const std::function<int()>& run) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return static_cast<int>(ExitCode::configuration);
  }
  try {
    return run();
  } catch (const std::exception& error) {
    std::cerr << app.get_name() << ": " << error.what() << '\n';
    return static_cast<int>(ExitCode::bug);
  }
}

}  // namespace groth16d
