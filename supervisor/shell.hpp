// The hands of the core: passes events in and carries each action out, in order. No policy lives here.
//
// What takes long is given to a thread; an action that is answered at once (SpawnSlot) queues its answer behind the
// actions that are under way, so the core never sees an event from inside another.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "ipc/client_channel.hpp"
#include "ipc/gatekeeper.hpp"
#include "ipc/worker_channel.hpp"
#include "supervisor/api.hpp"
#include "supervisor/children.hpp"
#include "supervisor/core/core.hpp"
#include "supervisor/cut_inputs.hpp"
#include "supervisor/files.hpp"
#include "supervisor/journal.hpp"
#include "supervisor/meters.hpp"
#include "supervisor/reload.hpp"
#include "supervisor/segments.hpp"

namespace groth16d::supervisor {

// The monotonic clock as the core counts it.
TimePoint core_now();

// Everything that the shell moves; all must outlive it.
struct Limbs {
  Core& core;
  Api& api;
  Files& files;
  Journal& journal;
  Segments& segments;
  Children& children;
  ipc::WorkerHub& workers;
  ipc::EventPublisher& events;
  Reload& reload;
  Meters& meters;
  ipc::Gatekeeper* gatekeeper = nullptr;  // nullptr: nothing listens over TCP
};

class Shell {
 public:
  explicit Shell(Limbs limbs) : limbs_(limbs) {}

  void pass(Event event);

  // A worker's message.
  void hear(const ipc::Up& up);

  // Completions of the threads.
  void complete(JournalCompletion completion);
  void complete(FilesCompletion completion);

  // Set once the core said Exit.
  std::optional<int> exit_code() const { return exit_code_; }

  // Did the journal's thread answer since the last call? Asks it again. For the watchdog.
  bool journal_answered();

  // Tells subscribers of "memory" what is held, if that differs from what they were told last.
  void publish_memory(const DaemonView& daemon);

 private:
  void count_death(const ExitObserved& exit, const Moment& now);
  void reload(ConfigRead read);
  void finish_reload(Reply& answer);
  void perform(Reply& action);
  void perform(Publish& action);
  void perform(LogLine& action);
  void perform(StoreJob& action);
  void perform(StoreJobState& action);
  void perform(StoreResult& action);
  void perform(DeleteJob& action);
  void perform(StoreCircuit& action);
  void perform(KeepResident& action);
  void perform(DeleteCircuit& action);
  void perform(AllocateSegments& action);
  void follow(CutInputs::Next next);
  void perform(OpenFiles& action);
  void perform(SealSegment& action);
  void perform(FreeSegment& action);
  void perform(Lease& action);
  void perform(SpawnSlot& action);
  void perform(Kill& action);
  void perform(Exit& action);
  void perform(Assign& action);
  // Welcome, CancelAssignment, EvictLease, DrainWorker
  template <class Message>
  void perform(Message& action);
  template <class Message>
  void tell(const Message& action);

  Limbs limbs_;
  std::deque<Event> waiting_;
  CutInputs cut_inputs_;
  bool passing_ = false;
  bool journal_answered_ = true;
  std::vector<BufferCount> told_buffers_;
  std::optional<int> exit_code_;
};

}  // namespace groth16d::supervisor
