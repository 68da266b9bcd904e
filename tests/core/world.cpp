#include "tests/core/world.hpp"

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "tests/core/trace.hpp"

namespace groth16d::supervisor::test {
Stage stage_of(const Assignment& what) {
  constexpr std::array<Stage, 8> kStageOf = {Stage::inspect, Stage::inspect, Stage::load,     Stage::synth,
                                             Stage::prove,   Stage::b2,      Stage::assemble, Stage::load};
  return kStageOf[what.index()];
}

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

std::string World::client_of(const JobId& job) { return "client " + job.substr(0, 1); }

ReplyToken World::submit(const JobId& job, std::size_t partitions, const CircuitName& circuit, Priority priority,
                         std::uint64_t deadline_ms) {
  SubmitRequested request;
  request.job = job;
  request.client = client_of(job);
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
    std::tie(config_.budget_total_bytes, config_.b_g2) =
        std::pair(asked->second.budget_total_bytes, asked->second.b_g2);
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
      if (spec.kind == BufferKind::ab && config_.role(Role::cpu).slots == 0)
        fault("W24: rows of A w and B w get memory, and no worker reads them");
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

}  // namespace groth16d::supervisor::test
