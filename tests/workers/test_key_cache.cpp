// The cache of converted circuits: what it promises to give back, and what it must refuse, remove or survive.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/failpoint.hpp"
#include "common/posix.hpp"
#include "groth16/proof/flat_array.hpp"
#include "groth16/proof/proving_key.hpp"
#include "tests/proof/sample_circuit.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/workers/circuit_files.hpp"
#include "workers/load/adopt_circuit.hpp"
#include "workers/load/circuit.hpp"
#include "workers/load/key_cache.hpp"

namespace groth16d::worker::test {

namespace {

namespace fs = std::filesystem;
using groth16::Bls12_381;
using groth16::Bn254;
using groth16::Compute;
using groth16::test::FlatBytes;

const Compute kCompute(2);
constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

#ifdef GROTH16D_FAILPOINTS
constexpr bool kFailpoints = true;
#else
constexpr bool kFailpoints = false;
#endif

KeyCache open_cache(const std::string& folder, std::uint64_t max_bytes = kPlenty) {
  auto cache = KeyCache::open(folder, max_bytes);
  INFO((cache ? std::string() : cache.error().text));
  REQUIRE(cache);
  return std::move(*cache);
}

std::vector<fs::path> entries_of(const std::string& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  return entries;
}

void change_byte(const fs::path& file, std::uint64_t offset) {
  const UniqueFd fd(::open(file.c_str(), O_RDWR));
  char byte = 0;
  REQUIRE(::pread(fd.get(), &byte, 1, static_cast<off_t>(offset)) == 1);
  byte = static_cast<char>(byte ^ 1);
  REQUIRE(::pwrite(fd.get(), &byte, 1, static_cast<off_t>(offset)) == 1);
}

CircuitDigests digests_in(const v1::CircuitFacts& facts) {
  CircuitDigests digests;
  std::memcpy(digests.key.data(), facts.key_digest().data(), digests.key.size());
  if (!facts.r1cs_digest().empty()) std::memcpy(digests.r1cs.data(), facts.r1cs_digest().data(), digests.r1cs.size());
  return digests;
}

// A client's circuit in a folder of its own, and what loading it gave.
template <class C>
class Circuit {
 public:
  Circuit() {
    const fs::path key = folder_ / "circuit.zkey", r1cs = folder_ / "circuit.r1cs";
    std::ofstream(key, std::ios::binary)
        .write(reinterpret_cast<const char*>(sample<C>().zkey.data()),
               static_cast<std::streamsize>(sample<C>().zkey.size()));
    std::ofstream(r1cs, std::ios::binary)
        .write(reinterpret_cast<const char*>(sample<C>().r1cs.data()),
               static_cast<std::streamsize>(sample<C>().r1cs.size()));
    key_fd_ = UniqueFd(::open(key.c_str(), O_RDONLY));
    r1cs_fd_ = UniqueFd(::open(r1cs.c_str(), O_RDONLY));
    std::this_thread::sleep_for(std::chrono::milliseconds(120));  // until a later write would show
  }

  struct Loaded {
    v1::CircuitFacts inspected, facts;
    FlatBytes key, r1cs;
    PreparedCircuit circuit{};
  };

  Loaded load(const KeyCache& cache) {
    const auto key = GuardedFile::open(key_fd_.get(), "circuit.zkey");
    const auto r1cs = GuardedFile::open(r1cs_fd_.get(), "circuit.r1cs");
    REQUIRE(key);
    REQUIRE(r1cs);
    const CircuitFiles files{*key, &*r1cs, false};
    Inspections inspections;
    const auto inspected = inspect_circuit(files, cache, inspections, kCompute);
    REQUIRE(inspected);
    Loaded loaded{*inspected, {}, FlatBytes(inspected->key_bytes()), FlatBytes(inspected->r1cs_bytes()), {}};
    const auto facts = load_circuit(files, cache, inspections, digests_in(*inspected), loaded.key.bytes(),
                                    loaded.r1cs.bytes(), kCompute);
    INFO((facts ? std::string() : facts.error().text));
    REQUIRE(facts);
    loaded.facts = facts->facts;
    loaded.circuit = facts->circuit;
    return loaded;
  }

  std::string key_path() const { return folder_ / "circuit.zkey"; }

 private:
  TemporaryDirectory folder_;
  UniqueFd key_fd_, r1cs_fd_;
};

bool same_bytes(std::span<const std::byte> one, std::span<const std::byte> other) {
  return std::ranges::equal(one, other);
}

}  // namespace

TEMPLATE_TEST_CASE("a circuit is converted once; unchanged files are not read again", "", Bn254, Bls12_381) {
  const TemporaryDirectory folder;
  Circuit<TestType> circuit;
  const auto first = circuit.load(open_cache(folder.path()));
  CHECK(first.inspected.source_bytes_read() > 0);
  CHECK(first.facts.source_bytes_read() > 0);
  REQUIRE(entries_of(folder.path()).size() == 1);

  const auto second = circuit.load(open_cache(folder.path()));
  CHECK(second.inspected.source_bytes_read() == 0);
  CHECK(second.facts.source_bytes_read() == 0);
  CHECK(same_bytes(first.key.bytes(), second.key.bytes()));
  CHECK(same_bytes(first.r1cs.bytes(), second.r1cs.bytes()));
  auto told_again = second.facts;
  told_again.set_source_bytes_read(first.facts.source_bytes_read());
  CHECK(told_again.SerializeAsString() == first.facts.SerializeAsString());
}

TEST_CASE("an entry that is damaged anywhere is removed and made again, and the circuit is loaded right") {
  const TemporaryDirectory folder;
  Circuit<Bn254> circuit;
  const auto whole = circuit.load(open_cache(folder.path()));
  const fs::path entry = entries_of(folder.path()).at(0);
  const std::uint64_t size = fs::file_size(entry);
  // magic, version, layout, sizes, source, summary, payload of the key, payload of the system
  for (const std::uint64_t offset : std::initializer_list<std::uint64_t>{
           0, 8, 16, 24, 32, 60, 150, CacheHeader::kPageBytes - 1, CacheHeader::kPageBytes + 70,
           CacheHeader::kPageBytes + whole.facts.key_bytes() - 1,
           groth16::align_up(CacheHeader::kPageBytes + whole.facts.key_bytes(), CacheHeader::kPageBytes) + 9}) {
    INFO("offset " << offset);
    REQUIRE(offset < size);
    change_byte(entry, offset);
    const auto again = circuit.load(open_cache(folder.path()));
    CHECK(again.facts.source_bytes_read() > 0);
    CHECK(same_bytes(whole.key.bytes(), again.key.bytes()));
    CHECK(same_bytes(whole.r1cs.bytes(), again.r1cs.bytes()));
    CHECK(circuit.load(open_cache(folder.path())).facts.source_bytes_read() == 0);
  }
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{100}, CacheHeader::kPageBytes, size - 1}) {
    INFO("length " << length);
    fs::resize_file(entry, length);
    CHECK(circuit.load(open_cache(folder.path())).facts.source_bytes_read() > 0);
    CHECK(circuit.load(open_cache(folder.path())).facts.source_bytes_read() == 0);
  }
}

TEST_CASE("a file that was written again, even with the same bytes and time, is read again") {
  const TemporaryDirectory folder;
  Circuit<Bn254> circuit;
  circuit.load(open_cache(folder.path()));
  struct stat before {};
  REQUIRE(::stat(circuit.key_path().c_str(), &before) == 0);
  const UniqueFd fd(::open(circuit.key_path().c_str(), O_RDWR));
  REQUIRE(::pwrite(fd.get(), sample<Bn254>().zkey.data(), 1, 0) == 1);
  const timespec times[2] = {before.st_atim, before.st_mtim};
  REQUIRE(::futimens(fd.get(), times) == 0);

  CHECK(circuit.load(open_cache(folder.path())).inspected.source_bytes_read() > 0);
}

TEST_CASE("a file that was changed a moment ago is not cached: a next change might not show") {
  const std::int64_t now = 1'700'000'000'123'456'789;
  FileIdentity identity;
  identity.ctime_ns = now - 50'000'000;
  CHECK_FALSE(settled(identity, now));
  identity.ctime_ns = now - 200'000'000;
  CHECK(settled(identity, now));
  identity.ctime_ns = 1'699'999'999'000'000'000;  // a clock of whole seconds
  CHECK_FALSE(settled(identity, now));
  CHECK(settled(identity, now + 1'000'000'000));
  identity.ctime_ns = now + 1;  // the server's clock is ahead
  CHECK_FALSE(settled(identity, now));
}

TEST_CASE("files and folders that others may write to are not trusted") {
  const TemporaryDirectory folder;
  Circuit<Bn254> circuit;
  circuit.load(open_cache(folder.path()));
  const fs::path entry = entries_of(folder.path()).at(0);

  REQUIRE(::chmod(entry.c_str(), 0620) == 0);
  CHECK(circuit.load(open_cache(folder.path())).facts.source_bytes_read() > 0);
  CHECK(circuit.load(open_cache(folder.path())).facts.source_bytes_read() == 0);

  if (::geteuid() == 0) {
    REQUIRE(::chown(entry.c_str(), 65534, 65534) == 0);
    CHECK(circuit.load(open_cache(folder.path())).facts.source_bytes_read() > 0);
  }
  const fs::path elsewhere = folder / "elsewhere";
  fs::rename(entry, elsewhere);
  fs::create_symlink(elsewhere, entry);
  CHECK(circuit.load(open_cache(folder.path())).facts.source_bytes_read() > 0);

  REQUIRE(::chmod(folder.path().c_str(), 0770) == 0);
  const auto refused = KeyCache::open(folder.path(), kPlenty);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().name == "cache.folder");
}

TEST_CASE("the least recently used entry goes first, and one above the bound is never written") {
  const TemporaryDirectory folder;
  Circuit<Bn254> one, two, three;
  one.load(open_cache(folder.path()));
  const std::uint64_t entry_bytes = fs::file_size(entries_of(folder.path()).at(0));
  const std::uint64_t bound = 2 * entry_bytes + 4096;
  two.load(open_cache(folder.path(), bound));
  CHECK(one.load(open_cache(folder.path(), bound)).facts.source_bytes_read() == 0);  // two is the older one now

  three.load(open_cache(folder.path(), bound));

  CHECK(entries_of(folder.path()).size() == 2);
  CHECK(one.load(open_cache(folder.path(), bound)).facts.source_bytes_read() == 0);
  CHECK(three.load(open_cache(folder.path(), bound)).facts.source_bytes_read() == 0);
  CHECK(two.load(open_cache(folder.path(), entry_bytes - 1)).facts.source_bytes_read() > 0);
  CHECK(entries_of(folder.path()).size() == 2);
}

TEST_CASE("a cache that is off neither reads nor writes") {
  Circuit<Bn254> circuit;
  CHECK(circuit.load(KeyCache()).facts.source_bytes_read() > 0);
  CHECK(circuit.load(KeyCache()).facts.source_bytes_read() > 0);
}

TEST_CASE("a full disk or an I/O error while writing costs the entry, not the load") {
  if (!kFailpoints) return;
  for (const char* failure : {"cache.reserve=error", "cache.write=error"}) {
    INFO(failure);
    const TemporaryDirectory folder;
    Circuit<Bn254> circuit;
    REQUIRE(arm_failpoints(failure));
    CHECK(circuit.load(open_cache(folder.path())).facts.source_bytes_read() > 0);
    REQUIRE(arm_failpoints(""));
    CHECK(entries_of(folder.path()).empty());
    CHECK(circuit.load(open_cache(folder.path())).facts.source_bytes_read() > 0);
    CHECK(circuit.load(open_cache(folder.path())).facts.source_bytes_read() == 0);
  }
}

TEST_CASE("what a dead writer left is swept, what a living one writes is not") {
  const TemporaryDirectory folder;
  const std::string dead = folder / ".writing-0000000000000001", living = folder / ".writing-0000000000000002";
  std::ofstream(dead) << "half";
  const UniqueFd writer(::open(living.c_str(), O_RDWR | O_CREAT, 0600));
  REQUIRE(::flock(writer.get(), LOCK_EX) == 0);
  std::ofstream(folder / "README") << "not ours";

  open_cache(folder.path());

  CHECK_FALSE(fs::exists(dead));
  CHECK(fs::exists(living));
  CHECK(fs::exists(folder / "README"));
}

TEMPLATE_TEST_CASE("segments are adopted as what they were loaded as, and only as that", "", Bn254, Bls12_381) {
  Circuit<TestType> circuit;
  auto loaded = circuit.load(KeyCache());
  PreparedCircuit note = loaded.circuit;
  AdoptExpectation expected{note.summary.key_digest, note.summary.r1cs_digest, {"circuit.zkey", "circuit.r1cs"}, false};
  const auto adopt = [&] {
    const auto noted = std::as_bytes(std::span(&note, 1));
    return adopt_circuit(expected, {loaded.key.bytes(), noted},
                         {loaded.r1cs.bytes().first(note.summary.r1cs_bytes), noted}, kCompute);
  };
  const auto facts = adopt();
  REQUIRE(facts);
  auto told = loaded.facts;
  told.set_source_bytes_read(0);
  CHECK(facts->SerializeAsString() == told.SerializeAsString());

  const auto name = [&] {
    const auto refused = adopt();
    return refused ? std::string() : refused.error().name;
  };
  loaded.key.bytes()[5000] ^= std::byte{1};
  CHECK(name() == "adopt.checksum");
  loaded.key.bytes()[5000] ^= std::byte{1};
  loaded.r1cs.bytes()[note.summary.r1cs_bytes - 1] ^= std::byte{1};
  CHECK(name() == "adopt.checksum");
  loaded.r1cs.bytes()[note.summary.r1cs_bytes - 1] ^= std::byte{1};
  expected.key_digest[0] ^= 1;
  CHECK(name() == "adopt.digest");
  expected.key_digest[0] ^= 1;
  note.summary.n_vars = ~std::uint64_t{0};
  CHECK(name() == "summary.sizes");
  note = loaded.circuit;
  note.summary.r1cs_bytes -= 8;
  CHECK(name() == "adopt.checksum");  // and never a read beyond
  note = loaded.circuit;
  note.summary.key_warnings = groth16::kKeyForgeable;
  CHECK(name() == "adopt.insecure");
  note = loaded.circuit;
  CHECK(adopt());
}

TEST_CASE("loaders that write and read one entry at once all find it, and find it right") {
  constexpr int kLoaders = 4, kRounds = 50;
  const TemporaryDirectory folder;
  Circuit<Bls12_381> circuit;
  const auto expected = circuit.load(open_cache(folder.path()));
  const fs::path made = entries_of(folder.path()).at(0);
  CachePage page;
  REQUIRE(read_exact_at(UniqueFd(::open(made.c_str(), O_RDONLY)).get(), page, 0, "entry"));
  const auto header = parse_cache_header(page, fs::file_size(made));
  REQUIRE(header);
  SourceIdentity source;
  source.key.inode = 1;

  std::atomic<int> right{0};
  std::vector<std::thread> loaders;
  for (int loader = 0; loader < kLoaders; ++loader)
    loaders.emplace_back([&] {
      const auto cache = KeyCache::open(folder.path(), kPlenty);
      FlatBytes key(header->circuit.summary.key_bytes), r1cs(header->circuit.summary.r1cs_bytes);
      for (int round = 0; round < kRounds; ++round) {
        const bool stored =
            cache && cache->store(source, header->circuit, expected.key.bytes(), expected.r1cs.bytes(), Compute(1));
        const auto entry = stored ? cache->find(source) : std::nullopt;
        if (entry && entry->read(key.bytes(), r1cs.bytes(), Compute(1)) &&
            same_bytes(key.bytes(), expected.key.bytes()) && same_bytes(r1cs.bytes(), expected.r1cs.bytes()))
          ++right;
      }
    });
  for (std::thread& loader : loaders) loader.join();
  CHECK(right == kLoaders * kRounds);
}

}  // namespace groth16d::worker::test
