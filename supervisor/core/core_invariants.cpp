// The invariants of section 11, as far as one state can show them. I6 (every accepted job ends) and I9 (attempts only
// grow) are statements about histories: the simulation checks them.
#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {

std::vector<std::string> Machine::check_invariants() const {
  std::vector<std::string> all = violations_;
  for (const auto& part : {check_accounts(), check_segments(), check_partitions(), check_slots()})
    all.insert(all.end(), part.begin(), part.end());
  if (exited_) {
    if (budget_.used_bytes() != 0)
      all.push_back("I10: " + std::to_string(budget_.used_bytes()) + " bytes used after drain");
    if (!segments_.empty()) all.push_back("I10: segments are left after drain");
  }
  return all;
}

std::vector<std::string> Machine::check_accounts() const {
  std::vector<std::string> found;
  std::uint64_t sum = 0;
  std::map<AccountId, Charge> segments;
  for (const auto& [id, account] : budget_.accounts()) sum += account.charge.total();
  for (const auto& [ref, segment] : segments_.all())
    if (segment.kind) segments[segment.owner][*segment.kind] += segment.total_bytes;
  if (sum != budget_.used_bytes())
    found.push_back("I1: accounts hold " + std::to_string(sum) + " bytes, used says " +
                    std::to_string(budget_.used_bytes()));
  if (budget_.used_bytes() > budget_.total_bytes())
    found.push_back("I1: used " + std::to_string(budget_.used_bytes()) + " of " +
                    std::to_string(budget_.total_bytes()));
  for (const auto& [owner, held] : segments) {
    const Charge* charge = budget_.find(owner);
    for (std::size_t k = 0; k < kBufferKinds; ++k)
      if (held.bytes[k] > (charge ? charge->bytes[k] : 0))
        found.push_back("I11: segments of kind " + std::string(to_string(static_cast<BufferKind>(k))) +
                        " exceed the reservation of their owner " + std::to_string(owner.id));
  }
  return found;
}

std::vector<std::string> Machine::check_segments() const {
  std::vector<std::string> found;
  for (const auto& [ref, segment] : segments_.all()) {
    const std::string name = "segment " + std::to_string(ref.id);
    const std::vector<SegmentRef> mine = refs_of(segment.owner);
    if (std::count(mine.begin(), mine.end(), ref) != 1)
      found.push_back("I2: " + name + " does not belong to exactly one owner");
    if (segment.state == Segment::State::freeing && !segment.lessees.empty())
      found.push_back("I4: " + name + " is freed while it is leased");
    std::size_t writers = 0;
    for (const auto& [slot, lessee] : segment.lessees) {
      if (lessee.mode == LeaseMode::writable) ++writers;
      const auto it = std::find_if(slots_.begin(), slots_.end(), [id = slot](const Slot& s) { return s.id == id; });
      if (it == slots_.end() || it->epoch != lessee.epoch || !it->has_process() || !it->held.contains(ref))
        found.push_back("I3: " + name + " is leased to an old epoch of " + to_string(slot));
    }
    if (writers > 1 || (writers == 1 && segment.lessees.size() > 1))
      found.push_back("I2: " + name + " has a writer and somebody else");
    if (segment.sealed && writers > 0) found.push_back("I2: " + name + " is sealed and has a writer");
  }
  return found;
}

std::vector<std::string> Machine::check_partitions() const {
  std::vector<std::string> found;
  std::uint32_t in_flight = 0;
  for (const auto& [uid, partition] : partitions_) {
    const Partition& p = *partition;
    const std::string name = p.job->record.job + "/" + std::to_string(p.index);
    if (p.admitted) ++in_flight;
    const auto expect = [&](bool in_line, bool wanted, const char* line) {
      if (in_line != wanted)
        found.push_back("I5: " + name + (wanted ? " is missing from " : " must not be in ") + line);
    };
    expect(admission_.contains(p.job->record.priority, place_of(p)), p.phase == Phase::queued, "the admission line");
    expect(intake_line_.contains(&p, p.job->uid), p.phase == Phase::ready_open, "the intake line");
    expect(inspect_line_.contains(&p, p.job->uid), p.phase == Phase::ready_inspect, "the inspect line");
    expect(synth_line_.contains(&p, p.admission), p.phase == Phase::ready_synth, "the synth line");
    expect(prove_line_.contains(&p, p.admission), p.prove == Track::pending, "the prove line");
    expect(b2_line_.contains(&p, p.admission), p.b2 == Track::pending, "the b2 line");
    expect(assemble_line_.contains(&p, p.admission), p.assemble == Track::pending, "the assemble line");
    const auto runs = [&](Stage stage) {
      return std::any_of(p.running.begin(), p.running.end(), [stage](const auto& r) { return r.stage == stage; });
    };
    if ((p.prove == Track::running) != (p.phase == Phase::sealed && runs(Stage::prove)))
      found.push_back("I5: " + name + " and its prove task disagree");
    if ((p.phase == Phase::synthesising) !=
        (runs(Stage::synth) && p.phase != Phase::stopping && p.phase != Phase::retreating))
      found.push_back("I5: " + name + " and its synth task disagree");
    const bool holds_memory = p.input_segment || p.witness || p.ab;
    if (holds_memory && !p.admitted) found.push_back("I11: " + name + " holds segments without a reservation");
    if ((p.phase == Phase::proven || p.phase == Phase::stopped) && (!p.holds_nothing() || p.admitted))
      found.push_back("I5: " + name + " has ended and still holds something");
    if (p.phase == Phase::queued && !p.holds_nothing())
      found.push_back("I5: " + name + " waits for memory while it holds some");
    if (p.job->final_state == JobState::done && !p.stored)
      found.push_back("I7: " + name + " is DONE without a stored result");
  }
  if (in_flight != in_flight_) found.push_back("I11: partitions in flight are miscounted");
  return found;
}

std::vector<std::string> Machine::check_slots() const {
  std::vector<std::string> found;
  for (const Slot& slot : slots_) {
    const std::string name = to_string(slot.id);
    if (slot.tasks.size() > slot.capacity()) found.push_back("I8: " + name + " has more assignments than it can hold");
    if (!slot.has_process() && (!slot.tasks.empty() || !slot.held.empty()))
      found.push_back("I3: " + name + " has no process but tasks or leases");
    for (const Task& task : slot.tasks) {
      if (!task.partition) continue;
      const auto& running = task.partition->running;
      if (std::none_of(running.begin(), running.end(), [&](const auto& r) { return r.assignment == task.id; }))
        found.push_back("I5: a task of " + name + " is unknown to its partition");
    }
    for (const SegmentRef ref : slot.held)
      if (const Segment* segment = segments_.find(ref); !segment || !segment->lessees.contains(slot.id))
        found.push_back("I4: " + name + " holds a lease of a segment that is gone");
  }
  return found;
}

}  // namespace groth16d::supervisor
