// The scripted prove stage: a real worker on the real runtime that takes the place of groth16-cpu in a folder of
// programs. Its sums are right, by the key's trapdoor, so finalizers verify what comes of them; whatever else it does,
// a script in its own folder says. It is linked into no program that is installed.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/exit_code.hpp"
#include "common/posix.hpp"
#include "groth16/proof/evaluate.hpp"
#include "tests/faults/prove_script.hpp"
#include "tests/faults/trapdoor.hpp"
#include "workers/partition.hpp"
#include "workers/runtime/environment.hpp"
#include "workers/runtime/worker_main.hpp"

namespace groth16d::faults {
namespace {

using worker::Assignment;
using worker::Outcome;
namespace v1 = worker::v1;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMaxScriptBytes = 1 << 20;
constexpr std::chrono::milliseconds kBeat{5};

[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

// The number of this call among all processes of the folder: the length of a file that each call makes a byte longer.
Result<std::uint64_t> count_call(const std::filesystem::path& folder) {
  auto file = open_file((folder / kCallsName).string(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (!file) return tl::unexpected(file.error());
  if (::write(file->get(), ".", 1) != 1) return system_failure("write", kCallsName);
  return static_cast<std::uint64_t>(::lseek(file->get(), 0, SEEK_CUR));
}

Outcome<void> sleep_beating(std::chrono::nanoseconds time, const groth16::Compute& compute) {
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(kBeat, end - Clock::now()));
    compute.beat();
    if (auto wanted = worker::unless_cancelled(compute); !wanted)
      return tl::unexpected(worker::failure_of_slot(wanted.error()));
  }
  return {};
}

// Whether a writable descriptor of any memfd can be had through what this process has open.
bool can_open_for_writing() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (gone || !target.starts_with("/memfd:") || entry.path().filename() == std::to_string(worker::kLastWordsFd))
      continue;
    if (UniqueFd(::open(entry.path().c_str(), O_RDWR | O_CLOEXEC))) return true;
  }
  return false;
}

std::string mprotect_of(std::span<const std::byte> segment) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(segment.data()) & ~(page - 1);
  const bool allowed = ::mprotect(reinterpret_cast<void*>(begin), page, PROT_READ | PROT_WRITE) == 0;
  return std::string("mprotect ") + (allowed ? "allowed" : ::strerrorname_np(errno)) + "\n";
}

class ScriptedProve {
 public:
  explicit ScriptedProve(std::filesystem::path folder)
      : folder_(std::move(folder)), slot_(std::getenv("GROTH16D_SLOT") ? std::getenv("GROTH16D_SLOT") : "") {}

  Outcome<v1::Up> perform(const Assignment& assignment) {
    if (!assignment.message.has_prove()) return tl::unexpected(worker::not_my_work("cpu", assignment.message));
    assignment.step("following the script", 0);
    const auto number = count_call(folder_);
    if (!number) return tl::unexpected(worker::failure_of_slot(number.error()));
    const auto text = read_text_file((folder_ / kScriptName).string(), kMaxScriptBytes);
    if (!text) return tl::unexpected(worker::failure_of_slot(text.error()));
    const auto script = ProveScript::parse(*text);
    if (!script) return tl::unexpected(worker::failure_of_slot(script.error()));

    const auto begin = Clock::now();
    wrong_point_ = false;
    slow_times_ = 0;
    for (const ProveStep& step : script->steps_of({*number, slot_, worker::work_of(assignment.message).job()})) {
      if (step.action == ProveAction::vandalize) vandalize(assignment);
      if (auto done = obey(step, assignment.compute); !done) return tl::unexpected(done.error());
    }
    auto sums = compute_sums(assignment, script->toxic_seed());
    if (!sums) return tl::unexpected(worker::failure_of_slot(sums.error()));
    if (auto slept = sleep_beating((Clock::now() - begin) * slow_times_, assignment.compute); !slept)
      return tl::unexpected(slept.error());
    v1::Up up;
    up.mutable_prove_done()->set_sums(std::move(*sums));
    return up;
  }

 private:
  void vandalize(const Assignment& assignment) {
    const v1::AssignProve& message = assignment.message.prove();
    const std::span<const std::byte> witness = assignment.leases.bytes(message.witness());
    std::string deeds;
    for (const auto& lease : {message.key(), message.r1cs(), message.witness()})
      deeds += mprotect_of(assignment.leases.bytes(lease));
    deeds += can_open_for_writing() ? "open allowed\n" : "open none\n";
    if (write_file_atomically((folder_ / kDeedsName).string(), deeds))
      const_cast<std::byte&>(witness.front()) = std::byte{0};  // NOLINT: the deed itself
  }

  Outcome<void> obey(const ProveStep& step, const groth16::Compute& compute) {
    switch (step.action) {
      case ProveAction::slow:
        return sleep_beating(std::chrono::milliseconds(step.number), compute);
      case ProveAction::slow_times:
        slow_times_ = static_cast<int>(step.number);
        return {};
      case ProveAction::fail:
        return tl::unexpected(worker::failure_of_slot({ErrorCode::internal, "script.fail", "the script says so"}));
      case ProveAction::refuse:
        return tl::unexpected(
            worker::Failure{{ErrorCode::unsatisfied, "script.refuse", "the script says so"}, false, v1::BLAME_INPUT});
      case ProveAction::stuck:
        wait_for_ever();
      case ProveAction::freeze:
        ::raise(SIGSTOP);
        return {};
      case ProveAction::linger:
        std::atexit([] { wait_for_ever(); });
        return {};
      case ProveAction::ignore:
        std::signal(static_cast<int>(step.number), SIG_IGN);
        return {};
      case ProveAction::wrong_point:
        wrong_point_ = true;
        return {};
      case ProveAction::leak:
        leaked_.emplace_back(step.number, std::byte{1});
        return {};
      case ProveAction::vandalize:
        return {};
      case ProveAction::exit:
        ::_exit(static_cast<int>(step.number));
      case ProveAction::signal:
        ::raise(static_cast<int>(step.number));
        return {};
    }
    return {};
  }

  Result<std::string> compute_sums(const Assignment& assignment, std::uint64_t toxic_seed) {
    const v1::AssignProve& message = assignment.message.prove();
    const worker::Leases& leases = assignment.leases;
    const worker::PartitionBytes bytes{leases.bytes(message.key()), leases.bytes(message.r1cs()),
                                       leases.bytes(message.witness())};
    const Result<groth16::CurveId> curve = worker::curve_of_key(bytes.key);
    if (!curve) return tl::unexpected(curve.error());
    return groth16::with_curve(*curve, [&]<class C>() {
      return worker::Partition<C>::with(bytes, [&](const worker::Partition<C>& partition) {
        return sums_of<C>(partition, leases.writable(message.ab()), message.ab_is_fresh(), toxic_seed,
                          assignment.compute);
      });
    });
  }

  template <class C>
  Result<std::string> sums_of(const worker::Partition<C>& partition, std::span<std::byte> ab, bool is_fresh,
                              std::uint64_t toxic_seed, const groth16::Compute& compute) {
    const auto rows = worker::AbRows<C>::open(ab, partition.system.domain_size());
    if (!rows) return tl::unexpected(rows.error());
    if (!is_fresh) groth16::evaluate(partition.system, partition.witness, rows->a, rows->b, compute);
    auto& trapdoor = std::get<std::optional<Trapdoor<C>>>(trapdoors_);
    if (!trapdoor || toxic_seed != toxic_seed_) trapdoor.emplace(groth16::ToxicWaste<C>::from_seed(toxic_seed));
    toxic_seed_ = toxic_seed;
    auto sums = trapdoor->sums(partition.key, partition.witness, rows->a, rows->b, compute);
    if (!sums) return tl::unexpected(sums.error());
    if (wrong_point_) sums->h = C::generator_g1();
    const std::vector<std::byte> canonical = groth16::to_bytes(*sums);
    return std::string(reinterpret_cast<const char*>(canonical.data()), canonical.size());
  }

  const std::filesystem::path folder_;
  const std::string slot_;
  std::tuple<std::optional<Trapdoor<groth16::Bn254>>, std::optional<Trapdoor<groth16::Bls12_381>>> trapdoors_;
  std::uint64_t toxic_seed_ = 0;
  bool wrong_point_ = false;
  int slow_times_ = 0;
  std::vector<std::vector<std::byte>> leaked_;
};

}  // namespace
}  // namespace groth16d::faults

int main(int argc, char** argv) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return static_cast<int>(groth16d::ExitCode::configuration);
  groth16d::faults::ScriptedProve stage(self.parent_path());
  return groth16d::worker::worker_main(argc, argv,
                                       [&stage](const groth16d::worker::Assignment& a) { return stage.perform(a); });
}
