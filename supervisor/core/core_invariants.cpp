// The invariants of section 11, as far as one state can show them. I6 (every accepted job ends) and I9 (attempts only
// grow) are statements about histories: the simulation checks them. I12 to I14 are ours: nothing overtakes inside its
// class, what a stage needs no more is on its way out, and the jobs of clients are counted.
//
// The simulation asks after every event, so a check builds no text and allocates nothing as long as all is well.
#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {
namespace {

std::string name_of(const Partition& p) { return p.job->record.job + "/" + std::to_string(p.index); }

bool runs(const Partition& partition, Stage stage) {
  return std::any_of(partition.running.begin(), partition.running.end(),
                     [stage](const auto& running) { return running.stage == stage; });
}

}  // namespace

std::vector<std::string> Machine::check_invariants() const {
  std::vector<std::string> found = violations_;
  check_accounts(found);
  check_segments(found);
  check_partitions(found);
  check_lines(found);
  check_slots(found);
  check_clients(found);
  if (exited_) {
    if (budget_.used_bytes() != 0)
      found.push_back("I10: " + std::to_string(budget_.used_bytes()) + " bytes used after drain");
    if (!segments_.empty()) found.push_back("I10: segments are left after drain");
  }
  return found;
}

void Machine::check_accounts(std::vector<std::string>& found) const {
  std::uint64_t sum = 0;
  for (const auto& [id, account] : budget_.accounts()) sum += account.charge.total();
  if (sum != budget_.used_bytes())
    found.push_back("I1: accounts hold " + std::to_string(sum) + " bytes, used says " +
                    std::to_string(budget_.used_bytes()));
  if (budget_.used_bytes() > budget_.total_bytes())
    found.push_back("I1: used " + std::to_string(budget_.used_bytes()) + " of " +
                    std::to_string(budget_.total_bytes()));
}

void Machine::check_segments(std::vector<std::string>& found) const {
  for (const auto& [ref, segment] : segments_.all()) {
    const auto name = [id = ref.id] { return "segment " + std::to_string(id); };
    const auto mine = refs_of(segment.owner);
    if (std::count(mine.begin(), mine.end(), ref) != 1)
      found.push_back("I2: " + name() + " does not belong to exactly one owner");
    if (segment.kind) {  // an owner has at most one segment of a kind
      const Charge* charge = budget_.find(segment.owner);
      if (segment.total_bytes > (charge ? (*charge)[*segment.kind] : 0))
        found.push_back("I11: " + name() + " of kind " + std::string(to_string(*segment.kind)) +
                        " exceeds the reservation of its owner " + std::to_string(segment.owner.id));
    }
    if (segment.state == Segment::State::freeing && !segment.lessees.empty())
      found.push_back("I4: " + name() + " is freed while it is leased");
    std::size_t writers = 0;
    for (const auto& [id, lessee] : segment.lessees) {
      if (lessee.mode == LeaseMode::writable) ++writers;
      const Slot* slot = find_slot(id);
      if (!slot || slot->epoch != lessee.epoch || !slot->has_process() || !slot->held.contains(ref))
        found.push_back("I3: " + name() + " is leased to an old epoch of " + to_string(id));
    }
    if (writers > 1 || (writers == 1 && segment.lessees.size() > 1))
      found.push_back("I2: " + name() + " has a writer and somebody else");
    if (segment.sealed && writers > 0) found.push_back("I2: " + name() + " is sealed and has a writer");
  }
}

void Machine::check_partitions(std::vector<std::string>& found) const {
  std::uint32_t in_flight = 0;
  for (const auto& [uid, partition] : partitions_) {
    const Partition& p = *partition;
    if (p.admitted) ++in_flight;
    const bool ended = p.phase == Phase::proven || p.phase == Phase::stopped;
    if (p.phase == Phase::proven && p.stored && !p.admitted && p.holds_nothing()) continue;  // most of a long history
    if ((p.prove == Track::running) != (p.phase == Phase::sealed && runs(p, Stage::prove)))
      found.push_back("I5: " + name_of(p) + " and its prove task disagree");
    if ((p.phase == Phase::synthesising) !=
        (runs(p, Stage::synth) && p.phase != Phase::stopping && p.phase != Phase::retreating))
      found.push_back("I5: " + name_of(p) + " and its synth task disagree");
    if ((p.input_segment || p.witness || p.ab) && !p.admitted)
      found.push_back("I11: " + name_of(p) + " holds segments without a reservation");
    if (ended && (!p.holds_nothing() || p.admitted))
      found.push_back("I5: " + name_of(p) + " has ended and still holds something");
    if (p.phase == Phase::queued && !p.holds_nothing())
      found.push_back("I5: " + name_of(p) + " waits for memory while it holds some");
    if (p.job->final_state == JobState::done && !p.stored)
      found.push_back("I7: " + name_of(p) + " is DONE without a stored result");
    const auto lingers = [this](SegmentRef ref) {
      const Segment* segment = segments_.find(ref);
      return segment && !segment->doomed;
    };
    if (p.phase == Phase::sealed && p.prove == Track::done && lingers(p.ab))
      found.push_back("I13: the ab of " + name_of(p) + " outlives its prove stage");
    if (p.phase == Phase::storing && lingers(p.witness))
      found.push_back("I13: the witness of " + name_of(p) + " outlives its proof");
  }
  if (in_flight != in_flight_) found.push_back("I11: partitions in flight are miscounted");
}

// A partition stands in exactly the lines that its state says: each is where it must be, and the lines hold no more.
void Machine::check_lines(std::vector<std::string>& found) const {
  enum Line { admission, intake, inspect, synth, prove, b2, assemble, kLines };
  constexpr std::array<const char*, kLines> kNames = {"admission", "intake", "inspect", "synth",
                                                      "prove",     "b2",     "assemble"};
  std::array<std::size_t, kLines> wanted{};
  for (const auto& [uid, partition] : partitions_) {
    const Partition& p = *partition;
    const auto expect = [&](Line line, bool waits, const auto& is_there) {
      if (!waits) return;
      ++wanted[line];
      if (!is_there()) found.push_back("I5: " + name_of(p) + " is missing from the " + kNames[line] + " line");
    };
    const auto in = [&p](const ReadyLine<Partition>& line, std::uint64_t order) {
      return [&p, &line, order] { return line.contains(&p, order); };
    };
    expect(admission, p.phase == Phase::queued,
           [&] { return admission_.contains(p.job->record.priority, place_of(p)); });
    const Admitted& last = last_admitted_[static_cast<std::size_t>(p.job->record.priority) - 1];
    if (p.phase == Phase::queued && last.admission >= p.queued_before_admission &&
        std::pair(last.job, last.partition) > std::pair(p.job->uid, p.index))
      found.push_back("I12: " + name_of(p) + " was overtaken inside its class");
    expect(intake, p.phase == Phase::ready_open, in(intake_line_, p.job->uid));
    expect(inspect, p.phase == Phase::ready_inspect, in(inspect_line_, p.job->uid));
    expect(synth, p.phase == Phase::ready_synth, in(synth_line_, p.admission));
    expect(prove, p.prove == Track::pending, in(prove_line_, p.admission));
    expect(b2, p.b2 == Track::pending, in(b2_line_, p.admission));
    expect(assemble, p.assemble == Track::pending, in(assemble_line_, p.admission));
  }
  const std::array<std::size_t, kLines> there = {admission_.size(),    intake_line_.size(), inspect_line_.size(),
                                                 synth_line_.size(),   prove_line_.size(),  b2_line_.size(),
                                                 assemble_line_.size()};
  for (std::size_t line = 0; line < kLines; ++line)
    if (there[line] != wanted[line])
      found.push_back(std::string("I5: somebody is in the ") + kNames[line] + " line who must not be");
}

void Machine::check_clients(std::vector<std::string>& found) const {
  std::size_t unfinished = 0, of_clients = 0, counted = 0;
  for (const auto& [uid, job] : jobs_) {
    if (!job.circuit) continue;
    ++unfinished;
    if (!job.record.client.empty()) ++of_clients;
  }
  for (const auto& [client, count] : unfinished_jobs_of_) counted += count;
  if (unfinished != unfinished_jobs_ || of_clients != counted)
    found.push_back("I14: the unfinished jobs of clients are miscounted");
}

void Machine::check_slots(std::vector<std::string>& found) const {
  for (const Slot& slot : slots_) {
    const auto name = [&slot] { return to_string(slot.id); };
    if (slot.tasks.size() > 1) found.push_back("I8: " + name() + " has more assignments than it can hold");
    if (!slot.has_process() && (!slot.tasks.empty() || !slot.held.empty()))
      found.push_back("I3: " + name() + " has no process but tasks or leases");
    for (const Task& task : slot.tasks) {
      if (!task.partition) continue;
      const auto& running = task.partition->running;
      if (std::none_of(running.begin(), running.end(), [&](const auto& r) { return r.assignment == task.id; }))
        found.push_back("I5: a task of " + name() + " is unknown to its partition");
    }
    for (const SegmentRef ref : slot.held)
      if (const Segment* segment = segments_.find(ref); !segment || !segment->lessees.contains(slot.id))
        found.push_back("I4: " + name() + " holds a lease of a segment that is gone");
  }
}

}  // namespace groth16d::supervisor
