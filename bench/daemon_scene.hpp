// What the benchmarks of a whole daemon share: a circuit's files and a private daemon that reads them. They end the
// program with a message where something fails.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "client/lib/private_daemon.hpp"
#include "common/error.hpp"

namespace groth16d::bench {

namespace fs = std::filesystem;

// The name under which DaemonScene registers its circuit.
inline constexpr char kCircuit[] = "bench";

[[noreturn]] void give_up(const std::string& what);

template <class T>
T expect(Result<T> result) {
  if (!result) give_up(result.error().text);
  return std::move(*result);
}

// The programs of this build, beside the benchmarks' folder.
fs::path programs_folder();

// A temporary folder with the demonstration's circuit of 2^domain_log2 rows, an insecure key and n witnesses, and a
// private daemon on which it is registered. Gone with its owner.
class DaemonScene {
 public:
  DaemonScene(const std::string& curve, unsigned domain_log2, unsigned n_witnesses);
  ~DaemonScene();
  DaemonScene(const DaemonScene&) = delete;
  DaemonScene& operator=(const DaemonScene&) = delete;

  const client::PrivateDaemon& daemon() const { return daemon_; }
  client::Client connect() const { return expect(client::Client::connect(daemon_.address())); }
  // A request for `job` on witness 1 .. n.
  v1::SubmitRequest request(const std::string& job, unsigned witness) const;

 private:
  fs::path folder_;
  client::PrivateDaemon daemon_;
};

}  // namespace groth16d::bench
