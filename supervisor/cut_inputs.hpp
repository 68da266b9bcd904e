// CutInputs: what intake cut out of an input takes its place in the spool before anything reads it again.
//
// The core hears at once that the input is inspected. The allocation that copies it into a segment waits here until
// the cut is durable in its place. Where the disk refuses, that allocation fails like one for lack of memory, and the
// next one has the disk asked again.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "ipc/worker_channel.hpp"
#include "supervisor/core/action.hpp"
#include "supervisor/core/event.hpp"
#include "supervisor/files.hpp"

namespace groth16d::supervisor {

class CutInputs {
 public:
  // Which input a slot inspects from now on; other assignments are nothing to this.
  void assigned(const Assign& action);

  // The cut that a worker's message brings, to be put in its input's place. nullopt: it brings none, or not for the
  // inspection that its slot was given last.
  std::optional<ReplaceInput> cut_of(const ipc::Up& up);

  // An allocation that the core asks for, and the end of a replacement: what can be done now, if anything.
  struct Next {
    std::optional<AllocateSegments> allocate;
    std::optional<ReplaceInput> replace;
    std::optional<AllocationFailed> failed;
  };
  Next allocating(AllocateSegments action);
  Next replaced(InputReplaced done);

  // The job is deleted: nothing of it comes after this.
  void forget(const JobId& job);

 private:
  using InputId = std::pair<JobId, std::uint32_t>;  // job, partition

  struct Inspection {
    Epoch epoch = 0;
    AssignmentId assignment = 0;
    InputId input;
  };
  // A cut that is not in its place yet.
  struct Cut {
    bool is_under_way = true;
    std::string bytes;                           // once the disk refused them
    std::optional<AllocateSegments> allocation;  // that waits for it
  };

  std::map<SlotId, Inspection> inspections_;
  std::map<InputId, Cut> cuts_;
};

}  // namespace groth16d::supervisor
