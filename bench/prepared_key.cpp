// A circuit loaded from its files and from the cache, one after the other in one process: how much a cached load saves.
// Markdown, as docs/PERFORMANCE.md shows it.
//
// Both loads are the loader's own functions on its own number of threads, into memory that has been touched before.
// "Cold" reads and converts the files (pages in the kernel's cache); "cached" reads the entry, once from the kernel's
// cache and once, where the kernel lets go of it, from the disk.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "common/posix.hpp"
#include "workers/load/circuit.hpp"

namespace {

using namespace groth16d;
using namespace groth16d::worker;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kMiB = 1024.0 * 1024;

[[noreturn]] void give_up(const std::string& what) {
  std::cerr << "bench_prepared_key: " << what << '\n';
  std::exit(1);
}

template <class T>
T expect(Result<T> result) {
  if (!result) give_up(result.error().text);
  return std::move(*result);
}

void run(const std::string& command) {
  if (std::system(command.c_str()) != 0) give_up("failed: " + command);  // NOLINT(concurrency-mt-unsafe): one thread
}

// What a segment is: pages that exist.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes) {
    data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (data_ == MAP_FAILED) give_up("no memory");
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { ::munmap(data_, bytes_); }
  std::span<std::byte> span() { return {static_cast<std::byte*>(data_), bytes_}; }

 private:
  void* data_;
  std::size_t bytes_;
};

CircuitDigests digests_in(const worker::v1::CircuitFacts& facts) {
  CircuitDigests digests;
  std::memcpy(digests.key.data(), facts.key_digest().data(), digests.key.size());
  std::memcpy(digests.r1cs.data(), facts.r1cs_digest().data(), digests.r1cs.size());
  return digests;
}

template <class Work>
double seconds(Work&& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Out of the kernel's cache, as far as it follows advice.
void let_go(const fs::path& folder) {
  ::sync();
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto fd = expect(open_file(entry.path(), O_RDONLY));
    if (::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED) != 0) give_up("posix_fadvise");
  }
}

void bench_curve(const fs::path& programs, const std::string& curve, unsigned domain_log2) {
  char name[] = "/tmp/groth16d-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) give_up("no temporary folder");
  const fs::path folder = fs::canonical(name), cache_folder = folder / "cache";
  fs::create_directory(cache_folder);
  fs::permissions(cache_folder, fs::perms::owner_all);
  const std::string here = "'" + folder.string() + "'";
  run("'" + (programs / "groth16-demo-circuit").string() + "' " + curve + " " + std::to_string(domain_log2) + " 1 " +
      here);
  run("'" + (programs / "groth16ctl").string() + "' setup --insecure --r1cs " + here + "/circuit.r1cs --zkey " + here +
      "/circuit.zkey >/dev/null 2>&1");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until a next change of the files would show

  const groth16::Compute compute(std::thread::hardware_concurrency());
  const KeyCache cache = expect(KeyCache::open(cache_folder, ~std::uint64_t{0}));
  const auto key_fd = expect(open_file(folder / "circuit.zkey", O_RDONLY));
  const auto r1cs_fd = expect(open_file(folder / "circuit.r1cs", O_RDONLY));
  const GuardedFile key_file = expect(GuardedFile::open(key_fd.get(), "circuit.zkey"));
  const GuardedFile r1cs_file = expect(GuardedFile::open(r1cs_fd.get(), "circuit.r1cs"));
  const CircuitFiles files{key_file, &r1cs_file, true};

  worker::v1::CircuitFacts facts;
  Inspections inspections;
  const double cold_inspect =
      seconds([&] { facts = expect(inspect_circuit(files, KeyCache(), inspections, compute)); });
  Pages key(facts.key_bytes()), r1cs(facts.r1cs_bytes());
  const auto load = [&](const KeyCache& from) {
    return expect(load_circuit(files, from, inspections, digests_in(facts), key.span(), r1cs.span(), compute));
  };
  const double cold_load = seconds([&] { load(KeyCache()); });
  const double with_store = seconds([&] { load(cache); });
  const auto cached = [&] {
    const auto known = expect(inspect_circuit(files, cache, inspections, compute));
    if (load(cache).facts.source_bytes_read() != 0 || known.source_bytes_read() != 0) give_up("the cache was not used");
  };
  const double warm = seconds(cached);
  let_go(cache_folder);
  const double disk = seconds(cached);
  const double bytes = static_cast<double>(facts.key_bytes() + facts.r1cs_bytes());
  std::printf("| %s, 2^%u | %.0f MiB | %.0f + %.0f | %.0f | %.0f (%.1f GB/s) | %.0f (%.1f GB/s) | %.0f |\n",
              curve.c_str(), domain_log2, bytes / kMiB, cold_inspect * 1e3, cold_load * 1e3,
              (with_store - cold_load) * 1e3, warm * 1e3, bytes / warm / 1e9, disk * 1e3, bytes / disk / 1e9,
              (cold_inspect + cold_load) / warm);
  std::fflush(stdout);
  fs::remove_all(folder);
}

}  // namespace

// bench_prepared_key [DOMAIN_LOG2 ...]: default 2^17.
int main(int argc, char** argv) {
  std::vector<unsigned> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(static_cast<unsigned>(std::atoi(argv[i])));
  if (sizes.empty()) sizes = {17};
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin";
  std::printf(
      "| circuit | segments | inspect + convert, ms | writing the entry, ms | cached, ms | from the disk, ms | "
      "cold : cached |\n|---|---|---|---|---|---|---|\n");
  install_truncation_guard();
  for (const unsigned domain_log2 : sizes)
    for (const char* curve : {"bn128", "bls12381"}) bench_curve(programs, curve, domain_log2);
}
