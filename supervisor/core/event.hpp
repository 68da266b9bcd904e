// Everything that can happen to the supervisor. The shell turns descriptors, threads and sockets into these structs and
// passes each to Core::on exactly once, in the order in which it learned of them. After "from" stands who produces it.
//
// An event that answers an action carries the action's identity (request, job, segment, slot and epoch). Late,
// duplicate and stale events are legal: they are counted in DaemonView::stale_events and change nothing.
#pragma once

#include <variant>

#include "supervisor/core/config.hpp"
#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

// ------------------------------------------------------------------ start and clock

// from: the journal thread, once, before anything else is passed in. Spawns the slots and re-queues unfinished jobs.
struct Recovered {
  // Sealed segments of an earlier supervisor, which the service manager kept; they keep their names.
  struct Resident {
    SegmentRef key, r1cs;  // r1cs {}: none
    std::uint64_t key_bytes = 0, r1cs_bytes = 0;
  };
  struct Circuit {
    CircuitName name;
    CircuitSource source;
    std::string key_digest, r1cs_digest;  // of what was resident last; "": nothing ever
    std::optional<Resident> resident;     // made from files with these digests, as their headers say
  };
  struct Job {
    JobRecord record;                          // deadline_ms: what is left of it, at least 1 where there was one
    JobState state = JobState::received;       // received, or a final state
    std::vector<std::optional<Proof>> proofs;  // committed results by partition; may be shorter than partitions
    std::optional<Error> failure;              // of a final state other than done
    std::string key_digest, vk_digest, curve;  // of a done job
    std::uint64_t age_ms = 0;                  // since it was accepted
  };
  std::vector<Circuit> circuits;
  std::vector<Job> jobs;  // in the order in which they were accepted
};

// from: the timer that the shell arms by Core::next_timer(). Passing it early or often is harmless. Messages that have
// arrived are to be passed before it, or a loop that was held up takes its workers for frozen.
struct TimerExpired {};

// ------------------------------------------------------------------ clients and operators (from: the client API)

// The shell keeps the request's inputs under `token` until StoreJob asks to spool them or Reply ends the request.
struct SubmitRequested {
  ReplyToken token = 0;
  JobId job;
  std::string digest;    // of the content; idempotency compares it
  CircuitName circuit;   // a registered name, or "" with source
  CircuitSource source;  // with circuit == ""
  std::string
      key_stamp;  // size, time and inode of source's files in any stable spelling: a changed file is another circuit
  std::vector<PartitionInput> partitions;
  Priority priority = Priority::normal;
  std::uint64_t deadline_ms = 0;
  std::string client;  // whose quotas it counts to; "": nobody's
};
struct CancelRequested {
  ReplyToken token = 0;
  JobId job;
};
struct CloseRequested {
  ReplyToken token = 0;
  JobId job;
};
struct KickRequested {  // re-queue a quarantined job
  ReplyToken token = 0;
  JobId job;
};
struct CircuitAddRequested {
  ReplyToken token = 0;
  CircuitName circuit;
  CircuitSource source;
};
struct CircuitRemoveRequested {
  ReplyToken token = 0;
  CircuitName circuit;
};
enum class WorkerVerb {
  restart,      // finish the assignment, exit, spawn again
  restart_now,  // kill, spawn again; counts against nobody
  drain,        // finish the assignment, exit, stay disabled
  disable,      // kill, stay disabled
  enable,       // spawn again after drain or disable
  reset,        // forget a failed slot's history and spawn it again
};
struct WorkerRequested {
  ReplyToken token = 0;
  SlotId slot;
  WorkerVerb verb = WorkerVerb::restart;
};
// from: a RELOAD whose file was good. Everything but the number of slots, what they rest with, the heartbeat and the
// seeds comes into force, or nothing does: 409 where more is reserved than the new budget has.
struct ConfigRequested {
  ReplyToken token = 0;
  CoreConfig config;
};
// from: SIGTERM or an operator. The first begins an orderly drain, a second (or fast) one the fast way out.
struct DrainRequested {
  bool fast = false;
};

// ------------------------------------------------------------------ journal and spool (from: their threads)

struct JobStored {  // answers StoreJob: inputs spooled, RECEIVED committed
  JobId job;
};
struct JobStoreFailed {  // answers StoreJob: nothing of it is left in spool or journal
  JobId job;
  Error error;
};
struct JobStateStored {  // answers StoreJobState
  JobId job;
  JobState state = JobState::done;
};
struct JobStateStoreFailed {
  JobId job;
  JobState state = JobState::done;
  Error error;
};
struct ResultStored {  // answers StoreResult
  JobId job;
  std::uint32_t partition = 0;
};
struct ResultStoreFailed {
  JobId job;
  std::uint32_t partition = 0;
  Error error;
};
struct JobDeleted {  // answers DeleteJob: journal row and spool files are gone
  JobId job;
};
struct JobDeleteFailed {
  JobId job;
  Error error;
};
struct CircuitStored {  // answers StoreCircuit
  CircuitName circuit;
};
struct CircuitStoreFailed {
  CircuitName circuit;
  Error error;
};
struct CircuitDeleted {  // answers DeleteCircuit
  CircuitName circuit;
};
struct CircuitDeleteFailed {
  CircuitName circuit;
  Error error;
};

// ------------------------------------------------------------------ segments (from: the allocator thread)

struct SegmentsAllocated {  // answers AllocateSegments: all of them exist, filled where that was asked
  RequestId request = 0;
};
struct AllocationFailed {  // answers AllocateSegments: none of them exists
  RequestId request = 0;
  Error error;
};
struct FilesOpened {  // answers OpenFiles
  RequestId request = 0;
};
struct FilesRefused {  // answers OpenFiles: none of them is open
  RequestId request = 0;
  Error error;
};
struct SegmentSealed {  // answers SealSegment: no one can write to it any more
  SegmentRef segment;
};
struct SealRefused {  // answers SealSegment: EBUSY, a writable mapping exists, so its writer lied
  SegmentRef segment;
};
struct SegmentFreed {  // answers FreeSegment: the supervisor's last descriptor is closed
  SegmentRef segment;
};

// ------------------------------------------------------------------ workers: processes (from: spawner and pidfds)

struct Spawned {  // answers SpawnSlot
  SlotId slot;
  Epoch epoch = 0;
  std::uint32_t pid = 0;
};
struct SpawnFailed {  // answers SpawnSlot: no process exists
  SlotId slot;
  Epoch epoch = 0;
  Error error;
};
// The pidfd fired and the process was reaped: the only thing that establishes a death.
struct ExitObserved {
  SlotId slot;
  Epoch epoch = 0;
  std::optional<int> exit_code;  // by exit()
  int signal = 0;                // by a signal; 0 with exit_code
  bool oom = false;              // the leaf's oom_kill counter moved
  std::string last_words;        // of the words segment, "" without
  std::string memory = {};       // the leaf's peak beside the reservation, for the record of the death; "" without
};

// ------------------------------------------------------------------ workers: messages (from: the worker channel)
//
// private_peak_bytes: the process's largest anonymous memory while it worked on the assignment; 0: not measured.

struct WorkerHello {
  WorkerToken from;
  std::uint32_t pid = 0;
  std::string build;
};
struct WorkerReady {
  WorkerToken from;
  std::uint32_t credit = 0;  // assignments that it takes beyond what it has
};
struct WorkerHeartbeat {
  WorkerToken from;
  std::uint32_t progress_permille = 0;
  std::uint64_t beats = 0;
  std::uint64_t rss_bytes = 0;
  std::uint64_t device_bytes = 0;
};
struct WorkerReleased {  // from.assignment: that it was leased for, or 0
  WorkerToken from;
  SegmentRef segment;
};
struct WorkerLog {
  WorkerToken from;
  std::uint32_t level = 6;
  std::string text;
};
struct WorkerBye {
  WorkerToken from;
};
struct CircuitInspected {
  WorkerToken from;
  CircuitFacts facts;
};
struct InputInspected {
  WorkerToken from;
  InputFacts facts;
};
struct CircuitLoaded {
  WorkerToken from;
  CircuitFacts facts;
  std::uint64_t private_peak_bytes = 0;
};
struct WitnessSealed {
  WorkerToken from;
  std::uint64_t witness_bytes = 0;
  std::uint64_t private_peak_bytes = 0;
};
struct ProveDone {
  WorkerToken from;
  std::string sums;  // opaque
  std::uint64_t private_peak_bytes = 0;
  std::string b2 = {};  // with AssignProve::with_b2; "": the card has no room for B2's points
  Millis loading{0};    // of its time, to bring the circuit onto the card
};
struct B2Done {
  WorkerToken from;
  std::string point;  // opaque
  std::uint64_t private_peak_bytes = 0;
};
struct AssembleDone {
  WorkerToken from;
  Proof proof;
  std::uint64_t private_peak_bytes = 0;
};
struct AssignmentCancelled {
  WorkerToken from;
};
struct AssignmentFailed {
  WorkerToken from;
  Error error;
  bool retryable = false;
  Blame blame = Blame::unknown;
  std::uint64_t private_peak_bytes = 0;
};

using Event =
    std::variant<Recovered, TimerExpired, SubmitRequested, CancelRequested, CloseRequested, KickRequested,
                 CircuitAddRequested, CircuitRemoveRequested, WorkerRequested, ConfigRequested, DrainRequested,
                 JobStored, JobStoreFailed, JobStateStored, JobStateStoreFailed, ResultStored, ResultStoreFailed,
                 JobDeleted, JobDeleteFailed, CircuitStored, CircuitStoreFailed, CircuitDeleted, CircuitDeleteFailed,
                 SegmentsAllocated, AllocationFailed, FilesOpened, FilesRefused, SegmentSealed, SealRefused,
                 SegmentFreed, Spawned, SpawnFailed, ExitObserved, WorkerHello, WorkerReady, WorkerHeartbeat,
                 WorkerReleased, WorkerLog, WorkerBye, CircuitInspected, InputInspected, CircuitLoaded, WitnessSealed,
                 ProveDone, B2Done, AssembleDone, AssignmentCancelled, AssignmentFailed>;

}  // namespace groth16d::supervisor
