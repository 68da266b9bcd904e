// Adoption: a circuit whose segments outlived the supervisor before this one is resident again without its files.
#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {

// The segments exist, so they are charged before anything else can want the memory. Where the budget has become too
// small for them, they cost nothing for the moment until they are freed, and the files are opened.
void Machine::adopt(Circuit& circuit, const Recovered::Circuit& entry) {
  const Recovered::Resident& resident = *entry.resident;
  const AccountId owner{Holder::circuit, circuit.uid};
  circuit.facts.key_digest = entry.key_digest;
  circuit.facts.r1cs_digest = entry.r1cs_digest;
  Charge charge;
  charge[BufferKind::key] = segment_bytes(resident.key_bytes);
  if (resident.r1cs) charge[BufferKind::r1cs] = segment_bytes(resident.r1cs_bytes);
  const bool fits = budget_.try_reserve(owner, charge, false);
  const auto take = [&](SegmentRef ref, BufferKind kind, std::uint64_t bytes) {
    return ref ? segments_.adopt(ref, owner, fits ? std::optional(kind) : std::nullopt, bytes).ref : ref;
  };
  circuit.key = take(resident.key, BufferKind::key, resident.key_bytes);
  circuit.r1cs = take(resident.r1cs, BufferKind::r1cs, resident.r1cs_bytes);
  if (!fits) return retreat(circuit, AfterRetreat::inspect_again);
  circuit.phase = CircuitPhase::ready_adopt;
  load_circuits_.push_back(&circuit);
}

void Machine::assign_adopt(Slot& slot, Circuit& circuit) {
  circuit.phase = CircuitPhase::adopting;
  std::vector<std::pair<SegmentRef, LeaseMode>> leases = {{circuit.key, LeaseMode::read_only}};
  if (circuit.r1cs) leases.emplace_back(circuit.r1cs, LeaseMode::read_only);
  assign_circuit(slot, circuit, Stage::load, leases,
                 AssignAdopt{circuit.key, circuit.r1cs, circuit.source.key_path, circuit.source.r1cs_path,
                             circuit.source.allow_insecure_key, circuit.facts.key_digest, circuit.facts.r1cs_digest});
}

void Machine::adopted(Circuit& circuit, const CircuitFacts& facts) {
  circuit.facts = facts;
  circuit.inspected = true;
  ++circuit.adoptions;
  circuit_resident(circuit);
  begin_intakes(circuit);
}

// Not resident after all: its files are there, or say why not.
void Machine::adoption_failed(Circuit& circuit, const std::string& why) {
  log(nullptr, 4, "", "circuit " + shown_name(circuit.name) + " is loaded again: " + why);
  retreat(circuit, AfterRetreat::inspect_again);
}

}  // namespace groth16d::supervisor
