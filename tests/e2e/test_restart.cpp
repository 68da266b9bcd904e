// A daemon that comes back: what it must not read, convert or compute again.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

#include "common/posix.hpp"
#include "tests/e2e/service.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using groth16::CurveId;

namespace {

constexpr std::uint32_t kDomainLog2 = 10;

v1::CircuitStatus circuit(client::Client& client) {
  const auto circuits = client.circuits("c");
  REQUIRE(circuits.has_value());
  REQUIRE(circuits->size() == 1);
  return circuits->front();
}

v1::CircuitStatus resident(const Service& service) {
  auto client = service.connect();
  const bool reached = eventually([&] {
    const auto circuits = client.circuits("c");
    return circuits && circuits->size() == 1 && circuits->front().state() == "resident";
  });
  INFO(circuit(client).failure().text() << '\n' << service.log());
  REQUIRE(reached);
  return circuit(client);
}

// Proves the first witness under a new name.
void prove(const Service& service, const CircuitFiles& files, const std::string& job) {
  auto client = service.connect();
  REQUIRE(run_job(client, request_for(job, "c", {files.witnesses[0]})).state() == v1::DONE);
  checked_result(client, job, files.vk);
}

// A service whose circuit "c" is resident, and its client's files.
struct Scene {
  TemporaryFolder folder;
  CircuitFiles files;
  Service service;

  explicit Scene(ServiceOptions options, CurveId curve = CurveId::bn254)
      : files(make_circuit(folder.path(), curve, kDomainLog2, 1)), service((options.root = folder.path(), options)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));  // until a next change of the files would show
    service.start();
    auto client = service.connect();
    add_circuit(client, "c", files);
    const auto first = resident(service);
    REQUIRE(first.conversions() == 1);
    REQUIRE(first.source_bytes_read() > 0);
  }
};

ServiceOptions with_cache_alone() {
  ServiceOptions options;
  options.descriptors = false;
  return options;
}

ServiceOptions with_descriptors_alone() {
  ServiceOptions options;
  options.cache = false;
  return options;
}

fs::path only_entry(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  REQUIRE(entries.size() == 1);
  return entries[0];
}

}  // namespace

TEST_CASE("a killed daemon's successor loads a circuit from the cache and reads nothing of its files") {
  Scene scene(with_cache_alone(), GENERATE(CurveId::bn254, CurveId::bls12_381));
  scene.service.kill();
  scene.service.start();
  const auto again = resident(scene.service);
  CHECK(again.loads() == 1);
  CHECK(again.cache_hits() == 1);
  CHECK(again.conversions() == 0);
  CHECK(again.source_bytes_read() == 0);
  prove(scene.service, scene.files, "after");
}

TEST_CASE("a cached file that was damaged is replaced by a conversion, and the proof is right") {
  Scene scene(with_cache_alone());
  scene.service.kill();
  const fs::path entry = only_entry(scene.service.cache());
  const UniqueFd fd(::open(entry.c_str(), O_RDWR));
  const auto middle = static_cast<off_t>(fs::file_size(entry) / 2);
  std::uint64_t word = 0;
  REQUIRE(::pread(fd.get(), &word, sizeof word, middle) == sizeof word);
  word = ~word;
  REQUIRE(::pwrite(fd.get(), &word, sizeof word, middle) == sizeof word);

  scene.service.start();
  CHECK(resident(scene.service).conversions() == 1);
  prove(scene.service, scene.files, "after");
  scene.service.kill();
  scene.service.start();
  CHECK(resident(scene.service).cache_hits() == 1);
}

TEST_CASE("a key file that was replaced while the daemon was away is converted, not taken from the cache") {
  Scene scene(with_cache_alone());
  const std::string before = resident(scene.service).key_digest();
  scene.service.stop();
  const fs::path other = scene.folder.path() / "other";
  const CircuitFiles replacement = make_circuit(other, CurveId::bls12_381, kDomainLog2, 1);
  fs::rename(replacement.zkey, scene.files.zkey);
  fs::rename(replacement.r1cs, scene.files.r1cs);
  fs::rename(replacement.vk, scene.files.vk);
  fs::rename(replacement.witnesses[0], scene.files.witnesses[0]);

  scene.service.start();
  const auto again = resident(scene.service);
  CHECK(again.conversions() == 1);
  CHECK(again.key_digest() != before);
  prove(scene.service, scene.files, "after");
}

TEST_CASE("a killed daemon's successor adopts what the service manager kept, though the key file is gone") {
  Scene scene(with_descriptors_alone());
  REQUIRE(eventually([&] { return scene.service.stored().size() == 2; }));
  const auto before = resident(scene.service);
  scene.service.kill();
  fs::remove(scene.files.zkey);
  fs::remove(scene.files.r1cs);

  scene.service.start();

  const auto again = resident(scene.service);
  CHECK(again.adoptions() == 1);
  CHECK(again.loads() == 0);
  CHECK(again.source_bytes_read() == 0);
  CHECK(again.key_digest() == before.key_digest());
  CHECK(again.vk_digest() == before.vk_digest());
  CHECK(again.r1cs_digest() == before.r1cs_digest());
  CHECK(again.partition_bytes() == before.partition_bytes());
  CHECK(again.warnings_size() == before.warnings_size());
  prove(scene.service, scene.files, "after");

  scene.service.stop();  // an orderly end leaves them, too
  CHECK(scene.service.stored().size() == 2);
  scene.service.start();
  CHECK(resident(scene.service).adoptions() == 1);
  prove(scene.service, scene.files, "once-more");

  auto client = scene.service.connect();
  REQUIRE(client.remove_circuit("c").has_value());
  CHECK(eventually([&] { return scene.service.stored().empty(); }));
}

TEST_CASE("a stored descriptor that is no sealed segment of a known circuit is closed and forgotten") {
  Scene scene(with_descriptors_alone());
  REQUIRE(eventually([&] { return scene.service.stored().size() == 2; }));
  const std::vector<std::string> ours = scene.service.stored();
  scene.service.kill();

  UniqueFd unsealed(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(::ftruncate(unsealed.get(), 8192) == 0);
  scene.service.store("key." + std::string(64, 'a') + ".1", std::move(unsealed));
  scene.service.store("r1cs.nonsense", UniqueFd(::open("/dev/null", O_RDONLY)));
  UniqueFd sealed(::memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  REQUIRE(::ftruncate(sealed.get(), 8192) == 0);
  REQUIRE(::fcntl(sealed.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0);
  scene.service.store(ours[0], std::move(sealed));  // a name of ours, on something else

  scene.service.start();

  CHECK(resident(scene.service).state() == "resident");
  prove(scene.service, scene.files, "after");
  for (const std::string& name : scene.service.stored()) {
    INFO(name);
    CHECK_FALSE(name.starts_with("key.aaaa"));
    CHECK(name != "r1cs.nonsense");
  }
}
