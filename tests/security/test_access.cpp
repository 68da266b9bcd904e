// Rights and the file of clients.
#include <catch2/catch.hpp>

#include "ipc/curve.hpp"
#include "supervisor/access.hpp"
#include "supervisor/config.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

TEST_CASE("a right holds the ones before it, and every verb needs one of them") {
  CHECK(Right::read < Right::submit);
  CHECK(Right::submit < Right::operate);
  CHECK(needed_right(ipc::Command::metrics) == Right::read);
  CHECK(needed_right(ipc::Command::submit) == Right::submit);
  CHECK(needed_right(ipc::Command::upload) == Right::submit);
  for (int number = 64; number <= 70; ++number)
    CHECK(needed_right(static_cast<ipc::Command>(number)) == Right::operate);
}

TEST_CASE("lines of the file of clients are names, rights and keys") {
  const std::string alice = ipc::new_curve_keys()->public_key, bob = ipc::new_curve_keys()->public_key;
  const auto clients =
      parse_remote_clients("# people\n\nalice submit " + alice + "\n bob  operate\t" + bob + "\n", "f");
  REQUIRE(clients.has_value());
  REQUIRE(clients->size() == 2);
  CHECK(find_client(*clients, bob)->name == "bob");
  CHECK(find_client(*clients, bob)->right == Right::operate);
  CHECK(find_client(*clients, "") == nullptr);
  CHECK(keys_of(*clients) == std::set<std::string>{alice, bob});
}

TEST_CASE("a bad line is named by its number") {
  const std::string key = ipc::new_curve_keys()->public_key;
  for (const std::string& line :
       std::vector<std::string>{"alice", "alice admin " + key, "alice read short", "alice read " + key + " more",
                                "a/b read " + key, "read " + key})
    CHECK(parse_remote_clients("\n" + line, "f").error().text.find("f:2:") == 0);
  const std::string other = ipc::new_curve_keys()->public_key;
  CHECK(parse_remote_clients("a read " + key + "\na read " + other, "f").error().name == "clients.twice");
  CHECK(parse_remote_clients("a read " + key + "\nb read " + key, "f").error().name == "clients.twice");
}

TEST_CASE("without keys nothing listens over TCP, not even on loopback") {
  CHECK_FALSE(parse_config("[remote]\nlisten = \"tcp://127.0.0.1:9817\"", "c").has_value());
  CHECK_FALSE(parse_config("[remote]\nlisten = \"tcp://0.0.0.0:9817\"\nsecret_key = \"/k\"", "c").has_value());
  CHECK_FALSE(parse_config("[remote]\nlisten = \"ipc:///x\"\nsecret_key = \"/k\"\nclients = \"/c\"", "c").has_value());
  CHECK_FALSE(parse_config("[remote]\nlisten = \"tcp://*:1\"\nsecret_key = \"k\"\nclients = \"/c\"", "c").has_value());
  CHECK(parse_config("[remote]\nlisten = \"tcp://*:1\"\nsecret_key = \"/k\"\nclients = \"/c\"", "c").has_value());
}
