// The door: tokens, sessions, and the names under which the page is served.
#include <catch2/catch.hpp>

#include "client/web/access.hpp"

using namespace groth16d;
using namespace groth16d::web;
using namespace std::chrono_literals;

namespace {

const std::string kReader(32, 'r');
const std::string kOperator(40, 'o');
const Sessions::Clock::time_point kNow = Sessions::Clock::now();

}  // namespace

TEST_CASE("a token opens its role, and nothing else does") {
  const auto tokens =
      Tokens::parse("# who may look\nread " + kReader + "\n\n operate\t" + kOperator + " # the night\n", "t");
  REQUIRE(tokens.has_value());
  CHECK(tokens->role_of(kReader) == Role::read);
  CHECK(tokens->role_of(kOperator) == Role::operate);
  for (const std::string& wrong : {std::string(), kReader.substr(1), kReader + "r", std::string("read")})
    CHECK_FALSE(tokens->role_of(wrong).has_value());
}

TEST_CASE("a bad line of the file of tokens is named by its number, and the token is not repeated") {
  for (const std::string& line :
       {"admin " + kReader, std::string("read short"), "read " + kReader + " more", kReader}) {
    const auto tokens = Tokens::parse("read " + kOperator + "\n" + line + "\n", "tokens");
    REQUIRE_FALSE(tokens.has_value());
    CHECK(tokens.error().name == "tokens.line");
    CHECK(tokens.error().text.find("tokens:2:") != std::string::npos);
    CHECK(tokens.error().text.find(kReader) == std::string::npos);
  }
}

TEST_CASE("new tokens are long, and differ") {
  const auto one = new_token(), other = new_token();
  REQUIRE(one.has_value());
  REQUIRE(other.has_value());
  CHECK(one->size() == 64);
  CHECK(*one != *other);
}

TEST_CASE("a session ends by itself, by logging out, and with too many others") {
  Sessions sessions;
  const auto id = sessions.open(Role::operate, kNow);
  REQUIRE(id.has_value());
  CHECK(sessions.find(*id, kNow) == Role::operate);
  CHECK_FALSE(sessions.find(*id + "x", kNow).has_value());
  CHECK_FALSE(sessions.find(*id, kNow + Sessions::kLife).has_value());
  sessions.close(*id);
  CHECK_FALSE(sessions.find(*id, kNow).has_value());

  const auto first = sessions.open(Role::read, kNow);
  for (std::size_t n = 0; n < Sessions::kMost; ++n) REQUIRE(sessions.open(Role::read, kNow + 1s).has_value());
  CHECK_FALSE(sessions.find(*first, kNow + 1s).has_value());
}

TEST_CASE("twenty wrong tokens close the door for a minute") {
  Sessions sessions;
  for (std::uint32_t n = 0; n < Sessions::kMostFailures; ++n) {
    CHECK_FALSE(sessions.is_guessed_at(kNow));
    sessions.failed(kNow);
  }
  CHECK(sessions.is_guessed_at(kNow + 59s));
  CHECK_FALSE(sessions.is_guessed_at(kNow + 61s));
}

TEST_CASE("only our own names are ours") {
  const auto guard = Guard::create("127.0.0.1", 9816, {"https://prover.example"});
  REQUIRE(guard.has_value());
  for (const char* host : {"127.0.0.1:9816", "localhost:9816", "[::1]:9816", "prover.example"})
    CHECK(guard->is_host_ours(host));
  for (const char* host : {"", "127.0.0.1", "evil.example:9816", "localhost:9817", "prover.example.evil.example"})
    CHECK_FALSE(guard->is_host_ours(host));
  CHECK(guard->is_origin_ours("https://prover.example"));
  CHECK(guard->is_origin_ours("http://localhost:9816"));
  for (const char* origin : {"null", "http://prover.example", "https://localhost:9816", "http://evil.example"})
    CHECK_FALSE(guard->is_origin_ours(origin));
  CHECK_FALSE(Guard::create("127.0.0.1", 1, {"prover.example"}).has_value());
  CHECK_FALSE(Guard::create("127.0.0.1", 1, {"https://prover.example/path"}).has_value());
}

TEST_CASE("a cookie is found by its whole name") {
  CHECK(cookie_in("a=1; session=abc; b=2", "session") == "abc");
  CHECK(cookie_in("xsession=abc", "session").empty());
  CHECK(cookie_in("session_old=abc", "session").empty());
  CHECK(cookie_in("", "session").empty());
}
