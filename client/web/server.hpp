// The HTTP face: /metrics, /healthz, /readyz, and the page with its stream, questions and verbs behind a login.
//
// Every request's Host must be one of ours; what changes something needs the page's Origin and an operator's session. A
// stream holds a thread of the pool, and so does who waits at the desk: both are bounded, together below it, so pages
// can never keep Prometheus out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "client/web/access.hpp"
#include "client/web/desk.hpp"
#include "client/web/watcher.hpp"

namespace groth16d::web {

inline constexpr std::size_t kMostStreams = 16;

struct ServerParts {
  Watcher& watcher;
  Desk& desk;
  const Tokens& tokens;             // none: no page, only metrics and health
  bool metrics_need_token = false;  // beyond loopback
};

class Server {
 public:
  explicit Server(ServerParts parts);
  ~Server();

  // Port 0: any. The port. Error: unavailable "web.listen".
  Result<std::uint16_t> bind(const std::string& host, std::uint16_t port);
  // Serves until stop(); `guard` belongs to the bound port.
  void serve(Guard guard);
  // From any thread.
  void stop();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace groth16d::web
