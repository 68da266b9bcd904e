#include "client/web/server.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <httplib.h>
#include <spdlog/spdlog.h>

#include "client/web/assets.hpp"
#include "client/web/exposition.hpp"
#include "client/web/page_json.hpp"

namespace groth16d::web {
namespace {

using httplib::Request;
using httplib::Response;

constexpr std::size_t kThreads = kMostStreams + 8;
constexpr std::size_t kMostBody_bytes = 4'096;  // a token or a verb
constexpr std::uint32_t kMostJobs = 500;
// Below the idle timeouts of proxies (60 s and more), above the pace of ticks.
constexpr std::chrono::seconds kKeepAlive{10};
constexpr char kCookie[] = "groth16_session";
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action "
    "'self'; base-uri 'none'; frame-ancestors 'none'";

void answer(Response& response, int status, const Json& body) {
  response.status = status;
  response.set_content(text_of(body), "application/json");
}

void refuse(Response& response, int status, const std::string& name, const std::string& text) {
  answer(response, status, {{"error", {{"name", name}, {"text", text}}}});
}

// A daemon's codes are HTTP's.
void refuse(Response& response, const Error& error) {
  const int status = error.code == ErrorCode::denied ? 403 : static_cast<int>(status_code(error.code));
  refuse(response, status, error.name, error.text);
}

void plain(Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain; charset=utf-8");
}

void answer_file(Response& response, const Asset& asset) {
  response.set_content(asset.bytes.data(), asset.bytes.size(), std::string(asset.type));
}

void redirect(Response& response, const char* where) {
  response.status = 303;
  response.set_header("Location", where);
}

// A string member of a JSON object; "" where there is none.
std::string member(const nlohmann::json& object, const char* key) {
  const auto place = object.find(key);
  return place != object.end() && place->is_string() ? place->get<std::string>() : std::string();
}

std::string what_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "no std::exception";
  }
}

std::string bearer(const Request& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string header = request.get_header_value("Authorization");
  return header.starts_with(kScheme) ? header.substr(kScheme.size()) : std::string();
}

}  // namespace

struct Server::Body {
  explicit Body(ServerParts given) : parts(given) { describe(); }

  ServerParts parts;
  std::optional<Guard> guard;
  Sessions sessions;
  std::atomic<std::size_t> streams{0};
  httplib::Server http;

  void describe();
  void describe_health();
  void describe_login();
  void describe_page();
  void describe_verbs();

  httplib::Server::HandlerResponse admit(const Request& request, Response& response) const;
  std::optional<Role> role_of(const Request& request);
  void log_in(const Request& request, Response& response);
  void stream(Response& response);
  void jobs(const Request& request, Response& response);
  template <class Act>
  void change(const Request& request, Response& response, Act act);

  // A handler for whoever is logged in.
  template <class Handler>
  httplib::Server::Handler for_readers(Handler handler) {
    return [this, handler](const Request& request, Response& response) {
      if (role_of(request)) return handler(request, response);
      refuse(response, 401, "web.no_session", "log in first");
    };
  }
};

// ---------------------------------------------------------------- who asks

// Names under which we are not known are another site's, whatever address they resolve to.
httplib::Server::HandlerResponse Server::Body::admit(const Request& request, Response& response) const {
  using Decision = httplib::Server::HandlerResponse;
  response.set_header("Content-Security-Policy", kPolicy);
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "same-origin");  // with none, a form of our own comes from origin "null"
  response.set_header("Cache-Control", "no-store");
  if (request.path == "/healthz") return Decision::Unhandled;
  if (!guard || !guard->is_host_ours(request.get_header_value("Host"))) {
    refuse(response, 421, "web.host", "this name is not served here; --origin adds one");
    return Decision::Handled;
  }
  const bool is_ours = !request.has_header("Origin") || guard->is_origin_ours(request.get_header_value("Origin"));
  const bool must_be_named = request.method != "GET" && request.method != "HEAD";
  if (is_ours && (!must_be_named || request.has_header("Origin"))) return Decision::Unhandled;
  refuse(response, 403, "web.origin", "the request comes from another page");
  return Decision::Handled;
}

std::optional<Role> Server::Body::role_of(const Request& request) {
  if (const std::string token = bearer(request); !token.empty()) return parts.tokens.role_of(token);
  return sessions.find(cookie_in(request.get_header_value("Cookie"), kCookie), Sessions::Clock::now());
}

void Server::Body::log_in(const Request& request, Response& response) {
  const auto now = Sessions::Clock::now();
  if (sessions.is_guessed_at(now)) return plain(response, 429, "too many wrong tokens; try again in a minute");
  const auto role = parts.tokens.role_of(request.get_param_value("token"));
  if (!role) {
    sessions.failed(now);
    spdlog::warn("a wrong token from {}", request.remote_addr);
    return redirect(response, "/login?wrong");
  }
  const auto id = sessions.open(*role, now);
  if (!id) return refuse(response, id.error());
  spdlog::info("{} logged in with a token of role {}", request.remote_addr, to_string(*role));
  response.set_header("Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", kCookie, *id,
                                                std::chrono::seconds(Sessions::kLife).count(),
                                                guard->is_served_by_tls() ? "; Secure" : ""));
  redirect(response, "/");
}

// ---------------------------------------------------------------- routes

void Server::Body::describe() {
  http.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  http.set_payload_max_length(kMostBody_bytes);
  http.set_read_timeout(5);
  http.set_write_timeout(5);
  http.set_keep_alive_max_count(1);  // a connection holds a thread: it ends with its answer
  http.set_keep_alive_timeout(5);    // for the first byte
  http.set_tcp_nodelay(true);
  http.set_pre_routing_handler([this](const Request& request, Response& response) { return admit(request, response); });
  http.set_exception_handler([](const Request& request, Response& response, const std::exception_ptr& thrown) {
    spdlog::error("{} {}: {}", request.method, request.path, what_of(thrown));
    refuse(response, 500, "web.internal", "an error of this program; its log says more");
  });
  describe_health();
  describe_login();
  describe_page();
  describe_verbs();
}

void Server::Body::describe_health() {
  // Of this process: it turns, and asks the daemon. Of the daemon: it answers and takes work.
  http.Get("/healthz", [this](const Request&, Response& response) {
    if (parts.watcher.is_stale())
      return plain(response, 503,
                   fmt::format("stuck: no answer or failure of the daemon for {} s", Watcher::kStale.count()));
    const auto tick = parts.watcher.last();
    plain(response, tick && tick->reply ? 200 : 503, tick && tick->reply ? "ok" : "the daemon does not answer");
  });
  http.Get("/readyz", [this](const Request&, Response& response) {
    const auto tick = parts.watcher.last();
    if (!tick || !tick->reply || parts.watcher.is_stale()) return plain(response, 503, "the daemon does not answer");
    const std::string& state = tick->reply->daemon().state();
    plain(response, state == "ready" || state == "degraded" ? 200 : 503, state);
  });
  http.Get("/metrics", [this](const Request& request, Response& response) {
    if (parts.metrics_need_token && !role_of(request)) return plain(response, 401, "a bearer token is needed here");
    const auto tick = parts.watcher.last();
    const bool is_good = tick && tick->reply && !parts.watcher.is_stale();
    response.set_content(
        exposition(is_good ? tick->reply.get() : nullptr, tick ? tick->cards : std::vector<GpuFigures>()),
        "text/plain; version=0.0.4; charset=utf-8");
  });
}

void Server::Body::describe_login() {
  http.Get("/login", [](const Request&, Response& response) { answer_file(response, *find_asset("/login.html")); });
  http.Post("/login", [this](const Request& request, Response& response) { log_in(request, response); });
  http.Post("/logout", [this](const Request& request, Response& response) {
    sessions.close(cookie_in(request.get_header_value("Cookie"), kCookie));
    redirect(response, "/login");
  });
}

void Server::Body::describe_page() {
  http.Get("/", [this](const Request& request, Response& response) {
    if (!role_of(request)) return redirect(response, "/login");
    answer_file(response, *find_asset("/dashboard.html"));
  });
  // Style and code hold no secret, and the login page needs them.
  http.Get(R"(/([a-z_]+\.(css|js|svg)))", [](const Request& request, Response& response) {
    const Asset* asset = find_asset(request.path);
    if (asset == nullptr) return refuse(response, 404, "web.path", "there is no such file");
    answer_file(response, *asset);
  });
  http.Get("/api/me", for_readers([this](const Request& request, Response& response) {
             answer(response, 200, {{"role", to_string(*role_of(request))}});
           }));
  http.Get("/api/stream", for_readers([this](const Request&, Response& response) { stream(response); }));
  http.Get("/api/jobs", for_readers([this](const Request& request, Response& response) { jobs(request, response); }));
  http.Get(R"(/api/jobs/([A-Za-z0-9._-]{1,64}))", for_readers([this](const Request& request, Response& response) {
             const auto job = parts.desk.job(request.matches[1]);
             if (!job) return refuse(response, job.error());
             answer(response, 200, client::to_json(*job));
           }));
}

void Server::Body::jobs(const Request& request, Response& response) {
  const auto found = parts.desk.jobs(request.get_param_value("contains"), request.get_param_value("state"), kMostJobs);
  if (!found) return refuse(response, found.error());
  answer(response, 200, {{"jobs", client::array_of(*found)}});
}

// ---------------------------------------------------------------- the stream

// Server-sent events: "history" once, then "tick"s. A comment now and then finds out that the browser is gone.
void Server::Body::stream(Response& response) {
  if (streams.fetch_add(1) >= kMostStreams) {
    --streams;
    return refuse(response, 503, "web.streams", fmt::format("{} pages are open already", kMostStreams));
  }
  const auto seen = std::make_shared<std::uint64_t>(0);
  const auto begun = std::make_shared<bool>(false);
  response.set_chunked_content_provider(
      "text/event-stream",
      [this, seen, begun](std::size_t, httplib::DataSink& sink) {
        const auto say = [&](const char* event, const std::string& json) {
          const std::string text = "event: " + std::string(event) + "\ndata: " + json + "\n\n";
          return sink.write(text.data(), text.size());
        };
        if (!*begun) {
          *begun = true;
          auto [json, number] = parts.watcher.history();
          *seen = number;
          return say("history", json);
        }
        const auto ticks = parts.watcher.after(*seen, kKeepAlive);
        if (ticks.empty()) return http.is_running() && sink.write(": \n\n", 4);
        for (const auto& tick : ticks) {
          *seen = tick->number;
          if (!say("tick", tick->json)) return false;
        }
        return true;
      },
      [this](bool) { --streams; });
}

// ---------------------------------------------------------------- verbs

// Of whoever is logged in.
template <class Act>
void Server::Body::change(const Request& request, Response& response, Act act) {
  if (role_of(request) != Role::operate)
    return refuse(response, 403, "web.not_operator", "this needs an operator's token");
  const auto body = nlohmann::json::parse(request.body, nullptr, false);
  if (!body.is_object()) return refuse(response, 400, "web.body", "expected a JSON object");
  const Result<void> done = act(body);
  if (!done) return refuse(response, done.error());
  spdlog::info("{} from {}: {}", request.path, request.remote_addr, body.dump());
  answer(response, 202, Json::object());
}

void Server::Body::describe_verbs() {
  http.Post(
      "/api/worker", for_readers([this](const Request& request, Response& response) {
        change(request, response, [this](const nlohmann::json& body) -> Result<void> {
          return parts.desk.worker(member(body, "slot"), member(body, "verb")).map([](const v1::WorkerStatus&) {});
        });
      }));
  http.Post("/api/job", for_readers([this](const Request& request, Response& response) {
              change(request, response, [this](const nlohmann::json& body) {
                return parts.desk.job_verb(member(body, "job"), member(body, "verb"));
              });
            }));
}

// ---------------------------------------------------------------- life

Server::Server(ServerParts parts) : body_(std::make_unique<Body>(parts)) {}
Server::~Server() = default;

Result<std::uint16_t> Server::bind(const std::string& host, std::uint16_t port) {
  const int bound = port == 0                              ? body_->http.bind_to_any_port(host)
                    : body_->http.bind_to_port(host, port) ? static_cast<int>(port)
                                                           : -1;
  if (bound > 0) return static_cast<std::uint16_t>(bound);
  return failure(ErrorCode::unavailable, "web.listen",
                 host + ":" + std::to_string(port) + ": cannot be listened at; is another program there?");
}

void Server::serve(Guard guard) {
  body_->guard = std::move(guard);
  body_->http.listen_after_bind();
}

void Server::stop() { body_->http.stop(); }

}  // namespace groth16d::web
