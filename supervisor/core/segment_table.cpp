#include "supervisor/core/segment_table.hpp"

#include <algorithm>

namespace groth16d::supervisor {

Segment& SegmentTable::create(AccountId owner, std::optional<BufferKind> kind, std::uint64_t payload_bytes) {
  Segment segment;
  segment.ref = SegmentRef{next_id_++, 1};
  segment.owner = owner;
  segment.kind = kind;
  segment.payload_bytes = payload_bytes;
  segment.total_bytes = kind ? segment_bytes(payload_bytes) : 0;
  return segments_.emplace(segment.ref, segment).first->second;
}

Segment& SegmentTable::adopt(SegmentRef ref, AccountId owner, std::optional<BufferKind> kind,
                             std::uint64_t payload_bytes) {
  Segment segment;
  segment.ref = ref;
  segment.owner = owner;
  segment.kind = kind;
  segment.payload_bytes = payload_bytes;
  segment.total_bytes = kind ? segment_bytes(payload_bytes) : 0;
  segment.state = Segment::State::live;
  segment.sealing = segment.sealed = true;
  next_id_ = std::max(next_id_, ref.id + 1);
  return segments_.emplace(ref, segment).first->second;
}

Segment* SegmentTable::find(SegmentRef ref) {
  const auto it = segments_.find(ref);
  return it == segments_.end() ? nullptr : &it->second;
}

const Segment* SegmentTable::find(SegmentRef ref) const {
  const auto it = segments_.find(ref);
  return it == segments_.end() ? nullptr : &it->second;
}

}  // namespace groth16d::supervisor
