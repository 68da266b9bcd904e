// A segment has its whole size from the start, one writer, and after its seal only readers.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "common/posix.hpp"
#include "shm/segment.hpp"

using namespace groth16d;
using namespace groth16d::shm;

namespace {

constexpr std::uint64_t kPayloadBytes = 10'000;

SegmentIdentity identity(std::uint64_t generation = 1) {
  SegmentIdentity id;
  id.kind = SegmentKind::witness;
  id.segment = 7;
  id.generation = generation;
  id.producer_epoch = 17;
  id.job = "job-a";
  id.partition = 3;
  id.attempt = 2;
  id.content[31] = 9;
  return id;
}

constexpr SegmentName kName{SegmentKind::witness, 7, 1};

UniqueFd allocate() { return allocate_segment(identity(), kPayloadBytes).value(); }

// A witness as its reader gets it: written, sealed, re-opened.
UniqueFd sealed_segment() {
  UniqueFd fd = allocate();
  {
    Mapping writer = Mapping::map(fd.get(), Access::read_write, kName).value();
    std::ranges::fill(writer.writable_payload(), std::byte{0x5a});
    REQUIRE(writer.set_used_bytes(9'000));
  }
  REQUIRE(seal_write(fd.get()));
  return fd;
}

template <class Body>
bool as_nobody(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(2);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("an allocated segment holds every page of its size, in the kernel's own figure") {
  const UniqueFd fd = allocate();
  CHECK(segment_bytes(kPayloadBytes) == 4096 + 3 * 4096);
  CHECK(file_size_bytes(fd.get(), "").value() == segment_bytes(kPayloadBytes));
  CHECK(allocated_bytes(fd.get()).value() == segment_bytes(kPayloadBytes));
  CHECK(segment_bytes(0) == kHeaderBytes);
}

TEST_CASE("the header says who the segment is") {
  const UniqueFd fd = allocate();
  const SegmentHeader header = read_header(fd.get()).value();
  CHECK(header.kind == 2);
  CHECK(header.segment == 7);
  CHECK(header.generation == 1);
  CHECK(header.producer_epoch == 17);
  CHECK(header.partition == 3);
  CHECK(header.attempt == 2);
  CHECK(header.payload_capacity_bytes == kPayloadBytes);
  CHECK(header.payload_used_bytes == 0);
  CHECK(header.content == identity().content);
  CHECK(Mapping::map(fd.get(), Access::read_only, kName).value().job() == "job-a");
}

TEST_CASE("a job id fills its field exactly, and one byte more is refused") {
  SegmentIdentity id = identity();
  id.job = std::string(64, 'j');
  const UniqueFd fd = allocate_segment(id, 1).value();
  CHECK(Mapping::map(fd.get(), Access::read_only, kName).value().job() == id.job);
  id.job += 'j';
  CHECK(allocate_segment(id, 1).error().name == "segment.job");
}

TEST_CASE("a size beyond every machine is refused before the kernel is asked, without overflow") {
  CHECK(allocate_segment(identity(), ~std::uint64_t{0}).error().code == ErrorCode::too_large);
  CHECK(allocate_segment(identity(), (std::uint64_t{1} << 46) + 1).error().name == "segment.size");
}

TEST_CASE("a segment neither shrinks nor grows") {
  const UniqueFd fd = allocate();
  CHECK((::ftruncate(fd.get(), 4096) == -1 && errno == EPERM));
  CHECK((::ftruncate(fd.get(), 1 << 20) == -1 && errno == EPERM));
}

TEST_CASE("what the writer wrote is what the reader reads, used bytes and all") {
  const UniqueFd fd = sealed_segment();
  const UniqueFd reader_fd = reopen_read_only(fd.get()).value();
  Mapping reader = Mapping::map(reader_fd.get(), Access::read_only, kName).value();
  CHECK(reader.payload().size() == kPayloadBytes);
  CHECK(reader.used().size() == 9'000);
  CHECK(std::ranges::all_of(reader.payload(), [](std::byte byte) { return byte == std::byte{0x5a}; }));
  CHECK(reader.writable_payload().empty());
  CHECK_FALSE(reader.set_used_bytes(1));
  CHECK(reinterpret_cast<std::uintptr_t>(reader.payload().data()) % 4096 == 0);
}

TEST_CASE("a writer's note reaches every reader, and one that is too long is refused") {
  UniqueFd fd = allocate();
  const std::array<std::byte, 3> note{std::byte{1}, std::byte{2}, std::byte{3}};
  {
    Mapping writer = Mapping::map(fd.get(), Access::read_write, kName).value();
    REQUIRE(writer.set_note(note));
    CHECK_FALSE(writer.set_note(std::vector<std::byte>(kNoteBytes + 1)));
  }
  Mapping reader = Mapping::map(fd.get(), Access::read_only, kName).value();
  CHECK(std::ranges::equal(std::span(reader.header().note).first(3), note));
  CHECK(reader.header().note[3] == std::byte{0});
  CHECK_FALSE(reader.set_note(note));
}

TEST_CASE("more used bytes than the capacity are refused") {
  const UniqueFd fd = allocate();
  Mapping writer = Mapping::map(fd.get(), Access::read_write, kName).value();
  CHECK(writer.set_used_bytes(kPayloadBytes));
  CHECK(writer.set_used_bytes(kPayloadBytes + 1).error().name == "segment.used");
}

TEST_CASE("a segment with a writable mapping cannot be sealed, and can once it is gone") {
  const UniqueFd fd = allocate();
  {
    const Mapping writer = Mapping::map(fd.get(), Access::read_write, kName).value();
    CHECK(seal_write(fd.get()).error().name == "segment.still_mapped");
  }
  CHECK(seal_write(fd.get()));
}

TEST_CASE("nobody writes into a sealed segment, not even through the descriptor that allocated it") {
  const UniqueFd fd = sealed_segment();
  CHECK(::pwrite(fd.get(), "x", 1, 5000) == -1);
  CHECK_FALSE(Mapping::map(fd.get(), Access::read_write, kName));
  CHECK(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0) == MAP_FAILED);
  CHECK_FALSE(restamp_segment(fd.get(), identity(2)));
}

TEST_CASE(
    "a reader's descriptor of an unsealed segment cannot be mapped for writing, nor its mapping be made writable") {
  const UniqueFd fd = allocate();
  const UniqueFd reader = reopen_read_only(fd.get()).value();
  CHECK(Mapping::map(reader.get(), Access::read_write, kName).error().code == ErrorCode::denied);
  const Mapping mapping = Mapping::map(reader.get(), Access::read_only, kName).value();
  void* page = const_cast<std::byte*>(mapping.payload().data());
  CHECK((::mprotect(page, 4096, PROT_READ | PROT_WRITE) == -1 && errno == EACCES));
  CHECK(::pwrite(reader.get(), "x", 1, 5000) == -1);
}

TEST_CASE("an unprivileged reader cannot open its segment for writing through /proc") {
  if (::geteuid() != 0) {
    WARN("needs root to become another user: skipped");
    return;
  }
  const UniqueFd fd = allocate();
  const UniqueFd reader = reopen_read_only(fd.get()).value();
  const std::string path = "/proc/self/fd/" + std::to_string(reader.get());
  CHECK(as_nobody([&] { return ::open(path.c_str(), O_RDWR) == -1 && errno == EACCES; }));
}

TEST_CASE("a lease of another generation, segment or kind does not map") {
  const UniqueFd fd = allocate();
  for (const SegmentName& wrong : {SegmentName{SegmentKind::witness, 7, 2}, SegmentName{SegmentKind::witness, 8, 1},
                                   SegmentName{SegmentKind::ab, 7, 1}}) {
    CHECK(Mapping::map(fd.get(), Access::read_only, wrong).error().name == "segment.stale");
  }
}

TEST_CASE("a pooled segment starts a new life: the old lease no longer maps") {
  const UniqueFd fd = allocate();
  REQUIRE(Mapping::map(fd.get(), Access::read_write, kName).value().set_used_bytes(5));
  REQUIRE(restamp_segment(fd.get(), identity(2)));
  CHECK(Mapping::map(fd.get(), Access::read_only, kName).error().name == "segment.stale");
  const Mapping again = Mapping::map(fd.get(), Access::read_only, {SegmentKind::witness, 7, 2}).value();
  CHECK(again.used_bytes() == 0);
  CHECK(again.capacity_bytes() == kPayloadBytes);
}

TEST_CASE("what is no segment, or lies about its size, is refused") {
  SECTION("another magic") {
    const UniqueFd fd = allocate();
    REQUIRE(::pwrite(fd.get(), "X", 1, 0) == 1);
    CHECK(Mapping::map(fd.get(), Access::read_only, kName).error().name == "segment.header");
  }
  SECTION("another layout version") {
    const UniqueFd fd = allocate();
    const std::uint32_t other = kLayoutVersion + 1;
    REQUIRE(::pwrite(fd.get(), &other, sizeof other, offsetof(SegmentHeader, layout_version)) == sizeof other);
    CHECK(read_header(fd.get()).error().name == "segment.header");
  }
  SECTION("a capacity that the memfd does not have") {
    const UniqueFd fd = allocate();
    for (const std::uint64_t lie : {std::uint64_t{1} << 20, ~std::uint64_t{0}, ~std::uint64_t{0} - 8191}) {
      REQUIRE(::pwrite(fd.get(), &lie, sizeof lie, offsetof(SegmentHeader, payload_capacity_bytes)) == 8);
      CHECK(read_header(fd.get()).error().name == "segment.size");
    }
  }
  SECTION("more used than there is") {
    const UniqueFd fd = allocate();
    const std::uint64_t lie = kPayloadBytes + 1;
    REQUIRE(::pwrite(fd.get(), &lie, sizeof lie, offsetof(SegmentHeader, payload_used_bytes)) == 8);
    CHECK(read_header(fd.get()).error().name == "segment.size");
  }
  SECTION("too short for a header") {
    const UniqueFd fd(::memfd_create("short", MFD_CLOEXEC));
    REQUIRE(::ftruncate(fd.get(), 4095) == 0);
    CHECK(Mapping::map(fd.get(), Access::read_only, kName).error().name == "segment.header");
  }
  SECTION("not sealed against shrinking") {
    const UniqueFd good = allocate();
    const auto bytes = read_all(good.get(), 1 << 20, "segment").value();
    const UniqueFd fd(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    REQUIRE(write_all(fd.get(), bytes, "copy"));
    CHECK(Mapping::map(fd.get(), Access::read_only, kName).error().name == "segment.header");
  }
}
