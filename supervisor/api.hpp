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
#include "supervisor/core/core.hpp"
#include "supervisor/files.hpp"
#include "supervisor/journal.hpp"

namespace groth16d::supervisor {

class Api {
 public:
  // All of them must outlive this.
  Api(ipc::ClientHub& hub, const Core& core, Files& files, Journal& journal, std::string version);

  // nullopt: answered, or waiting for a thread.
  std::optional<Event> request(ipc::ClientRequest request, TimePoint now);

  // The files' thread has looked at what a SUBMIT names.
  std::optional<Event> examined(Examined found, TimePoint now);

  void lines_read(const LinesRead& read);

  // The core's answer. Inputs that nobody took are dropped.
  void reply(const Reply& reply, TimePoint now);

  // The inputs of a request that the core accepted; once.
  std::vector<SpoolInput> take_inputs(ReplyToken token);

 private:
  struct Pending {
    ipc::ReplyAddress to;
    ipc::Command command = ipc::Command::error;
    v1::SubmitRequest submit;  // of a SUBMIT
    std::string circuit;       // of CIRCUIT_ADD and CIRCUIT_REMOVE
    std::vector<SpoolInput> inputs;
    std::uint64_t inline_bytes = 0;
  };

  Result<std::optional<Event>> dispatch(ipc::ClientRequest& request, TimePoint now);
  Result<std::optional<Event>> submit(ipc::ClientRequest& request);
  Result<std::optional<Event>> about_job(const ipc::ClientRequest& request, TimePoint now);
  Result<std::optional<Event>> about_circuit(const ipc::ClientRequest& request);
  Result<void> answer_status(const ipc::ReplyAddress& to, const JobId& job, TimePoint now);
  Result<void> answer_result(const ipc::ReplyAddress& to, const JobId& job, TimePoint now);
  void answer_list(const ipc::ReplyAddress& to, const v1::ListRequest& request, TimePoint now);
  void answer_daemon(const ipc::ReplyAddress& to);
  void answer_circuits(const ipc::ReplyAddress& to, const v1::Status& status, const std::string& circuit);

  ReplyToken remember(Pending pending);
  void send(const ipc::ReplyAddress& to, const google::protobuf::MessageLite& body);
  void refuse(const ipc::ReplyAddress& to, const Error& error);

  ipc::ClientHub& hub_;
  const Core& core_;
  Files& files_;
  Journal& journal_;
  std::string version_;
  std::uint64_t started_at_ms_;
  ReplyToken next_token_ = 1;
  std::map<ReplyToken, Pending> pending_;
  std::uint64_t inline_bytes_ = 0;
};

}  // namespace groth16d::supervisor
