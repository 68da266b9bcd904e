// The daemon's desk for the page's questions and verbs: a connection for those who read and one for operators, made
// when they are needed, used by one request at a time.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "client/lib/client.hpp"

namespace groth16d::web {

class Desk {
 public:
  explicit Desk(client::Address address) : address_(std::move(address)) {}

  // The newest first.
  Result<std::vector<v1::JobStatus>> jobs(const std::string& contains, const std::string& state, std::uint32_t limit);
  Result<v1::JobStatus> job(const std::string& name);

  // restart restart_now drain enable disable reset. Error: malformed "web.verb" for another word.
  Result<v1::WorkerStatus> worker(const std::string& slot, const std::string& verb);
  // cancel kick.
  Result<void> job_verb(const std::string& job, const std::string& verb);

 private:
  Result<client::Client*> reader();
  Result<client::Client*> operators();
  template <class T>
  Result<T> settle(Result<T> answer, std::unique_ptr<client::Client>& connection);

  client::Address address_;
  std::mutex mutex_;
  std::unique_ptr<client::Client> reader_, operator_;
};

}  // namespace groth16d::web
