// Client: every verb that a daemon answers, as one call each (docs/PROTOCOL.md says what they mean).
//
// A refusal (a status of 400 or more) is an Error like any other, with the daemon's own name and text; is_unreachable
// tells an Error of the link itself from it. All verbs are idempotent and are sent again by the link when a daemon is
// restarted in between. Used from one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <zmq.hpp>

#include "common/error.hpp"
#include "ipc/client_channel.hpp"
#include "ipc/metrics.pb.h"

namespace groth16d::client {

struct Address {
  std::string client_socket;    // path of the daemon's client socket
  std::string events_socket;    // path of its events socket; may be absent, as events are advisory
  std::string operator_socket;  // path of its operator socket, which takes every verb
  // Over TCP, instead: one endpoint for every verb that the key has the right to.
  std::optional<ipc::ClientLink::Remote> remote = {};
};

// The sockets of a daemon by its runtime directory.
Address address_in(const std::string& runtime_dir);

// "ipc:///run/groth16d/client.sock" or a plain path; the other sockets are looked for beside it.
// Error: malformed "endpoint.scheme" for anything but ipc://.
Result<Address> address_of_endpoint(const std::string& endpoint);

// Over TCP, with the daemon's public key and a file with our secret one. Errors: malformed "endpoint.scheme",
// "curve.key"; those of reading the file.
Result<Address> remote_address(const std::string& endpoint, const std::string& server_key, const std::string& key_file);

// Whether somebody accepts connections at its client socket, found by connecting and hanging up: an answer in
// microseconds, not after a timeout. A remote one is taken to be there.
bool is_listening(const Address& address);

// An Error of the link itself: nobody there, or no answer in time. Any other Error of a Client came from the daemon.
bool is_unreachable(const Error& error);

class Client {
 public:
  static constexpr std::uint64_t kDefaultTimeout_ms = 10'000;

  // Fails at once where nobody listens. Errors: unavailable "client.no_daemon", denied "client.not_permitted".
  static Result<Client> connect(const Address& address, std::uint64_t timeout_ms = kDefaultTimeout_ms);
  // The same at the operator socket, for the verbs of operators (and all others).
  static Result<Client> connect_operator(const Address& address, std::uint64_t timeout_ms = kDefaultTimeout_ms);

  const Address& address() const { return address_; }
  zmq::context_t& context() { return *context_; }

  // payload: the frames that the request's partitions announce, in their order (ipc::cut_payload).
  Result<v1::SubmitReply> submit(const v1::SubmitRequest& request, std::vector<std::string> payload = {});
  // One chunk of at most 1 MiB; "": begin, or ask how much has come. upload.hpp sends whole files.
  Result<v1::UploadReply> upload(const v1::UploadRequest& request, std::string chunk = {});
  Result<v1::JobStatus> status(const std::string& job);
  // status().code() is 300 while the job runs. A job that ended without proofs is no Error here: see job().state().
  Result<v1::ResultReply> result(const std::string& job);
  // Whether there was something to stop: false for a job that had ended before.
  Result<bool> cancel(const std::string& job);
  // Forgets a finished job and its result.
  Result<void> close(const std::string& job);
  Result<std::vector<v1::JobStatus>> list(const v1::ListRequest& request);

  Result<v1::CircuitStatus> add_circuit(const v1::CircuitAddRequest& request);
  // "" for all.
  Result<std::vector<v1::CircuitStatus>> circuits(const std::string& name);
  Result<void> remove_circuit(const std::string& name);

  Result<void> ping();
  Result<v1::DaemonStatus> daemon_status();
  Result<std::vector<v1::WorkerStatus>> workers();
  // Counts, histograms, and what of the recent past is newer than the request names.
  Result<v1::MetricsReply> metrics(const v1::MetricsRequest& request = {});
  Result<std::vector<v1::LogLine>> logs(const std::string& job);

  // Verbs of operators. `verb`: one of Command::worker_restart to worker_disable; `now` with restart: kill. The answer
  // is the worker as it was when the verb was taken; what it asks for is done later, and shows in workers().
  Result<v1::WorkerStatus> operate(ipc::Command verb, const std::string& slot, bool now = false);
  Result<void> kick(const std::string& job);
  // Returns when the new configuration is in force. Every Error says that nothing has changed.
  Result<std::vector<v1::ConfigChange>> reload();

 private:
  Client(Address address, std::unique_ptr<zmq::context_t> context, ipc::ClientLink link, std::uint64_t timeout_ms);
  static Result<Client> connect_to(const Address& address, const std::string& socket, std::uint64_t timeout_ms);

  template <class Reply>
  Result<Reply> call(ipc::Command command, const google::protobuf::MessageLite& body,
                     std::vector<std::string> payload = {});

  Address address_;
  std::unique_ptr<zmq::context_t> context_;  // outlives link_
  ipc::ClientLink link_;
  std::uint64_t timeout_ms_;
};

}  // namespace groth16d::client
