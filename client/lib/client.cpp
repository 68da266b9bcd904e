#include "client/lib/client.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/unique_fd.hpp"
#include "ipc/curve.hpp"

namespace groth16d::client {
namespace {

constexpr std::uint32_t kFirstRefusal = 400;

v1::JobRequest job_request(const std::string& job) {
  v1::JobRequest request;
  request.set_job(job);
  return request;
}

// Connects and hangs up: 0, or the errno.
int probe(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof name.sun_path) return ENAMETOOLONG;
  std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return errno;
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 ? 0 : errno;
}

template <class Reply>
Result<void> without_value(const Result<Reply>& reply) {
  if (!reply) return tl::unexpected<Error>(reply.error());
  return {};
}

template <class Item>
std::vector<Item> to_vector(const google::protobuf::RepeatedPtrField<Item>& items) {
  return {items.begin(), items.end()};
}

}  // namespace

Address address_in(const std::string& runtime_dir) {
  return {runtime_dir + "/" + ipc::kClientSocketName, runtime_dir + "/" + ipc::kEventsSocketName,
          runtime_dir + "/" + ipc::kOperatorSocketName};
}

Result<Address> address_of_endpoint(const std::string& endpoint) {
  static constexpr std::string_view kScheme = "ipc://";
  std::string path = endpoint;
  if (path.starts_with(kScheme)) {
    path.erase(0, kScheme.size());
  } else if (path.find("://") != std::string::npos) {
    return failure(ErrorCode::malformed, "endpoint.scheme", endpoint + ": only ipc:// endpoints are served");
  }
  const std::size_t slash = path.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  return Address{path, folder + "/" + ipc::kEventsSocketName, folder + "/" + ipc::kOperatorSocketName};
}

Result<Address> remote_address(const std::string& endpoint, const std::string& server_key,
                               const std::string& key_file) {
  if (!endpoint.starts_with("tcp://"))
    return failure(ErrorCode::malformed, "endpoint.scheme", endpoint + ": a key belongs to a tcp:// endpoint");
  if (!ipc::is_curve_key(server_key))
    return failure(ErrorCode::malformed, "curve.key", "the daemon's key is not 40 letters of Z85");
  return ipc::read_curve_keys(key_file).map([&](const ipc::CurveKeys& keys) {
    return Address{{}, {}, {}, ipc::ClientLink::Remote{endpoint, server_key, keys.secret_key}};
  });
}

bool is_listening(const Address& address) { return address.remote || probe(address.client_socket) == 0; }

bool is_unreachable(const Error& error) { return error.name == "client.no_daemon" || error.name == "client.timeout"; }

Result<Client> Client::connect(const Address& address, std::uint64_t timeout_ms) {
  return connect_to(address, address.client_socket, timeout_ms);
}

Result<Client> Client::connect_operator(const Address& address, std::uint64_t timeout_ms) {
  return connect_to(address, address.operator_socket, timeout_ms);
}

Result<Client> Client::connect_to(const Address& address, const std::string& socket, std::uint64_t timeout_ms) {
  if (address.remote) {
    auto context = std::make_unique<zmq::context_t>();
    auto link = ipc::ClientLink::connect(*context, *address.remote);
    if (!link) return tl::unexpected<Error>(link.error());
    return Client(address, std::move(context), std::move(*link), timeout_ms);
  }
  const int refused = probe(socket);
  if (refused == EACCES || refused == EPERM) {
    return failure(ErrorCode::denied, "client.not_permitted",
                   socket + ": permission denied; its users are those of the socket's group");
  }
  if (refused != 0) {
    return failure(ErrorCode::unavailable, "client.no_daemon",
                   socket + ": no daemon listens there; start groth16d or name its --runtime-dir");
  }
  auto context = std::make_unique<zmq::context_t>();
  auto link = ipc::ClientLink::connect(*context, socket);
  if (!link) return tl::unexpected<Error>(link.error());
  return Client(address, std::move(context), std::move(*link), timeout_ms);
}

Client::Client(Address address, std::unique_ptr<zmq::context_t> context, ipc::ClientLink link, std::uint64_t timeout_ms)
    : address_(std::move(address)), context_(std::move(context)), link_(std::move(link)), timeout_ms_(timeout_ms) {}

template <class Reply>
Result<Reply> Client::call(ipc::Command command, const google::protobuf::MessageLite& body,
                           std::vector<std::string> payload) {
  Result<Reply> reply = link_.call<Reply>(command, body, timeout_ms_, std::move(payload));
  if (reply && reply->status().code() >= kFirstRefusal) return tl::unexpected<Error>(ipc::error_of(reply->status()));
  return reply;
}

Result<v1::SubmitReply> Client::submit(const v1::SubmitRequest& request, std::vector<std::string> payload) {
  return call<v1::SubmitReply>(ipc::Command::submit, request, std::move(payload));
}

Result<v1::UploadReply> Client::upload(const v1::UploadRequest& request, std::string chunk) {
  std::vector<std::string> payload;
  if (!chunk.empty()) payload.push_back(std::move(chunk));
  return call<v1::UploadReply>(ipc::Command::upload, request, std::move(payload));
}

Result<v1::JobStatus> Client::status(const std::string& job) {
  return call<v1::JobStatusReply>(ipc::Command::status, job_request(job)).map([](const v1::JobStatusReply& reply) {
    return reply.job();
  });
}

Result<v1::ResultReply> Client::result(const std::string& job) {
  return call<v1::ResultReply>(ipc::Command::result, job_request(job));
}

Result<bool> Client::cancel(const std::string& job) {
  constexpr std::uint32_t kStopping = 202;
  return call<v1::PlainReply>(ipc::Command::cancel, job_request(job)).map([](const v1::PlainReply& reply) {
    return reply.status().code() == kStopping;
  });
}

Result<void> Client::close(const std::string& job) {
  return without_value(call<v1::PlainReply>(ipc::Command::close, job_request(job)));
}

Result<std::vector<v1::JobStatus>> Client::list(const v1::ListRequest& request) {
  return call<v1::ListReply>(ipc::Command::list, request).map([](const v1::ListReply& reply) {
    return to_vector(reply.jobs());
  });
}

Result<v1::CircuitStatus> Client::add_circuit(const v1::CircuitAddRequest& request) {
  return call<v1::CircuitReply>(ipc::Command::circuit_add, request)
      .and_then([&](const v1::CircuitReply& reply) -> Result<v1::CircuitStatus> {
        if (reply.circuits_size() == 1) return reply.circuits(0);
        v1::CircuitStatus accepted;
        accepted.set_circuit(request.circuit());
        accepted.set_state("registered");
        return accepted;
      });
}

Result<std::vector<v1::CircuitStatus>> Client::circuits(const std::string& name) {
  v1::CircuitRequest request;
  request.set_circuit(name);
  return call<v1::CircuitReply>(ipc::Command::circuit_list, request).map([](const v1::CircuitReply& reply) {
    return to_vector(reply.circuits());
  });
}

Result<void> Client::remove_circuit(const std::string& name) {
  v1::CircuitRequest request;
  request.set_circuit(name);
  return without_value(call<v1::CircuitReply>(ipc::Command::circuit_remove, request));
}

Result<void> Client::ping() { return without_value(call<v1::PlainReply>(ipc::Command::ping, v1::DaemonRequest())); }

Result<v1::DaemonStatus> Client::daemon_status() {
  return call<v1::DaemonStatusReply>(ipc::Command::daemon_status, v1::DaemonRequest())
      .map([](const v1::DaemonStatusReply& reply) { return reply.daemon(); });
}

Result<std::vector<v1::WorkerStatus>> Client::workers() {
  return call<v1::DaemonStatusReply>(ipc::Command::worker_list, v1::DaemonRequest())
      .map([](const v1::DaemonStatusReply& reply) { return to_vector(reply.daemon().workers()); });
}

Result<v1::MetricsReply> Client::metrics(const v1::MetricsRequest& request) {
  return call<v1::MetricsReply>(ipc::Command::metrics, request);
}

Result<std::vector<v1::LogLine>> Client::logs(const std::string& job) {
  return call<v1::LogsReply>(ipc::Command::logs, job_request(job)).map([](const v1::LogsReply& reply) {
    return to_vector(reply.lines());
  });
}

Result<v1::WorkerStatus> Client::operate(ipc::Command verb, const std::string& slot, bool now) {
  v1::WorkerRequest request;
  request.set_slot(slot);
  request.set_now(now);
  return call<v1::WorkerReply>(verb, request).map([](const v1::WorkerReply& reply) { return reply.worker(); });
}

Result<void> Client::kick(const std::string& job) {
  return without_value(call<v1::PlainReply>(ipc::Command::job_kick, job_request(job)));
}

Result<std::vector<v1::ConfigChange>> Client::reload() {
  return call<v1::ReloadReply>(ipc::Command::reload, v1::ReloadRequest()).map([](const v1::ReloadReply& reply) {
    return to_vector(reply.changes());
  });
}

}  // namespace groth16d::client
