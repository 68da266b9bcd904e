#include "common/journal_sink.hpp"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#define SD_JOURNAL_SUPPRESS_LOCATION  // the file and line of this sink would be that of every message
#include <systemd/sd-journal.h>

#include <fmt/format.h>

namespace groth16d {
namespace {

std::vector<std::string> entry_of(const LogFields& fields) {
  std::vector<std::string> entry;
  const auto add = [&entry](const char* name, const std::string& value) {
    if (!value.empty()) entry.push_back(fmt::format("{}={}", name, one_line(value)));
  };
  add("JOB", fields.job);
  add("PARTITION", fields.partition ? std::to_string(*fields.partition) : "");
  add("STAGE", fields.stage);
  add("SLOT", fields.slot);
  add("EPOCH", fields.epoch ? std::to_string(*fields.epoch) : "");
  add("EVENT", fields.event);
  return entry;
}

}  // namespace

bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &status) != 0) return false;
  return fmt::format("{}:{}", status.st_dev, status.st_ino) == stream;
}

LogFields& current_log_fields() {
  thread_local LogFields fields;
  return fields;
}

void fill_gaps(LogFields& fields, const LogFields& otherwise) {
  if (fields.job.empty()) fields.job = otherwise.job;
  if (!fields.partition) fields.partition = otherwise.partition;
  if (fields.stage.empty()) fields.stage = otherwise.stage;
  if (fields.slot.empty()) fields.slot = otherwise.slot;
  if (!fields.epoch) fields.epoch = otherwise.epoch;
  if (fields.event.empty()) fields.event = otherwise.event;
}

void JournalSink::log(const spdlog::details::log_msg& message) {
  LogFields fields = current_log_fields();
  fill_gaps(fields, of_process_);
  const std::string text = one_line({message.payload.data(), message.payload.size()});
  const int priority = syslog_priority(message.level);
  std::vector<std::string> entry = entry_of(fields);
  entry.push_back("MESSAGE=" + text);
  entry.push_back(fmt::format("PRIORITY={}", priority));
  entry.push_back("SYSLOG_IDENTIFIER=" + process_);
  std::vector<iovec> pieces;
  for (std::string& field : entry) pieces.push_back({field.data(), field.size()});
  if (::sd_journal_sendv(pieces.data(), static_cast<int>(pieces.size())) == 0) return;
  const std::string line = fmt::format("<{}>{}: {}\n", priority, process_, text);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace groth16d
