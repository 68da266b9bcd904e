#include "workers/runtime/lease_shelf.hpp"

#include <utility>

#include <fmt/format.h>

#include "workers/runtime/populate.hpp"

namespace groth16d::worker {

namespace {

bool is_resident(const ipc::LeaseMessage& message) {
  const LeaseUse use{{}, message.mode, static_cast<shm::SegmentKind>(message.kind)};
  return use.resident();
}

// The header names the partition that a segment belongs to; a circuit's segments belong to none.
Result<void> check_owner(const shm::Mapping& mapping, const LeaseUse& use, const v1::Work& work) {
  if (use.kind == shm::SegmentKind::key || use.kind == shm::SegmentKind::r1cs) return {};
  if (mapping.job() == work.job() && mapping.header().partition == work.partition()) return {};
  return failure(
      ErrorCode::mismatch, "segment.foreign",
      fmt::format("segment {} belongs to partition {} of job {}, the assignment is for partition {} of job {}",
                  to_string(use.name), mapping.header().partition, mapping.job(), work.partition(), work.job()));
}

Result<std::shared_ptr<MappedSegment>> map_segment(int fd, const LeaseUse& use, const v1::Work& work) {
  const auto access = use.mode == ipc::LeaseMode::read_write ? shm::Access::read_write : shm::Access::read_only;
  Result<shm::Mapping> mapping = shm::Mapping::map(fd, access, {use.kind, use.name.segment, use.name.generation});
  if (!mapping) return tl::unexpected(mapping.error());
  if (Result<void> owner = check_owner(*mapping, use, work); !owner) return tl::unexpected(owner.error());
  return std::make_shared<MappedSegment>(MappedSegment{std::move(*mapping)});
}

}  // namespace

const Leases::Held* Leases::find(const v1::Lease& lease) const {
  const auto at = held_.find(name_of(lease));
  return at == held_.end() ? nullptr : &at->second;
}

MappedSegment* Leases::find_segment(const v1::Lease& lease) const {
  const Held* held = find(lease);
  return held == nullptr ? nullptr : held->segment.get();
}

std::span<const std::byte> Leases::bytes(const v1::Lease& lease) const {
  const MappedSegment* segment = find_segment(lease);
  return segment == nullptr ? std::span<const std::byte>() : segment->mapping.used();
}

std::span<std::byte> Leases::writable(const v1::Lease& lease) const {
  MappedSegment* segment = find_segment(lease);
  return segment == nullptr ? std::span<std::byte>() : segment->mapping.writable_payload();
}

Result<void> Leases::set_used(const v1::Lease& lease, std::uint64_t used_bytes, std::span<const std::byte> note) const {
  MappedSegment* segment = find_segment(lease);
  if (segment == nullptr) {
    return failure(ErrorCode::internal, "segment.used",
                   fmt::format("segment {} is not part of this assignment", to_string(name_of(lease))));
  }
  if (auto noted = segment->mapping.set_note(note); !noted) return noted;
  return segment->mapping.set_used_bytes(used_bytes);
}

std::span<const std::byte> Leases::note(const v1::Lease& lease) const {
  const MappedSegment* segment = find_segment(lease);
  return segment == nullptr ? std::span<const std::byte>() : segment->mapping.header().note;
}

void Leases::accompany(const v1::Lease& lease, std::shared_ptr<void> companion) const {
  if (MappedSegment* segment = find_segment(lease)) segment->companion = std::move(companion);
}

bool Leases::is_accompanied(const v1::Lease& lease) const {
  const MappedSegment* segment = find_segment(lease);
  return segment != nullptr && segment->companion != nullptr;
}

int Leases::file(const v1::Lease& lease) const {
  const Held* held = find(lease);
  return held == nullptr ? -1 : held->file.get();
}

void Leases::populate(const groth16::Compute& compute) const {
  for (const auto& [name, held] : held_) {
    if (!held.segment || !held.is_new) continue;
    const std::span<std::byte> writable = held.segment->mapping.writable_payload();
    if (writable.empty()) {
      populate_for_reading(held.segment->mapping.used(), compute);
    } else {
      populate_for_writing(writable, compute);
    }
  }
}

void LeaseShelf::put(ipc::ReceivedLease lease, TimePoint now) {
  const LeaseName name{lease.message.segment, lease.message.generation};
  if (residents_.contains(name)) return;  // mapped already; the second descriptor closes here
  waiting_.insert_or_assign(name, Waiting{std::move(lease), now});
}

std::optional<LeaseName> LeaseShelf::missing(std::span<const LeaseUse> uses) const {
  for (const LeaseUse& use : uses) {
    if (!waiting_.contains(use.name) && !residents_.contains(use.name)) return use.name;
  }
  return std::nullopt;
}

Result<Leases> LeaseShelf::take(std::span<const LeaseUse> uses, const v1::Work& work) {
  Leases leases;
  Result<void> state;
  for (const LeaseUse& use : uses) {
    // After an error the rest is taken too: the supervisor is told that all of them are released.
    Result<Leases::Held> held = take_one(use, work);
    if (held) leases.held_.insert_or_assign(use.name, std::move(*held));
    if (!held && state) state = tl::unexpected(held.error());
  }
  if (!state) return tl::unexpected(state.error());
  return leases;
}

Result<Leases::Held> LeaseShelf::take_one(const LeaseUse& use, const v1::Work& work) {
  Leases::Held held;
  if (use.resident()) {
    held.is_new = !residents_.contains(use.name);
    Result<std::shared_ptr<MappedSegment>> segment = resident(use, work);
    if (!segment) return tl::unexpected(segment.error());
    held.segment = std::move(*segment);
    return held;
  }
  const auto node = waiting_.extract(use.name);
  if (node.empty()) return failure(ErrorCode::internal, "lease.missing", "an assignment began without its leases");
  ipc::ReceivedLease& lease = node.mapped().lease;
  if (lease.message.mode != use.mode) {
    return failure(ErrorCode::mismatch, "lease.mode",
                   fmt::format("lease {} came with another mode than its assignment needs", to_string(use.name)));
  }
  if (use.mode == ipc::LeaseMode::file) {
    held.file = std::move(lease.descriptor);
    return held;
  }
  Result<std::shared_ptr<MappedSegment>> segment = map_segment(lease.descriptor.get(), use, work);
  if (!segment) return tl::unexpected(segment.error());
  held.segment = std::move(*segment);
  return held;
}

Result<std::shared_ptr<MappedSegment>> LeaseShelf::resident(const LeaseUse& use, const v1::Work& work) {
  if (const auto at = residents_.find(use.name); at != residents_.end()) return at->second;
  const auto waiting = waiting_.find(use.name);
  if (waiting == waiting_.end()) {
    return failure(ErrorCode::internal, "lease.missing", "an assignment began without its leases");
  }
  Result<std::shared_ptr<MappedSegment>> segment = map_segment(waiting->second.lease.descriptor.get(), use, work);
  if (!segment) return segment;  // the descriptor stays: the supervisor believes that we hold it until EVICT
  residents_.emplace(use.name, *segment);
  waiting_.erase(waiting);
  return segment;
}

bool LeaseShelf::drop(const LeaseName& name) { return waiting_.erase(name) + residents_.erase(name) > 0; }

std::vector<LeaseName> LeaseShelf::drop_older_than(TimePoint limit) {
  std::vector<LeaseName> dropped;
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    if (at->second.since >= limit || is_resident(at->second.lease.message)) {
      ++at;
      continue;
    }
    dropped.push_back(at->first);
    at = waiting_.erase(at);
  }
  return dropped;
}

}  // namespace groth16d::worker
