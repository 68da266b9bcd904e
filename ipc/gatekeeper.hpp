// Who may connect over TCP: the ZAP handler (ZeroMQ RFC 27) of this process. A handshake with a public key that is not
// on the list ends there; what a key may ask for is decided request by request, elsewhere.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include <zmq.hpp>

#include "common/error.hpp"

namespace groth16d::ipc {

class Gatekeeper {
 public:
  // One a context, before any CURVE socket is bound; `context` must outlive it. Error: system "zmq.bind".
  static Result<std::unique_ptr<Gatekeeper>> start(zmq::context_t& context);
  ~Gatekeeper();
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;

  // From now on these public keys (Z85) are let in. Any thread. Connections that exist stay.
  void admit(std::set<std::string> public_keys);

 private:
  explicit Gatekeeper(zmq::socket_t socket);
  void serve();
  void answer();

  zmq::socket_t socket_;
  std::mutex mutex_;
  std::set<std::string> admitted_;
  std::atomic<bool> closing_{false};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace groth16d::ipc
