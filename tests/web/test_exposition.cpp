// METRICS as Prometheus reads them. Prometheus' own checker is asked where it is installed.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "client/web/exposition.hpp"
#include "tests/temporary_directory.hpp"

using namespace groth16d;
using namespace groth16d::web;

namespace {

v1::MetricsReply sample_reply() {
  v1::MetricsReply reply;
  auto* daemon = reply.mutable_daemon();
  daemon->set_version("0.1.0");
  daemon->set_state("ready");
  daemon->set_budget_total_bytes(1000);
  daemon->set_budget_used_bytes(700);
  auto* buffer = daemon->add_buffers();
  buffer->set_kind("witness");
  buffer->set_stage("proving");
  buffer->set_count(2);
  buffer->set_bytes(400);
  auto* worker = daemon->add_workers();
  worker->set_slot("cpu-0");
  worker->set_state("busy");
  worker->set_restarts(3);
  for (const double bound : {0.1, 1.0}) reply.add_bounds_seconds(bound);
  auto* stage = reply.add_stages();
  stage->set_stage("prove");
  for (const std::uint64_t count : {4U, 2U, 1U}) stage->mutable_done()->add_counts(count);
  stage->mutable_done()->set_sum_seconds(12.5);
  for (int n = 0; n < 3; ++n) reply.mutable_journal()->add_counts(0);
  auto* circuit = reply.add_circuits();
  circuit->set_circuit("a\"b\\c");
  auto* jobs = circuit->add_jobs();
  jobs->set_state(v1::RUNNING);
  jobs->set_count(7);
  auto* death = reply.add_deaths();
  death->set_slot("cpu-0");
  death->set_cause("oom");
  death->set_count(2);
  reply.mutable_spool()->set_used_bytes(90);
  reply.mutable_spool()->set_max_bytes(100);
  reply.mutable_spool()->set_uploads_open(3);
  reply.mutable_spool()->set_uploads_expired(4);
  return reply;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("states, counts and bytes are samples with their labels") {
  const v1::MetricsReply reply = sample_reply();
  const std::string text = exposition(&reply, {});
  CHECK(has_line(text, "groth16d_up 1"));
  CHECK(has_line(text, "groth16d_state{state=\"ready\"} 1"));
  CHECK(has_line(text, "groth16d_state{state=\"degraded\"} 0"));
  CHECK(has_line(text, "groth16d_buffer_bytes{kind=\"witness\",stage=\"proving\"} 400"));
  CHECK(has_line(text, "groth16d_buffers{kind=\"witness\",stage=\"proving\"} 2"));
  CHECK(has_line(text, "groth16d_budget_reserved_bytes 300"));
  CHECK(has_line(text, "groth16d_worker_deaths_total{slot=\"cpu-0\",cause=\"oom\"} 2"));
  CHECK(has_line(text, "groth16d_worker_restarts_total{slot=\"cpu-0\"} 3"));
  CHECK(has_line(text, "groth16d_spool_used_bytes 90"));
  CHECK(has_line(text, "groth16d_uploads{state=\"open\"} 3"));
  CHECK(has_line(text, "groth16d_uploads_ended_total{how=\"expired\"} 4"));
}

TEST_CASE("a circuit's name cannot break out of its label") {
  const v1::MetricsReply reply = sample_reply();
  CHECK(has_line(exposition(&reply, {}), R"(groth16d_jobs{circuit="a\"b\\c",state="running"} 7)"));
}

TEST_CASE("buckets of a histogram are cumulative and end with everything") {
  const v1::MetricsReply reply = sample_reply();
  const std::string text = exposition(&reply, {});
  CHECK(has_line(text, "groth16d_stage_seconds_bucket{stage=\"prove\",le=\"0.1\"} 4"));
  CHECK(has_line(text, "groth16d_stage_seconds_bucket{stage=\"prove\",le=\"1\"} 6"));
  CHECK(has_line(text, "groth16d_stage_seconds_bucket{stage=\"prove\",le=\"+Inf\"} 7"));
  CHECK(has_line(text, "groth16d_stage_seconds_sum{stage=\"prove\"} 12.5"));
  CHECK(has_line(text, "groth16d_stage_seconds_count{stage=\"prove\"} 7"));
}

TEST_CASE("without a daemon there is one figure, and it says so") {
  const std::string text = exposition(nullptr, {});
  CHECK(has_line(text, "groth16d_up 0"));
  CHECK(text.find("groth16d_jobs") == std::string::npos);
}

TEST_CASE("cards have figures of their own, and a machine without a driver has none") {
  const std::string text = exposition(nullptr, {{"GPU-1", "H200", 100, 40, 61, 97}});
  CHECK(has_line(text, "groth16d_gpu_memory_used_bytes{uuid=\"GPU-1\"} 40"));
  CHECK(has_line(text, "groth16d_gpu_temperature_celsius{uuid=\"GPU-1\"} 61"));
  CHECK(has_line(text, "groth16d_gpu_utilisation_ratio{uuid=\"GPU-1\"} 0.97"));
  CHECK(GpuGauge("libthat-is-nowhere.so.1").read().empty());
}

TEST_CASE("Prometheus' own checker accepts the exposition and the rules") {
  if (std::system("command -v promtool >/dev/null") != 0) {
    WARN("skipped: promtool is not installed (Debian package prometheus)");
    return;
  }
  const TemporaryDirectory folder;
  const std::string file = folder / "metrics";
  const v1::MetricsReply reply = sample_reply();
  std::ofstream(file) << exposition(&reply, {{"GPU-1", "H200", 100, 40, 61, 97}});
  CHECK(std::system(("promtool check metrics <" + file).c_str()) == 0);
  CHECK(std::system("promtool check rules systemd/monitoring/groth16d.rules.yml") == 0);
  CHECK(std::system("promtool test rules systemd/monitoring/groth16d.rules.test.yml") == 0);
}
