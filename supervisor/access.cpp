#include "supervisor/access.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "common/posix.hpp"
#include "ipc/curve.hpp"
#include "supervisor/client_messages.hpp"

namespace groth16d::supervisor {
namespace {

constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 20;

bool parse_right(std::string_view word, Right& right) {
  for (const Right one : {Right::read, Right::submit, Right::operate}) {
    if (word != to_string(one)) continue;
    right = one;
    return true;
  }
  return false;
}

}  // namespace

std::string_view to_string(Right right) {
  if (right == Right::operate) return "operate";
  return right == Right::submit ? "submit" : "read";
}

Right needed_right(ipc::Command command) {
  if (ipc::is_for_operators(command)) return Right::operate;
  switch (command) {
    case ipc::Command::submit:
    case ipc::Command::cancel:
    case ipc::Command::close:
    case ipc::Command::upload:
    case ipc::Command::circuit_add:
    case ipc::Command::circuit_remove:
      return Right::submit;
    default:
      return Right::read;
  }
}

Result<std::vector<RemoteClient>> parse_remote_clients(std::string_view text, const std::string& name) {
  std::vector<RemoteClient> clients;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    RemoteClient client;
    std::string right, rest;
    if (!(words >> client.name) || client.name.front() == '#') continue;
    words >> right >> client.key >> rest;
    if (!check_name("client", client.name) || !parse_right(right, client.right) || !ipc::is_curve_key(client.key) ||
        !rest.empty())
      return failure(ErrorCode::malformed, "clients.line",
                     fmt::format("{}:{}: expected a name, read or submit or operate, and a public key of {} letters",
                                 name, number, ipc::kCurveKeyLetters));
    if (std::any_of(clients.begin(), clients.end(),
                    [&](const RemoteClient& one) { return one.name == client.name || one.key == client.key; }))
      return failure(ErrorCode::conflict, "clients.twice",
                     fmt::format("{}:{}: the name or the key stands in the file before", name, number));
    clients.push_back(std::move(client));
  }
  return clients;
}

Result<std::vector<RemoteClient>> read_remote_clients(const std::string& path) {
  return read_text_file(path, kMostFileBytes).and_then([&](const std::string& text) {
    return parse_remote_clients(text, path);
  });
}

std::set<std::string> keys_of(const std::vector<RemoteClient>& clients) {
  std::set<std::string> keys;
  for (const RemoteClient& client : clients) keys.insert(client.key);
  return keys;
}

const RemoteClient* find_client(const std::vector<RemoteClient>& clients, std::string_view key) {
  const auto place =
      std::find_if(clients.begin(), clients.end(), [&](const RemoteClient& client) { return client.key == key; });
  return place == clients.end() ? nullptr : &*place;
}

}  // namespace groth16d::supervisor
