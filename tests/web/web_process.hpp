// groth16-web for a test: on any free port, with a reader's and an operator's token, ended with its owner.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/scene.hpp"

namespace groth16d::web_test {

class WebProcess {
 public:
  explicit WebProcess(const std::string& runtime_dir, const std::vector<std::string>& arguments = {});
  ~WebProcess();
  WebProcess(const WebProcess&) = delete;
  WebProcess& operator=(const WebProcess&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string origin() const { return "http://" + host(); }

  static inline const std::string kReader = std::string(32, 'r');
  static inline const std::string kOperator = std::string(32, 'o');

 private:
  e2e::TemporaryFolder folder_;
  pid_t pid_ = -1;
  int port_ = 0;
};

// User and system time that a process has taken so far, in seconds.
double cpu_seconds(pid_t pid);

}  // namespace groth16d::web_test
