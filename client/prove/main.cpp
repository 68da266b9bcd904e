// groth16-prove: one proof by one process, as groth16ctl's `prove` makes it where no daemon runs. It links little, so
// that a small proof does not wait for libraries.
//
//   groth16-prove [--json] [--allow-insecure-key] [--job NAME] [--binary FILE] KEY WITNESS PROOF PUBLIC
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "client/prove/file_names.hpp"
#include "client/prove/own_proof.hpp"
#include "client/prove/proof_files.hpp"
#include "client/prove/telling.hpp"
#include "common/build.hpp"

namespace {

using groth16d::Result;
using groth16d::client::OwnProof;
using groth16d::client::OwnResult;
using groth16d::client::ResultPaths;

const std::string kName = "groth16-prove";
constexpr int kUsage = 2;

struct Arguments {
  OwnProof proof;
  ResultPaths paths;
  std::string job;
  bool json = false;
};

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_flag("--json", arguments.json, "print results and errors as JSON");
  app.add_flag("--allow-insecure-key", arguments.proof.allow_insecure_key, "also with a key made for development");
  app.add_option("--job", arguments.job, "what --json calls it")->type_name("NAME");
  app.add_option("--binary", arguments.paths.binary, "where the compressed proof goes")->type_name("FILE");
  const auto add_file = [&](const char* name, std::string& path, const char* what) {
    app.add_option(name, path, what)->type_name("FILE")->required();
  };
  add_file("key", arguments.proof.key, "the proving key, a .zkey");
  add_file("witness", arguments.proof.witness, "the witness, a .wtns");
  add_file("proof", arguments.paths.proof, "where proof.json goes");
  add_file("public", arguments.paths.public_inputs, "where public.json goes");
  groth16d::client::refuse_empty_file_names(app);
}

// The words of a daemon's result.
void report(const OwnResult& result, const Arguments& arguments) {
  if (!arguments.json) {
    std::cout << arguments.paths.proof << ' ' << arguments.paths.public_inputs << '\n';
    return;
  }
  groth16d::client::print_json({{"job", arguments.job},
                                {"state", "done"},
                                {"warnings", result.warnings},
                                {"curve", result.curve},
                                {"key_digest", groth16d::to_hex(result.key_digest)},
                                {"vk_digest", groth16d::to_hex(result.vk_digest)},
                                {"proof_file", arguments.paths.proof},
                                {"public_file", arguments.paths.public_inputs}});
}

Result<OwnResult> prove(const Arguments& arguments) {
  const OwnProof& wanted = arguments.proof;
  if (auto writable = check_writable(arguments.paths, {wanted.key, wanted.witness}); !writable)
    return tl::unexpected(writable.error());
  auto result = make_own_proof(wanted);
  if (!result) return result;
  for (const std::string& warning : result->warnings) groth16d::client::say_as(kName, "warning: " + warning);
  if (auto written = write_proof(result->texts, arguments.paths); !written) return tl::unexpected(written.error());
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(kName + ": one proof by one process", kName);
  Arguments arguments;
  app.set_version_flag("--version", kName + " " + groth16d::version_text());
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    // The refused parse may not have come as far as --json.
    const bool json = std::any_of(argv + 1, argv + argc, [](std::string_view word) { return word == "--json"; });
    groth16d::client::tell_error(kName, {groth16d::ErrorCode::malformed, "usage.arguments", error.what()}, json);
    return kUsage;
  }
  arguments.proof.wants_digest = arguments.json;
  const auto result = prove(arguments);
  if (!result) {
    groth16d::client::tell_error(kName, result.error(), arguments.json);
    return EXIT_FAILURE;
  }
  report(*result, arguments);
  std::cout.flush();
  if (std::cout) return EXIT_SUCCESS;
  groth16d::client::say_as(kName, "standard output cannot be written");
  return EXIT_FAILURE;
}
