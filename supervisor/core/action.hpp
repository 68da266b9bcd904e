// Everything the core asks of the shell. The shell carries actions out in the order given (a Lease precedes the Assign
// that names it); what takes long goes to a thread, whose answer comes back as the event named after "answer".
//
// Messages and signals to (slot, epoch) whose process is already gone are dropped silently: its ExitObserved is under
// way.
#pragma once

#include <variant>

#include "supervisor/core/types.hpp"

namespace groth16d::supervisor {

// ------------------------------------------------------------------ clients

// Ends a client's request. Code is one of docs/PROTOCOL.md. Where the request carried inputs and no StoreJob took them
// over, they are dropped now.
struct Reply {
  ReplyToken token = 0;
  std::uint32_t code = 200;
  std::optional<Error> failure;
  std::uint32_t retry_after_ms = 0;  // with 429 and 503
  JobId job;                         // "" where the request was not about a job
};

// To the events socket, topic "job.<id>", "slot.<name>" or "circuit.<name>". Advisory: may be lost.
struct Publish {
  std::string topic;
  std::string what;  // "job", "partition", "stage", "slot", "circuit"
  JobId job;
  std::uint32_t partition = 0;
  std::string slot;
  std::string state;
  std::string text;
};

// A line of `groth16ctl logs JOB` (or of the daemon's own log where job is ""), stamped by the shell.
struct LogLine {
  JobId job;
  std::uint32_t level = 6;  // syslog priority
  std::string slot;         // "": the supervisor
  std::string text;
};

// ------------------------------------------------------------------ journal and spool

// Spool the inputs of request `token` as (job, partition), sync, then journal RECEIVED. Answer: JobStored or
// JobStoreFailed.
struct StoreJob {
  ReplyToken token = 0;
  JobRecord record;
};
// Journal a job's state: final, or received again after a kick. Answer: JobStateStored or JobStateStoreFailed.
struct StoreJobState {
  JobId job;
  JobState state = JobState::done;
  std::optional<Error> failure;
  std::string key_digest, vk_digest, curve;  // with done
};
// Journal one partition's verified proof. Answer: ResultStored or ResultStoreFailed (then it is asked again later).
struct StoreResult {
  JobId job;
  std::uint32_t partition = 0;
  Proof proof;
};
// Remove a job's journal rows and spool files. Answer: JobDeleted or JobDeleteFailed.
struct DeleteJob {
  JobId job;
};
// Answer: CircuitStored or CircuitStoreFailed.
struct StoreCircuit {
  CircuitName circuit;
  CircuitSource source;
};
// A registered circuit became resident: have the service manager keep its segments beyond this process, and journal
// from which files they were made, so that a next supervisor knows them. Not answered: without it a start takes longer.
struct KeepResident {
  CircuitName circuit;
  SegmentRef key, r1cs;
  std::string key_digest, r1cs_digest;
};
// Answer: CircuitDeleted or CircuitDeleteFailed.
struct DeleteCircuit {
  CircuitName circuit;
};

// ------------------------------------------------------------------ segments

struct SegmentSpec {
  SegmentRef segment;
  BufferKind kind = BufferKind::input;
  std::uint64_t payload_bytes = 0;
  std::uint64_t total_bytes = 0;  // segment_bytes(payload_bytes): the memfd's size
  Work work;                      // for the header
  std::string content;            // key, r1cs: SHA-256 of the file that it will be made from; for the header
  bool fill_from_spool = false;   // copy the spooled input (work.job, work.partition) into the payload, then seal
};
// Make these memfds, all or none, with posix_fallocate before anything is written. Answer: SegmentsAllocated or
// AllocationFailed.
struct AllocateSegments {
  RequestId request = 0;
  std::vector<SegmentSpec> segments;
};

struct FileSpec {
  SegmentRef segment;  // the name under which it will be leased
  std::string path;    // inside a configured root; "" with spooled
  bool spooled = false;
  JobId job;  // with spooled: the input (job, partition)
  std::uint32_t partition = 0;
};
// Open these files read-only, all or none, and keep them until FreeSegment. Answer: FilesOpened or FilesRefused.
struct OpenFiles {
  RequestId request = 0;
  std::vector<FileSpec> files;
};
// Add F_SEAL_WRITE. Its writer has released it. Answer: SegmentSealed or SealRefused.
struct SealSegment {
  SegmentRef segment;
};
// Every lessee released it or is dead: close it. Answer: SegmentFreed. Given for segments and for opened files.
struct FreeSegment {
  SegmentRef segment;
  bool stays_kept = false;  // the service manager keeps what KeepResident gave it: the next supervisor wants it
};

enum class LeaseMode { read_only, writable };
// Send the descriptor over the slot's lifeline. A read_only descriptor refuses writable mappings.
struct Lease {
  SlotId slot;
  Epoch epoch = 0;
  SegmentRef segment;
  LeaseMode mode = LeaseMode::read_only;
};

// ------------------------------------------------------------------ workers

// fork + exec the role's program. Answer: Spawned or SpawnFailed; after Spawned, one ExitObserved some day.
struct SpawnSlot {
  SlotId slot;
  Epoch epoch = 0;
  std::uint32_t threads = 1;
};
struct Welcome {  // answers a worker's HELLO
  SlotId slot;
  Epoch epoch = 0;
  std::uint32_t heartbeat_ms = 0;
  std::uint32_t threads = 1;
};

struct AssignInspectCircuit {
  SegmentRef key_file, r1cs_file;  // r1cs_file {}: not registered
  std::string key_name, r1cs_name;
  bool allow_insecure = false;
};
struct AssignInspectInput {
  SegmentRef input_file;
  std::string input_name, declared_public_json;
  std::string curve;
  std::uint64_t n_vars = 0, n_public = 0;
  std::uint32_t n_partitions = 1;  // of the job
};
struct AssignLoad {
  SegmentRef key_file, r1cs_file;
  std::string key_name, r1cs_name;
  bool allow_insecure = false;
  std::string key_digest, r1cs_digest;
  SegmentRef key, r1cs;  // writable; r1cs {}: none
};
// Check that resident segments of an earlier supervisor still hold what was written. Answered like AssignLoad.
struct AssignAdopt {
  SegmentRef key, r1cs;  // r1cs {}: none
  std::string key_name, r1cs_name;
  bool allow_insecure = false;
  std::string key_digest, r1cs_digest;
};
struct AssignSynth {
  SegmentRef input;
  std::string input_name;
  SegmentRef r1cs;         // {}: none
  SegmentRef witness, ab;  // writable
};
struct AssignProve {
  SegmentRef key, r1cs, witness, ab;
  bool ab_is_fresh = true;  // false: evaluate a and b again from the witness
  BG2 b_g2 = BG2::cpu;      // what a card has to hold: not B2's points, B2's points, or these if they fit
  bool with_b2 = false;     // of a card that holds them: B2 with the other sums
};
struct AssignB2 {
  SegmentRef key, r1cs, witness;
};
struct AssignAssemble {
  SegmentRef key, r1cs, witness;
  std::string sums, b2, statement;
};
using Assignment = std::variant<AssignInspectCircuit, AssignInspectInput, AssignLoad, AssignSynth, AssignProve,
                                AssignB2, AssignAssemble, AssignAdopt>;
// Every lease it names was sent before, now or for an earlier assignment. The worker answers with the stage's result,
// AssignmentCancelled or AssignmentFailed, with RELEASED for every lease except key and r1cs, which it keeps until
// EvictLease, and then with READY.
struct Assign {
  SlotId slot;
  Epoch epoch = 0;
  AssignmentId assignment = 0;
  Work work;
  Assignment what;
  std::optional<std::uint64_t> private_bytes = {};  // that it may take for itself; none: not known before it has run
};
struct CancelAssignment {
  SlotId slot;
  Epoch epoch = 0;
  AssignmentId assignment = 0;
};
struct EvictLease {  // give back a kept key or r1cs; answered by RELEASED
  SlotId slot;
  Epoch epoch = 0;
  SegmentRef segment;
};
struct DrainWorker {  // finish, BYE, exit 0
  SlotId slot;
  Epoch epoch = 0;
};
enum class KillSignal { abort, kill };
struct Kill {
  SlotId slot;
  Epoch epoch = 0;
  KillSignal signal = KillSignal::kill;
  std::string reason;  // for the log
};

// Nothing is left: no child, no segment. Leave the event loop and end the process with this code.
struct Exit {
  int code = 0;
};

using Action = std::variant<Reply, Publish, LogLine, StoreJob, StoreJobState, StoreResult, DeleteJob, StoreCircuit,
                            KeepResident, DeleteCircuit, AllocateSegments, OpenFiles, SealSegment, FreeSegment, Lease,
                            SpawnSlot, Welcome, Assign, CancelAssignment, EvictLease, DrainWorker, Kill, Exit>;

}  // namespace groth16d::supervisor
