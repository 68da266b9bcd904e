// groth16ctl trace: the timeline of a job as Chrome's and Perfetto's viewers read it (Trace Event Format): a process
// for the job, a thread a slot, a complete event a stage, microseconds from the job's acceptance.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "client/ctl/command.hpp"
#include "client/ctl/trace.hpp"
#include "common/posix.hpp"

namespace groth16d::ctl {
namespace {

struct Arguments {
  std::string job;
  std::string out;
};

Json event_of(const v1::StageSpan& span, int thread, std::uint64_t age_ms) {
  const bool runs = span.outcome().empty();
  const std::uint64_t end_ms = std::max(runs ? age_ms : span.end_ms(), span.begin_ms());
  Json held = Json::object();
  for (const auto& buffer : span.held()) held[buffer.kind() + "_bytes"] = buffer.bytes();
  Json arguments = {{"partition", span.partition()},
                    {"attempt", span.attempt()},
                    {"outcome", runs ? "running" : span.outcome()},
                    {"held", std::move(held)}};
  return {{"name", span.stage()},
          {"cat", "stage"},
          {"ph", "X"},
          {"pid", 1},
          {"tid", thread},
          {"ts", span.begin_ms() * 1000},
          {"dur", (end_ms - span.begin_ms()) * 1000},
          {"args", std::move(arguments)}};
}

void run(Session& session, const Arguments& arguments) {
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  const auto job = client->status(arguments.job);
  if (!job) return session.fail_call(job.error());
  const Json trace = trace_of(*job);
  if (arguments.out.empty()) return session.print(trace, trace.dump(1));
  if (auto written = write_file_atomically(arguments.out, trace.dump(1) + "\n"); !written)
    return session.fail(written.error());
  session.print({{"trace", arguments.out}}, arguments.out + ": open it in https://ui.perfetto.dev or chrome://tracing");
}

}  // namespace

Json trace_of(const v1::JobStatus& job) {
  Json events = Json::array();
  const auto name = [&](const char* what, int thread, const std::string& text) {
    events.push_back({{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", thread}, {"args", {{"name", text}}}});
  };
  name("process_name", 0, "job " + job.job());
  std::map<std::string, int> threads;
  for (const auto& span : job.timeline()) threads.emplace(span.slot(), 0);
  int next = 1;
  for (auto& [slot, thread] : threads) name("thread_name", thread = next++, slot);
  for (const auto& span : job.timeline()) events.push_back(event_of(span, threads[span.slot()], job.age_ms()));
  return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
}

void add_trace_command(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("trace", "the timeline of a job for Perfetto and Chrome's viewer");
  command->add_option("job", arguments->job, "the job's name")->type_name("JOB")->required();
  command->add_option("--out", arguments->out, "write it there, not to standard output")->type_name("FILE");
  command->callback([&session, arguments] { run(session, *arguments); });
}

}  // namespace groth16d::ctl
