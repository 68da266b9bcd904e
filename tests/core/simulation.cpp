#include "tests/core/simulation.hpp"

#include "supervisor/restart/restart_policy.hpp"
#include "tests/core/world.hpp"

namespace groth16d::supervisor::test {
namespace {

class Luck {
 public:
  explicit Luck(std::uint64_t seed) : generator_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return generator_.next() % bound; }
  bool one_in(std::uint64_t n) { return n > 0 && below(n) == 0; }
  template <class T>
  T among(std::initializer_list<T> choices) {
    return *(choices.begin() + static_cast<std::ptrdiff_t>(below(choices.size())));
  }

 private:
  SplitMix64 generator_;
};

// How unlucky this seed is: one in so many, 0 never.
struct Mood {
  std::uint64_t deaths, failures, freezes, liars, journal, allocation, repeats, spawn, slow;
};

class Simulation {
 public:
  Simulation(std::uint64_t seed, const SimulationOptions& options)
      : luck_(seed), config_(draw_config(seed)), world_(config_) {
    world_.tracing = options.tracing;
    world_.coverage = options.coverage;
    world_.quiet = true;
    mood_ = {luck_.among<std::uint64_t>({0, 8, 20}),   luck_.among<std::uint64_t>({0, 10, 40}),
             luck_.among<std::uint64_t>({0, 40, 100}), luck_.among<std::uint64_t>({0, 40, 100}),
             luck_.among<std::uint64_t>({0, 5, 30}),   luck_.among<std::uint64_t>({0, 5, 30}),
             luck_.among<std::uint64_t>({0, 2, 10}),   luck_.among<std::uint64_t>({0, 5, 20}),
             luck_.among<std::uint64_t>({0, 4, 30})};
    if (luck_.one_in(4)) poison_ = "j" + std::to_string(luck_.below(8));
    if (luck_.one_in(4)) bad_slot_ = SlotId{luck_.among({Role::synth, Role::cpu, Role::final, Role::gpu}), 0};
    set_laws();
  }

  SimulationResult run() {
    world_.start();
    const std::uint64_t circuits = 1 + luck_.below(3);
    for (std::uint64_t i = 0; i < circuits; ++i) world_.add_circuit("c" + std::to_string(i));
    const std::uint64_t deeds = 10 + luck_.below(30);
    for (std::uint64_t i = 0; i < deeds && sound(); ++i) {
      world_.run_for(Millis{luck_.below(60)});
      if (sound()) deed(circuits);
    }
    kind_ = true;
    if (sound() && !world_.run_until([this] { return settled(); }, Millis{3'600'000}))
      if (sound()) result_.faults.push_back("I6: a job does not end: " + unfinished());
    if (sound()) leave();
    count();
    return result_;
  }

 private:
  CoreConfig draw_config(std::uint64_t seed) {
    CoreConfig config;
    const auto one_or_two = [this] { return 1 + static_cast<std::uint32_t>(luck_.below(2)); };
    for (const Role role : {Role::load, Role::synth, Role::cpu, Role::final})
      config.role(role) = {one_or_two(), 1, 100'000};
    config.role(Role::gpu) = {luck_.one_in(2) ? one_or_two() : 0, 1, 100'000};
    if (config.role(Role::gpu).slots > 0 && luck_.one_in(2)) config.role(Role::cpu).slots = 0;
    config.b_g2 = draw_b_g2(config);
    std::uint64_t slots = 0;
    for (const RoleConfig& role : config.roles) slots += role.slots;
    config.budget_total_bytes = slots * segment_bytes(100'000) + 350'000 + luck_.below(900'000);
    config.critical_reserved_bytes = luck_.one_in(3) ? 100'000 : 0;
    config.max_in_flight = luck_.one_in(4) ? 1 + static_cast<std::uint32_t>(luck_.below(3)) : 0;
    config.heartbeat = Millis{500};
    config.stall.fill(Millis{3'000});
    config.cancel_grace = config.release_grace = config.abort_grace = Millis{1'000};
    config.need_margin_bytes = luck_.below(3'000);
    config.ageing = Millis{2'000};
    config.jitter_seed = seed;
    return config;
  }

  BG2 draw_b_g2(const CoreConfig& config) {
    const BG2 b_g2 = luck_.among({BG2::cpu, BG2::gpu, BG2::automatic, BG2::automatic});
    return b_g2 == BG2::gpu && config.role(Role::gpu).slots == 0 ? BG2::automatic : b_g2;
  }

  void set_laws() {
    const auto unlucky = [this](std::uint64_t n) { return !kind_ && luck_.one_in(n); };
    world_.latency = [this] { return Millis{luck_.below(4)}; };
    world_.journal_fails = [=, this] { return unlucky(mood_.journal); };
    world_.allocation_fails = [=, this] { return unlucky(mood_.allocation); };
    world_.descriptors_are_lost = [=, this] { return unlucky(mood_.allocation); };
    world_.spawn_fails = [=, this] { return unlucky(mood_.spawn); };
    world_.repeats = [this] { return luck_.one_in(mood_.repeats); };
    world_.worker_is_slow_to_die = [=, this] { return unlucky(mood_.liars); };
    world_.facts = [](const std::string& path) {
      CircuitFacts facts = small_circuit();
      if (path.ends_with("c1.zkey")) facts.witness_bytes *= 4;
      if (path.ends_with("c2.zkey")) facts.ab_bytes = facts.r1cs_bytes = 0;
      facts.is_generated = path.ends_with("c2.zkey");
      return facts;
    };
    world_.script = [this](const Assign& assign) { return behave(assign); };
  }

  Behaviour behave(const Assign& assign) {
    Behaviour behaviour;
    behaviour.duration = Millis{1 + luck_.below(40)};
    behaviour.private_permille = 300 + luck_.below(luck_.one_in(20) ? 1'500 : 700);  // rarely above the formula
    behaviour.no_room_for_b2 = luck_.one_in(10);
    behaviour.loading = luck_.one_in(4) ? Millis{luck_.below(60)} : Millis{0};  // more than it took, at times
    if (kind_) return behaviour;
    if (luck_.one_in(mood_.slow)) behaviour.duration = Millis{200 + luck_.below(2'500)};  // yet within every deadline
    const bool bad_slot = bad_slot_ && assign.slot == *bad_slot_;
    const bool poisoned = assign.work.job == poison_ && std::holds_alternative<AssignSynth>(assign.what);
    if (bad_slot || poisoned || luck_.one_in(mood_.deaths)) {
      behaviour.end =
          luck_.among({Behaviour::End::crash, Behaviour::End::killed, Behaviour::End::oom, Behaviour::End::exits});
      behaviour.exit_code = luck_.among({0, 69, 70, 75});
      if (poisoned) behaviour.end = Behaviour::End::crash;
    } else if (luck_.one_in(mood_.failures)) {
      behaviour.end = Behaviour::End::fails;
      behaviour.retryable = luck_.one_in(2);
      behaviour.blame = luck_.among({Blame::unknown, Blame::input, Blame::slot, Blame::verification});
      if (assign.slot.role == Role::gpu && luck_.one_in(2)) lack_card_memory(behaviour);
    } else if (luck_.one_in(mood_.freezes)) {
      behaviour.end = luck_.among({Behaviour::End::freezes, Behaviour::End::hangs});
    } else if (luck_.one_in(mood_.liars)) {
      behaviour.keeps_leases = luck_.one_in(2);
      behaviour.lies_about_seal = luck_.one_in(2);
      behaviour.ignores_cancel = luck_.one_in(2);
    }
    return behaviour;
  }

  void lack_card_memory(Behaviour& behaviour) {
    behaviour.error.name = luck_.among({"gpu.plan", "gpu.memory_taken", "gpu.out_of_memory"});
    behaviour.retryable = true;
    behaviour.blame = behaviour.error.name == "gpu.plan" ? Blame::key : Blame::slot;
  }

  void deed(std::uint64_t circuits) {
    const JobId job = "j" + std::to_string(luck_.below(12));
    const CircuitName circuit = "c" + std::to_string(luck_.below(circuits));
    const SlotId slot{luck_.among({Role::load, Role::synth, Role::cpu, Role::final, Role::gpu}),
                      static_cast<std::uint32_t>(luck_.below(2))};
    switch (luck_.below(24)) {
      case 0:
      case 1:
        world_.ask(CancelRequested{0, job});
        return;
      case 2:
        world_.ask(CloseRequested{0, job});
        return;
      case 3:
        world_.ask(KickRequested{0, job});
        return;
      case 4:
      case 5:
        world_.kill(slot, luck_.among({9, 9, 11, 15}));
        return;
      case 6:
        world_.ask(WorkerRequested{0, slot,
                                   luck_.among({WorkerVerb::restart, WorkerVerb::restart_now, WorkerVerb::drain,
                                                WorkerVerb::disable, WorkerVerb::enable, WorkerVerb::reset})});
        return;
      case 7:
        world_.ask(CircuitRemoveRequested{0, circuit});
        return;
      case 8:
        world_.add_circuit(circuit);
        return;
      case 9:
        by_path(job);
        return;
      case 10:
        return begin_again();
      case 11:
        return stale_message(slot);
      case 12:
        return reload();
      default:
        world_.submit(
            job, 1 + luck_.below(4), circuit,
            luck_.among({Priority::low, Priority::normal, Priority::normal, Priority::high, Priority::critical}),
            luck_.one_in(10) ? 1 + luck_.below(300) : 0);
    }
  }

  // Other bounds: a smaller budget may be refused, and a restarted supervisor reads the same file.
  void reload() {
    CoreConfig next = config_;
    next.budget_total_bytes = config_.budget_total_bytes / 4 * (3 + luck_.below(3));
    next.max_in_flight = static_cast<std::uint32_t>(luck_.below(4));
    next.stall.fill(Millis{3'000 + luck_.below(3'000)});
    next.b_g2 = draw_b_g2(config_);
    world_.reload(next);
  }

  // The supervisor is killed, or told to go and started again later.
  void begin_again() {
    if (!luck_.one_in(3)) return;
    if (luck_.one_in(3)) {
      drain(luck_.one_in(3));
      ++result_.sums.drains;
    } else {
      world_.crash();
      ++result_.sums.crashes;
    }
    if (sound()) world_.start();
  }

  void drain(bool fast) {
    world_.pass(DrainRequested{fast});
    if (luck_.one_in(3)) {
      world_.run_for(Millis{luck_.below(50)});
      world_.pass(DrainRequested{});
    }
    if (!world_.run_until([this] { return world_.exited(); }, Millis{3'600'000}) && sound())
      result_.faults.push_back("I10: drain does not end");
  }

  void by_path(const JobId& job) {
    SubmitRequested request;
    request.job = job;
    request.digest = "by path";
    request.source = {luck_.one_in(6) ? "/keys/missing.zkey" : "/keys/p.zkey", "", true};
    request.key_stamp = std::to_string(luck_.below(2));
    request.partitions.resize(1 + luck_.below(2));
    world_.ask(request);
  }

  // Something that was true once, or never.
  void stale_message(SlotId slot) {
    if (world_.assigned().empty()) return;
    const Assign& past = world_.assigned()[luck_.below(world_.assigned().size())];
    const WorkerToken old{past.slot, past.epoch - 1, past.assignment};
    const WorkerToken wrong{slot, past.epoch + 500, past.assignment};
    for (const WorkerToken& from : {old, wrong}) {
      world_.pass(WitnessSealed{from, 1});
      world_.pass(ProveDone{from, "wrong"});
      world_.pass(AssembleDone{from, {"wrong", "", ""}});
      world_.pass(WorkerReleased{from, {luck_.below(100), 1}});
      world_.pass(AssignmentFailed{from, {}, false, Blame::unknown});
      world_.pass(ExitObserved{from.slot, from.epoch, 1, 0, false, ""});
    }
    world_.pass(SegmentFreed{{luck_.below(100), 2}});
    world_.pass(SegmentsAllocated{1'000'000});
  }

  // Operators bring back what chaos left failed or disabled.
  bool settled() {
    if (world_.now() >= next_round_) {
      next_round_ = world_.now() + Millis{10'000};
      for (const WorkerView& view : world_.core().workers()) {
        if (view.state == SlotState::failed) world_.ask(WorkerRequested{0, view.slot, WorkerVerb::reset});
        if (view.state == SlotState::disabled) world_.ask(WorkerRequested{0, view.slot, WorkerVerb::enable});
      }
    }
    return world_.all_final();
  }

  void leave() {
    kind_ = luck_.one_in(2);
    drain(luck_.one_in(3));
  }

  std::string unfinished() const {
    std::string names;
    for (const JobView& view : world_.core().jobs({{}, "", 100, false}, world_.now()))
      if (!is_final(view.state))
        names += view.job + " (" + std::string(to_string(view.state)) + ", " + view.waiting_for + ") ";
    return names;
  }

  void count() {
    result_.faults.insert(result_.faults.end(), world_.faults().begin(), world_.faults().end());
    SimulationSums& sums = result_.sums;
    sums.events = world_.events();
    sums.accepted = world_.accepted().size();
    sums.stale = world_.core().daemon().stale_events;
    for (const auto& [job, entry] : world_.journal()) {
      if (entry.state == JobState::done) ++sums.done;
      if (entry.state == JobState::failed) ++sums.failed;
      if (entry.state == JobState::cancelled) ++sums.cancelled;
      if (entry.state == JobState::quarantined) ++sums.quarantined;
    }
  }

  bool sound() const { return world_.faults().empty() && result_.faults.empty(); }

  Luck luck_;
  CoreConfig config_;
  World world_;
  Mood mood_{};
  JobId poison_;
  std::optional<SlotId> bad_slot_;
  bool kind_ = false;
  TimePoint next_round_{};
  SimulationResult result_;
};

}  // namespace

SimulationResult simulate(std::uint64_t seed, SimulationOptions options) { return Simulation(seed, options).run(); }

void SimulationSums::add(const SimulationSums& other) {
  for (const auto part : {&SimulationSums::events, &SimulationSums::accepted, &SimulationSums::done,
                          &SimulationSums::failed, &SimulationSums::cancelled, &SimulationSums::quarantined,
                          &SimulationSums::crashes, &SimulationSums::drains, &SimulationSums::stale})
    this->*part += other.*part;
}

std::string describe(const SimulationSums& sums) {
  const auto text = [](std::uint64_t count, const char* what) { return std::to_string(count) + what; };
  return text(sums.events, " events, ") + text(sums.accepted, " jobs accepted: ") + text(sums.done, " done, ") +
         text(sums.failed, " failed, ") + text(sums.cancelled, " cancelled, ") +
         text(sums.quarantined, " quarantined; the supervisor was killed ") + text(sums.crashes, " and drained ") +
         text(sums.drains, " times; the last cores fenced off ") + text(sums.stale, " messages");
}

}  // namespace groth16d::supervisor::test
