// Very many small jobs of several clients at once: none is lost, none is proven twice, and each can be closed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <mutex>
#include <set>
#include <thread>

#include "client/lib/wait.hpp"
#include "tests/faults/scene.hpp"

using namespace groth16d;
using namespace groth16d::faults;

namespace {

constexpr int kClients = 8;

// What one client saw: Catch's assertions are the main thread's alone.
struct Account {
  std::vector<std::string> complaints;
  std::vector<v1::PartitionResult> results;
};

// Submits all of its jobs, then waits for each, fetches it, and closes it.
Account run_client(const client::Address& address, const std::string& name, int jobs) {
  Account account;
  const auto complain = [&](const std::string& job, const Error& error) {
    account.complaints.push_back(job + ": " + error.text);
  };
  auto client = client::Client::connect(address, 120'000);
  if (!client) {
    complain(name, client.error());
    return account;
  }
  const auto job_name = [&](int job) { return name + "-" + std::to_string(job); };
  for (int job = 0; job < jobs; ++job) {
    const auto accepted = client->submit(request(job_name(job)));
    if (!accepted) complain(job_name(job), accepted.error());
  }
  for (int job = 0; job < jobs; ++job) {
    if (auto ended = client::wait_for_job(*client, job_name(job), {}); !ended) complain(job_name(job), ended.error());
    const auto result = client->result(job_name(job));
    if (!result || result->partitions_size() != 1) {
      complain(job_name(job), result ? Error{ErrorCode::internal, "", "no result"} : result.error());
      continue;
    }
    account.results.push_back(result->partitions(0));
    if (auto closed = client->close(job_name(job)); !closed) complain(job_name(job), closed.error());
  }
  return account;
}

void run_jobs(int jobs) {
  Settings settings;
  settings.lines = {"max_queued_jobs = 20000"};
  Scene scene(ProveStage::scripted, settings);
  auto client = scene.start();
  const Resident before = resident(scene.daemon, client);
  std::vector<Account> accounts(kClients);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kClients; ++i)
      threads.emplace_back([&, i] {
        accounts[static_cast<std::size_t>(i)] =
            run_client(client.address(), "client-" + std::to_string(i), jobs / kClients);
      });
  }
  std::set<std::string> different;
  for (const Account& account : accounts) {
    CHECK(account.complaints == std::vector<std::string>{});
    for (const auto& result : account.results) {
      CHECK(e2e::is_valid(circuit().vk, result.public_json(), result.proof_json()));
      different.insert(result.proof());
    }
  }
  CHECK(different.size() == static_cast<std::size_t>(jobs));
  const auto status = daemon_status(client);
  CHECK(status.jobs_done() == static_cast<std::uint64_t>(jobs));
  CHECK(status.jobs_failed() == 0);
  CHECK(status.syntheses() == static_cast<std::uint64_t>(jobs));
  CHECK(scene.programs.prove_calls() == static_cast<std::uint64_t>(jobs));
  CHECK(client.list({})->empty());
  await_memory_back(scene.daemon, client, before);
}

}  // namespace

TEST_CASE("400 jobs of 8 clients are accepted, proven and closed, none lost or doubled") { run_jobs(400); }

TEST_CASE("10,000 jobs of 8 clients are accepted, proven and closed, none lost or doubled", "[.slow]") {
  run_jobs(10'000);
}
