// groth16ctl keygen: the keys of a daemon and of clients that speak over TCP.
#include <CLI/CLI.hpp>
#include <memory>

#include <fcntl.h>

#include "client/ctl/command.hpp"
#include "common/posix.hpp"
#include "ipc/curve.hpp"

namespace groth16d::ctl {
namespace {

struct Arguments {
  std::string file;
  bool show = false;
};

// Never over a file that is there: its key would be lost.
Result<ipc::CurveKeys> make_keys(const std::string& file) {
  auto keys = ipc::new_curve_keys();
  if (!keys) return keys;
  const auto out = open_file(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!out) return tl::unexpected(out.error());
  const std::string text = keys->secret_key + "\n";
  if (auto written = write_all(out->get(), std::as_bytes(std::span(text)), file); !written)
    return tl::unexpected(written.error());
  return keys;
}

void run(Session& session, const Arguments& arguments) {
  const auto keys = arguments.show ? ipc::read_curve_keys(arguments.file) : make_keys(arguments.file);
  if (!keys) return session.fail(keys.error());
  session.print({{"file", arguments.file}, {"public_key", keys->public_key}}, keys->public_key);
}

}  // namespace

void add_key_commands(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("keygen", "write a new secret key to FILE, print the public one");
  command->add_option("file", arguments->file, "of the secret key, mode 0600; must not exist")
      ->type_name("FILE")
      ->required();
  command->add_flag("--show", arguments->show, "the file exists: print its public key");
  command->callback([&session, arguments] { run(session, *arguments); });
}

}  // namespace groth16d::ctl
