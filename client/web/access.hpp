// Who may use the page: tokens that an operator wrote into a file, sessions that a token opens, and the two headers by
// which a browser tells that a request comes from our own page (against DNS rebinding and forged requests).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/digest.hpp"
#include "common/error.hpp"

namespace groth16d::web {

enum class Role { read, operate };
std::string_view to_string(Role role);

// 256 bits from getrandom, hexadecimal.
Result<std::string> new_token();

// A file of lines "ROLE TOKEN"; ROLE is read or operate, TOKEN 32 characters or more without spaces; # begins a
// comment.
class Tokens {
 public:
  // Errors: those of reading; denied "tokens.mode" where others than owner and group may read it; malformed
  // "tokens.line" with its number.
  static Result<Tokens> read(const std::string& path);
  static Result<Tokens> parse(std::string_view text, const std::string& name);

  // Takes the same time for every token of a length.
  std::optional<Role> role_of(std::string_view token) const;
  bool empty() const { return tokens_.empty(); }

 private:
  struct Entry {
    Digest digest;  // so that comparing tells nothing of the token
    Role role = Role::read;
  };
  std::vector<Entry> tokens_;
};

// Sessions in memory: a restart logs everybody out. Any thread.
class Sessions {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::hours kLife{12};
  static constexpr std::size_t kMost = 256;  // the oldest is forgotten for a new one
  // Guesses at a token: a person mistypes it, a program does not have 20 a minute.
  static constexpr std::uint32_t kMostFailures = 20;

  // The new session's id.
  Result<std::string> open(Role role, Clock::time_point now);
  std::optional<Role> find(const std::string& id, Clock::time_point now);
  void close(const std::string& id);

  // A token that opens nothing; and whether there were too many of them in the last minute.
  void failed(Clock::time_point now);
  bool is_guessed_at(Clock::time_point now);

 private:
  struct Session {
    Role role = Role::read;
    Clock::time_point until;
  };
  std::mutex mutex_;
  std::map<std::string, Session> sessions_;
  Clock::time_point failures_since_{};
  std::uint32_t failures_ = 0;
};

// The names under which the page is served.
class Guard {
 public:
  // `origins`: further ones, "https://prover.example". Error: malformed "web.origin".
  static Result<Guard> create(const std::string& listen_host, std::uint16_t port,
                              const std::vector<std::string>& origins);

  bool is_host_ours(std::string_view host_header) const { return hosts_.contains(std::string(host_header)); }
  bool is_origin_ours(std::string_view origin_header) const { return origins_.contains(std::string(origin_header)); }
  // A cookie goes over TLS only where every browser comes by TLS.
  bool is_served_by_tls() const { return tls_; }

 private:
  std::set<std::string> hosts_;
  std::set<std::string> origins_;
  bool tls_ = false;
};

// "127.0.0.0/8", "::1" and "localhost".
bool is_loopback(std::string_view host);

// The value of one cookie in a Cookie header; "" without it.
std::string cookie_in(std::string_view header, std::string_view name);

}  // namespace groth16d::web
