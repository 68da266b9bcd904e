#include "supervisor/worker_messages.hpp"

#include <algorithm>
#include <string_view>

namespace groth16d::supervisor {
namespace {

namespace v1 = groth16d::worker::v1;

// ---------------------------------------------------------------- up

CircuitFacts facts_of(const v1::CircuitFacts& message) {
  CircuitFacts facts;
  facts.curve = message.curve();
  facts.n_vars = message.n_vars();
  facts.n_public = message.n_public();
  facts.n_constraints = message.n_constraints();
  facts.domain_log2 = message.domain_log2();
  facts.n_boolean = message.n_boolean();
  facts.has_c = message.has_c();
  facts.key_digest = message.key_digest();
  facts.vk_digest = message.vk_digest();
  facts.r1cs_digest = message.r1cs_digest();
  facts.warnings.assign(message.warnings().begin(), message.warnings().end());
  facts.key_bytes = message.key_bytes();
  facts.r1cs_bytes = message.r1cs_bytes();
  facts.witness_bytes = message.witness_bytes();
  facts.ab_bytes = message.ab_bytes();
  facts.load_private_bytes = message.load_private_bytes();
  facts.synth_private_bytes = message.synth_private_bytes();
  facts.prove_private_bytes = message.prove_private_bytes();
  facts.b2_private_bytes = message.b2_private_bytes();
  facts.assemble_private_bytes = message.assemble_private_bytes();
  facts.source_bytes_read = message.source_bytes_read();
  facts.is_generated = message.is_generated();
  return facts;
}

// A word that this build does not know is no class of the client's making.
ErrorCode code_of(std::string_view word) {
  for (int number = 0; number <= static_cast<int>(ErrorCode::internal); ++number)
    if (to_string(static_cast<ErrorCode>(number)) == word) return static_cast<ErrorCode>(number);
  return ErrorCode::internal;
}

Blame blame_of(v1::Blame blame) {
  switch (blame) {
    case v1::BLAME_INPUT:
      return Blame::input;
    case v1::BLAME_SLOT:
      return Blame::slot;
    case v1::BLAME_KEY:
      return Blame::key;
    case v1::BLAME_VERIFICATION:
      return Blame::verification;
    default:
      return Blame::unknown;
  }
}

std::optional<Event> inspected(const WorkerToken& from, const v1::Inspected& message) {
  if (message.has_circuit()) return CircuitInspected{from, facts_of(message.circuit())};
  if (message.has_input()) {
    const auto& input = message.input();
    return InputInspected{from, {input.partitions(), input.input_bytes(), input.statement()}};
  }
  return std::nullopt;
}

// A time that no clock can have passed is none.
Event prove_done(const WorkerToken& from, const ipc::Up& up) {
  constexpr std::uint64_t kMostMillis = 1'000'000'000;
  const auto& done = up.prove_done();
  const Millis loading(static_cast<std::int64_t>(std::min(done.loading_ms(), kMostMillis)));
  return ProveDone{from, done.sums(), up.private_peak_bytes(), done.b2(), loading};
}

// ---------------------------------------------------------------- down

v1::BG2 b_g2_of(BG2 b_g2) {
  switch (b_g2) {
    case BG2::cpu:
      return v1::BG2_CPU;
    case BG2::gpu:
      return v1::BG2_GPU;
    case BG2::automatic:
      return v1::BG2_AUTO;
  }
  return v1::BG2_CPU;
}

ipc::Down addressed(SlotId slot, Epoch epoch, AssignmentId assignment = 0) {
  ipc::Down down;
  down.set_slot(to_string(slot));
  down.set_epoch(epoch);
  down.set_assignment(assignment);
  return down;
}

// An absent lease is an absent field: `field` is asked for only where there is one.
template <class Message>
void name(Message* message, v1::Lease* (Message::*field)(), SegmentRef segment) {
  if (!segment) return;
  v1::Lease* lease = (message->*field)();
  lease->set_segment(segment.id);
  lease->set_generation(segment.generation);
}

// One overload an assignment: fields in the order of worker.proto.
struct Fill {
  ipc::Down& down;
  const Work& work;

  void set_work(v1::Work* message) const {
    message->set_job(work.job);
    message->set_partition(work.partition);
    message->set_attempt(work.attempt);
  }

  void operator()(const AssignInspectCircuit& what) const {
    set_work(down.mutable_inspect()->mutable_work());
    auto* message = down.mutable_inspect()->mutable_circuit();
    name(message, &v1::InspectCircuit::mutable_key_file, what.key_file);
    name(message, &v1::InspectCircuit::mutable_r1cs_file, what.r1cs_file);
    message->set_key_name(what.key_name);
    message->set_r1cs_name(what.r1cs_name);
    message->set_allow_insecure(what.allow_insecure);
  }
  void operator()(const AssignInspectInput& what) const {
    set_work(down.mutable_inspect()->mutable_work());
    auto* message = down.mutable_inspect()->mutable_input();
    name(message, &v1::InspectInput::mutable_input_file, what.input_file);
    message->set_input_name(what.input_name);
    message->set_declared_public_json(what.declared_public_json);
    message->set_curve(what.curve);
    message->set_n_vars(what.n_vars);
    message->set_n_public(what.n_public);
    message->set_n_partitions(what.n_partitions);
  }
  void operator()(const AssignLoad& what) const {
    auto* message = down.mutable_load();
    name(message, &v1::AssignLoad::mutable_key_file, what.key_file);
    name(message, &v1::AssignLoad::mutable_r1cs_file, what.r1cs_file);
    message->set_key_name(what.key_name);
    message->set_r1cs_name(what.r1cs_name);
    message->set_allow_insecure(what.allow_insecure);
    message->set_key_digest(what.key_digest);
    message->set_r1cs_digest(what.r1cs_digest);
    name(message, &v1::AssignLoad::mutable_key, what.key);
    name(message, &v1::AssignLoad::mutable_r1cs, what.r1cs);
  }
  void operator()(const AssignAdopt& what) const {
    auto* message = down.mutable_adopt();
    name(message, &v1::AssignAdopt::mutable_key, what.key);
    name(message, &v1::AssignAdopt::mutable_r1cs, what.r1cs);
    message->set_key_name(what.key_name);
    message->set_r1cs_name(what.r1cs_name);
    message->set_allow_insecure(what.allow_insecure);
    message->set_key_digest(what.key_digest);
    message->set_r1cs_digest(what.r1cs_digest);
  }
  void operator()(const AssignSynth& what) const {
    auto* message = down.mutable_synth();
    set_work(message->mutable_work());
    name(message, &v1::AssignSynth::mutable_input, what.input);
    message->set_input_name(what.input_name);
    name(message, &v1::AssignSynth::mutable_r1cs, what.r1cs);
    name(message, &v1::AssignSynth::mutable_witness, what.witness);
    name(message, &v1::AssignSynth::mutable_ab, what.ab);
  }
  void operator()(const AssignProve& what) const {
    auto* message = down.mutable_prove();
    set_work(message->mutable_work());
    name(message, &v1::AssignProve::mutable_key, what.key);
    name(message, &v1::AssignProve::mutable_r1cs, what.r1cs);
    name(message, &v1::AssignProve::mutable_witness, what.witness);
    name(message, &v1::AssignProve::mutable_ab, what.ab);
    message->set_ab_is_fresh(what.ab_is_fresh);
    message->set_b_g2(b_g2_of(what.b_g2));
    message->set_with_b2(what.with_b2);
  }
  void operator()(const AssignB2& what) const {
    auto* message = down.mutable_b2();
    set_work(message->mutable_work());
    name(message, &v1::AssignB2::mutable_key, what.key);
    name(message, &v1::AssignB2::mutable_r1cs, what.r1cs);
    name(message, &v1::AssignB2::mutable_witness, what.witness);
  }
  void operator()(const AssignAssemble& what) const {
    auto* message = down.mutable_assemble();
    set_work(message->mutable_work());
    name(message, &v1::AssignAssemble::mutable_key, what.key);
    name(message, &v1::AssignAssemble::mutable_r1cs, what.r1cs);
    name(message, &v1::AssignAssemble::mutable_witness, what.witness);
    message->set_sums(what.sums);
    message->set_b2(what.b2);
    message->set_statement(what.statement);
  }
};

}  // namespace

std::optional<Event> event_of(const ipc::Up& up) {
  const auto slot = parse_slot(up.slot());
  if (!slot) return std::nullopt;
  const WorkerToken from{*slot, up.epoch(), up.assignment()};
  switch (up.body_case()) {
    case ipc::Up::kHello:
      return WorkerHello{from, up.hello().pid(), up.hello().build()};
    case ipc::Up::kReady:
      return WorkerReady{from, up.ready().credit()};
    case ipc::Up::kHeartbeat: {
      const auto& beat = up.heartbeat();
      return WorkerHeartbeat{from, beat.progress_permille(), beat.beats(), beat.rss_bytes(), beat.device_bytes()};
    }
    case ipc::Up::kReleased:
      return WorkerReleased{from, {up.released().segment(), up.released().generation()}};
    case ipc::Up::kLog:
      return WorkerLog{from, up.log().level(), up.log().text()};
    case ipc::Up::kBye:
      return WorkerBye{from};
    case ipc::Up::kInspected:
      return inspected(from, up.inspected());
    case ipc::Up::kLoaded:
      return CircuitLoaded{from, facts_of(up.loaded().circuit()), up.private_peak_bytes()};
    case ipc::Up::kSealed:
      return WitnessSealed{from, up.sealed().witness_bytes(), up.private_peak_bytes()};
    case ipc::Up::kProveDone:
      return prove_done(from, up);
    case ipc::Up::kB2Done:
      return B2Done{from, up.b2_done().point(), up.private_peak_bytes()};
    case ipc::Up::kAssembleDone: {
      const auto& done = up.assemble_done();
      return AssembleDone{from, {done.proof(), done.proof_json(), done.public_json()}, up.private_peak_bytes()};
    }
    case ipc::Up::kCancelled:
      return AssignmentCancelled{from};
    case ipc::Up::kFailed: {
      const auto& failed = up.failed();
      return AssignmentFailed{from,
                              {code_of(failed.code()), failed.name(), failed.text()},
                              failed.retryable(),
                              blame_of(failed.blame()),
                              up.private_peak_bytes()};
    }
    case ipc::Up::BODY_NOT_SET:
      return std::nullopt;
  }
  return std::nullopt;
}

const std::string& cut_input_of(const ipc::Up& up) { return up.inspected().input().cut_input(); }

ipc::Down down_of(const Welcome& action) {
  ipc::Down down = addressed(action.slot, action.epoch);
  down.mutable_welcome()->set_heartbeat_ms(action.heartbeat_ms);
  down.mutable_welcome()->set_threads(action.threads);
  return down;
}

ipc::Down down_of(const Assign& action) {
  ipc::Down down = addressed(action.slot, action.epoch, action.assignment);
  std::visit(Fill{down, action.work}, action.what);
  return down;
}

ipc::Down down_of(const CancelAssignment& action) {
  ipc::Down down = addressed(action.slot, action.epoch, action.assignment);
  down.mutable_cancel();
  return down;
}

ipc::Down down_of(const EvictLease& action) {
  ipc::Down down = addressed(action.slot, action.epoch);
  down.mutable_evict()->set_segment(action.segment.id);
  down.mutable_evict()->set_generation(action.segment.generation);
  return down;
}

ipc::Down down_of(const DrainWorker& action) {
  ipc::Down down = addressed(action.slot, action.epoch);
  down.mutable_drain();
  return down;
}

}  // namespace groth16d::supervisor
