#include "client/web/desk.hpp"

#include <algorithm>
#include <array>

#include "client/json/message_json.hpp"

namespace groth16d::web {
namespace {

// A page's reader waits for it; a request that the daemon holds up longer is answered 503.
constexpr std::uint64_t kDeskAnswer_ms = 3'000;

constexpr int kMostWaiting = 4;

struct Verb {
  const char* word;
  ipc::Command command;
  bool now;
};
constexpr std::array<Verb, 6> kWorkerVerbs{{{"restart", ipc::Command::worker_restart, false},
                                            {"restart_now", ipc::Command::worker_restart, true},
                                            {"drain", ipc::Command::worker_drain, false},
                                            {"enable", ipc::Command::worker_enable, false},
                                            {"disable", ipc::Command::worker_disable, false},
                                            {"reset", ipc::Command::worker_reset, false}}};

tl::unexpected<Error> no_verb(const std::string& verb) {
  return failure(ErrorCode::malformed, "web.verb", "\"" + verb + "\" is no verb");
}

tl::unexpected<Error> busy() {
  return failure(ErrorCode::unavailable, "web.busy", "earlier questions still wait for the daemon's answer");
}

Result<client::Client*> connected(std::unique_ptr<client::Client>& connection, Result<client::Client> made) {
  if (!made) return tl::unexpected(made.error());
  connection = std::make_unique<client::Client>(std::move(*made));
  return connection.get();
}

}  // namespace

Desk::Turn::Turn(Desk& desk) : desk_(desk) {
  if (++desk.waiting_ <= kMostWaiting) lock_ = std::unique_lock(desk.mutex_);
}

Result<client::Client*> Desk::reader() {
  return reader_ ? reader_.get() : connected(reader_, client::Client::connect(address_, kDeskAnswer_ms));
}

Result<client::Client*> Desk::operators() {
  return operator_ ? operator_.get() : connected(operator_, client::Client::connect_operator(address_, kDeskAnswer_ms));
}

// A link that is broken is made again for the next request.
template <class T>
Result<T> Desk::settle(Result<T> answer, std::unique_ptr<client::Client>& connection) {
  if (!answer && client::is_unreachable(answer.error())) connection.reset();
  return answer;
}

Result<std::vector<v1::JobStatus>> Desk::jobs(const std::string& contains, const std::string& state,
                                              std::uint32_t limit) {
  v1::ListRequest request;
  request.set_contains(contains);
  request.set_limit(limit);
  request.set_newest_first(true);
  for (int number = v1::JobState_MIN + 1; number <= v1::JobState_MAX; ++number)
    if (client::word_of(static_cast<v1::JobState>(number)) == state)
      request.add_states(static_cast<v1::JobState>(number));
  if (!state.empty() && request.states().empty())
    return failure(ErrorCode::malformed, "web.state", "\"" + state + "\" is no state of a job");
  const Turn turn(*this);
  if (!turn) return busy();
  return settle(reader().and_then([&](client::Client* client) { return client->list(request); }), reader_);
}

Result<v1::JobStatus> Desk::job(const std::string& name) {
  const Turn turn(*this);
  if (!turn) return busy();
  return settle(reader().and_then([&](client::Client* client) { return client->status(name); }), reader_);
}

Result<v1::WorkerStatus> Desk::worker(const std::string& slot, const std::string& verb) {
  const auto known =
      std::find_if(kWorkerVerbs.begin(), kWorkerVerbs.end(), [&](const Verb& one) { return verb == one.word; });
  if (known == kWorkerVerbs.end()) return no_verb(verb);
  const Turn turn(*this);
  if (!turn) return busy();
  return settle(
      operators().and_then([&](client::Client* client) { return client->operate(known->command, slot, known->now); }),
      operator_);
}

Result<void> Desk::job_verb(const std::string& job, const std::string& verb) {
  if (verb != "cancel" && verb != "kick") return no_verb(verb);
  const Turn turn(*this);
  if (!turn) return busy();
  const auto ask = [&](client::Client* client) -> Result<void> {
    if (verb == "kick") return client->kick(job);
    return client->cancel(job).map([](bool) {});
  };
  return settle(operators().and_then(ask), operator_);
}

}  // namespace groth16d::web
