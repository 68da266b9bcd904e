// What a client may ask: each request is answered at once from the core's views, or becomes an event whose Reply ends
// it.
//
// Nothing here blocks and nothing here decides: files are looked at by the files' thread, the journal is read by its
// own. A request that breaks a rule is answered 400 with the rule's name; it can hurt nobody but its sender.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ipc/client_channel.hpp"
#include "supervisor/access.hpp"
#include "supervisor/core/core.hpp"
#include "supervisor/files.hpp"
#include "supervisor/journal.hpp"
#include "supervisor/memory_watch.hpp"
#include "supervisor/meters.hpp"
#include "supervisor/reload.hpp"
#include "supervisor/waiting_room.hpp"

namespace groth16d::supervisor {

// The sockets that clients come by.
enum class Door { clients, operators, remote };

struct ClientHubs {
  ipc::ClientHub clients;
  ipc::ClientHub operators;
  std::optional<ipc::ClientHub> remote;  // over TCP, where that is configured
  ipc::ClientHub& of(Door door) {
    if (door == Door::remote) return *remote;
    return door == Door::operators ? operators : clients;
  }
};

// Who asked, what they may ask for, and where the reply goes.
struct Caller {
  Door door = Door::clients;
  Right right = Right::read;
  std::string client;  // "key alice", "user 1000": whose uploads these are
  ipc::ReplyAddress address;

  bool has_quota() const { return right != Right::operate; }
  // Whose quotas a job counts to; "": nobody's.
  std::string payer() const { return has_quota() ? client : std::string(); }
};

class Api {
 public:
  // All of them must outlive this.
  Api(ClientHubs& hubs, const Core& core, Files& files, Journal& journal, const MemoryWatch& memory,
      const Meters& meters, std::string version);

  // nullopt: answered, or waiting for a thread.
  std::optional<Event> request(ipc::ClientRequest request, Door door, TimePoint now);

  // In force from now on: which keys have which right.
  void admit(std::vector<RemoteClient> clients);

  // The files' thread has looked at what a SUBMIT names.
  std::optional<Event> examined(Examined found, TimePoint now);

  void lines_read(const LinesRead& read);
  void uploaded(const UploadTaken& taken);

  // A RELOAD that has come into force.
  void reloaded(ReplyToken token, const std::vector<ConfigChange>& changes);

  // The core's answer. Inputs that nobody took are dropped.
  void reply(const Reply& reply, TimePoint now);

  // The inputs of a request that the core accepted; once.
  std::vector<SpoolInput> take_inputs(ReplyToken token);

 private:
  struct Pending {
    Pending(Caller caller, ipc::Command verb) : to(std::move(caller)), command(verb) {}
    Caller to;
    ipc::Command command = ipc::Command::error;
    v1::SubmitRequest submit;    // of a SUBMIT
    std::string circuit;         // of CIRCUIT_ADD and CIRCUIT_REMOVE
    std::optional<SlotId> slot;  // of a verb about a worker
    std::vector<SpoolInput> inputs;
    Burden burden;  // in the waiting room
  };

  Result<Caller> recognise(ipc::ClientRequest& request, Door door) const;
  Result<std::optional<Event>> dispatch(ipc::ClientRequest& request, const Caller& caller, TimePoint now);
  Result<std::optional<Event>> submit(ipc::ClientRequest& request, const Caller& caller);
  Result<std::optional<Event>> upload(ipc::ClientRequest& request, const Caller& caller);  // api_upload.cpp
  Result<void> make_room(Pending& pending, const Burden& burden);
  Result<std::optional<Event>> about_job(const ipc::ClientRequest& request, const Caller& caller, TimePoint now);
  Result<std::optional<Event>> about_circuit(const ipc::ClientRequest& request, const Caller& caller);

  // api_operator.cpp
  Result<std::optional<Event>> operate(const ipc::ClientRequest& request, const Caller& caller);
  Result<std::optional<Event>> about_worker(const ipc::ClientRequest& request, const Caller& caller);
  void answer_worker(const Pending& pending, const v1::Status& status);

  Result<void> answer_status(const Caller& to, const JobId& job, TimePoint now);
  Result<void> answer_result(const Caller& to, const JobId& job, TimePoint now);
  void answer_list(const Caller& to, const v1::ListRequest& request, TimePoint now);
  v1::WorkerStatus worker_status(const WorkerView& worker) const;
  v1::DaemonStatus daemon_status(TimePoint now) const;
  void answer_daemon(const Caller& to, TimePoint now);
  void answer_metrics(const Caller& to, const v1::MetricsRequest& request, TimePoint now);
  void answer_circuits(const Caller& to, const v1::Status& status, const std::string& circuit);

  ReplyToken remember(Pending pending);
  ReplyToken remember_circuit(const Caller& caller, ipc::Command command, const std::string& circuit);
  void send(const Caller& to, const google::protobuf::MessageLite& body);
  void refuse(const Caller& to, const Error& error);

  ClientHubs& hubs_;
  const Core& core_;
  Files& files_;
  Journal& journal_;
  const MemoryWatch& memory_;
  const Meters& meters_;
  std::string version_;
  std::uint64_t started_at_ms_;
  ReplyToken next_token_ = 1;
  std::map<ReplyToken, Pending> pending_;
  WaitingRoom waiting_;
  std::vector<RemoteClient> remote_clients_;
};

}  // namespace groth16d::supervisor
