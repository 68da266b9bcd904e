// Segments and opened files by name: what the core calls (id, generation) is here a descriptor.
//
// Allocating takes 0.5 s a GiB, sealing waits for pinned pages and closing gives pages back, so all three happen on the
// allocator's thread; the loop only looks descriptors up to lease them. Pages are charged to this process, so that a
// worker's death by OOM loses no segment.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/error.hpp"
#include "common/unique_fd.hpp"
#include "supervisor/core/action.hpp"
#include "supervisor/core/event.hpp"
#include "supervisor/helper_thread.hpp"

namespace groth16d::supervisor {

// One segment or file; closed when the last owner lets go.
struct HeldSegment {
  UniqueFd read_write;     // none for a file
  UniqueFd read_only;      // a re-open that refuses writable mappings; the file itself for a file
  std::uint32_t kind = 0;  // shm::SegmentKind; 0 for a file
  std::uint64_t payload_bytes = 0;
};
using SegmentHandle = std::shared_ptr<const HeldSegment>;
using NamedSegment = std::pair<SegmentRef, SegmentHandle>;

// Opens a spooled input for filling: the spool is another thread's, so this must be callable from any thread.
using OpenSpooled = std::function<Result<UniqueFd>(const JobId& job, std::uint32_t partition)>;

// All of them, or an error and none. Blocks.
Result<std::vector<NamedSegment>> allocate_segments(const std::vector<SegmentSpec>& specs,
                                                    const OpenSpooled& open_spooled);

class Segments {
 public:
  explicit Segments(OpenSpooled open_spooled);

  // Answered by SegmentsAllocated / AllocationFailed, SegmentSealed / SealRefused, SegmentFreed out of take().
  void allocate(AllocateSegments request);
  void seal(SegmentRef segment);
  void free(SegmentRef segment, bool stays_kept = false);

  // Has the service manager keep this sealed segment until it is freed (descriptor_store.hpp).
  void keep(SegmentRef segment);

  // Files that the files' thread opened; freed like segments.
  void adopt(std::vector<NamedSegment> opened);
  // A segment that the service manager has kept under this name.
  void adopt_kept(NamedSegment segment, std::string store_name);

  // nullptr: no such segment now.
  const HeldSegment* find(SegmentRef segment) const;
  std::size_t count() const { return held_.size(); }

  int descriptor() const { return thread_.descriptor(); }
  std::vector<Event> take();

 private:
  struct Seal {
    SegmentRef segment;
    SegmentHandle held;
  };
  struct Free {
    SegmentRef segment;
    SegmentHandle held;
    std::string forget;  // under this name in the descriptor store; "": it is not there, or stays there
  };
  struct Keep {
    std::string name;
    SegmentHandle held;
  };
  using Request = std::variant<AllocateSegments, Seal, Free, Keep>;
  struct Completion {
    std::optional<Event> event;
    std::vector<NamedSegment> made;
  };
  static Completion serve(Request& request, const OpenSpooled& open_spooled);

  std::map<SegmentRef, SegmentHandle> held_;
  std::map<SegmentRef, std::string> kept_;  // names in the descriptor store
  HelperThread<Request, Completion> thread_;
};

}  // namespace groth16d::supervisor
