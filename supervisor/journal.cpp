#include "supervisor/journal.hpp"

#include <optional>

#include <spdlog/spdlog.h>

#include "common/failpoint.hpp"

namespace groth16d::supervisor {
namespace {

template <class Stored, class Failed>
Event either(const Result<void>& result, Stored stored, Failed failed) {
  if (result) return stored;
  failed.error = result.error();
  return failed;
}

// The event that answers an entry; a line of a log, or a word to the next start, is nobody's question.
struct Answer {
  const Result<void>& result;

  std::optional<Event> operator()(const AcceptJob& entry) const {
    return either(result, JobStored{entry.record.job}, JobStoreFailed{entry.record.job, {}});
  }
  std::optional<Event> operator()(const StoreJobState& entry) const {
    return either(result, JobStateStored{entry.job, entry.state}, JobStateStoreFailed{entry.job, entry.state, {}});
  }
  std::optional<Event> operator()(const StoreResult& entry) const {
    return either(result, ResultStored{entry.job, entry.partition}, ResultStoreFailed{entry.job, entry.partition, {}});
  }
  std::optional<Event> operator()(const DeleteJob& entry) const {
    return either(result, JobDeleted{entry.job}, JobDeleteFailed{entry.job, {}});
  }
  std::optional<Event> operator()(const StoreCircuit& entry) const {
    return either(result, CircuitStored{entry.circuit}, CircuitStoreFailed{entry.circuit, {}});
  }
  std::optional<Event> operator()(const DeleteCircuit& entry) const {
    return either(result, CircuitDeleted{entry.circuit}, CircuitDeleteFailed{entry.circuit, {}});
  }
  std::optional<Event> operator()(const KeepResident& entry) const {
    if (!result) spdlog::warn("circuit {}: its files' digests were not kept: {}", entry.circuit, result.error().text);
    return std::nullopt;
  }
  std::optional<Event> operator()(const StampedLine& entry) const {
    if (!result) spdlog::warn("a line about job {} was not kept: {}", entry.line.job, result.error().text);
    return std::nullopt;
  }
};

void commit_group(JournalFile& file, std::vector<JournalEntry>& group, Outbox<JournalCompletion>& completions) {
  if (group.empty()) return;
  const auto results = file.commit(group);
  GROTH16D_FAILPOINT("journal.committed");
  for (std::size_t place = 0; place < group.size(); ++place)
    if (auto event = std::visit(Answer{results[place]}, group[place])) completions.put(std::move(*event));
  group.clear();
}

void serve(JournalFile& file, std::vector<JournalRequest> requests, Outbox<JournalCompletion>& completions) {
  std::vector<JournalEntry> group;
  for (JournalRequest& request : requests) {
    if (auto* entry = std::get_if<JournalEntry>(&request)) {
      group.push_back(std::move(*entry));
      continue;
    }
    commit_group(file, group, completions);  // a reader sees what was put in before it
    if (const auto* wanted = std::get_if<ReadLines>(&request))
      completions.put(LinesRead{wanted->token, file.lines_of(wanted->job, wanted->limit)});
    else
      completions.put(Pong{});
  }
  commit_group(file, group, completions);
}

}  // namespace

Journal::Journal(JournalFile file)
    : file_(std::move(file)),
      thread_("journal", [this](std::vector<JournalRequest> requests, Outbox<JournalCompletion>& completions) {
        serve(file_, std::move(requests), completions);
      }) {}

}  // namespace groth16d::supervisor
