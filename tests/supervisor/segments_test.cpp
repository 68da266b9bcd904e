// Memory is given whole or not at all, filled before anyone sees it, and gone when it is freed.
#include <catch2/catch.hpp>

#include <cstring>
#include <fstream>

#include <dirent.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/posix.hpp"
#include "shm/segment.hpp"
#include "supervisor/segments.hpp"
#include "tests/supervisor/scratch_folder.hpp"

using namespace groth16d;
using namespace groth16d::supervisor;

namespace {

Result<UniqueFd> no_spool(const JobId&, std::uint32_t) {
  return failure(ErrorCode::not_found, "test", "no spool here");
}

SegmentSpec spec(std::uint64_t id, BufferKind kind, std::uint64_t payload_bytes) {
  SegmentSpec wanted;
  wanted.segment = {id, 7};
  wanted.kind = kind;
  wanted.payload_bytes = payload_bytes;
  wanted.work = {"job", 3, 1};
  return wanted;
}

std::size_t open_memfds() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    count += std::filesystem::read_symlink(entry.path(), ignored).string().find("memfd:") != std::string::npos ? 1 : 0;
  }
  return count;
}

// Waits for the next events of the allocator's thread.
std::vector<Event> wait_for(Segments& segments) {
  pollfd item{segments.descriptor(), POLLIN, 0};
  REQUIRE(::poll(&item, 1, 10'000) == 1);
  return segments.take();
}

}  // namespace

TEST_CASE("an allocated segment carries its name and takes writers; its read-only descriptor refuses them") {
  const auto made = allocate_segments({spec(1, BufferKind::witness, 10'000)}, no_spool);
  REQUIRE(made);
  REQUIRE(made->size() == 1);
  const HeldSegment& held = *made->front().second;
  const auto header = shm::read_header(held.read_write.get());
  REQUIRE(header);
  CHECK(header->segment == 1);
  CHECK(header->generation == 7);
  CHECK(header->partition == 3);
  CHECK(std::string(header->job.data()) == "job");
  CHECK(held.payload_bytes == 10'000);
  CHECK(*shm::allocated_bytes(held.read_write.get()) == shm::segment_bytes(10'000));
  CHECK(::mmap(nullptr, 4096, PROT_WRITE, MAP_SHARED, held.read_only.get(), 0) == MAP_FAILED);
  CHECK(errno == EACCES);
}

TEST_CASE("a key's segment belongs to no job, however long the circuit's name is") {
  SegmentSpec key = spec(1, BufferKind::key, 4096);
  key.work.job = "circuit." + std::string(64, 'c');
  const auto made = allocate_segments({key}, no_spool);
  REQUIRE(made);
  CHECK(std::string(shm::read_header(made->front().second->read_only.get())->job.data()).empty());
}

TEST_CASE("when the last of several cannot be had, none is left") {
  const std::size_t before = open_memfds();
  const auto refused = allocate_segments({spec(1, BufferKind::witness, 4096), spec(2, BufferKind::ab, 4096),
                                          spec(3, BufferKind::ab, std::uint64_t{1} << 50)},
                                         no_spool);
  REQUIRE_FALSE(refused);
  CHECK(open_memfds() == before);
}

TEST_CASE("an allocation that fails is answered as failed, holds no name, and the next one works") {
  Segments segments(no_spool);
  segments.allocate({11, {spec(1, BufferKind::witness, 4096), spec(2, BufferKind::ab, std::uint64_t{1} << 50)}});
  const auto failed = wait_for(segments);
  REQUIRE(failed.size() == 1);
  REQUIRE(std::holds_alternative<AllocationFailed>(failed[0]));
  CHECK(std::get<AllocationFailed>(failed[0]).request == 11);
  CHECK(segments.count() == 0);
  CHECK(segments.find({1, 7}) == nullptr);

  segments.allocate({12, {spec(1, BufferKind::witness, 4096)}});
  REQUIRE(std::holds_alternative<SegmentsAllocated>(wait_for(segments).at(0)));
  REQUIRE(segments.find({1, 7}) != nullptr);
  CHECK(segments.find({1, 6}) == nullptr);
}

TEST_CASE("an input is filled from the spool and sealed before it is given out") {
  const ScratchFolder folder;
  const std::string text = std::string(5'000, 'w') + "!";
  std::ofstream(folder / "input", std::ios::binary) << text;
  SegmentSpec input = spec(1, BufferKind::input, text.size());
  input.fill_from_spool = true;
  const auto made = allocate_segments({input}, [&](const JobId& job, std::uint32_t partition) {
    CHECK(job == "job");
    CHECK(partition == 3);
    return open_file((folder / "input").string(), O_RDONLY);
  });
  REQUIRE(made);
  const HeldSegment& held = *made->front().second;
  const auto mapping = shm::Mapping::map(held.read_only.get(), shm::Access::read_only, {shm::SegmentKind::input, 1, 7});
  REQUIRE(mapping);
  CHECK(mapping->used_bytes() == text.size());
  CHECK(std::memcmp(mapping->used().data(), text.data(), text.size()) == 0);
  CHECK(::pwrite(held.read_write.get(), "x", 1, 4096) == -1);
  CHECK(errno == EPERM);
}

TEST_CASE("an input that is not in the spool any more fails the whole allocation") {
  const std::size_t before = open_memfds();
  SegmentSpec input = spec(2, BufferKind::input, 100);
  input.fill_from_spool = true;
  const auto refused = allocate_segments({spec(1, BufferKind::witness, 4096), input}, no_spool);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::not_found);
  CHECK(open_memfds() == before);
}

TEST_CASE("sealing is refused while a writable mapping lives and done after; freeing gives the pages back") {
  const std::size_t before = open_memfds();
  Segments segments(no_spool);
  segments.allocate({1, {spec(1, BufferKind::witness, 4096)}});
  REQUIRE(std::holds_alternative<SegmentsAllocated>(wait_for(segments).at(0)));
  {
    auto writer = shm::Mapping::map(segments.find({1, 7})->read_write.get(), shm::Access::read_write,
                                    {shm::SegmentKind::witness, 1, 7});
    REQUIRE(writer);
    segments.seal({1, 7});
    CHECK(std::holds_alternative<SealRefused>(wait_for(segments).at(0)));
  }
  segments.seal({1, 7});
  CHECK(std::holds_alternative<SegmentSealed>(wait_for(segments).at(0)));
  segments.free({1, 7});
  CHECK(segments.find({1, 7}) == nullptr);
  CHECK(std::holds_alternative<SegmentFreed>(wait_for(segments).at(0)));
  CHECK(open_memfds() == before);
}
