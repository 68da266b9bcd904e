#include "common/log.hpp"

#include "common/journal_sink.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace groth16d {

namespace {

// %P: "<6>", what journald takes for the line's priority.
class PriorityFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    fmt::format_to(std::back_inserter(out), "<{}>", syslog_priority(message.level));
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<PriorityFlag>(); }
};

// %Q: the text with every control character replaced: one message is one line, whatever a client sent.
class OneLineFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    for (const char letter : one_line({message.payload.data(), message.payload.size()})) out.push_back(letter);
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<OneLineFlag>(); }
};

std::unique_ptr<spdlog::formatter> make_formatter() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PriorityFlag>('P').add_flag<OneLineFlag>('Q');
  const bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
  formatter->set_pattern(journal ? "%P%n: %Q" : "%Y-%m-%d %H:%M:%S.%e %l %n: %Q");
  return formatter;
}

}  // namespace

int syslog_priority(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::critical:
      return 2;
    case spdlog::level::err:
      return 3;
    case spdlog::level::warn:
      return 4;
    case spdlog::level::info:
      return 6;
    default:
      return 7;
  }
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& letter : line) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code == 0x7f) letter = ' ';
  }
  return line;
}

LogScope::LogScope(LogFields fields) : before_(std::exchange(current_log_fields(), {})) {
  LogFields& now = current_log_fields();
  now = std::move(fields);
  fill_gaps(now, before_);
}

LogScope::~LogScope() { current_log_fields() = std::move(before_); }

void start_log(const LogOptions& options) {
  spdlog::sink_ptr sink;
  if (stderr_is_journal())
    sink = std::make_shared<JournalSink>(options.process, options.fields);
  else
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::logger>(options.process, std::move(sink));
  logger->set_formatter(make_formatter());
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
  set_log_level(options.level);
}

void set_log_level(std::string_view level) {
  const spdlog::level::level_enum parsed = spdlog::level::from_str(std::string(level));
  // from_str says "off" for what it does not know.
  spdlog::set_level(parsed == spdlog::level::off ? spdlog::level::info : parsed);
}

}  // namespace groth16d
