// Messages to systemd's journal with the fields that operators filter by.
#pragma once

#include <spdlog/sinks/sink.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "common/log.hpp"

namespace groth16d {

// Whether the descriptor that JOURNAL_STREAM names ("device:inode", systemd.exec(5)) is our stderr.
bool stderr_is_journal();

// This thread's, as LogScope keeps them.
LogFields& current_log_fields();

// What `fields` leaves out is taken from `otherwise`.
void fill_gaps(LogFields& fields, const LogFields& otherwise);

// Control characters replaced by spaces.
std::string one_line(std::string_view text);

// One message is one entry: MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, and the fields that are set. Where the journal does
// not take it, the line goes to stderr with its priority in front, so nothing is lost.
class JournalSink final : public spdlog::sinks::sink {
 public:
  JournalSink(std::string process, LogFields of_process)
      : process_(std::move(process)), of_process_(std::move(of_process)) {}

  void log(const spdlog::details::log_msg& message) override;
  void flush() override {}
  // An entry has fields, no format.
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  const std::string process_;
  const LogFields of_process_;
};

}  // namespace groth16d
