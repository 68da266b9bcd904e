// A daemon's client socket without a daemon: answers each request as the test says, from a thread of its own.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "client/lib/client.hpp"

namespace groth16d::client {

class AnsweringDaemon {
 public:
  using Reply = std::unique_ptr<google::protobuf::MessageLite>;
  using Answer = std::function<Reply(const ipc::ClientRequest&)>;

  explicit AnsweringDaemon(Answer answer) : answer_(std::move(answer)) {
    folder_ = (std::filesystem::temp_directory_path() / "groth16d-client-XXXXXX").string();
    REQUIRE(::mkdtemp(folder_.data()) != nullptr);
    auto lock = ipc::EndpointLock::take(folder_);
    REQUIRE(lock.has_value());
    lock_.emplace(std::move(*lock));
    auto hub = ipc::ClientHub::bind(context_, *lock_);
    REQUIRE(hub.has_value());
    hub_.emplace(std::move(*hub));
    thread_ = std::thread([this] { serve(); });
  }

  ~AnsweringDaemon() {
    stopping_ = true;
    thread_.join();
    std::filesystem::remove_all(folder_);
  }

  AnsweringDaemon(const AnsweringDaemon&) = delete;
  AnsweringDaemon& operator=(const AnsweringDaemon&) = delete;

  Address address() const { return address_in(folder_); }

 private:
  void serve() {
    while (!stopping_) {
      auto request = hub_->receive();
      if (!request || !*request) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      if (const Reply reply = answer_(**request)) static_cast<void>(hub_->reply((*request)->from, *reply));
    }
  }

  Answer answer_;
  std::string folder_;
  zmq::context_t context_;
  std::optional<ipc::EndpointLock> lock_;
  std::optional<ipc::ClientHub> hub_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace groth16d::client
