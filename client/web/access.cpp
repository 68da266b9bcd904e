#include "client/web/access.hpp"

#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "common/posix.hpp"

namespace groth16d::web {
namespace {

constexpr std::size_t kLeastTokenLetters = 32;
constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 20;

std::string_view word(std::string_view& line) {
  const auto begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  line.remove_prefix(begin);
  const auto end = std::min(line.find_first_of(" \t\r"), line.size());
  const std::string_view found = line.substr(0, end);
  line.remove_prefix(end);
  return found;
}

}  // namespace

std::string_view to_string(Role role) { return role == Role::operate ? "operate" : "read"; }

Result<std::string> new_token() {
  std::array<std::uint8_t, 32> bytes{};
  // Up to 256 bytes come whole or not at all.
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return system_failure("getrandom", "token");
  return to_hex(std::span<const std::uint8_t>(bytes));
}

// ---------------------------------------------------------------- tokens

Result<Tokens> Tokens::read(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return system_failure("stat", path);
  if ((status.st_mode & (S_IROTH | S_IWOTH | S_IWGRP)) != 0)
    return failure(
        ErrorCode::denied, "tokens.mode",
        fmt::format("{}: mode {:03o}; others can read or change the tokens: chmod 0640", path, status.st_mode & 0777));
  return read_text_file(path, kMostFileBytes).and_then([&](const std::string& text) { return parse(text, path); });
}

Result<Tokens> Tokens::parse(std::string_view text, const std::string& name) {
  Tokens tokens;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const std::string_view role = word(line), token = word(line), rest = word(line);
    if (role.empty()) continue;
    const bool good = (role == "read" || role == "operate") && token.size() >= kLeastTokenLetters && rest.empty();
    if (!good)
      return failure(ErrorCode::malformed, "tokens.line",
                     fmt::format("{}:{}: expected \"read\" or \"operate\" and a token of at least {} characters", name,
                                 number, kLeastTokenLetters));
    tokens.tokens_.push_back({sha256(token), role == "operate" ? Role::operate : Role::read});
  }
  return tokens;
}

std::optional<Role> Tokens::role_of(std::string_view token) const {
  const Digest digest = sha256(token);
  std::optional<Role> role;
  for (const Entry& entry : tokens_)
    if (entry.digest == digest) role = entry.role;
  return role;
}

// ---------------------------------------------------------------- sessions

Result<std::string> Sessions::open(Role role, Clock::time_point now) {
  auto id = new_token();
  if (!id) return id;
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [&](const auto& entry) { return entry.second.until <= now; });
  if (sessions_.size() >= kMost)
    sessions_.erase(std::min_element(sessions_.begin(), sessions_.end(),
                                     [](const auto& a, const auto& b) { return a.second.until < b.second.until; }));
  sessions_[*id] = {role, now + kLife};
  return id;
}

std::optional<Role> Sessions::find(const std::string& id, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto place = sessions_.find(id);
  if (place == sessions_.end() || place->second.until <= now) return std::nullopt;
  return place->second.role;
}

void Sessions::close(const std::string& id) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(id);
}

void Sessions::failed(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (now - failures_since_ > std::chrono::minutes(1)) {
    failures_since_ = now;
    failures_ = 0;
  }
  ++failures_;
}

bool Sessions::is_guessed_at(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  return failures_ >= kMostFailures && now - failures_since_ <= std::chrono::minutes(1);
}

// ---------------------------------------------------------------- origins

Result<Guard> Guard::create(const std::string& listen_host, std::uint16_t port,
                            const std::vector<std::string>& origins) {
  Guard guard;
  const auto add = [&](const std::string& scheme, const std::string& host) {
    guard.hosts_.insert(host);
    guard.origins_.insert(scheme + "://" + host);
  };
  const bool is_v6 = listen_host.find(':') != std::string::npos;
  add("http", (is_v6 ? "[" + listen_host + "]" : listen_host) + ":" + std::to_string(port));
  if (is_loopback(listen_host))
    for (const char* host : {"localhost", "127.0.0.1", "[::1]"}) add("http", fmt::format("{}:{}", host, port));
  guard.tls_ = !origins.empty();
  for (const std::string& origin : origins) {
    const auto scheme_end = origin.find("://");
    const std::string scheme = origin.substr(0, std::min(scheme_end, origin.size()));
    const std::string host = scheme_end == std::string::npos ? "" : origin.substr(scheme_end + 3);
    if ((scheme != "http" && scheme != "https") || host.empty() || host.find('/') != std::string::npos)
      return failure(ErrorCode::malformed, "web.origin",
                     fmt::format("\"{}\" is no origin; expected one like https://prover.example", origin));
    add(scheme, host);
    guard.tls_ = guard.tls_ && scheme == "https";
  }
  return guard;
}

bool is_loopback(std::string_view host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

std::string cookie_in(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const auto end = std::min(header.find(';'), header.size());
    std::string_view pair = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (pair.starts_with(name) && pair.size() > name.size() && pair[name.size()] == '=')
      return std::string(pair.substr(name.size() + 1));
  }
  return "";
}

}  // namespace groth16d::web
