// Logs of daemon processes. Where stderr is systemd's journal (JOURNAL_STREAM names it) a message goes there with
// fields:
//   journalctl -u groth16d JOB=order-17 SLOT=gpu-0 EVENT=slot.ended
// Where it was, and is redirected, a line starts with its syslog priority, "<4>gpu-0: text"; on a terminal or in a file
// with the time, "2024-05-17 12:00:01.123 warning gpu-0: text".
//
// Call sites use spdlog::info(...), spdlog::warn(...), spdlog::error(...) with a tag for the work in hand:
//   spdlog::info("{} sealed, {} bytes", JobTag{job, partition}, bytes);
// Never log witness values, r or s. Control characters are replaced, so a client's text cannot forge a line.
#pragma once

#include <spdlog/spdlog.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace groth16d {

// What a message is about, as the journal's fields of these names in capitals. What is empty is left out.
struct LogFields {
  std::string job{};
  std::optional<std::uint32_t> partition{};
  std::string stage{};
  std::string slot{};
  std::optional<std::uint64_t> epoch{};
  std::string event{};  // docs/OPERATIONS.md lists them
};

// This thread's messages are about `fields` until the scope ends; what it leaves out, the scope around it may say.
class LogScope {
 public:
  explicit LogScope(LogFields fields);
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;
  ~LogScope();

 private:
  LogFields before_;
};

struct LogOptions {
  std::string process;         // "groth16d" or the slot, "synth-0"
  std::string level = "info";  // trace debug info warning error
  LogFields fields{};          // of every message of the process, where no scope says otherwise
};

// Once per process, after exec. An unknown level is taken as info.
void start_log(const LogOptions& options);
void set_log_level(std::string_view level);

// Syslog priority of an spdlog level: 3 error, 4 warning, 6 info, 7 debug.
int syslog_priority(spdlog::level::level_enum level);

// "job=ab12 partition=3" in front of a message.
struct JobTag {
  std::string_view job;
  std::optional<std::uint32_t> partition = std::nullopt;
};

}  // namespace groth16d

template <>
struct fmt::formatter<groth16d::JobTag> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(const groth16d::JobTag& tag, Context& context) const {
    auto out = fmt::format_to(context.out(), "job={}", tag.job);
    return tag.partition ? fmt::format_to(out, " partition={}", *tag.partition) : out;
  }
};
