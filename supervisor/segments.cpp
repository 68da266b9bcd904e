#include "supervisor/segments.hpp"

#include <algorithm>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "common/failpoint.hpp"
#include "common/posix.hpp"
#include "shm/segment.hpp"
#include "supervisor/descriptor_store.hpp"

namespace groth16d::supervisor {
namespace {

shm::SegmentKind kind_of(BufferKind kind) {
  switch (kind) {
    case BufferKind::input:
      return shm::SegmentKind::input;
    case BufferKind::witness:
      return shm::SegmentKind::witness;
    case BufferKind::ab:
    case BufferKind::pool:
      return shm::SegmentKind::ab;
    case BufferKind::key:
      return shm::SegmentKind::key;
    case BufferKind::r1cs:
      return shm::SegmentKind::r1cs;
    case BufferKind::private_memory:
      break;
  }
  return shm::SegmentKind::words;
}

// Keys and constraint systems belong to no job.
shm::SegmentIdentity identity_of(const SegmentSpec& spec) {
  shm::SegmentIdentity identity;
  identity.kind = kind_of(spec.kind);
  identity.segment = spec.segment.id;
  identity.generation = spec.segment.generation;
  if (spec.kind == BufferKind::key || spec.kind == BufferKind::r1cs) {
    std::copy_n(spec.content.begin(), std::min(spec.content.size(), identity.content.size()), identity.content.begin());
    return identity;
  }
  identity.job = spec.work.job;
  identity.partition = spec.work.partition;
  identity.attempt = spec.work.attempt;
  return identity;
}

// Copies a whole file into the payload, kernel to kernel: no input byte enters this process.
Result<void> fill(int segment, int file, std::uint64_t payload_bytes, const std::string& name) {
  const auto size = file_size_bytes(file, name);
  if (!size) return tl::unexpected(size.error());
  if (*size > payload_bytes)
    return failure(ErrorCode::internal, "segment.input",
                   fmt::format("{}: {} bytes do not fit a payload of {}", name, *size, payload_bytes));
  if (::lseek(segment, static_cast<off_t>(shm::kHeaderBytes), SEEK_SET) < 0) return system_failure("lseek", name);
  off_t offset = 0;
  while (static_cast<std::uint64_t>(offset) < *size) {
    const ssize_t copied =
        ::sendfile(segment, file, &offset, static_cast<std::size_t>(*size - static_cast<std::uint64_t>(offset)));
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0) return system_failure("sendfile", name);
    if (copied == 0)
      return failure(ErrorCode::system, "segment.input",
                     fmt::format("{}: ends after {} of {} bytes", name, offset, *size));
  }
  auto mapping = shm::read_header(segment);
  if (!mapping) return tl::unexpected(mapping.error());
  mapping->payload_used_bytes = *size;
  if (::pwrite(segment, &*mapping, sizeof *mapping, 0) != static_cast<ssize_t>(sizeof *mapping))
    return system_failure("pwrite", name);
  return {};
}

Result<void> fill_from_spool(const SegmentSpec& spec, int segment, const OpenSpooled& open_spooled) {
  const auto file = open_spooled(spec.work.job, spec.work.partition);
  if (!file) return tl::unexpected(file.error());
  if (auto filled = fill(segment, file->get(), spec.payload_bytes,
                         fmt::format("input {} of job {}", spec.work.partition, spec.work.job));
      !filled)
    return filled;
  return shm::seal_write(segment);
}

Result<SegmentHandle> allocate_one(const SegmentSpec& spec, const OpenSpooled& open_spooled) {
  if (GROTH16D_FAILPOINT("segments.allocate")) return failpoint_error("segments.allocate");
  auto held = std::make_shared<HeldSegment>();
  held->kind = static_cast<std::uint32_t>(kind_of(spec.kind));
  held->payload_bytes = spec.payload_bytes;
  auto segment = shm::allocate_segment(identity_of(spec), spec.payload_bytes);
  if (!segment) return tl::unexpected(segment.error());
  if (spec.fill_from_spool)
    if (auto filled = fill_from_spool(spec, segment->get(), open_spooled); !filled)
      return tl::unexpected(filled.error());
  auto reader = shm::reopen_read_only(segment->get());
  if (!reader) return tl::unexpected(reader.error());
  held->read_write = std::move(*segment);
  held->read_only = std::move(*reader);
  return held;
}

}  // namespace

Result<std::vector<NamedSegment>> allocate_segments(const std::vector<SegmentSpec>& specs,
                                                    const OpenSpooled& open_spooled) {
  std::vector<NamedSegment> made;
  for (const SegmentSpec& spec : specs) {
    auto held = allocate_one(spec, open_spooled);
    if (!held) return tl::unexpected(held.error());  // `made` goes, and with it what was allocated
    made.emplace_back(spec.segment, std::move(*held));
  }
  return made;
}

Segments::Completion Segments::serve(Request& request, const OpenSpooled& open_spooled) {
  if (const auto* wanted = std::get_if<AllocateSegments>(&request)) {
    auto made = allocate_segments(wanted->segments, open_spooled);
    if (!made) return {AllocationFailed{wanted->request, made.error()}, {}};
    return {SegmentsAllocated{wanted->request}, std::move(*made)};
  }
  if (const auto* seal = std::get_if<Seal>(&request)) {
    if (shm::seal_write(seal->held->read_write.get())) return {SegmentSealed{seal->segment}, {}};
    return {SealRefused{seal->segment}, {}};
  }
  if (const auto* keep = std::get_if<Keep>(&request)) {
    if (auto stored = store_descriptor(keep->name, keep->held->read_only.get()); !stored)
      spdlog::warn("a resident segment will not outlive this process: {}", stored.error().text);
    return {std::nullopt, {}};
  }
  auto& free = std::get<Free>(request);
  free.held.reset();
  if (!free.forget.empty())
    if (auto forgotten = forget_descriptor(free.forget); !forgotten) spdlog::warn("{}", forgotten.error().text);
  return {SegmentFreed{free.segment}, {}};
}

Segments::Segments(OpenSpooled open_spooled)
    : thread_("allocator",
              [open = std::move(open_spooled)](std::vector<Request> requests, Outbox<Completion>& completions) {
                for (Request& request : requests) completions.put(serve(request, open));
              }) {}

void Segments::allocate(AllocateSegments request) { thread_.put(std::move(request)); }

void Segments::seal(SegmentRef segment) {
  const auto place = held_.find(segment);
  if (place != held_.end()) thread_.put(Seal{segment, place->second});
}

void Segments::free(SegmentRef segment, bool stays_kept) {
  Free request{segment, nullptr, {}};
  if (auto kept = kept_.extract(segment); !kept.empty() && !stays_kept) request.forget = std::move(kept.mapped());
  if (const auto place = held_.find(segment); place != held_.end()) {
    request.held = std::move(place->second);
    held_.erase(place);
  }
  thread_.put(std::move(request));
}

void Segments::adopt(std::vector<NamedSegment> opened) {
  for (auto& [segment, held] : opened) held_.insert_or_assign(segment, std::move(held));
}

void Segments::keep(SegmentRef segment) {
  const auto place = held_.find(segment);
  if (place == held_.end() || kept_.contains(segment)) return;
  const auto name = store_name(place->second->read_only.get());
  if (!name) return spdlog::warn("a resident segment will not outlive this process: {}", name.error().text);
  kept_.emplace(segment, *name);
  thread_.put(Keep{*name, place->second});
}

void Segments::adopt_kept(NamedSegment segment, std::string store_name) {
  kept_.emplace(segment.first, std::move(store_name));
  held_.insert_or_assign(segment.first, std::move(segment.second));
}

const HeldSegment* Segments::find(SegmentRef segment) const {
  const auto place = held_.find(segment);
  return place == held_.end() ? nullptr : place->second.get();
}

std::vector<Event> Segments::take() {
  std::vector<Event> events;
  for (Completion& completion : thread_.take()) {
    adopt(std::move(completion.made));
    if (completion.event) events.push_back(std::move(*completion.event));
  }
  return events;
}

}  // namespace groth16d::supervisor
