// Who sums b_g2_msm: a finalizer, while a prove slot makes the other sums, or a card together with them.
//
// Cards and finalizers are two lines of a factory. Let a partition take a card D without B2 and D' with it, and a
// finalizer F for B2. With B2 on finalizers proofs come every max(D / cards, F / finalizers), on the card every
// D' / cards. So the card is the better place where F / finalizers > D' / cards: where finalizers make it wait for
// longer than B2 would keep it busy. "auto" goes by that, measured on the circuit. A circuit's first B2 is a
// finalizer's; if a card had time to spare meanwhile (F / finalizers > D / cards), the card is tried, and D' known.
#include <algorithm>

#include "supervisor/core/machine.hpp"

namespace groth16d::supervisor {
namespace {

// A mean that forgets: a quarter of it is the latest.
void note(std::optional<Millis>& mean, Millis took) { mean = mean ? (*mean * 3 + took) / 4 : took; }

std::int64_t usable_slots(const std::deque<Slot>& slots, Role role) {
  return std::count_if(slots.begin(), slots.end(), [role](const Slot& s) { return s.id.role == role && s.usable(); });
}

}  // namespace

void Machine::open_b2(Partition& partition) {
  if (b2_is_the_cards(partition)) {
    partition.b2 = Track::with_prove;
    if (!mutated(Mutation::b2_for_nobody)) return;
  }
  b2_to_finalizers(partition);
}

bool Machine::b2_is_the_cards(const Partition& partition) const {
  if (partition.b_g2 == BG2::cpu || config_.role(Role::gpu).slots == 0) return false;
  return partition.b_g2 == BG2::gpu || card_is_sooner(*partition.job->circuit);
}

bool Machine::card_is_sooner(const Circuit& circuit) const {
  const B2Times& times = circuit.b2_times;
  const auto& on_card = times.card_with_b2 ? times.card_with_b2 : times.card_alone;
  if (circuit.b2_refused_by || !times.finalizer || !on_card) return false;
  const std::int64_t cards = usable_slots(slots_, Role::gpu), finalizers = usable_slots(slots_, Role::final);
  return *times.finalizer * cards > *on_card * finalizers;
}

void Machine::b2_to_finalizers(Partition& partition) {
  partition.b2 = Track::pending;
  b2_line_.insert(&partition, partition.admission, partition.job->critical(), now_);
}

// What a card answered that was asked for B2 too.
void Machine::take_card_b2(Partition& partition, std::string point) {
  if (point.empty()) {
    partition.job->circuit->b2_refused_by = partition.prove_slot;
    return b2_to_finalizers(partition);
  }
  partition.b2_point = std::move(point);
  partition.b2 = Track::done;
  partition.b2_slot = partition.prove_slot;
}

void Machine::note_b2_time(const Slot& slot, const Task& task, Millis loading) {
  const Millis took = std::max(Millis{0}, now_ - task.begun_at - loading);
  B2Times& times = task.partition->job->circuit->b2_times;
  if (task.stage == Stage::b2) note(times.finalizer, took);
  if (task.stage == Stage::prove && slot.id.role == Role::gpu)
    note(task.with_b2 ? times.card_with_b2 : times.card_alone, took);
}

// The slot's next process finds the card as it is then.
void Machine::forget_b2_refusals(SlotId slot) {
  for (auto& [uid, circuit] : circuits_)
    if (circuit.b2_refused_by == slot) circuit.b2_refused_by.reset();
}

void Machine::forget_b2_times() {
  for (auto& [uid, circuit] : circuits_) {
    circuit.b2_times = {};
    circuit.b2_refused_by.reset();
  }
}

}  // namespace groth16d::supervisor
