// Service: groth16d under a service manager that a test plays: it keeps the descriptors that the daemon has it keep,
// and hands them to the next process of the service, as systemd does.
#pragma once

#include <sys/types.h>

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "client/lib/client.hpp"
#include "common/unique_fd.hpp"
#include "tests/e2e/scene.hpp"

namespace groth16d::e2e {

struct ServiceOptions {
  fs::path root;            // of clients' files
  bool cache = true;        // keeps converted circuits in the service's folder
  bool descriptors = true;  // false: a manager without a descriptor store
  std::vector<std::string> arguments;
};

class Service {
 public:
  explicit Service(ServiceOptions options);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  // Starts a process, which is given what the store holds; returns when it answers.
  void start();
  void kill();  // SIGKILL
  void stop();  // SIGTERM, and the end

  client::Client connect() const;
  fs::path cache() const { return folder_.path() / "cache"; }
  std::string log() const;

  // Names of the stored descriptors, in order.
  std::vector<std::string> stored() const;
  // Puts a descriptor of the test's own into the store.
  void store(const std::string& name, UniqueFd descriptor);

 private:
  void listen();  // a thread: takes messages until the socket is shut
  void hear(const std::string& message, std::vector<UniqueFd> descriptors);
  void wait_for_end();

  ServiceOptions options_;
  TemporaryFolder folder_;
  UniqueFd socket_;
  mutable std::mutex mutex_;
  std::multimap<std::string, UniqueFd> store_;
  pid_t pid_ = -1;
  std::thread listener_;
};

}  // namespace groth16d::e2e
