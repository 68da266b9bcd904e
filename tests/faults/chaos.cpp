// Chaos: mixed load on a daemon of whose processes, the supervisor among them, one is killed every 0.2 to 5 s. In the
// end every accepted job has exactly one verified result, and nothing is left of it all.
//
// GROTH16D_CHAOS_SECONDS says for how long (default 10), GROTH16D_CHAOS_SEED with which choices (printed when drawn).
#include <signal.h>
#include <sqlite3.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>

#include "client/lib/wait.hpp"
#include "tests/faults/daemon.hpp"

using namespace groth16d;
using namespace groth16d::faults;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::uint32_t kClients = 4;
constexpr std::size_t kOutstanding = 6;  // unfinished jobs a client
constexpr std::uint32_t kMostPartitions = 4;
constexpr std::uint64_t kHasty_ms = 3'000;  // a client's patience while the supervisor is dead

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Circuits {
  explicit Circuits(const fs::path& folder)
      : files{{"small", e2e::make_circuit(folder / "small", groth16::CurveId::bn254, 6, kMostPartitions)},
              {"middle", e2e::make_circuit(folder / "middle", groth16::CurveId::bls12_381, 8, kMostPartitions)},
              {"large", e2e::make_circuit(folder / "large", groth16::CurveId::bn254, 12, kMostPartitions)}} {}
  std::map<std::string, e2e::CircuitFiles> files;
};

struct Accepted {
  std::string job;
  std::string circuit;
  int partitions = 0;
  std::string first_seen;  // the result as it was delivered first; "": not fetched yet
};

std::string text_of(const v1::ResultReply& result) {
  std::string text;
  for (const auto& partition : result.partitions()) text += partition.proof_json() + partition.public_json();
  return text;
}

// One client that submits, dies without a goodbye, comes back, fetches what is done, and never gives a job up.
class LoadClient {
 public:
  LoadClient(const Circuits& circuits, client::Address address, std::uint64_t seed, std::string name)
      : circuits_(circuits), address_(std::move(address)), random_(seed), name_(std::move(name)) {}

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (random_() % 8 == 0) client_.reset();
      if (!client_ && !connect()) continue;
      if (outstanding() < kOutstanding) {
        submit_one(stop);
      } else {
        fetch();
        std::this_thread::sleep_for(20ms);
      }
    }
    client_.reset();
  }

  // After the thread has ended.
  std::vector<Accepted>& accepted() { return accepted_; }
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  bool connect() {
    auto connected = client::Client::connect(address_, kHasty_ms);
    if (connected) {
      client_.emplace(std::move(*connected));
    } else {
      std::this_thread::sleep_for(10ms);
    }
    return connected.has_value();
  }

  std::size_t outstanding() const {
    return static_cast<std::size_t>(
        std::count_if(accepted_.begin(), accepted_.end(), [](const Accepted& one) { return one.first_seen.empty(); }));
  }

  // Sends the same request until it is known what became of it.
  void submit_one(const std::stop_token& stop) {
    auto circuit = circuits_.files.begin();
    std::advance(circuit, random_() % circuits_.files.size());
    const auto count = static_cast<std::ptrdiff_t>(1 + random_() % kMostPartitions);
    const auto& witnesses = circuit->second.witnesses;
    auto request = e2e::request_for(name_ + "-" + std::to_string(next_++), circuit->first,
                                    {witnesses.begin(), witnesses.begin() + count});
    request.set_priority(static_cast<v1::Priority>(1 + random_() % 4));
    for (bool sent = false; !sent || !stop.stop_requested(); sent = true) {
      if (!client_ && !connect()) continue;
      const auto reply = client_->submit(request);
      if (reply) {
        accepted_.push_back({request.job(), circuit->first, static_cast<int>(count), ""});
        return;
      }
      if (client::is_unreachable(reply.error())) {
        client_.reset();
      } else if (reply.error().code != ErrorCode::unavailable && reply.error().code != ErrorCode::busy) {
        complaints_.push_back(request.job() + " was refused: " + reply.error().text);
        return;
      }
    }
    unknown_.push_back(request.job());
  }

  // What was delivered once must be delivered the same for ever.
  void fetch() {
    for (Accepted& one : accepted_) {
      if (!client_ || (!one.first_seen.empty() && random_() % 16 != 0)) continue;
      const auto result = client_->result(one.job);
      if (!result && client::is_unreachable(result.error())) return client_.reset();
      if (!result) {
        complaints_.push_back(one.job + ": " + result.error().text);
      } else if (result->job().state() == v1::DONE && result->partitions_size() > 0) {
        const std::string text = text_of(*result);
        if (one.first_seen.empty()) one.first_seen = text;
        if (one.first_seen != text) complaints_.push_back(one.job + " has two results");
      } else if (client::has_ended(result->job().state()) && result->job().state() != v1::DONE) {
        complaints_.push_back(one.job + " ended without proofs: " + result->job().failure().text());
        one.first_seen = "none";
      }
    }
  }

  const Circuits& circuits_;
  const client::Address address_;
  std::mt19937_64 random_;
  const std::string name_;
  std::optional<client::Client> client_;
  int next_ = 0;
  std::vector<Accepted> accepted_;
  std::vector<std::string> unknown_;  // the last request of a run, where nobody answered any more
  std::vector<std::string> complaints_;
};

// Kills one process of the daemon, and starts the daemon again where it was that.
class Killer {
 public:
  Killer(Daemon& daemon, const ProgramFolder& programs, std::uint64_t seed)
      : daemon_(daemon), programs_(programs), random_(seed) {}

  void run(std::chrono::seconds time) {
    for (const auto end = Clock::now() + time; Clock::now() < end;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200 + random_() % 4'800) / (random_() % 3 + 1));
      const auto living = programs_.processes();
      const pid_t victim = random_() % 6 == 0 ? daemon_.pid() : living[random_() % living.size()];
      if (victim == daemon_.pid()) {
        daemon_.kill();
        daemon_.start();
        ++supervisors;
      } else if (::kill(victim, SIGKILL) == 0) {
        ++workers;
      }
    }
  }
  int supervisors = 0, workers = 0;

 private:
  Daemon& daemon_;
  const ProgramFolder& programs_;
  std::mt19937_64 random_;
};

// Rows of a table of the journal.
int rows_of(sqlite3* journal, const std::string& table) {
  int count = -1;
  sqlite3_exec(
      journal, ("SELECT count(*) FROM " + table).c_str(),
      [](void* out, int, char** values, char**) {
        *static_cast<int*>(out) = std::atoi(values[0]);
        return 0;
      },
      &count, nullptr);
  return count;
}

void check_journal_is_clean(const fs::path& file) {
  sqlite3* journal = nullptr;
  REQUIRE(sqlite3_open_v2(file.c_str(), &journal, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK);
  std::string verdict;
  sqlite3_exec(
      journal, "PRAGMA integrity_check",
      [](void* out, int, char** values, char**) {
        *static_cast<std::string*>(out) += values[0];
        return 0;
      },
      &verdict, nullptr);
  CHECK(verdict == "ok");
  for (const char* table : {"jobs", "partitions", "results", "lines"}) {
    INFO(table);
    CHECK(rows_of(journal, table) == 0);
  }
  sqlite3_close(journal);
}

void await_all_resident(client::Client& client, const Circuits& circuits) {
  for (const auto& [name, files] : circuits.files) await_resident(client, name);
}

// The folder of uploads stays, empty.
bool has_no_inputs(const fs::path& spool) {
  const auto entries = std::distance(fs::directory_iterator(spool), fs::directory_iterator());
  return entries == 1 && fs::is_empty(spool / "uploads");
}

}  // namespace

TEST_CASE("whatever is killed, every accepted job has one verified result, and nothing is left") {
  const std::chrono::seconds time(number_from_environment("GROTH16D_CHAOS_SECONDS", 10));
  const std::uint64_t seed = number_from_environment("GROTH16D_CHAOS_SEED", std::random_device{}());
  std::cout << "chaos for " << time.count() << " s with seed " << seed << std::endl;
  const TemporaryFolder folder;
  const Circuits circuits(folder.path());
  ProgramFolder programs(ProveStage::scripted);
  programs.script("random " + std::to_string(seed) + "\nchance:300 slow 30\nchance:20 slow 400\nchance:10 fail\n");
  Settings settings;
  settings.synth = settings.cpu = settings.final = 2;
  settings.budget = "1 GiB";
  Daemon daemon(programs, folder.path(), settings);
  daemon.start();
  auto first = daemon.client();
  for (const auto& [name, files] : circuits.files) e2e::add_circuit(first, name, files);
  await_all_resident(first, circuits);
  const Resident before = resident(daemon, first);

  std::vector<LoadClient> clients;
  for (std::uint32_t i = 0; i < kClients; ++i)
    clients.emplace_back(circuits, client::address_in(daemon.runtime_dir().string()), seed * 31 + i,
                         "client-" + std::to_string(i));
  Killer killer(daemon, programs, seed * 31 + kClients);
  {
    std::vector<std::jthread> threads;
    for (LoadClient& one : clients) threads.emplace_back([&one](const std::stop_token& stop) { one.run(stop); });
    killer.run(time);
  }

  auto last = daemon.client();
  std::size_t jobs = 0;
  for (LoadClient& one : clients) {
    CHECK(one.complaints() == std::vector<std::string>{});
    for (const Accepted& accepted : one.accepted()) {
      INFO("job " << accepted.job << " on circuit " << accepted.circuit);
      CHECK(e2e::wait_for(last, accepted.job).state() == v1::DONE);
      const auto result = e2e::checked_result(last, accepted.job, circuits.files.at(accepted.circuit).vk);
      CHECK(result.partitions_size() == accepted.partitions);
      CHECK((accepted.first_seen.empty() || accepted.first_seen == text_of(result)));
      ++jobs;
    }
  }
  v1::ListRequest all;
  all.set_limit(1'000'000);
  const auto listed = last.list(all);
  REQUIRE(listed.has_value());
  for (const auto& job : *listed) {
    CHECK(e2e::wait_for(last, job.job()).state() == v1::DONE);  // also those whose reply nobody heard
    CHECK(last.close(job.job()).has_value());
  }
  await_all_resident(last, circuits);
  await_memory_back(daemon, last, before);
  CHECK(last.list(all)->empty());
  CHECK(eventually([&] { return has_no_inputs(daemon.state_dir() / "spool"); }));
  std::set<ino_t> segments;
  for (const auto& [inode, memfd] : memfds_of(daemon.pid())) segments.insert(inode);
  CHECK(daemon.stop() == 0);
  CHECK(programs.processes().empty());
  CHECK_FALSE(anyone_holds(segments));
  check_journal_is_clean(daemon.state_dir() / "journal");
  CHECK(jobs > 0);
  CHECK(killer.workers + killer.supervisors > 0);
  std::cout << jobs << " jobs were proven while " << killer.workers << " workers and " << killer.supervisors
            << " supervisors were killed" << std::endl;
}
