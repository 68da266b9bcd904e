// The state behind Core and its transitions, split by topic into core_*.cpp. Private to supervisor/core.
//
// Shape of every transition: on(event) fences the event, changes the one object it is about, and returns; then
// advance() lets everything that became possible happen: admission, assignments, evictions, the next step of a drain.
// So no handler needs to know who was waiting.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>

#include "supervisor/budget/admission_line.hpp"
#include "supervisor/budget/budget.hpp"
#include "supervisor/core/action.hpp"
#include "supervisor/core/circuit.hpp"
#include "supervisor/core/config.hpp"
#include "supervisor/core/event.hpp"
#include "supervisor/core/job.hpp"
#include "supervisor/core/mutation.hpp"
#include "supervisor/core/ready_line.hpp"
#include "supervisor/core/segment_table.hpp"
#include "supervisor/core/slot.hpp"
#include "supervisor/core/subject.hpp"
#include "supervisor/core/timers.hpp"
#include "supervisor/core/view.hpp"
#include "supervisor/restart/blame.hpp"

namespace groth16d::supervisor {

class Machine {
 public:
  explicit Machine(const CoreConfig& config);
  std::vector<Action> on(const Event& event, TimePoint now);
  std::optional<TimePoint> next_timer() const { return timers_.next(); }

  // core_view.cpp
  DaemonView daemon() const;
  static PartitionView partition_view(const Partition& partition);
  JobView job_view(const Job& job, TimePoint now, bool with_timeline) const;
  std::optional<JobView> job(const JobId& id, TimePoint now) const;
  std::vector<JobView> jobs(const JobFilter& filter, TimePoint now) const;
  Tally tally(std::size_t most_in_flight) const;
  std::optional<ResultView> result(const JobId& id) const;
  std::vector<CircuitView> circuits() const;
  std::vector<WorkerView> workers() const;
  WorkerView worker_view(const Slot& slot) const;

  // core_subject.cpp
  Subject subject(const Event& event) const;

  // core_invariants.cpp
  std::vector<std::string> check_invariants() const;

 private:
  enum class Drain { none, orderly, fast };

  // core.cpp: dispatch, and the small words that every topic uses
  void advance();
  void act(Action action) { actions_.push_back(std::move(action)); }
  void stale() { ++stale_events_; }
  void log(const Job* job, std::uint32_t level, std::string slot, std::string text);
  void reply(ReplyToken token, std::uint32_t code, std::optional<Error> failure = std::nullopt, const JobId& job = {},
             std::uint32_t retry_after_ms = 0);
  void reply_error(ReplyToken token, Error error, const JobId& job = {});
  void handle(const TimerExpired&);
  void ring(TimerKey key);

  // core_config.cpp
  void handle(const ConfigRequested&);

  // core_start.cpp: recovery
  void handle(const Recovered&);
  void recover_circuit(const Recovered::Circuit& recovered);
  void recover_job(const Recovered::Job& recovered);

  // core_client.cpp: requests and the journal's answers about jobs
  void handle(const SubmitRequested&);
  void handle(const CancelRequested&);
  void handle(const CloseRequested&);
  void handle(const KickRequested&);
  void handle(const JobStored&);
  void handle(const JobStoreFailed&);
  void handle(const JobStateStored&);
  void handle(const JobStateStoreFailed&);
  void handle(const JobDeleted&);
  void handle(const JobDeleteFailed&);
  std::optional<Error> refuse_submit(const SubmitRequested& request, Circuit*& circuit);
  Circuit* circuit_of_path(const SubmitRequested& request);
  Job& create_job(JobRecord record, Circuit* circuit);
  void hold_circuit(Job& job, Circuit& circuit);
  Circuit& let_go_of_circuit(Job& job);
  std::optional<Error> over_quota(const std::string& client) const;
  Job* find_job(const JobId& id);
  void start_job(Job& job);
  void end_job(Job& job, JobState state, Error error);
  void maybe_complete(Job& job);
  void quarantine(Job& job, const Partition& partition);
  void store_state(Job& job, JobState state);
  void finish_job(Job& job, JobState state);
  void erase_job(Job& job);
  JobState state_of(const Job& job) const;
  void touch(Job& job) { touched_.push_back(job.uid); }
  void publish_touched();

  // core_circuit.cpp
  void handle(const CircuitAddRequested&);
  void handle(const CircuitRemoveRequested&);
  void handle(const CircuitStored&);
  void handle(const CircuitStoreFailed&);
  void handle(const CircuitDeleted&);
  void handle(const CircuitDeleteFailed&);
  void handle(const CircuitInspected&);
  void handle(const CircuitLoaded&);
  Circuit& create_circuit(CircuitName name, CircuitSource source, bool by_path);
  void open_circuit_files(Circuit& circuit, CircuitPhase phase);
  void circuit_files_opened(Circuit& circuit);
  void circuit_allocated(Circuit& circuit);
  void circuit_request_failed(Circuit& circuit, const Error& error, bool allocation);
  Charge load_charge(const Circuit& circuit) const;
  bool begin_load(Circuit& circuit, bool critical);
  void retreat(Circuit& circuit, AfterRetreat after);
  void settle(Circuit& circuit);
  void fail_circuit(Circuit& circuit, Error error);
  void circuit_task_lost(Circuit& circuit, SlotId slot, Death death);
  void circuit_known(Circuit& circuit);
  void circuit_resident(Circuit& circuit);
  void forget_if_unused(Circuit& circuit);
  void unpark(Circuit& circuit);
  void publish(const Circuit& circuit);
  CircuitState state_of(const Circuit& circuit) const;

  void begin_intakes(Circuit& circuit);

  // core_adopt.cpp
  void adopt(Circuit& circuit, const Recovered::Circuit& entry);
  void assign_adopt(Slot& slot, Circuit& circuit);
  void adopted(Circuit& circuit, const CircuitFacts& facts);
  void adoption_failed(Circuit& circuit, const std::string& why);

  // core_admission.cpp: memory for partitions and keys
  void admit();
  bool admit_head(const AdmissionLine<Partition>::Candidate& head);
  bool admit_reserved_share();
  PrivateNeeds private_needs(const Circuit& circuit) const;
  void observe_peak(const Slot& slot, AssignmentId assignment, std::uint64_t peak_bytes, bool complete);
  std::uint64_t ab_bytes(const Circuit& circuit) const;
  Charge partition_charge(const Circuit& circuit, std::uint64_t input_bytes) const;
  std::optional<Error> never_fits(const Circuit& circuit, std::uint64_t input_bytes, Priority priority) const;
  Millis memory_pause(std::uint32_t failures) const;
  void make_room(std::uint64_t bytes, bool critical, const Circuit* except);
  void wait_for_memory(std::uint64_t bytes, bool critical, const Circuit* except);
  void load_wanted();
  void enqueue(Partition& partition);
  void leave_lines(Partition& partition);
  void start_partition(Partition& partition);
  AdmissionLine<Partition>::Place place_of(const Partition& partition) const;

  // core_partition.cpp: the life of one partition
  void handle(const InputInspected&);
  void handle(const WitnessSealed&);
  void handle(const ProveDone&);
  void handle(const B2Done&);
  void handle(const AssembleDone&);
  void handle(const AssignmentCancelled&);
  void handle(const AssignmentFailed&);
  void handle(const ResultStored&);
  void handle(const ResultStoreFailed&);
  void begin_intake(Partition& partition);
  void open_inputs();
  void partition_files_opened(Partition& partition);
  void partition_allocated(Partition& partition);
  void partition_request_failed(Partition& partition, const Error& error, bool allocation);
  void witness_sealed(Partition& partition);
  void try_seal(Partition& partition);
  void open_tracks(Partition& partition);
  Partition* end_track(const WorkerToken& from, std::uint64_t private_peak_bytes, Stage stage, Track Partition::*track,
                       SlotId Partition::*by, Millis loading = Millis{0});
  void take_card_b2(Partition& partition, std::string point);
  void try_assemble(Partition& partition);
  void verification_failed(Partition& partition, const Error& error);
  void retry_stage(Partition& partition, Stage stage);
  void retreat(Partition& partition, Phase after);
  void stop(Partition& partition);
  void settle(Partition& partition);
  void give_back(Partition& partition);
  void leave_budget(Partition& partition);
  void shrink_private(const Partition& partition, std::uint64_t keep_bytes);
  void partition_task_lost(Partition& partition, Stage stage, SlotId slot, Death death);
  void record_fault(Partition& partition, SlotId slot);
  void await_card(Partition& partition, Stage stage, SlotId slot, const Error& error);
  void store_result(Partition& partition);

  // core_b2.cpp: who sums b_g2_msm
  bool b2_is_the_cards(const Partition& partition) const;
  bool card_is_sooner(const Circuit& circuit) const;
  void open_b2(Partition& partition);
  void b2_to_finalizers(Partition& partition);
  void note_b2_time(const Slot& slot, const Task& task, Millis loading);
  void forget_b2_refusals(SlotId slot);
  void forget_b2_times();

  // core_segment.cpp: requests to the allocator, leases, freeing
  void handle(const SegmentsAllocated&);
  void handle(const AllocationFailed&);
  void handle(const FilesOpened&);
  void handle(const FilesRefused&);
  void handle(const SegmentSealed&);
  void handle(const SealRefused&);
  void handle(const SegmentFreed&);
  void handle(const WorkerReleased&);
  void resident_sealed(Circuit& circuit);
  struct Request {
    AccountId owner;
    std::vector<SegmentRef> refs;
    bool files;
  };
  SegmentRef new_file(AccountId owner);
  RequestId ask_segments(AccountId owner, const std::vector<SegmentRef>& refs, const Work& work);
  std::string content_of(const Segment& segment);
  RequestId ask_files(AccountId owner, std::vector<FileSpec> files);
  std::optional<Request> take_request(RequestId id, bool files);
  void request_granted(RequestId id, bool files);
  void request_denied(RequestId id, bool files, const Error& error);
  void reclaim_writer(Slot& liar, AccountId owner);
  std::array<SegmentRef, 4> refs_of(AccountId owner) const;
  void lease(Slot& slot, SegmentRef ref, LeaseMode mode, AssignmentId assignment);
  void drop_lease(Slot& slot, SegmentRef ref);
  void doom(SegmentRef ref);
  void free_if_unleased(Segment& segment);
  void forget_segment(SegmentRef ref);
  void owner_changed(AccountId owner);
  bool unleased(SegmentRef ref) const;
  Partition* partition_of(AccountId owner);
  Circuit* circuit_of(AccountId owner);

  // core_dispatch.cpp: work to slots
  void dispatch();
  void dispatch_load(Slot& slot);
  Circuit* take_circuit_to_load(Role role);
  void assign_load(Slot& slot, Circuit& circuit);
  void dispatch_synth(Slot& slot);
  void dispatch_prove(Slot& slot);
  void dispatch_final(Slot& slot);
  bool may_take(const Slot& slot, const Partition& partition, Stage stage) const;
  Task& assign(Slot& slot, Stage stage, const Work& work, std::uint64_t private_bytes,
               const std::vector<std::pair<SegmentRef, LeaseMode>>& leases, Assignment what);
  Task& assign_partition(Slot& slot, Partition& partition, Stage stage,
                         const std::vector<std::pair<SegmentRef, LeaseMode>>& leases, Assignment what);
  Task& assign_circuit(Slot& slot, Circuit& circuit, Stage stage,
                       const std::vector<std::pair<SegmentRef, LeaseMode>>& leases, Assignment what);
  void cancel_tasks(Partition& partition);
  void cancel_tasks(Circuit& circuit);

  // core_worker.cpp: processes
  void handle(const WorkerRequested&);
  void handle(const Spawned&);
  void handle(const SpawnFailed&);
  void handle(const ExitObserved&);
  void handle(const WorkerHello&);
  void handle(const WorkerReady&);
  void handle(const WorkerHeartbeat&);
  void handle(const WorkerLog&);
  void handle(const WorkerBye&);
  Slot* find_slot(SlotId id);
  const Slot* find_slot(SlotId id) const;
  Slot* believe(const WorkerToken& from);                    // nullptr: stale
  Slot* believe_task(const WorkerToken& from, Stage stage);  // the task must be there
  bool is_current(const Slot& slot, Epoch epoch) const;
  Task* find_task(Slot& slot, AssignmentId id);
  void end_task(Slot& slot, AssignmentId id, const std::string& outcome);
  void spawn(Slot& slot);
  void condemn(Slot& slot, Death verdict, KillSignal signal, const std::string& reason);
  void slot_timer(Slot& slot);
  bool owes_leases(const Slot& slot) const;
  void arm(Slot& slot);
  void ask_to_drain(Slot& slot);
  Death classify(const Slot& slot, const ExitObserved& exit) const;
  void after_death(Slot& slot, Death death, std::uint64_t culprit);
  void fail_slot(Slot& slot, const std::string& reason);
  void fail_if_always_lost(Slot& slot, const Partition& partition);
  void succeed(SlotId slot);
  void blame_slots();
  void publish(const Slot& slot);
  void strike_deaths(SlotId slot);
  bool role_usable(Stage stage) const;
  bool has_usable_card() const;
  static bool serves(Role role, Stage stage);

  // core_drain.cpp
  void handle(const DrainRequested&);
  void begin_fast_drain();
  void advance_drain();
  bool keeps_running(const Partition& partition) const;

  Subject daemon_subject() const;
  Subject job_subject(const JobId& id) const;
  Subject slot_subject(SlotId id, Epoch epoch, AssignmentId assignment) const;
  Subject owner_subject(std::optional<AccountId> owner) const;

  void check_accounts(std::vector<std::string>& found) const;
  void check_segments(std::vector<std::string>& found) const;
  void check_partitions(std::vector<std::string>& found) const;
  void check_lines(std::vector<std::string>& found) const;
  void check_slots(std::vector<std::string>& found) const;
  void check_clients(std::vector<std::string>& found) const;

  CoreConfig config_;
  TimePoint now_{};
  std::vector<Action> actions_;
  bool recovered_ = false;
  bool exited_ = false;
  Drain drain_ = Drain::none;

  Budget budget_;
  SegmentTable segments_;
  Timers timers_;
  SplitMix64 jitter_;
  BlameMatrix blame_;

  std::deque<Slot> slots_;
  std::map<std::uint64_t, Job> jobs_;  // by uid: in order of acceptance
  std::unordered_map<JobId, std::uint64_t> job_uids_;
  std::unordered_map<std::uint64_t, Partition*> partitions_;
  std::map<std::uint64_t, Circuit> circuits_;
  std::map<CircuitName, std::uint64_t> circuit_uids_;
  std::unordered_map<RequestId, Request> requests_;

  AdmissionLine<Partition> admission_;
  ReadyLine<Partition> intake_line_, inspect_line_, synth_line_, prove_line_, b2_line_, assemble_line_;
  std::deque<Circuit*> inspect_circuits_, load_circuits_;

  std::uint64_t next_uid_ = 1;
  std::uint64_t next_admission_ = 1;
  struct Admitted {
    std::uint64_t job = 0;
    std::uint32_t partition = 0;
    std::uint64_t admission = 0;
  };
  std::array<Admitted, kPriorities> last_admitted_{};  // of each class, for I12
  AssignmentId next_assignment_ = 1;
  RequestId next_request_ = 1;
  std::uint32_t unfinished_jobs_ = 0;
  std::map<std::string, std::uint32_t> unfinished_jobs_of_;  // by client; none with 0
  std::uint32_t in_flight_ = 0;
  std::uint32_t intake_files_ = 0;    // spooled inputs that are open
  std::uint32_t journal_writes_ = 0;  // asked and not answered
  std::vector<std::uint64_t> touched_;
  std::vector<std::string> violations_;  // found on the way
  std::string memory_wait_;              // what the head of the line waits for
  std::uint64_t memory_wait_bytes_ = 0;  // and how much it needs; only with memory_wait_

  std::uint64_t jobs_done_ = 0, jobs_failed_ = 0, syntheses_ = 0, stale_events_ = 0, private_overruns_ = 0;
};

}  // namespace groth16d::supervisor
