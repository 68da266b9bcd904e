// Segments and opened files: asked for, leased, and freed when the last lessee is known to be gone.
#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {

// ------------------------------------------------------------------ requests

SegmentRef Machine::new_file(AccountId owner) { return segments_.create(owner, std::nullopt, 0).ref; }

RequestId Machine::ask_segments(AccountId owner, const std::vector<SegmentRef>& refs, const Work& work) {
  const RequestId id = next_request_++;
  requests_[id] = Request{owner, refs, false};
  AllocateSegments ask{id, {}};
  for (const SegmentRef ref : refs) {
    const Segment& segment = *segments_.find(ref);
    ask.segments.push_back({ref, *segment.kind, segment.payload_bytes, segment.total_bytes, work, content_of(segment),
                            segment.kind == BufferKind::input});
  }
  act(std::move(ask));
  return id;
}

// What a circuit's segment is made from: the key file, or the .r1cs where there is one.
std::string Machine::content_of(const Segment& segment) {
  const Circuit* circuit = circuit_of(segment.owner);
  if (!circuit) return {};
  const CircuitFacts& facts = circuit->facts;
  return segment.kind == BufferKind::r1cs && !facts.r1cs_digest.empty() ? facts.r1cs_digest : facts.key_digest;
}

RequestId Machine::ask_files(AccountId owner, std::vector<FileSpec> files) {
  const RequestId id = next_request_++;
  Request request{owner, {}, true};
  for (const FileSpec& file : files) request.refs.push_back(file.segment);
  requests_[id] = std::move(request);
  act(OpenFiles{id, std::move(files)});
  return id;
}

std::optional<Machine::Request> Machine::take_request(RequestId id, bool files) {
  const auto it = requests_.find(id);
  if (it == requests_.end() || it->second.files != files) {
    stale();
    return std::nullopt;
  }
  Request request = std::move(it->second);
  requests_.erase(it);
  if (Partition* partition = partition_of(request.owner)) partition->request = 0;
  if (Circuit* circuit = circuit_of(request.owner)) circuit->request = 0;
  return request;
}

void Machine::request_granted(RequestId id, bool files) {
  const auto request = take_request(id, files);
  if (!request) return;
  for (const SegmentRef ref : request->refs) {
    Segment& segment = *segments_.find(ref);
    segment.state = Segment::State::live;
    free_if_unleased(segment);
  }
  if (Partition* partition = partition_of(request->owner))
    files ? partition_files_opened(*partition) : partition_allocated(*partition);
  if (Circuit* circuit = circuit_of(request->owner))
    files ? circuit_files_opened(*circuit) : circuit_allocated(*circuit);
}

void Machine::request_denied(RequestId id, bool files, const Error& error) {
  const auto request = take_request(id, files);
  if (!request) return;
  for (const SegmentRef ref : request->refs) forget_segment(ref);
  if (Partition* partition = partition_of(request->owner)) partition_request_failed(*partition, error, !files);
  if (Circuit* circuit = circuit_of(request->owner)) circuit_request_failed(*circuit, error, !files);
}

void Machine::handle(const SegmentsAllocated& event) { request_granted(event.request, false); }
void Machine::handle(const AllocationFailed& event) { request_denied(event.request, false, event.error); }
void Machine::handle(const FilesOpened& event) { request_granted(event.request, true); }
void Machine::handle(const FilesRefused& event) { request_denied(event.request, true, event.error); }

// ------------------------------------------------------------------ sealing

void Machine::handle(const SegmentSealed& event) {
  Segment* segment = segments_.find(event.segment);
  if (!segment || !segment->sealing || segment->sealed || segment->state != Segment::State::live) return stale();
  if (segment->doomed) return;  // its owner has gone another way meanwhile
  segment->sealed = true;
  if (Partition* partition = partition_of(segment->owner)) return witness_sealed(*partition);
  if (Circuit* circuit = circuit_of(segment->owner)) resident_sealed(*circuit);
}

void Machine::resident_sealed(Circuit& circuit) {
  if (circuit.phase != CircuitPhase::sealing) return settle(circuit);
  for (const SegmentRef ref : {circuit.key, circuit.r1cs})
    if (const Segment* segment = segments_.find(ref); segment && !segment->sealed) return;
  if (circuit.key_file || circuit.r1cs_file) return;  // the loader still has the files: owner_changed() comes back here
  circuit_resident(circuit);
}

// EBUSY: someone still maps it for writing, although its writer said that it does not.
void Machine::handle(const SealRefused& event) {
  Segment* segment = segments_.find(event.segment);
  if (!segment || !segment->sealing || segment->sealed || segment->state != Segment::State::live) return stale();
  const SlotId writer = segment->writer;
  Slot* slot = find_slot(writer);
  if (slot && slot->epoch == segment->writer_epoch && slot->has_process()) {
    reclaim_writer(*slot, segment->owner);
    condemn(*slot, Death::protocol, KillSignal::kill, "kept a writable mapping of a sealed segment");
  }
  if (Partition* partition = partition_of(segment->owner); partition && partition->phase == Phase::sealing) {
    partition->deaths.push_back({writer, Death::protocol});
    record_fault(*partition, writer);
    if (partition->accusing_deaths() >= config_.deaths_to_quarantine) return quarantine(*partition->job, *partition);
    return retreat(*partition, Phase::queued);
  }
  if (Circuit* circuit = circuit_of(segment->owner); circuit && circuit->phase == CircuitPhase::sealing)
    circuit_task_lost(*circuit, writer, Death::crash);
}

// What a liar wrote counts as mapped by it until its pidfd fires, whatever it said about releasing.
void Machine::reclaim_writer(Slot& liar, AccountId owner) {
  for (const SegmentRef ref : refs_of(owner)) {
    Segment* segment = segments_.find(ref);
    if (!segment || segment->sealed || segment->state != Segment::State::live) continue;
    if (segment->writer != liar.id || segment->writer_epoch != liar.epoch) continue;
    segment->lessees[liar.id] = Lessee{liar.epoch, LeaseMode::writable, 0, false};
    liar.held.insert(ref);
  }
}

// ------------------------------------------------------------------ leases

void Machine::lease(Slot& slot, SegmentRef ref, LeaseMode mode, AssignmentId assignment) {
  Segment& segment = *segments_.find(ref);
  if (segment.lessees.contains(slot.id)) return;  // a kept mapping
  if (segment.state != Segment::State::live || segment.doomed)
    violations_.push_back("I4: a segment that is not live is leased to " + to_string(slot.id));
  if (mode == LeaseMode::writable && (!segment.lessees.empty() || segment.sealed))
    violations_.push_back("I2: a writable lease to " + to_string(slot.id) + " is not the only one");
  segment.lessees[slot.id] = Lessee{slot.epoch, mode, assignment, false};
  slot.held.insert(ref);
  if (mode == LeaseMode::writable) {
    segment.writer = slot.id;
    segment.writer_epoch = slot.epoch;
  }
  act(Lease{slot.id, slot.epoch, ref, mode});
}

void Machine::handle(const WorkerReleased& event) {
  Slot* slot = believe(event.from);
  if (!slot) return;
  const Segment* segment = slot->held.contains(event.segment) ? segments_.find(event.segment) : nullptr;
  if (!segment) return stale();
  // A second RELEASED of an earlier assignment must not end the lease of the present one. A mapping that was kept since
  // is given back under no assignment.
  const AssignmentId leased_for = segment->lessees.at(slot->id).assignment;
  if (event.from.assignment != 0 && event.from.assignment != leased_for) return stale();
  drop_lease(*slot, event.segment);
}

void Machine::drop_lease(Slot& slot, SegmentRef ref) {
  slot.held.erase(ref);
  Segment* segment = segments_.find(ref);
  if (!segment)
    return violations_.push_back("I4: a leased segment was freed before " + to_string(slot.id) + " released it");
  segment->lessees.erase(slot.id);
  const AccountId owner = segment->owner;
  free_if_unleased(*segment);
  owner_changed(owner);
}

bool Machine::unleased(SegmentRef ref) const {
  const Segment* segment = segments_.find(ref);
  return !segment || segment->lessees.empty();
}

// ------------------------------------------------------------------ freeing

void Machine::doom(SegmentRef ref) {
  Segment* segment = segments_.find(ref);
  if (!segment || segment->doomed) return;
  segment->doomed = true;
  if (mutated(Mutation::release_at_request) && segment->kind)
    budget_.release(segment->owner, *segment->kind, segment->total_bytes);
  if (segment->resident()) {
    for (auto& [id, lessee] : segment->lessees) {
      Slot* slot = find_slot(id);
      if (lessee.evicting || !slot || slot->phase == SlotPhase::condemned) continue;
      if (lessee.mode == LeaseMode::writable) continue;  // the loader's: released with its assignment
      lessee.evicting = true;
      act(EvictLease{id, lessee.epoch, ref});
    }
  }
  free_if_unleased(*segment);
}

void Machine::free_if_unleased(Segment& segment) {
  if (!segment.doomed || segment.state != Segment::State::live || !segment.lessees.empty()) return;
  segment.state = Segment::State::freeing;
  act(FreeSegment{segment.ref, drain_ != Drain::none});
}

void Machine::handle(const SegmentFreed& event) {
  Segment* segment = segments_.find(event.segment);
  if (!segment || segment->state != Segment::State::freeing) return stale();
  const AccountId owner = segment->owner;
  if (segment->kind) budget_.release(owner, *segment->kind, segment->total_bytes);
  forget_segment(event.segment);
  owner_changed(owner);
}

void Machine::forget_segment(SegmentRef ref) {
  const Segment* segment = segments_.find(ref);
  if (!segment) return;
  if (Partition* partition = partition_of(segment->owner)) {
    if (partition->input_file == ref) --intake_files_;
    for (SegmentRef* mine : {&partition->input_file, &partition->input_segment, &partition->witness, &partition->ab})
      if (*mine == ref) *mine = {};
  }
  if (Circuit* circuit = circuit_of(segment->owner))
    for (SegmentRef* mine : {&circuit->key_file, &circuit->r1cs_file, &circuit->key, &circuit->r1cs})
      if (*mine == ref) *mine = {};
  segments_.erase(ref);
}

void Machine::owner_changed(AccountId owner) {
  if (Partition* partition = partition_of(owner)) return settle(*partition);
  Circuit* circuit = circuit_of(owner);
  if (!circuit) return;
  const bool sealing = circuit->phase == CircuitPhase::sealing;
  settle(*circuit);
  if (sealing) resident_sealed(*circuit);
}

std::array<SegmentRef, 4> Machine::refs_of(AccountId owner) const {
  if (const auto it = partitions_.find(owner.id); owner.holder == Holder::partition && it != partitions_.end())
    return {it->second->input_file, it->second->input_segment, it->second->witness, it->second->ab};
  if (const auto it = circuits_.find(owner.id); owner.holder == Holder::circuit && it != circuits_.end())
    return {it->second.key_file, it->second.r1cs_file, it->second.key, it->second.r1cs};
  return {};
}

Partition* Machine::partition_of(AccountId owner) {
  if (owner.holder != Holder::partition) return nullptr;
  const auto it = partitions_.find(owner.id);
  return it == partitions_.end() ? nullptr : it->second;
}

Circuit* Machine::circuit_of(AccountId owner) {
  if (owner.holder != Holder::circuit) return nullptr;
  const auto it = circuits_.find(owner.id);
  return it == circuits_.end() ? nullptr : &it->second;
}

}  // namespace groth16d::supervisor
