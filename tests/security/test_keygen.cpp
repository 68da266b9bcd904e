// groth16ctl keygen: keys that only their owner can read, and that a daemon which knows them lets in.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "common/posix.hpp"
#include "tests/security/fortress.hpp"

namespace groth16d::security {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string text_of(const std::string& file) { return read_text_file(file, 1 << 16).value_or(std::string()); }

}  // namespace

TEST_CASE("a new key is its owner's alone, whatever the umask, and no key is ever written over") {
  const e2e::TemporaryFolder folder;
  const std::string file = (folder.path() / "alice.key").string();
  const mode_t before = ::umask(0);
  const auto made = e2e::ctl({"keygen", file});
  ::umask(before);
  REQUIRE(made.exit_code == 0);
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
  const std::string public_key = first_line(made.out), secret_key = first_line(text_of(file));
  CHECK(ipc::is_curve_key(public_key));
  CHECK(ipc::is_curve_key(secret_key));
  CHECK(made.out.find(secret_key) == std::string::npos);

  const auto again = e2e::ctl({"keygen", file});
  CHECK(again.exit_code == 1);
  CHECK(first_line(text_of(file)) == secret_key);
  CHECK(first_line(e2e::ctl({"keygen", "--show", file}).out) == public_key);
  const auto json = nlohmann::json::parse(e2e::ctl({"--json", "keygen", "--show", file}).out);
  CHECK(json.at("public_key") == public_key);
  CHECK_FALSE(json.dump().find(secret_key) != std::string::npos);

  REQUIRE(::chmod(file.c_str(), 0640) == 0);
  CHECK(e2e::ctl({"keygen", "--show", file}).exit_code != 0);
}

TEST_CASE("a key of keygen opens a daemon whose file of clients has its public half, and no other") {
  Fortress fortress;
  const auto make = [&](const std::string& name) {
    const auto made = e2e::ctl({"keygen", fortress.path(name)});
    REQUIRE(made.exit_code == 0);
    return first_line(made.out);
  };
  const auto ask = [&](const std::string& key, std::vector<std::string> words) {
    words.insert(words.begin(), {"--timeout", "3", "--endpoint", fortress.endpoint(), "--server-key",
                                 fortress.server().public_key, "--key", fortress.path(key)});
    return e2e::ctl(words);
  };
  std::ofstream(fortress.path("clients"), std::ios::app) << "alice read " << make("alice.key") << "\n";
  make("eve.key");
  REQUIRE(fortress.connect_as("operate").reload().has_value());

  const auto status = ask("alice.key", {"--json", "status"});
  INFO(status.err);
  REQUIRE(status.exit_code == 0);
  CHECK(nlohmann::json::parse(status.out).contains("state"));
  const auto cancel = ask("alice.key", {"cancel", "job"});
  CHECK(cancel.exit_code == 4);
  CHECK(cancel.err.find("protocol.not_permitted") != std::string::npos);
  CHECK(ask("eve.key", {"status"}).exit_code == 3);
}

TEST_CASE("a daemon listens with a key of keygen, which its clients know it by") {
  Gate gate;
  REQUIRE(std::filesystem::remove(gate.path("server.key")));
  const auto made = e2e::ctl({"keygen", gate.path("server.key")});
  REQUIRE(made.exit_code == 0);
  client::PrivateDaemonOptions options;
  options.program = e2e::program("groth16d");
  options.config_file = gate.path("groth16d.toml");
  const auto daemon = client::PrivateDaemon::start(options);
  REQUIRE(daemon.has_value());
  auto client = gate.connect_with(first_line(made.out), gate.keys_of("read").secret_key, 10'000);
  CHECK(client.ping().has_value());
}

}  // namespace groth16d::security
