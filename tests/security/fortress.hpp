// A daemon that listens on TCP too, with a key for each right.
//
// The gate is what it listens by: keys, the file of clients, the configuration. A fortress has a private daemon behind
// it.
#pragma once

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "ipc/curve.hpp"
#include "tests/e2e/run_program.hpp"
#include "tests/e2e/scene.hpp"

namespace groth16d::security {

// A port that nobody listens at now.
std::uint16_t free_port();

class Gate {
 public:
  // `lines`: further lines of the configuration, before its tables.
  explicit Gate(const std::string& lines = "")
      : server_(new_keys()),
        port_(free_port()),
        keys_{{"read", new_keys()}, {"submit", new_keys()}, {"operate", new_keys()}} {
    std::ofstream(path("server.key")) << server_.secret_key << "\n";
    REQUIRE(::chmod(path("server.key").c_str(), 0600) == 0);
    admit({"read", "submit", "operate"});
    std::ofstream(path("groth16d.toml")) << lines << "\n[remote]\nlisten = \"" << endpoint() << "\"\nsecret_key = \""
                                         << path("server.key") << "\"\nclients = \"" << path("clients") << "\"\n";
  }

  // The file of clients holds these rights' keys from now on.
  void admit(const std::vector<std::string>& rights) {
    std::ofstream file(path("clients"));
    for (const std::string& right : rights)
      file << "the-" << right << " " << right << " " << keys_.at(right).public_key << "\n";
  }

  std::string folder() const { return folder_.path().string(); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string endpoint() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  std::uint16_t port() const { return port_; }
  const ipc::CurveKeys& server() const { return server_; }
  const ipc::CurveKeys& keys_of(const std::string& right) const { return keys_.at(right); }

  client::Client connect_as(const std::string& right, std::uint64_t timeout_ms = 10'000) const {
    return connect_with(server_.public_key, keys_.at(right).secret_key, timeout_ms);
  }
  client::Client connect_with(const std::string& server_key, const std::string& secret_key,
                              std::uint64_t timeout_ms) const {
    const client::Address address{{}, {}, {}, ipc::ClientLink::Remote{endpoint(), server_key, secret_key}};
    auto client = client::Client::connect(address, timeout_ms);
    REQUIRE(client.has_value());
    return std::move(*client);
  }

  static ipc::CurveKeys new_keys() {
    auto keys = ipc::new_curve_keys();
    REQUIRE(keys.has_value());
    return *keys;
  }

 private:
  e2e::TemporaryFolder folder_;
  ipc::CurveKeys server_;
  std::uint16_t port_;
  std::map<std::string, ipc::CurveKeys> keys_;
};

class Fortress : public Gate {
 public:
  explicit Fortress(const std::string& lines = "") : Gate(lines) {
    client::PrivateDaemonOptions options;
    options.program = e2e::program("groth16d");
    options.roots = {folder()};
    options.config_file = path("groth16d.toml");
    auto started = client::PrivateDaemon::start(options);
    INFO((started ? std::string() : started.error().text));
    REQUIRE(started.has_value());
    daemon_.emplace(std::move(*started));
  }

  client::PrivateDaemon& daemon() { return *daemon_; }

 private:
  std::optional<client::PrivateDaemon> daemon_;
};

}  // namespace groth16d::security
