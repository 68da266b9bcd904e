// groth16-web beside a real daemon: its figures are the daemon's and the kernel's, its door is shut to whoever is not
// let in, and a page costs the daemon next to nothing.
#include <sys/stat.h>

#include <httplib.h>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <thread>

#include "tests/web/web_process.hpp"

using namespace groth16d;
using namespace groth16d::web_test;
using namespace std::chrono_literals;
using e2e::eventually;
using Json = nlohmann::json;

namespace {

// Samples by name and labels, as they are spelt.
std::map<std::string, double> scrape(WebProcess& web) {
  httplib::Client http("127.0.0.1", web.port());
  const auto response = http.Get("/metrics");
  REQUIRE(response);
  REQUIRE(response->status == 200);
  std::map<std::string, double> samples;
  std::istringstream lines(response->body);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with('#')) samples[line.substr(0, line.rfind(' '))] = std::stod(line.substr(line.rfind(' ') + 1));
  return samples;
}

// What the daemon's memfds hold, as the kernel counts them.
double memfd_bytes(std::uint32_t pid) {
  std::map<ino_t, double> sizes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone);
    struct stat status {};
    if (gone || !target.string().starts_with("/memfd:") || ::stat(entry.path().c_str(), &status) != 0) continue;
    sizes[status.st_ino] = static_cast<double>(status.st_size);
  }
  double sum = 0;
  for (const auto& [inode, size] : sizes) sum += size;
  return sum;
}

httplib::Headers with_token(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }

struct Stage {
  e2e::TemporaryFolder folder;
  e2e::CircuitFiles files = e2e::make_circuit(folder.path(), groth16::CurveId::bn254, 8, 2);
  client::PrivateDaemon daemon = e2e::start_daemon(folder.path());
  client::Client client = e2e::connect(daemon);

  Stage() { e2e::add_circuit(client, "fifth", files); }
  v1::JobStatus prove(const std::string& job, std::size_t partitions = 2) {
    std::vector<std::filesystem::path> witnesses;
    for (std::size_t n = 0; n < partitions; ++n) witnesses.push_back(files.witnesses[n % 2]);
    return e2e::run_job(client, e2e::request_for(job, "fifth", witnesses));
  }
};

}  // namespace

TEST_CASE("the metrics are the daemon's own status, and the kernel's count of its segments") {
  Stage stage;
  for (int n = 0; n < 3; ++n) REQUIRE(stage.prove("job-" + std::to_string(n)).state() == v1::DONE);
  WebProcess web(stage.daemon.runtime_dir());
  std::map<std::string, double> seen;
  REQUIRE(eventually([&] { return (seen = scrape(web))["groth16d_jobs_ended_total{state=\"done\"}"] == 3; }, 20s));
  const auto status = stage.client.daemon_status();
  REQUIRE(status.has_value());

  CHECK(seen["groth16d_up"] == 1);
  CHECK(seen["groth16d_budget_total_bytes"] == static_cast<double>(status->budget_total_bytes()));
  CHECK(seen["groth16d_budget_used_bytes"] == static_cast<double>(status->budget_used_bytes()));
  CHECK(seen["groth16d_syntheses_total"] == static_cast<double>(status->syntheses()));
  CHECK(seen["groth16d_jobs{circuit=\"fifth\",state=\"done\"}"] == 3);
  for (const char* of : {"synth", "prove", "b2", "assemble"})
    CHECK(seen["groth16d_stage_seconds_count{stage=\"" + std::string(of) + "\"}"] == 6);
  CHECK(seen["groth16d_journal_commit_seconds_count"] >= 9);  // six results, three ends
  double segments = 0;
  for (const auto& buffer : status->buffers()) {
    CHECK(seen["groth16d_buffer_bytes{kind=\"" + buffer.kind() + "\",stage=\"" + buffer.stage() + "\"}"] ==
          static_cast<double>(buffer.bytes()));
    if (buffer.kind() != "private") segments += static_cast<double>(buffer.bytes());
  }
  // Beside segments the daemon holds a page of last words a worker.
  CHECK(memfd_bytes(status->pid()) == segments + 4096.0 * status->workers_size());
}

TEST_CASE("a killed worker is a death with its cause, in the metrics and in METRICS") {
  Stage stage;
  REQUIRE(stage.prove("before").state() == v1::DONE);
  WebProcess web(stage.daemon.runtime_dir());
  const auto worker = e2e::worker_on(stage.client, "cpu-0");
  REQUIRE(::kill(static_cast<pid_t>(worker.pid()), SIGSEGV) == 0);
  CHECK(eventually([&] { return scrape(web)["groth16d_worker_deaths_total{slot=\"cpu-0\",cause=\"crash\"}"] == 1; },
                   20s));
  const auto metrics = stage.client.metrics();
  REQUIRE(metrics.has_value());
  REQUIRE(metrics->recent_deaths_size() == 1);
  CHECK(metrics->recent_deaths(0).slot() == "cpu-0");
  CHECK(metrics->recent_deaths(0).cause() == "crash");
  v1::MetricsRequest newer;
  newer.set_deaths_after(1);
  newer.set_spans_after(metrics->spans().rbegin()->number());
  const auto later = stage.client.metrics(newer);
  REQUIRE(later.has_value());
  CHECK(later->recent_deaths_size() == 0);
  CHECK(later->spans_size() == 0);
}

TEST_CASE("health is of the web process and of the daemon") {
  auto stage = std::make_unique<Stage>();
  WebProcess web(stage->daemon.runtime_dir());
  httplib::Client http("127.0.0.1", web.port());
  CHECK(eventually([&] { return http.Get("/readyz")->status == 200; }, 20s));
  CHECK(http.Get("/healthz")->status == 200);
  stage->daemon.stop();
  CHECK(eventually([&] { return http.Get("/readyz")->status == 503; }, 20s));
  CHECK(eventually([&] { return http.Get("/healthz")->status == 503; }, 20s));
  CHECK(scrape(web)["groth16d_up"] == 0);
}

TEST_CASE("the page is behind a token, and verbs are behind an operator's from our own page") {
  Stage stage;
  WebProcess web(stage.daemon.runtime_dir());
  httplib::Client http("127.0.0.1", web.port());
  CHECK(http.Get("/")->status == 303);
  for (const char* path : {"/api/me", "/api/jobs", "/api/stream", "/api/jobs/x"}) CHECK(http.Get(path)->status == 401);
  CHECK(http.Get("/api/me", with_token("wrong" + WebProcess::kReader))->status == 401);
  CHECK(Json::parse(http.Get("/api/me", with_token(WebProcess::kReader))->body)["role"] == "read");
  CHECK(http.Get("/api/jobs?state=done", with_token(WebProcess::kReader))->status == 200);
  CHECK(http.Get("/api/jobs?state=ended", with_token(WebProcess::kReader))->status == 400);

  const std::string verb = R"({"slot":"cpu-0","verb":"restart"})";
  const auto post = [&](httplib::Headers headers, const std::string& body) {
    return http.Post("/api/worker", headers, body, "application/json")->status;
  };
  httplib::Headers reader = with_token(WebProcess::kReader), operators = with_token(WebProcess::kOperator);
  CHECK(post(operators, verb) == 403);  // no origin
  operators.emplace("Origin", "http://evil.example");
  CHECK(post(operators, verb) == 403);
  operators = with_token(WebProcess::kOperator);
  operators.emplace("Origin", web.origin());
  reader.emplace("Origin", web.origin());
  CHECK(post(reader, verb) == 403);
  CHECK(post(operators, "[]") == 400);
  CHECK(post(operators, R"({"slot":"cpu-0","verb":"explode"})") == 400);
  CHECK(post(operators, R"({"slot":"cpu-9","verb":"restart"})") == 404);
  CHECK(post(operators, std::string(5'000, ' ')) == 413);
  const auto epoch = e2e::worker_on(stage.client, "cpu-0").epoch();
  CHECK(post(operators, verb) == 202);
  CHECK(eventually([&] { return e2e::worker_on(stage.client, "cpu-0").epoch() > epoch; }, 20s));

  CHECK(http.Get("/metrics", {{"Host", "evil.example"}})->status == 421);
  CHECK(http.Get("/api/me", {{"Host", "evil.example"}, {"Authorization", "Bearer " + WebProcess::kReader}})->status ==
        421);
}

TEST_CASE("logging in opens a session that scripts cannot read and other sites cannot use") {
  Stage stage;
  WebProcess web(stage.daemon.runtime_dir());
  httplib::Client http("127.0.0.1", web.port());
  const httplib::Headers ours{{"Origin", web.origin()}};
  const auto wrong = http.Post("/login", ours, httplib::Params{{"token", "guess"}});
  CHECK(wrong->get_header_value("Location") == "/login?wrong");
  CHECK_FALSE(wrong->has_header("Set-Cookie"));
  const auto opened = http.Post("/login", ours, httplib::Params{{"token", WebProcess::kReader}});
  const std::string cookie = opened->get_header_value("Set-Cookie");
  CHECK(cookie.find("HttpOnly") != std::string::npos);
  CHECK(cookie.find("SameSite=Strict") != std::string::npos);
  const httplib::Headers session{{"Cookie", cookie.substr(0, cookie.find(';'))}};
  const auto page = http.Get("/", session);
  CHECK(page->status == 200);
  CHECK(page->body.find("<title>groth16d</title>") != std::string::npos);
  CHECK(page->get_header_value("Content-Security-Policy").find("default-src 'none'") == 0);
  httplib::Headers leaving = session;
  leaving.emplace("Origin", web.origin());
  CHECK(http.Post("/logout", leaving, "", "text/plain")->status == 303);
  CHECK(http.Get("/api/me", session)->status == 401);
}

TEST_CASE("streams are bounded, and Prometheus is served beside all of them") {
  Stage stage;
  WebProcess web(stage.daemon.runtime_dir());
  std::atomic<int> events{0}, refused{0};
  std::atomic<bool> leave{false};
  std::vector<std::thread> pages;
  for (int page = 0; page < 18; ++page)
    pages.emplace_back([&] {
      httplib::Client http("127.0.0.1", web.port());
      http.set_read_timeout(20);
      bool counted = false;
      const auto response = http.Get("/api/stream", with_token(WebProcess::kReader), [&](const char*, std::size_t) {
        if (!counted) ++events;
        counted = true;
        return !leave;
      });
      if (response && response->status == 503) ++refused;
    });
  CHECK(eventually([&] { return events >= 16 && refused == 2; }, 20s));
  for (int n = 0; n < 20; ++n) CHECK(scrape(web)["groth16d_up"] == 1);
  leave = true;
  for (std::thread& page : pages) page.join();
  CHECK(refused == 2);
}

TEST_CASE("while the daemon does not answer, questions of many pages leave threads for health and Prometheus") {
  Stage stage;
  WebProcess web(stage.daemon.runtime_dir());
  REQUIRE(::kill(stage.daemon.pid(), SIGSTOP) == 0);
  std::atomic<int> busy{0}, ended{0};
  std::vector<std::thread> pages;
  for (int page = 0; page < 40; ++page)
    pages.emplace_back([&] {
      httplib::Client http("127.0.0.1", web.port());
      http.set_read_timeout(30);
      const auto response = http.Get("/api/jobs", with_token(WebProcess::kReader));
      if (response && response->body.find("web.busy") != std::string::npos) ++busy;
      ++ended;
    });
  CHECK(eventually([&] { return ended >= 40 - 4; }, 3s));
  httplib::Client http("127.0.0.1", web.port());
  http.set_read_timeout(2);
  CHECK(http.Get("/healthz") != nullptr);
  CHECK(busy >= 40 - 4);
  CHECK(::kill(stage.daemon.pid(), SIGCONT) == 0);
  for (std::thread& page : pages) page.join();
}

TEST_CASE("an open page costs the daemon less than one percent of a core") {
  Stage stage;
  REQUIRE(stage.prove("some", 2).state() == v1::DONE);
  const auto measure = [&] {
    const double before = cpu_seconds(stage.daemon.pid());
    std::this_thread::sleep_for(10s);
    return (cpu_seconds(stage.daemon.pid()) - before) / 10;
  };
  const double alone = measure();
  WebProcess web(stage.daemon.runtime_dir());
  std::atomic<bool> leave{false};
  std::thread page([&] {
    httplib::Client http("127.0.0.1", web.port());
    http.set_read_timeout(20);
    http.Get("/api/stream", with_token(WebProcess::kReader), [&](const char*, std::size_t) { return !leave.load(); });
  });
  const double watched = measure();
  leave = true;
  page.join();
  WARN("the daemon takes " << alone * 100 << " % of a core alone, " << watched * 100 << " % with a page");
  CHECK(watched - alone < 0.01);
}
