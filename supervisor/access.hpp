// Rights: what each verb needs, what each socket gives, and which right a client's key has over TCP. Pure functions.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "ipc/client_codec.hpp"

namespace groth16d::supervisor {

// Each holds the ones before it.
enum class Right { read, submit, operate };
std::string_view to_string(Right right);

Right needed_right(ipc::Command command);

// A line of the file of clients: NAME RIGHT KEY, as in "alice submit 8Xv...".
struct RemoteClient {
  std::string name;  // 1 to 64 of [A-Za-z0-9._-]
  Right right = Right::read;
  std::string key;  // public, 40 letters of Z85
};

// # begins a comment only at the start of a line: a key may hold one. Errors: malformed "clients.line" with its number,
// conflict "clients.twice" where a name or a key stands twice.
Result<std::vector<RemoteClient>> parse_remote_clients(std::string_view text, const std::string& name);
Result<std::vector<RemoteClient>> read_remote_clients(const std::string& path);

// What a Gatekeeper lets in.
std::set<std::string> keys_of(const std::vector<RemoteClient>& clients);

// nullptr: no such key.
const RemoteClient* find_client(const std::vector<RemoteClient>& clients, std::string_view key);

}  // namespace groth16d::supervisor
