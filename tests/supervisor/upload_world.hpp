// Uploads under any sequence of messages, jobs, expiries and restarts: each step is four bytes, and after each the
// books agree with the disk, and what is whole is what its name says. For the fuzzer, and for a test with a seed.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/posix.hpp"
#include "supervisor/uploads.hpp"

namespace groth16d::supervisor::test {

class UploadWorld {
 public:
  // `folder` is empty; `require` ends the run where a promise is broken.
  UploadWorld(std::filesystem::path folder, std::function<void(bool, const char*)> require)
      : folder_(std::move(folder)), require_(std::move(require)) {
    for (const std::size_t bytes : {1, 700, 5'000}) {
      std::string text(bytes, '\0');
      for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 37 + bytes);
      texts_.push_back(std::move(text));
    }
    start();
  }

  void step(const std::array<std::uint8_t, 4>& code) {
    const std::string client = (code[1] & 1) != 0 ? "key alice" : "key bob.b";
    const std::string& text = texts_[(code[1] >> 1) % texts_.size()];
    const std::string job = "job" + std::to_string(code[2] % 3);
    switch (code[0] % 8) {
      case 0:
        static_cast<void>(uploads_->take(piece(client, text, 0, 0), now_ms_));
        break;
      case 1:
      case 2:
      case 3:
        send(client, text, code);
        break;
      case 4:
        uploads_->expire(now_ms_ += 100 * code[2]);
        break;
      case 5:
        start();
        break;
      case 6:
        submit(client, text, job, code[3]);
        break;
      default:
        if (jobs_.erase(job) > 0) require_(spool_->remove(job).has_value(), "a job's inputs are removed");
    }
    check();
  }

 private:
  void start() {
    uploads_.reset();
    auto spool = Spool::open(folder_ / "spool", {12'000, 8'000});
    require_(spool.has_value(), "the spool opens");
    spool_.emplace(std::move(*spool));
    require_(spool_->sweep(jobs_).has_value(), "the spool is swept");
    auto uploads = Uploads::recover(*spool_, 1'000, now_ms_);
    require_(uploads.has_value(), "uploads are found again");
    uploads_.emplace(std::move(*uploads));
  }

  static UploadPiece piece(const std::string& client, const std::string& text, std::size_t offset, std::size_t length) {
    UploadPiece piece;
    piece.client = client;
    piece.sha256 = sha256(text);
    piece.bytes = text.size();
    piece.offset = offset;
    const std::string chunk = text.substr(offset, length);
    piece.chunk = zmq::message_t(chunk.data(), chunk.size());
    piece.chunk_sha256 = sha256(chunk);
    return piece;
  }

  // Anywhere in the text, and now and then not its bytes.
  void send(const std::string& client, const std::string& text, const std::array<std::uint8_t, 4>& code) {
    const std::size_t offset = text.size() * code[2] / 256;
    UploadPiece sent = piece(client, text, offset, 1 + text.size() * code[3] / 128);
    if (code[0] >= 240) {
      static_cast<char*>(sent.chunk.data())[0] ^= 1;
      if (code[0] >= 248) sent.chunk_sha256 = sha256(sent.chunk.to_string_view());
    }
    static_cast<void>(uploads_->take(sent, now_ms_));
  }

  // A job that is accepted, or is not, or whose supervisor is killed after its commit.
  void submit(const std::string& client, const std::string& text, const std::string& job, std::uint8_t how) {
    auto input = uploads_->open(client, sha256(text));
    if (!input || jobs_.contains(job)) return;
    std::vector<SpoolInput> inputs;
    inputs.push_back(std::move(*input));
    require_(uploads_->claim(client, sha256(text), job), "a whole upload that is nobody's can be claimed");
    if (!spool_->write(job, inputs, client)) return uploads_->release(job);
    if (how % 3 == 0) {
      uploads_->release(job);
      require_(spool_->remove(job).has_value(), "a refused job's inputs are removed");
      return;
    }
    jobs_[job] = client;
    if (how % 3 == 1) return start();
    uploads_->hand_over(job, *spool_);
  }

  void check() {
    std::uint64_t of_jobs = 0;
    for (const auto& [job, client] : jobs_)
      of_jobs += std::filesystem::file_size(folder_ / "spool" / ("job-" + job) / "0");
    require_(spool_->used_bytes() == of_jobs + uploads_->figures().reserved_bytes, "every byte is accounted for, once");
    require_(spool_->used_bytes() <= 12'000, "no more is taken than there is");
    for (const char* client : {"key alice", "key bob.b"}) {
      require_(spool_->account()->used_bytes_of(client) <= 8'000, "no client has more than its part");
      for (const std::string& text : texts_) {
        const auto input = uploads_->open(client, sha256(text));
        if (!input) continue;
        const auto bytes = read_all(input->file.get(), 1 << 20, "upload");
        require_(bytes && sha256(std::span(*bytes)) == sha256(text), "what is whole is what was named");
      }
    }
  }

  std::filesystem::path folder_;
  std::function<void(bool, const char*)> require_;
  std::vector<std::string> texts_;
  std::optional<Spool> spool_;
  std::optional<Uploads> uploads_;
  std::map<std::string, std::string> jobs_;  // accepted, and whose they are
  std::uint64_t now_ms_ = 0;
};

}  // namespace groth16d::supervisor::test
