// The daemon's desk for the page's questions and verbs: a connection for those who read and one for operators, made
// when they are needed, used by one request at a time. Few may wait for it: a daemon that does not answer holds no more
// of the server's threads than these.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "client/lib/client.hpp"

namespace groth16d::web {

class Desk {
 public:
  explicit Desk(client::Address address) : address_(std::move(address)) {}

  // All: unavailable "web.busy" where too many requests wait for the daemon's answer already.

  // The newest first.
  Result<std::vector<v1::JobStatus>> jobs(const std::string& contains, const std::string& state, std::uint32_t limit);
  Result<v1::JobStatus> job(const std::string& name);

  // restart restart_now drain enable disable reset. Error: malformed "web.verb" for another word.
  Result<v1::WorkerStatus> worker(const std::string& slot, const std::string& verb);
  // cancel kick.
  Result<void> job_verb(const std::string& job, const std::string& verb);

 private:
  // A request's place at the desk, and then its turn.
  class Turn {
   public:
    explicit Turn(Desk& desk);
    ~Turn() { --desk_.waiting_; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return lock_.owns_lock(); }

   private:
    Desk& desk_;
    std::unique_lock<std::mutex> lock_;
  };

  Result<client::Client*> reader();
  Result<client::Client*> operators();
  template <class T>
  Result<T> settle(Result<T> answer, std::unique_ptr<client::Client>& connection);

  client::Address address_;
  std::atomic<int> waiting_ = 0;
  std::mutex mutex_;
  std::unique_ptr<client::Client> reader_, operator_;
};

}  // namespace groth16d::web
