// Of what a service manager hands over, only sealed segments under their right names are believed.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/digest.hpp"
#include "shm/segment.hpp"
#include "supervisor/descriptor_store.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

Digest digest_of(char letter) {
  Digest digest;
  digest.fill(static_cast<std::uint8_t>(letter));
  return digest;
}

std::string raw(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

UniqueFd segment(shm::SegmentKind kind, std::uint64_t number, char source, bool sealed = true) {
  shm::SegmentIdentity identity;
  identity.kind = kind;
  identity.segment = number;
  identity.generation = 1;
  identity.content = digest_of(source);
  auto fd = shm::allocate_segment(identity, 5'000);
  REQUIRE(fd);
  if (sealed) REQUIRE(shm::seal_write(fd->get()));
  return std::move(*fd);
}

NamedDescriptor named(UniqueFd fd) {
  const auto name = store_name(fd.get());
  REQUIRE(name);
  return {*name, std::move(fd)};
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

Recovered::Circuit circuit(const std::string& name, const std::string& key, const std::string& r1cs) {
  return {name, {"/k/" + name, "", false}, key, r1cs, std::nullopt};
}

}  // namespace

TEST_CASE("a stored segment's name says its kind and its source, and no two share one") {
  const UniqueFd one = segment(shm::SegmentKind::key, 1, 'a'), other = segment(shm::SegmentKind::key, 2, 'a');
  const std::string name = store_name(one.get()).value();
  CHECK(name.starts_with("key." + to_hex(digest_of('a')) + "."));
  CHECK(name != store_name(other.get()).value());
  CHECK(name.size() <= 255);  // as systemd limits them
  CHECK(name.find(':') == std::string::npos);
  CHECK_FALSE(store_name(segment(shm::SegmentKind::witness, 3, 'a').get()));
}

TEST_CASE("sealed segments are inherited; what is unsealed, no segment or misnamed is closed") {
  std::vector<NamedDescriptor> given;
  given.push_back(named(segment(shm::SegmentKind::key, 11, 'a')));
  given.push_back(named(segment(shm::SegmentKind::r1cs, 12, 'b')));
  given.push_back(named(segment(shm::SegmentKind::key, 13, 'c', false)));
  given.push_back({"key." + to_hex(digest_of('a')) + ".1", segment(shm::SegmentKind::key, 14, 'a')});
  given.push_back({"key.x", UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC))});
  given.push_back(named(segment(shm::SegmentKind::r1cs, 12, 'b')));  // a number that is taken
  std::vector<int> refused;
  for (std::size_t place = 2; place < given.size(); ++place) refused.push_back(given[place].second.get());

  const auto inherited = inherited_segments(std::move(given));

  REQUIRE(inherited.size() == 2);
  CHECK(inherited[0].segment == SegmentRef{11, 1});
  CHECK(inherited[0].digest == raw(digest_of('a')));
  CHECK(inherited[0].held->payload_bytes == 5'000);
  CHECK(inherited[1].segment == SegmentRef{12, 1});
  for (const int fd : refused) CHECK_FALSE(is_open(fd));
}

TEST_CASE("a circuit gets its key and its system together or not at all; what nobody wants is closed") {
  std::vector<NamedDescriptor> given;
  given.push_back(named(segment(shm::SegmentKind::key, 1, 'a')));
  given.push_back(named(segment(shm::SegmentKind::r1cs, 2, 'r')));
  given.push_back(named(segment(shm::SegmentKind::key, 3, 'b')));
  given.push_back(named(segment(shm::SegmentKind::r1cs, 4, 'b')));
  given.push_back(named(segment(shm::SegmentKind::key, 5, 'c')));
  given.push_back(named(segment(shm::SegmentKind::key, 6, 'd')));
  Recovered recovered;
  recovered.circuits = {circuit("with-r1cs", raw(digest_of('a')), raw(digest_of('r'))),
                        circuit("without", raw(digest_of('b')), ""), circuit("half", raw(digest_of('c')), ""),
                        circuit("never-resident", "", ""), circuit("second-of-one", raw(digest_of('b')), "")};

  const auto matched = match_residents(inherited_segments(std::move(given)), recovered);

  REQUIRE(recovered.circuits[0].resident);
  CHECK(recovered.circuits[0].resident->key == SegmentRef{1, 1});
  CHECK(recovered.circuits[0].resident->r1cs == SegmentRef{2, 1});
  CHECK(recovered.circuits[0].resident->key_bytes == 5'000);
  REQUIRE(recovered.circuits[1].resident);
  CHECK(recovered.circuits[1].resident->r1cs == SegmentRef{4, 1});
  CHECK_FALSE(recovered.circuits[2].resident);
  CHECK_FALSE(recovered.circuits[3].resident);
  CHECK_FALSE(recovered.circuits[4].resident);
  CHECK(matched.size() == 4);
}
