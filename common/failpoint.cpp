#include "common/failpoint.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace groth16d {

namespace {

enum class Action { kill, hang, exit, delay, error };

struct Armed {
  Action action = Action::error;
  unsigned argument = 0;  // exit code, milliseconds
  std::uint64_t fires_at = 1;
  bool repeats = false;
  std::uint64_t hits = 0;
};

using Points = std::map<std::string, Armed, std::less<>>;

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// Cuts `text` at the first `mark`; the second half is empty where there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

bool parse_action(std::string_view text, Armed& armed) {
  const auto [verb, argument] = cut(text, ':');
  if (verb == "kill")
    armed.action = Action::kill;
  else if (verb == "hang")
    armed.action = Action::hang;
  else if (verb == "error")
    armed.action = Action::error;
  else if (verb == "exit")
    armed.action = Action::exit;
  else if (verb == "delay")
    armed.action = Action::delay;
  else
    return false;
  const bool wants_number = armed.action == Action::exit || armed.action == Action::delay;
  return wants_number ? parse_number(argument, armed.argument) : argument.empty();
}

// "name=action[@n][+]"
bool parse_point(std::string_view text, Points& points) {
  const auto [name, rest] = cut(text, '=');
  Armed armed;
  std::string_view order = rest;
  if (order.ends_with('+')) {
    armed.repeats = true;
    order.remove_suffix(1);
  }
  const auto [action, hit] = cut(order, '@');
  if (name.empty() || !parse_action(action, armed)) return false;
  if (order.find('@') != std::string_view::npos && (!parse_number(hit, armed.fires_at) || armed.fires_at == 0)) {
    return false;
  }
  points.insert_or_assign(std::string(name), armed);
  return true;
}

Result<Points> parse_points(std::string_view list) {
  Points points;
  while (!list.empty()) {
    const auto [point, rest] = cut(list, ';');
    list = rest;
    if (!point.empty() && !parse_point(point, points)) {
      return failure(
          ErrorCode::malformed, "failpoint.syntax",
          "failpoint \"" + std::string(point) + "\": expected name=kill|hang|error|exit:CODE|delay:MS[@n][+]");
    }
  }
  return points;
}

// A test that misspells a failpoint must not pass for want of a failure.
Points points_of_environment() {
  const char* list = std::getenv("GROTH16D_FAILPOINTS");
  if (list == nullptr) return {};
  Result<Points> points = parse_points(list);
  if (points) return *points;
  const std::string text = points.error().text + "\n";
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(78);
  ::_exit(78);
}

// Failpoints are the process's own test equipment, hit from any thread.
struct Board {
  std::mutex mutex;
  Points points = points_of_environment();
};

Board& board() {
  static Board the_board;
  return the_board;
}

// True for one process among those that share the marks' directory.
bool claim_mark(std::string_view name) {
  const char* directory = std::getenv("GROTH16D_FAILPOINT_MARKS");
  if (directory == nullptr) return true;
  const std::string path = std::string(directory) + "/" + std::string(name);
  const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  ::close(fd);
  return true;
}

std::optional<Armed> count_hit(std::string_view name) {
  const std::lock_guard lock(board().mutex);
  const auto point = board().points.find(name);
  if (point == board().points.end()) return std::nullopt;
  Armed& armed = point->second;
  ++armed.hits;
  const bool fires = armed.repeats ? armed.hits >= armed.fires_at : armed.hits == armed.fires_at;
  if (!fires || !claim_mark(name)) return std::nullopt;
  return armed;
}

}  // namespace

bool failpoint_hit(std::string_view name) {
  const std::optional<Armed> armed = count_hit(name);
  if (!armed) return false;
  switch (armed->action) {
    case Action::kill:
      ::kill(::getpid(), SIGKILL);
      [[fallthrough]];  // until the signal arrives
    case Action::hang:
      while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    case Action::exit:
      ::_exit(static_cast<int>(armed->argument));
    case Action::delay:
      std::this_thread::sleep_for(std::chrono::milliseconds(armed->argument));
      return false;
    case Action::error:
      return true;
  }
  return false;
}

Result<void> arm_failpoints(std::string_view list) {
  Result<Points> points = parse_points(list);
  if (!points) return tl::unexpected<Error>(points.error());
  const std::lock_guard lock(board().mutex);
  board().points = std::move(*points);
  return {};
}

tl::unexpected<Error> failpoint_error(std::string_view name) {
  return failure(ErrorCode::internal, "failpoint", "failpoint " + std::string(name) + " fired");
}

}  // namespace groth16d
