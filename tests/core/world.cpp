#include "tests/core/world.hpp"

#include <algorithm>
#include <cstdio>

#include "tests/core/trace.hpp"

namespace groth16d::supervisor::test {
namespace {

Stage stage_of(const Assignment& what) {
  constexpr std::array<Stage, 8> kStageOf = {Stage::inspect, Stage::inspect, Stage::load,     Stage::synth,
                                             Stage::prove,   Stage::b2,      Stage::assemble, Stage::load};
  return kStageOf[what.index()];
}

std::vector<std::pair<SegmentRef, bool>> named_by(const Assignment& what, Role role) {
  std::vector<std::pair<SegmentRef, bool>> refs;  // ref, writable
  const auto add = [&](SegmentRef ref, bool writable) {
    if (ref) refs.emplace_back(ref, writable);
  };
  std::visit(
      [&](const auto& a) {
        using T = std::decay_t<decltype(a)>;
        if constexpr (requires { a.key_file; }) {
          add(a.key_file, false);
          add(a.r1cs_file, false);
        }
        if constexpr (requires { a.input_file; }) add(a.input_file, false);
        if constexpr (requires { a.input; }) add(a.input, false);
        constexpr bool load = std::is_same_v<T, AssignLoad>;
        constexpr bool synth = std::is_same_v<T, AssignSynth>;
        if constexpr (requires { a.key; }) add(a.key, load);
        if constexpr (requires { a.r1cs; }) add(a.r1cs, load);
        if constexpr (requires { a.witness; }) add(a.witness, synth);
        if constexpr (requires { a.ab; }) add(a.ab, synth || role == Role::cpu);
      },
      what);
  return refs;
}

std::string name_of(const Work& work) { return work.job + "/" + std::to_string(work.partition); }

}  // namespace

CircuitFacts small_circuit() {
  CircuitFacts facts;
  facts.curve = "bn128";
  facts.n_vars = 100;
  facts.n_public = 2;
  facts.n_constraints = 90;
  facts.domain_log2 = 7;
  facts.key_digest = "key digest";
  facts.vk_digest = "vk digest";
  facts.key_bytes = 100'000;
  facts.r1cs_bytes = 20'000;
  facts.witness_bytes = 30'000;
  facts.ab_bytes = 60'000;
  facts.load_private_bytes = 10'000;
  facts.synth_private_bytes = 20'000;
  facts.prove_private_bytes = 30'000;
  facts.b2_private_bytes = 10'000;
  facts.assemble_private_bytes = 5'000;
  return facts;
}

World::World(const CoreConfig& config) : config_(config) {
  script = [](const Assign&) { return Behaviour{}; };
  facts = [](const std::string&) { return small_circuit(); };
  allocation_fails = journal_fails = spawn_fails = repeats = worker_is_slow_to_die =
      descriptors_are_lost = [] { return false; };
  latency = [] { return Millis{1}; };
}

// ------------------------------------------------------------------ time

void World::start() {
  ++life_;
  processes_.clear();
  config_.first_epoch += 1'000;
  auto core = Core::create(config_);
  if (!core) return fault("the configuration was refused: " + core.error().text);
  core_.emplace(std::move(*core));
  exited_ = draining_ = false;
  Recovered recovered;
  for (const auto& [name, source] : circuits_) recovered.circuits.push_back({name, source, "", "", hand_back(name)});
  store_.clear();
  for (const auto& circuit : recovered.circuits)
    if (circuit.resident)
      for (const SegmentRef ref : {circuit.resident->key, circuit.resident->r1cs})
        if (ref) store_[ref] = memory_.at(ref).bytes;
  for (const auto& [id, entry] : journal_)
    recovered.jobs.push_back(
        {entry.record, entry.state, entry.proofs, entry.failure, entry.key_digest, entry.vk_digest, entry.curve, 0});
  attempts_.clear();
  synthesised_.clear();
  promises_.clear();
  pass(recovered);
}

void World::crash() {
  ++life_;
  processes_.clear();
  memory_.clear();
  segment_bytes_ = 0;
  core_.reset();
}

// What the service manager still has of a circuit's segments, all or none; the rest it closes. What was lost once never
// comes back, whoever has its number later.
std::optional<Recovered::Resident> World::hand_back(const CircuitName& circuit) {
  const auto it = residents_.find(circuit);
  if (it == residents_.end()) return std::nullopt;
  const Recovered::Resident resident = it->second;
  const bool stored =
      (!resident.key || store_.contains(resident.key)) && (!resident.r1cs || store_.contains(resident.r1cs));
  if (!stored || descriptors_are_lost()) {
    residents_.erase(it);
    return std::nullopt;
  }
  for (const auto& [ref, kind] : {std::pair{resident.key, BufferKind::key}, {resident.r1cs, BufferKind::r1cs}}) {
    if (!ref) continue;
    memory_[ref] = Memory{kind, {}, store_.at(ref), true, {}, {}};
    segment_bytes_ += store_.at(ref);
  }
  return resident;
}

void World::later(Millis delay, std::function<void()> happening) {
  agenda_.emplace(now_ + delay, std::move(happening));
}

void World::answer(Event event) {
  later(latency(), [this, life = life_, event = std::move(event)] {
    if (life == life_) pass(event);
  });
}

bool World::step() {
  const auto timer = core_ && !exited_ ? core_->next_timer() : std::nullopt;
  if (!agenda_.empty() && (!timer || agenda_.begin()->first <= *timer)) {
    now_ = std::max(now_, agenda_.begin()->first);
    const auto happening = std::move(agenda_.begin()->second);
    agenda_.erase(agenda_.begin());
    happening();
    return true;
  }
  if (!timer) return false;
  now_ = std::max(now_, *timer);
  pass(TimerExpired{});
  return true;
}

bool World::run_until(const std::function<bool()>& reached, Millis at_most) {
  const TimePoint end = now_ + at_most;
  while (!reached()) {
    if (now_ >= end || !faults_.empty()) return false;
    if (!step()) return reached();
  }
  return true;
}

void World::run_for(Millis duration) {
  bool over = false;
  later(duration, [&over] { over = true; });
  run_until([&over] { return over; }, duration + Millis{1});
}

void World::pass(const Event& event) {
  if (!core_) return;
  ++events_;
  if (std::holds_alternative<DrainRequested>(event)) draining_ = true;
  if (tracing) trace(describe(event));
  if (coverage) coverage->count(core_->subject(event), event);
  const std::vector<Action> actions = core_->on(event, now_);
  if (checking)
    for (const std::string& violation : core_->check_invariants()) fault(violation);
  for (const Action& action : actions) carry_out(action);
  measure();
}

void World::carry_out(const Action& action) {
  if (tracing && !std::holds_alternative<Publish>(action)) trace("    " + describe(action));
  std::visit([this](const auto& a) { act(a); }, action);
}

void World::fault(std::string text) {
  if (faults_.size() >= 20) return;
  faults_.push_back("event " + std::to_string(events_) + ": " + std::move(text));
  if (!quiet) std::fprintf(stderr, "%s\n", faults_.back().c_str());
}

void World::trace(const std::string& line) const {
  std::printf("%6lld %s\n", static_cast<long long>(now_.time_since_epoch().count() - 1'000'000), line.c_str());
}

// What exists must fit what is promised, at every moment.
void World::measure() {
  std::uint64_t private_bytes = 0;
  for (const auto& [key, process] : processes_)
    if (process.alive)
      private_bytes += process.promised_bytes + segment_bytes(config_.role(process.slot.role).resting_bytes);
  peak_bytes_ = std::max(peak_bytes_, segment_bytes_ + private_bytes);
  if (segment_bytes_ + private_bytes > config_.budget_total_bytes)
    fault("W1: " + std::to_string(segment_bytes_) + " + " + std::to_string(private_bytes) +
          " bytes exist, the budget is " + std::to_string(config_.budget_total_bytes));
}

// ------------------------------------------------------------------ clients

ReplyToken World::submit(const JobId& job, std::size_t partitions, const CircuitName& circuit, Priority priority,
                         std::uint64_t deadline_ms) {
  SubmitRequested request;
  request.job = job;
  request.digest = "digest of " + job + std::to_string(partitions);
  request.circuit = circuit;
  for (std::size_t i = 0; i < partitions; ++i)
    request.partitions.push_back({"w" + std::to_string(i) + ".wtns", 10'000, ""});
  request.priority = priority;
  request.deadline_ms = deadline_ms;
  return ask(std::move(request));
}

ReplyToken World::add_circuit(const CircuitName& name) {
  return ask(CircuitAddRequested{0, name, {"/keys/" + name + ".zkey", "/keys/" + name + ".r1cs", false}});
}

ReplyToken World::reload(const CoreConfig& config) {
  const ReplyToken token = fresh_token();
  reloads_[token] = config;
  pass(ConfigRequested{token, config});
  return token;
}

std::uint32_t World::code(ReplyToken token) const {
  const auto it = replies_.find(token);
  return it == replies_.end() ? 0 : it->second.code;
}

std::optional<Error> World::reply_error(ReplyToken token) const {
  const auto it = replies_.find(token);
  return it == replies_.end() ? std::nullopt : it->second.failure;
}

std::optional<JobState> World::state(const JobId& job) const {
  const auto view = core_->job(job, now_);
  return view ? std::optional<JobState>(view->state) : std::nullopt;
}

bool World::all_final() const {
  return std::all_of(accepted_.begin(), accepted_.end(), [this](const JobId& job) {
    const auto entry = journal_.find(job);
    return entry == journal_.end() || is_final(entry->second.state);
  });
}

WorkerView World::worker(SlotId slot) const {
  for (const WorkerView& view : core_->workers())
    if (view.slot == slot) return view;
  return {};
}

int World::live_processes() const {
  return static_cast<int>(
      std::count_if(processes_.begin(), processes_.end(), [](const auto& p) { return p.second.alive; }));
}

std::size_t World::count_assigned(Stage stage) const {
  return static_cast<std::size_t>(std::count_if(assigned_.begin(), assigned_.end(),
                                                [stage](const Assign& a) { return stage_of(a.what) == stage; }));
}

void World::act(const Reply& reply) {
  if (replies_.contains(reply.token)) fault("W2: token " + std::to_string(reply.token) + " is answered twice");
  replies_[reply.token] = reply;
  if (const auto asked = reloads_.find(reply.token); asked != reloads_.end() && reply.code == 200)
    config_.budget_total_bytes = asked->second.budget_total_bytes;
  const bool accepts = reply.code == 202 && submitted_.contains(reply.token);
  if (!accepts) return;
  if (!journal_.contains(submitted_[reply.token])) fault("W3: a job is acknowledged before it is in the journal");
  accepted_.insert(submitted_[reply.token]);
}

// ------------------------------------------------------------------ journal

void World::act(const StoreJob& store) {
  submitted_[store.token] = store.record.job;
  later(latency(), [this, life = life_, store] {
    if (life != life_) return;
    if (journal_fails())
      return pass(JobStoreFailed{store.record.job, {ErrorCode::system, "journal.full", "disk full"}});
    if (journal_.contains(store.record.job)) fault("W19: two jobs are stored under the id " + store.record.job);
    Journalled entry{store.record, JobState::received, {}, std::nullopt, {}, {}, {}};
    entry.proofs.resize(store.record.partitions.size());
    journal_[store.record.job] = std::move(entry);
    pass(JobStored{store.record.job});
  });
}

void World::act(const StoreJobState& store) {
  later(latency(), [this, life = life_, store] {
    if (life != life_) return;
    if (journal_fails())
      return pass(JobStateStoreFailed{store.job, store.state, {ErrorCode::system, "journal.full", "disk full"}});
    Journalled& entry = journal_.at(store.job);
    entry.state = store.state;
    std::erase_if(synthesised_, [&](const auto& work) { return work.first == store.job; });
    entry.failure = store.failure;
    entry.key_digest = store.key_digest;
    entry.vk_digest = store.vk_digest;
    entry.curve = store.curve;
    if (store.state == JobState::done)
      for (const auto& proof : entry.proofs)
        if (!proof) fault("W4: job " + store.job + " is DONE without all of its proofs");
    pass(JobStateStored{store.job, store.state});
  });
}

void World::act(const StoreResult& store) {
  later(latency(), [this, life = life_, store] {
    if (life != life_) return;
    if (journal_fails())
      return pass(ResultStoreFailed{store.job, store.partition, {ErrorCode::system, "journal.full", "disk full"}});
    auto& proof = journal_.at(store.job).proofs.at(store.partition);
    if (proof) fault("W5: partition " + std::to_string(store.partition) + " of " + store.job + " has two results");
    proof = store.proof;
    pass(ResultStored{store.job, store.partition});
  });
}

void World::act(const DeleteJob& erase) {
  later(latency(), [this, life = life_, erase] {
    if (life != life_) return;
    if (journal_fails()) return pass(JobDeleteFailed{erase.job, {ErrorCode::system, "journal.full", "disk full"}});
    journal_.erase(erase.job);
    accepted_.erase(erase.job);
    std::erase_if(attempts_, [&](const auto& entry) { return entry.first.starts_with(erase.job + "/"); });
    pass(JobDeleted{erase.job});
  });
}

void World::act(const StoreCircuit& store) {
  later(latency(), [this, life = life_, store] {
    if (life != life_) return;
    if (journal_fails())
      return pass(CircuitStoreFailed{store.circuit, {ErrorCode::system, "journal.full", "disk full"}});
    circuits_[store.circuit] = store.source;
    residents_.erase(store.circuit);
    pass(CircuitStored{store.circuit});
  });
}

void World::act(const DeleteCircuit& erase) {
  later(latency(), [this, life = life_, erase] {
    if (life != life_) return;
    if (journal_fails())
      return pass(CircuitDeleteFailed{erase.circuit, {ErrorCode::system, "journal.full", "disk full"}});
    circuits_.erase(erase.circuit);
    residents_.erase(erase.circuit);
    std::erase_if(attempts_,
                  [&](const auto& entry) { return entry.first.starts_with("circuit." + erase.circuit + "/"); });
    pass(CircuitDeleted{erase.circuit});
  });
}

// ------------------------------------------------------------------ memory

void World::act(const KeepResident& keep) {
  Recovered::Resident resident{keep.key, keep.r1cs, facts("/keys/" + keep.circuit + ".zkey").key_bytes, 0};
  if (keep.r1cs) resident.r1cs_bytes = facts("/keys/" + keep.circuit + ".zkey").r1cs_bytes;
  for (const SegmentRef ref : {keep.key, keep.r1cs}) {
    if (!ref) continue;
    const auto it = memory_.find(ref);
    if (it == memory_.end() || !it->second.sealed) return fault("W21: what is kept is no sealed segment");
    store_[ref] = it->second.bytes;
  }
  if (circuits_.contains(keep.circuit)) residents_[keep.circuit] = resident;
}

void World::act(const AllocateSegments& ask) {
  if (ask.segments.front().kind != BufferKind::ab) note_promise(ask.segments.front().work);  // not for a second `ab`
  later(latency(), [this, life = life_, ask] {
    if (life != life_) return;
    if (allocation_fails())
      return pass(AllocationFailed{ask.request, {ErrorCode::system, "segment.no_space", "ENOSPC"}});
    for (const SegmentSpec& spec : ask.segments) {
      memory_[spec.segment] = Memory{spec.kind, spec.work, spec.total_bytes, spec.fill_from_spool, {}, {}};
      segment_bytes_ += spec.total_bytes;
    }
    pass(SegmentsAllocated{ask.request});
  });
}

void World::act(const OpenFiles& ask) {
  later(latency(), [this, life = life_, ask] {
    if (life != life_) return;
    for (const FileSpec& file : ask.files)
      if (file.path.find("missing") != std::string::npos)
        return pass(FilesRefused{ask.request, {ErrorCode::not_found, "file.missing", "no file " + file.path}});
    for (const FileSpec& file : ask.files) memory_[file.segment] = Memory{};
    pass(FilesOpened{ask.request});
  });
}

void World::act(const SealSegment& seal) {
  const auto it = memory_.find(seal.segment);
  if (it == memory_.end()) return fault("W6: a segment that does not exist is sealed");
  for (const auto& [slot, epoch] : it->second.writers) {
    Process* writer = process(slot, epoch);
    if (writer && writer->clings.contains(seal.segment)) return answer(SealRefused{seal.segment});
    fault("W7: a segment is sealed while " + to_string(slot) + " may write to it");
  }
  it->second.sealed = true;
  if (it->second.kind == BufferKind::witness) synthesised_.emplace(it->second.work.job, it->second.work.partition);
  answer(SegmentSealed{seal.segment});
}

void World::act(const FreeSegment& free) {
  const auto it = memory_.find(free.segment);
  if (it == memory_.end()) return fault("W8: a segment that does not exist is freed");
  if (!free.stays_kept) store_.erase(free.segment);
  if (free.stays_kept && !draining_) fault("W22: what was freed for its memory stays in the descriptor store");
  for (const auto* lessees : {&it->second.readers, &it->second.writers})
    for (const auto& [slot, epoch] : *lessees)
      if (const Process* p = process(slot, epoch); p && p->alive && !p->clings.contains(free.segment))
        fault("W9: a segment is freed while " + to_string(slot) + " maps it");
  later(latency(), [this, life = life_, ref = free.segment] {
    if (life != life_) return;
    segment_bytes_ -= memory_.at(ref).bytes;
    memory_.erase(ref);
    pass(SegmentFreed{ref});
  });
}

void World::act(const Lease& lease) {
  const auto it = memory_.find(lease.segment);
  if (it == memory_.end()) return fault("W10: a segment that does not exist is leased");
  Memory& memory = it->second;
  const bool writable = lease.mode == LeaseMode::writable;
  if (writable && memory.sealed) fault("W11: a sealed segment is leased for writing");
  if (!memory.writers.empty() || (writable && !memory.readers.empty()))
    fault("W12: a segment has a writer and somebody else");
  Process* p = process(lease.slot, lease.epoch);
  if (!p || !p->alive) return;
  if (!p->leases.insert(lease.segment).second) fault("W13: " + to_string(lease.slot) + " has this lease already");
  (writable ? memory.writers : memory.readers).emplace(lease.slot, lease.epoch);
}

// ------------------------------------------------------------------ workers

World::Process* World::process(SlotId slot, Epoch epoch) {
  const auto it = processes_.find({slot, epoch});
  return it == processes_.end() ? nullptr : &it->second;
}

void World::act(const SpawnSlot& spawn) {
  for (const auto& [key, process] : processes_)
    if (key.first == spawn.slot && process.alive) fault("W14: " + to_string(spawn.slot) + " gets a second process");
  if (spawn_fails()) return answer(SpawnFailed{spawn.slot, spawn.epoch, {ErrorCode::system, "spawn.fork", "EAGAIN"}});
  Process& p = processes_[{spawn.slot, spawn.epoch}];
  p.slot = spawn.slot;
  p.epoch = spawn.epoch;
  p.pid = ++last_pid_;
  later(Millis{0}, [this, life = life_, slot = spawn.slot, epoch = spawn.epoch, pid = p.pid] {
    if (life != life_) return;
    pass(Spawned{slot, epoch, pid});
    Process* born = process(slot, epoch);
    if (!born || !born->alive) return;
    send(*born, WorkerHello{{slot, epoch, 0}, pid, "test"});
  });
}

void World::act(const Welcome& welcome) {
  Process* p = process(welcome.slot, welcome.epoch);
  if (!p || !p->alive || p->frozen) return;
  send(*p, WorkerReady{{p->slot, p->epoch, 0}, 1});
  beat(p->slot, p->epoch);
}

void World::send(Process& p, Event event) {
  p.sent_until = std::max(p.sent_until, now_ + latency());
  const Millis delay = p.sent_until - now_;
  const int copies = repeats() ? 2 : 1;
  for (int i = 0; i < copies; ++i)
    later(delay, [this, life = life_, event] {
      if (life == life_) pass(event);
    });
}

void World::beat(SlotId slot, Epoch epoch) {
  later(config_.heartbeat, [this, life = life_, slot, epoch] {
    Process* p = life == life_ ? process(slot, epoch) : nullptr;
    if (!p || !p->alive || p->frozen) return;
    if (!p->task || p->behaviour.end != Behaviour::End::hangs) ++p->beats;
    send(*p, WorkerHeartbeat{{slot, epoch, p->task ? p->task->assignment : 0}, 500, p->beats, 1'000'000, 0});
    beat(slot, epoch);
  });
}

CircuitName World::circuit_of(const std::string& job) const {
  if (job.starts_with("circuit.")) return job.substr(8);
  const auto entry = journal_.find(job);
  return entry == journal_.end() ? CircuitName() : entry->second.record.circuit;
}

std::uint64_t World::private_bytes_of(const Assign& assign) const {
  if (std::holds_alternative<AssignAdopt>(assign.what)) return 0;
  const CircuitFacts f = facts("/keys/" + circuit_of(assign.work.job) + ".zkey");
  const std::array<std::uint64_t, kStages> bytes = {0,
                                                    f.load_private_bytes,
                                                    f.synth_private_bytes,
                                                    f.prove_private_bytes,
                                                    f.b2_private_bytes,
                                                    f.assemble_private_bytes};
  return bytes[static_cast<std::size_t>(stage_of(assign.what))];
}

// What the core says about a circuit when it admits work holds for that work, whatever is observed meanwhile.
void World::note_promise(const Work& work) {
  auto& promise = promises_[name_of(work)];
  for (const CircuitView& view : core_->circuits()) {
    if (view.circuit != circuit_of(work.job)) continue;
    for (const PrivateNeedView& need : view.needs) promise[static_cast<std::size_t>(need.stage)] = need.reserved_bytes;
  }
}

// As a worker measures it: all of its anonymous memory.
std::uint64_t World::peak_of(const Process& p) const {
  return config_.role(p.slot.role).resting_bytes + p.private_bytes;
}

void World::act(const Assign& assign) {
  assigned_.push_back(assign);
  const std::string work = assign.work.job + "/" + std::to_string(assign.work.partition) + "/" +
                           std::string(to_string(stage_of(assign.what)));
  const bool forgettable = work.starts_with("circuit.path:");  // the core forgets an unused circuit of a path
  if (assign.work.attempt <= attempts_[work] && !forgettable)
    fault("I9: attempt " + std::to_string(assign.work.attempt) + " of " + work + " is not new");
  attempts_[work] = assign.work.attempt;
  if (std::holds_alternative<AssignSynth>(assign.what) &&
      synthesised_.contains({assign.work.job, assign.work.partition}))
    fault("W20: " + work + " is done again although the witness was good");
  Process* p = process(assign.slot, assign.epoch);
  if (!p || !p->alive) return;
  if (p->task) return fault("I8: " + to_string(assign.slot) + " is given a second assignment");
  for (const auto& [ref, writable] : named_by(assign.what, assign.slot.role)) {
    if (!p->leases.contains(ref))
      return fault("W15: " + to_string(assign.slot) + " lacks a lease that its assignment names");
    if (writable && !memory_.at(ref).writers.contains({assign.slot, assign.epoch}))
      return fault("W16: " + to_string(assign.slot) + " cannot write what its assignment wants written");
  }
  p->task = assign;
  p->behaviour = script(assign);
  p->private_bytes = private_bytes_of(assign) * p->behaviour.private_permille / 1'000;
  const std::uint64_t promised = promises_[name_of(assign.work)][static_cast<std::size_t>(stage_of(assign.what))];
  p->promised_bytes = std::min(p->private_bytes, promised);
  begin(*p);
}

void World::begin(Process& p) {
  const std::uint64_t serial = ++p.task_serial;
  later(p.behaviour.duration, [this, life = life_, slot = p.slot, epoch = p.epoch, serial] {
    Process* worker = life == life_ ? process(slot, epoch) : nullptr;
    if (!worker || !worker->alive || worker->frozen || worker->task_serial != serial || !worker->task) return;
    finish(*worker);
  });
}

void World::finish(Process& p) {
  const Assign task = *p.task;
  const WorkerToken from{p.slot, p.epoch, task.assignment};
  switch (p.behaviour.end) {
    case Behaviour::End::crash:
      return die(p, std::nullopt, 11, false);
    case Behaviour::End::killed:
      return die(p, std::nullopt, 9, false);
    case Behaviour::End::oom:
      return die(p, std::nullopt, 9, true);
    case Behaviour::End::exits:
      return die(p, p.behaviour.exit_code, 0, false);
    case Behaviour::End::freezes:
      p.frozen = true;
      return;
    case Behaviour::End::hangs:
      return;
    case Behaviour::End::fails:
      if (p.behaviour.blame == Blame::verification) synthesised_.erase({task.work.job, task.work.partition});
      send(p, AssignmentFailed{from, p.behaviour.error, p.behaviour.retryable, p.behaviour.blame, peak_of(p)});
      return end_task(p, true);
    case Behaviour::End::done:
      break;
  }
  const std::string tag = name_of(task.work);
  const std::uint64_t peak = peak_of(p);
  std::visit(
      [&](const auto& a) {
        using T = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<T, AssignInspectCircuit>) send(p, CircuitInspected{from, facts(a.key_name)});
        if constexpr (std::is_same_v<T, AssignInspectInput>)
          send(p, InputInspected{from, {1, 10'000, "statement of " + tag}});
        if constexpr (std::is_same_v<T, AssignLoad> || std::is_same_v<T, AssignAdopt>)
          send(p, CircuitLoaded{from, facts(a.key_name), peak});
        if constexpr (std::is_same_v<T, AssignSynth>) send(p, WitnessSealed{from, 30'000, peak});
        if constexpr (std::is_same_v<T, AssignProve>) send(p, ProveDone{from, "sums of " + tag, peak});
        if constexpr (std::is_same_v<T, AssignB2>) send(p, B2Done{from, "b2 of " + tag, peak});
        if constexpr (std::is_same_v<T, AssignAssemble>) {
          if (a.sums != "sums of " + tag || a.b2 != "b2 of " + tag || a.statement != "statement of " + tag)
            fault("W17: parts of different partitions are assembled");
          send(p, AssembleDone{from, {"proof of " + tag, "{}", "[]"}, peak});
        }
      },
      task.what);
  end_task(p, true);
}

// RELEASED of everything but the resident leases, then READY. A descriptor counts as given back when RELEASED arrives.
void World::end_task(Process& p, bool release) {
  const Assign task = *p.task;
  const bool load = std::holds_alternative<AssignLoad>(task.what);
  p.task.reset();
  p.private_bytes = p.promised_bytes = 0;
  const std::set<SegmentRef> evictions = std::exchange(p.evictions, {});
  const bool owes_nothing = std::holds_alternative<AssignAdopt>(task.what);  // it reads residents only
  if (!release || (p.behaviour.keeps_leases && !owes_nothing)) return;
  for (const auto& [ref, writable] : named_by(task.what, p.slot.role)) {
    const Memory& memory = memory_.at(ref);
    const bool resident = (memory.kind == BufferKind::key || memory.kind == BufferKind::r1cs) && !load;
    if (resident) continue;
    p.leases.erase(ref);
    memory_.at(ref).readers.erase({p.slot, p.epoch});
    // Only what is sealed can show a lie; nobody can tell a prove worker's mapping of `ab` from a released one.
    if (p.behaviour.lies_about_seal && writable && !std::holds_alternative<AssignProve>(task.what)) {
      p.clings.insert(ref);
    } else {
      memory_.at(ref).writers.erase({p.slot, p.epoch});
    }
    send(p, WorkerReleased{{p.slot, p.epoch, task.assignment}, ref});
  }
  for (const SegmentRef ref : evictions) give_back(p, ref);
  send(p, WorkerReady{{p.slot, p.epoch, 0}, 1});
}

void World::act(const CancelAssignment& cancel) {
  later(latency(), [this, life = life_, cancel] {
    Process* p = life == life_ ? process(cancel.slot, cancel.epoch) : nullptr;
    if (!p || !p->alive || p->frozen || !p->task || p->task->assignment != cancel.assignment) return;
    if (p->behaviour.ignores_cancel || p->behaviour.end == Behaviour::End::hangs) return;
    send(*p, AssignmentCancelled{{p->slot, p->epoch, cancel.assignment}});
    end_task(*p, true);
  });
}

void World::act(const EvictLease& evict) {
  later(latency(), [this, life = life_, evict] {
    Process* p = life == life_ ? process(evict.slot, evict.epoch) : nullptr;
    if (!p || !p->alive || p->frozen) return;
    const auto used = p->task ? named_by(p->task->what, p->slot.role) : decltype(named_by({}, Role::load)){};
    const bool in_use =
        std::any_of(used.begin(), used.end(), [&](const auto& use) { return use.first == evict.segment; });
    if (in_use)
      p->evictions.insert(evict.segment);
    else
      give_back(*p, evict.segment);
  });
}

void World::give_back(Process& p, SegmentRef segment) {
  if (p.leases.erase(segment) == 0) return;
  memory_.at(segment).readers.erase({p.slot, p.epoch});
  send(p, WorkerReleased{{p.slot, p.epoch, 0}, segment});
}

void World::act(const DrainWorker& drain) {
  later(latency(), [this, life = life_, drain] {
    Process* p = life == life_ ? process(drain.slot, drain.epoch) : nullptr;
    if (!p || !p->alive || p->frozen) return;
    if (worker_is_slow_to_die()) return;
    send(*p, WorkerBye{{p->slot, p->epoch, 0}});
    die(*p, 0, 0, false);
  });
}

void World::act(const Kill& kill) {
  later(latency(), [this, life = life_, kill] {
    Process* p = life == life_ ? process(kill.slot, kill.epoch) : nullptr;
    if (!p || !p->alive) return;
    if (kill.signal == KillSignal::abort && (p->frozen || worker_is_slow_to_die())) return;
    die(*p, std::nullopt, kill.signal == KillSignal::abort ? 6 : 9, false);
  });
}

void World::kill(SlotId slot, int signal) {
  for (auto& [key, p] : processes_)
    if (key.first == slot && p.alive) die(p, std::nullopt, signal, false);
}

// The kernel takes everything back at once; the supervisor learns of it from the pidfd a little later.
void World::die(Process& p, std::optional<int> exit_code, int signal, bool oom) {
  p.alive = false;
  p.private_bytes = p.promised_bytes = 0;
  for (auto& [ref, memory] : memory_) {
    memory.readers.erase({p.slot, p.epoch});
    memory.writers.erase({p.slot, p.epoch});
  }
  p.leases.clear();
  answer(ExitObserved{p.slot, p.epoch, exit_code, signal, oom, ""});
}

void World::act(const Exit& exit) {
  if (exit.code != 0) fault("W18: drain ends with code " + std::to_string(exit.code));
  if (live_processes() != 0) fault("I10: processes are left after drain");
  if (!memory_.empty()) fault("I10: segments or files are left after drain");
  exited_ = true;
}

}  // namespace groth16d::supervisor::test
