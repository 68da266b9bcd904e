// A job, and the life of each of its partitions.
//
// Intake: once the circuit is known, the spooled input is opened and a load slot inspects it. Then the partition is
// queued until the budget admits its whole life; its segments are allocated; a synth slot fills the witness and a, b.
// When the writer has released them and the witness is sealed, two tracks run in parallel: PROVE and B2; or a card sums
// B2 with the rest, and they are one. PROVE_DONE dooms `ab` (phase 1). Both done, a finalizer assembles and verifies;
// the witness is doomed (phase 2) and the proof is stored.
//
// Two detours lead back. A partition *retreats* when a stage must start from less than it holds (synthesis died, an
// allocation failed, no room for a second `ab`): it gives everything back, confirmed, and queues again at its old
// place. It *stops* when its job ends early or the daemon drains: running assignments are cancelled, and nothing is
// left. In both it waits for every answer that is still under way, so that no late event can find it in a new life.
#pragma once

#include <algorithm>
#include <array>
#include <set>

#include "supervisor/budget/private_need.hpp"
#include "supervisor/core/view.hpp"

namespace groth16d::supervisor {

struct Circuit;
struct Job;

enum class Phase {
  awaiting_circuit,  // the circuit is not known yet
  ready_open,        // waits until few enough input files are open
  opening,           // OpenFiles asked
  ready_inspect,     // waits for a load slot
  inspecting,        // assigned
  inspected,         // gives the input file back
  queued,            // in the admission line
  parked,            // like queued, while its circuit is being loaded
  memory_pause,      // an allocation failed: queued again by its alarm
  allocating,        // AllocateSegments asked
  ready_synth,       // waits for a synth slot
  synthesising,      // assigned
  sealing,           // the writer's leases come back, then SealSegment asked
  sealed,            // prove and b2 tracks, then assembly
  storing,           // StoreResult asked, the rest comes back
  proven,
  retreating,  // gives everything back, then goes to `after`
  stopping,    // likewise, then stopped
  stopped,
};

// A worker that ended with a partition on board.
struct PartitionDeath {
  SlotId on;
  Death how = Death::crash;
  bool operator==(const PartitionDeath&) const = default;
};

// with_prove: B2 comes from the card that has, or will have, the partition's PROVE.
enum class Track { idle, pending, running, done, with_prove };

struct Partition {
  std::uint64_t uid = 0;
  std::uint32_t index = 0;
  Job* job = nullptr;

  Phase phase = Phase::awaiting_circuit;
  Phase after = Phase::queued;  // of retreating: queued, memory_pause or awaiting_circuit
  InputFacts input;
  TimePoint waiting_since{};
  std::uint64_t queued_before_admission = 0;  // the next admission when it entered the line
  bool admitted = false;                      // holds a reservation and a reference on its circuit
  std::uint64_t admission = 0;                // in which order
  PrivateNeeds needs;                         // as it was admitted
  BG2 b_g2 = BG2::cpu;                        // likewise

  SegmentRef input_file, input_segment, witness, ab;
  RequestId request = 0;  // OpenFiles or AllocateSegments under way
  Track prove = Track::idle, b2 = Track::idle, assemble = Track::idle;
  bool ab_is_fresh = true;
  std::string sums, b2_point;  // opaque; kept until the proof is verified
  SlotId prove_slot, b2_slot;  // that made them

  Proof proof;
  bool store_under_way = false;
  bool stored = false;

  std::array<std::uint32_t, kStages> attempts{};  // assignments given, by stage; they only grow
  std::vector<PartitionDeath> deaths;             // that count
  std::set<SlotId> avoid;                         // slots on which a stage failed
  std::uint32_t retries = 0;                      // FAILED{retryable}
  bool for_cards = false;                         // a card had no room for it: the CPU is no substitute
  std::uint32_t card_pauses = 0;                  // others held a card's memory
  TimePoint tainted_until{};                      // before, no slot proves it that failed it
  std::uint32_t verification_failures = 0;
  std::optional<SlotId> suspect_slot;  // made the sums that did not verify
  std::uint32_t allocation_failures = 0;

  struct Running {
    Stage stage;
    SlotId slot;
    AssignmentId assignment;
  };
  std::vector<Running> running;
  std::uint32_t progress_permille = 0;

  bool is_tainted_by(SlotId slot) const {
    const auto on_it = [slot](const PartitionDeath& death) { return death.on == slot; };
    return avoid.contains(slot) || std::any_of(deaths.begin(), deaths.end(), on_it);
  }
  std::size_t devices_lost(SlotId on) const {
    return static_cast<std::size_t>(std::count(deaths.begin(), deaths.end(), PartitionDeath{on, Death::unusable}));
  }
  // Deaths that speak against it. Devices that are lost on one slot alone speak against that slot.
  std::size_t accusing_deaths() const {
    const auto is_loss = [](const PartitionDeath& death) { return death.how == Death::unusable; };
    const auto first = std::find_if(deaths.begin(), deaths.end(), is_loss);
    if (first == deaths.end()) return deaths.size();
    const auto lost = static_cast<std::size_t>(std::count_if(deaths.begin(), deaths.end(), is_loss));
    return devices_lost(first->on) == lost ? deaths.size() - lost : deaths.size();
  }
  std::uint32_t most_attempts() const { return *std::max_element(attempts.begin(), attempts.end()); }
  bool holds_nothing() const {
    return !input_file && !input_segment && !witness && !ab && request == 0 && running.empty() && !store_under_way;
  }
};

// How a job ends early.
struct Ending {
  JobState state = JobState::failed;
  Error error;
};

struct Job {
  std::uint64_t uid = 0;  // order of acceptance
  JobRecord record;
  Circuit* circuit = nullptr;
  bool durable = false;  // JobStored
  std::vector<ReplyToken> submit_tokens, close_tokens;
  std::vector<Partition> partitions;  // never resized: lines and tables point into it

  std::optional<Ending> ending;           // decided; partitions are stopping
  std::optional<JobState> storing_state;  // StoreJobState asked
  bool store_retry = false;               // it failed; its alarm will ask again
  std::optional<JobState> final_state;    // committed
  std::optional<Error> failure;
  std::string key_digest, vk_digest, curve;
  bool deleting = false;

  TimePoint accepted_at{};
  TimePoint deadline{};  // with record.deadline_ms
  std::vector<StageSpan> timeline;
  std::vector<std::string> warnings;
  JobState published = JobState::received;

  bool critical() const { return record.priority == Priority::critical; }
};

}  // namespace groth16d::supervisor
