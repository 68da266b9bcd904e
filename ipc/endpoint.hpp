// ipc:// endpoints: who may bind one. libzmq lets a second bind take a path over silently, so a daemon holds an
// exclusive lock on its runtime directory before it binds anything.
#pragma once

#include <sys/types.h>

#include <string>

#include <zmq.hpp>

#include "common/error.hpp"
#include "common/unique_fd.hpp"

namespace groth16d::ipc {

inline constexpr std::size_t kMaxSocketPathBytes = 107;  // sockaddr_un.sun_path less its NUL

// "ipc://<path>". Errors: malformed "endpoint.too_long", "endpoint.empty".
Result<std::string> ipc_endpoint(const std::string& path);

// Held for the life of the daemon; the kernel drops it with the process, however that dies.
class EndpointLock {
 public:
  // flock on <directory>/lock, which also gets our pid for people to read. The directory must exist.
  // Error: conflict "endpoint.locked" with the holder's pid.
  static Result<EndpointLock> take(const std::string& directory);

  const std::string& directory() const { return directory_; }

 private:
  EndpointLock(std::string directory, UniqueFd fd);
  std::string directory_;
  UniqueFd fd_;
};

// Binds `socket` to ipc://<directory of the lock>/<name> with file mode `mode`, after removing a stale socket of that
// name. Uses umask: call it before other threads make files. Errors: conflict "endpoint.not_a_socket", system
// "zmq.bind".
Result<void> bind_endpoint(zmq::socket_t& socket, const EndpointLock& lock, const std::string& name, mode_t mode);

// The same where a service manager has made the socket and listens on it already: `listening` stands at that very path,
// and its file, with its owner and mode, stays as it is, after our end too. Errors: conflict "endpoint.activated" where
// it is no listening socket of that path; system "zmq.bind".
Result<void> bind_activated(zmq::socket_t& socket, const EndpointLock& lock, const std::string& name,
                            UniqueFd listening);

}  // namespace groth16d::ipc
