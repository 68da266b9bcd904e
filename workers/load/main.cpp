// groth16-load: the worker that parses what clients send. It reads untrusted bytes and holds nothing else, so that the
// worst that a file can do is to end this process; it never sees r, s or another job's witness.
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

#include "common/failpoint.hpp"
#include "workers/load/adopt_circuit.hpp"
#include "workers/load/circuit.hpp"
#include "workers/load/inspect_input.hpp"
#include "workers/load/load_assignment.hpp"
#include "workers/load/open_circuit.hpp"
#include "workers/runtime/worker_main.hpp"

namespace groth16d::worker {

namespace {

void say_warnings(const Assignment& assignment, const v1::CircuitFacts& facts) {
  for (const std::string& warning : facts.warnings()) assignment.warn(warning);
}

// As groth16d says: GROTH16D_CACHE_DIR, and GROTH16D_CACHE_MAX in bytes. A cache that cannot be used is no reason not
// to load.
KeyCache open_cache() {
  const char* const folder = std::getenv("GROTH16D_CACHE_DIR");  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  const char* const bound = std::getenv("GROTH16D_CACHE_MAX");   // NOLINT(concurrency-mt-unsafe)
  if (folder == nullptr || *folder == '\0' || bound == nullptr) return {};
  Result<KeyCache> cache = KeyCache::open(folder, std::strtoull(bound, nullptr, 10));
  if (cache) return std::move(*cache);
  spdlog::warn("converted circuits are not cached: {}", cache.error().text);
  return {};
}

Outcome<v1::Up> inspect_circuit_files(const Assignment& assignment, const KeyCache& cache, Inspections& inspections,
                                      const v1::InspectCircuit& message) {
  assignment.step("reading a circuit's files", 0);
  const Result<OpenCircuit> circuit = OpenCircuit::open(message, assignment.leases);
  if (!circuit) return tl::unexpected(failure_of(circuit.error(), v1::BLAME_KEY));
  Result<v1::CircuitFacts> facts = inspect_circuit(circuit->files(), cache, inspections, assignment.compute);
  if (!facts) return tl::unexpected(failure_of(facts.error(), v1::BLAME_KEY));
  say_warnings(assignment, *facts);
  v1::Up up;
  *up.mutable_inspected()->mutable_circuit() = std::move(*facts);
  return up;
}

Outcome<v1::Up> inspect_input_file(const Assignment& assignment, C1Shelf& shelf, const v1::InspectInput& message) {
  assignment.step("reading an input", 0);
  const auto curve = groth16::curve_from_name(message.curve());
  if (!curve) {
    return tl::unexpected(failure_of_slot({ErrorCode::internal, "input.curve", "unknown curve " + message.curve()}));
  }
  const Result<GuardedFile> input =
      GuardedFile::open(assignment.leases.file(message.input_file()), message.input_name());
  if (!input) return tl::unexpected(failure_of(input.error(), v1::BLAME_INPUT));
  Result<v1::InputFacts> facts =
      inspect_input(*input,
                    {*curve, message.n_vars(), message.n_public(), message.declared_public_json(),
                     assignment.message.inspect().work().partition(), message.n_partitions()},
                    shelf);
  if (!facts) return tl::unexpected(failure_of(facts.error(), v1::BLAME_INPUT));
  v1::Up up;
  *up.mutable_inspected()->mutable_input() = std::move(*facts);
  return up;
}

Outcome<v1::Up> inspect(const Assignment& assignment, const KeyCache& cache, Inspections& inspections, C1Shelf& shelf) {
  const v1::AssignInspect& message = assignment.message.inspect();
  if (GROTH16D_FAILPOINT("inspect.middle"))
    return tl::unexpected(failure_of_slot(failpoint_error("inspect.middle").value()));
  if (message.has_circuit()) return inspect_circuit_files(assignment, cache, inspections, message.circuit());
  if (message.has_input()) return inspect_input_file(assignment, shelf, message.input());
  return tl::unexpected(not_my_work("load", assignment.message));
}

Outcome<v1::Up> adopt(const Assignment& assignment) {
  const v1::AssignAdopt& message = assignment.message.adopt();
  assignment.step("checking a resident circuit", 0);
  AdoptExpectation expected{{}, {}, {message.key_name(), message.r1cs_name()}, message.allow_insecure()};
  if (!copy_digest(message.key_digest(), expected.key_digest) ||
      (!message.r1cs_digest().empty() && !copy_digest(message.r1cs_digest(), expected.r1cs_digest))) {
    return tl::unexpected(failure_of_slot({ErrorCode::internal, "adopt.digest", "no digest of a resident circuit"}));
  }
  const auto part = [&](const v1::Lease& lease) {
    return ResidentPart{assignment.leases.bytes(lease), assignment.leases.note(lease)};
  };
  Result<v1::CircuitFacts> facts =
      adopt_circuit(expected, part(message.key()), part(message.r1cs()), assignment.compute);
  if (!facts) return tl::unexpected(failure_of(facts.error(), v1::BLAME_KEY));
  v1::Up up;
  *up.mutable_loaded()->mutable_circuit() = std::move(*facts);
  return up;
}

// The role, with the cache that it opens at its first assignment: by then there is a log.
class Loader {
 public:
  Outcome<v1::Up> perform(const Assignment& assignment) {
    if (!cache_) cache_ = open_cache();
    if (assignment.message.has_inspect()) return inspect(assignment, *cache_, inspections_, shelf_);
    if (assignment.message.has_load()) return load_assignment(assignment, *cache_, inspections_, host_multiples());
    if (assignment.message.has_adopt()) return adopt(assignment);
    return tl::unexpected(not_my_work("load", assignment.message));
  }

 private:
  std::optional<KeyCache> cache_;
  Inspections inspections_;
  C1Shelf shelf_;
};

}  // namespace

}  // namespace groth16d::worker

int main(int argc, char** argv) {
  groth16d::worker::install_truncation_guard();
  groth16d::worker::Loader loader;
  return groth16d::worker::worker_main(argc, argv,
                                       [&loader](const auto& assignment) { return loader.perform(assignment); });
}
