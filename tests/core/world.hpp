// A shell, a journal, an allocator and worker processes that exist in memory and in virtual time only, around a real
// Core.
//
// The world obeys action.hpp and keeps its own books: which bytes exist, who maps them, which processes live. So it can
// contradict the core: memory beyond the budget, a lease of a segment that is gone, a task without its leases, a reply
// before its commit. Whatever it finds, and what check_invariants() says after every event, is collected in faults().
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "supervisor/core/core.hpp"
#include "tests/core/coverage.hpp"

namespace groth16d::supervisor::test {

// What a worker does with one assignment.
struct Behaviour {
  enum class End {
    done,
    crash,    // signal 11
    killed,   // an operator's signal 9
    oom,      // signal 9, oom counter moved
    exits,    // exit_code
    fails,    // FAILED{error, retryable, blame}
    freezes,  // SIGSTOP: no message any more
    hangs,    // heartbeats without progress
  };
  End end = End::done;
  Millis duration{10};
  std::uint64_t private_permille = 1'000;  // of what the circuit's formula says
  int exit_code = 70;
  Error error{ErrorCode::internal, "test.failed", "a scripted failure"};
  bool retryable = false;
  Blame blame = Blame::unknown;
  bool ignores_cancel = false;
  bool keeps_leases = false;     // never RELEASED
  bool lies_about_seal = false;  // keeps a writable mapping of what it sealed
  bool no_room_for_b2 = false;   // a card, where it may say so
  Millis loading{0};             // of the duration
};

CircuitFacts small_circuit();
Stage stage_of(const Assignment& what);

class World {
 public:
  explicit World(const CoreConfig& config);
  World(const World&) = delete;  // its agenda points into it
  World& operator=(const World&) = delete;

  // How things go; all of them have an obedient default.
  std::function<Behaviour(const Assign&)> script;
  std::function<CircuitFacts(const std::string& key_path)> facts;
  std::function<bool()> allocation_fails, journal_fails, spawn_fails;
  std::function<Millis()> latency;  // of everything that takes time
  std::function<bool()> repeats;    // a message is sent twice
  std::function<bool()> worker_is_slow_to_die;
  std::function<bool()> descriptors_are_lost;  // by the service manager, of one circuit, between two lives

  // Starts (or restarts, after Exit or crash()) the core from the journal.
  void start();
  // The supervisor is killed: processes and segments die with it, the journal stays.
  void crash();

  void pass(const Event& event);  // now
  void later(Millis delay, std::function<void()> happening);
  bool step();  // the next happening; false: none
  bool run_until(const std::function<bool()>& reached, Millis at_most = Millis{600'000});
  void run_for(Millis duration);

  // Client verbs; the returned code is that of the reply when it came, looked up by token. Jobs whose names begin with
  // the same letter are one client's.
  static std::string client_of(const JobId& job);
  ReplyToken submit(const JobId& job, std::size_t partitions = 1, const CircuitName& circuit = "c",
                    Priority priority = Priority::normal, std::uint64_t deadline_ms = 0);
  ReplyToken add_circuit(const CircuitName& name);
  ReplyToken reload(const CoreConfig& config);
  template <class Request>
  ReplyToken ask(Request request) {
    request.token = ++last_token_;
    const ReplyToken token = last_token_;
    pass(Event{std::move(request)});
    return token;
  }
  std::uint32_t code(ReplyToken token) const;  // 0: no reply yet
  std::optional<Error> reply_error(ReplyToken token) const;
  ReplyToken fresh_token() { return ++last_token_; }

  std::optional<JobState> state(const JobId& job) const;
  bool all_final() const;
  void kill(SlotId slot, int signal = 9);  // an operator
  WorkerView worker(SlotId slot) const;

  Core& core() { return *core_; }
  const Core& core() const { return *core_; }
  TimePoint now() const { return now_; }
  bool exited() const { return exited_; }
  int live_processes() const;
  std::uint64_t physical_bytes() const { return segment_bytes_; }
  std::uint64_t peak_bytes() const { return peak_bytes_; }
  std::uint64_t events() const { return events_; }
  const std::vector<std::string>& faults() const { return faults_; }
  const std::vector<Assign>& assigned() const { return assigned_; }
  std::size_t count_assigned(Stage stage) const;
  const std::set<JobId>& accepted() const { return accepted_; }
  bool tracing = false;  // prints every event and action
  bool quiet = false;    // prints no fault when it happens
  bool checking = true;  // the invariants, after every event
  Coverage* coverage = nullptr;

  struct Journalled {
    JobRecord record;
    JobState state = JobState::received;
    std::vector<std::optional<Proof>> proofs;
    std::optional<Error> failure;
    std::string key_digest, vk_digest, curve;
  };
  const std::map<JobId, Journalled>& journal() const { return journal_; }

 private:
  struct Memory {
    std::optional<BufferKind> kind;
    Work work;
    std::uint64_t bytes = 0;
    bool sealed = false;
    std::set<std::pair<SlotId, Epoch>> readers, writers;  // who holds its descriptor
  };
  struct Process {
    SlotId slot;
    Epoch epoch = 0;
    std::uint32_t pid = 0;
    bool alive = true;
    bool frozen = false;
    std::set<SegmentRef> leases;
    std::set<SegmentRef> clings;     // still mapped for writing, after it said RELEASED
    std::set<SegmentRef> evictions;  // asked while its task uses them; kept until then
    std::optional<Assign> task;
    Behaviour behaviour;
    std::uint64_t beats = 0;
    std::uint64_t private_bytes = 0;   // beyond resting
    std::uint64_t promised_bytes = 0;  // of them, for which the core had room when the work was admitted
    TimePoint sent_until{};            // messages of one worker keep their order
    std::uint64_t task_serial = 0;
  };
  using Key = std::pair<SlotId, Epoch>;

  void carry_out(const Action& action);
  void act(const Reply&);
  void act(const Publish&) {}
  void act(const LogLine&) {}
  void act(const StoreJob&);
  void act(const StoreJobState&);
  void act(const StoreResult&);
  void act(const DeleteJob&);
  void act(const StoreCircuit&);
  void act(const KeepResident&);
  void act(const DeleteCircuit&);
  void act(const AllocateSegments&);
  void act(const OpenFiles&);
  void act(const SealSegment&);
  void act(const FreeSegment&);
  void act(const Lease&);
  void act(const SpawnSlot&);
  void act(const Welcome&);
  void act(const Assign&);
  void act(const CancelAssignment&);
  void act(const EvictLease&);
  void act(const DrainWorker&);
  void act(const Kill&);
  void act(const Exit&);

  std::optional<Recovered::Resident> hand_back(const CircuitName& circuit);
  Process* process(SlotId slot, Epoch epoch);
  void send(Process& process, Event event);
  void answer(Event event);
  void begin(Process& process);
  void finish(Process& process);
  void end_task(Process& process, bool release);
  void give_back(Process& process, SegmentRef segment);
  void beat(SlotId slot, Epoch epoch);
  void die(Process& process, std::optional<int> exit_code, int signal, bool oom);
  void fault(std::string text);
  void trace(const std::string& line) const;
  void measure();
  CircuitName circuit_of(const std::string& job) const;
  void note_promise(const Work& work);
  bool has_usable_card() const;
  std::uint64_t private_bytes_of(const Assign& assign) const;
  std::uint64_t peak_of(const Process& process) const;

  CoreConfig config_;
  std::optional<Core> core_;
  TimePoint now_{Millis{1'000'000}};
  std::multimap<TimePoint, std::function<void()>> agenda_;
  std::uint64_t life_ = 0;  // of the supervisor: what was on the way to a dead one is lost
  bool exited_ = false;
  bool draining_ = false;

  std::map<SegmentRef, Memory> memory_;
  std::map<Key, Process> processes_;
  std::map<JobId, Journalled> journal_;
  std::map<CircuitName, CircuitSource> circuits_;
  std::map<CircuitName, Recovered::Resident> residents_;  // as the journal knows them
  std::map<SegmentRef, std::uint64_t> store_;             // the service manager's: bytes of what it keeps
  std::map<ReplyToken, Reply> replies_;
  std::map<ReplyToken, CoreConfig> reloads_;  // asked
  std::map<ReplyToken, JobId> submitted_;
  std::set<JobId> accepted_;
  std::map<std::string, std::uint32_t> attempts_;
  std::map<std::string, std::array<std::uint64_t, kStages>> promises_;  // private bytes, by admitted work
  std::set<std::string> b2_on_cards_;                                   // admitted work whose B2 no finalizer sums
  std::set<std::pair<JobId, std::uint32_t>> synthesised_;               // partitions whose witness is good in this life
  ReplyToken last_token_ = 0;
  std::uint32_t last_pid_ = 100;
  std::uint64_t segment_bytes_ = 0, peak_bytes_ = 0, events_ = 0;
  std::vector<std::string> faults_;
  std::vector<Assign> assigned_;
};

}  // namespace groth16d::supervisor::test
