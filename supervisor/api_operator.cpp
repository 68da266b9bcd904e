// Who may ask for what, and the verbs of operators. Over ipc:// the right is the socket: whoever may open operator.sock
// may use every verb. Over TCP it is the key's, as the file of clients has it now.
#include <fmt/format.h>

#include "supervisor/api.hpp"
#include "supervisor/client_messages.hpp"

namespace groth16d::supervisor {
namespace {

WorkerVerb verb_of(ipc::Command command, bool now) {
  switch (command) {
    case ipc::Command::worker_drain:
      return WorkerVerb::drain;
    case ipc::Command::worker_reset:
      return WorkerVerb::reset;
    case ipc::Command::worker_enable:
      return WorkerVerb::enable;
    case ipc::Command::worker_disable:
      return WorkerVerb::disable;
    default:
      return now ? WorkerVerb::restart_now : WorkerVerb::restart;
  }
}

}  // namespace

void Api::admit(std::vector<RemoteClient> clients) { remote_clients_ = std::move(clients); }

Result<Caller> Api::recognise(ipc::ClientRequest& request, Door door) const {
  Caller caller{door, Right::submit, {}, std::move(request.from)};
  if (door == Door::operators) caller.right = Right::operate;
  if (door != Door::remote) caller.client = request.user ? fmt::format("user {}", *request.user) : "user unknown";
  if (door == Door::remote) {
    // The connection may be older than the list.
    const RemoteClient* client = find_client(remote_clients_, request.key);
    if (client == nullptr)
      return failure(ErrorCode::denied, "protocol.unknown_key",
                     "this key is not, or no longer, in the file of clients");
    caller.right = client->right;
    caller.client = "key " + client->name;
  }
  const Right needed = needed_right(request.command);
  if (caller.right >= needed) return caller;
  if (door == Door::clients)
    return failure(ErrorCode::denied, "protocol.not_operator",
                   fmt::format("{} is an operator's: it is answered on {} only", ipc::to_string(request.command),
                               ipc::kOperatorSocketName));
  return failure(ErrorCode::denied, "protocol.not_permitted",
                 fmt::format("{} needs the right to {}; this key has the right to {}", ipc::to_string(request.command),
                             to_string(needed), to_string(caller.right)));
}

Result<std::optional<Event>> Api::operate(const ipc::ClientRequest& request, const Caller& caller) {
  if (request.command == ipc::Command::job_kick) {
    const auto body = ipc::request_body<v1::JobRequest>(request);
    if (!body) return tl::unexpected(body.error());
    if (auto named = check_name("job", body->job()); !named) return tl::unexpected(named.error());
    return Event(KickRequested{remember({caller, request.command}), body->job()});
  }
  if (request.command == ipc::Command::reload) {
    if (auto body = ipc::request_body<v1::ReloadRequest>(request); !body) return tl::unexpected(body.error());
    files_.put(ReadConfig{remember({caller, request.command})});
    return std::nullopt;
  }
  return about_worker(request, caller);
}

Result<std::optional<Event>> Api::about_worker(const ipc::ClientRequest& request, const Caller& caller) {
  const auto body = ipc::request_body<v1::WorkerRequest>(request);
  if (!body) return tl::unexpected(body.error());
  const auto slot = parse_slot(body->slot());
  if (!slot)
    return failure(ErrorCode::malformed, "request.slot",
                   fmt::format("\"{}\" names no slot; expected one like synth-0", body->slot()));
  if (body->now() && request.command != ipc::Command::worker_restart)
    return failure(ErrorCode::malformed, "request.now",
                   fmt::format("{} knows no `now`", ipc::to_string(request.command)));
  Pending pending(caller, request.command);
  pending.slot = slot;
  return Event(WorkerRequested{remember(std::move(pending)), *slot, verb_of(request.command, body->now())});
}

void Api::answer_worker(const Pending& pending, const v1::Status& status) {
  v1::WorkerReply body;
  *body.mutable_status() = status;
  for (const WorkerView& worker : core_.workers())
    if (worker.slot == *pending.slot) *body.mutable_worker() = worker_status(worker);
  send(pending.to, body);
}

void Api::reloaded(ReplyToken token, const std::vector<ConfigChange>& changes) {
  auto node = pending_.extract(token);
  if (node.empty()) return;
  v1::ReloadReply body;
  *body.mutable_status() = ipc::make_status(200);
  for (const ConfigChange& change : changes) {
    auto* message = body.add_changes();
    message->set_key(change.key);
    message->set_before(change.before);
    message->set_after(change.after);
  }
  send(node.mapped().to, body);
}

}  // namespace groth16d::supervisor
