#include "workers/runtime/lease.hpp"

#include <fmt/format.h>

namespace groth16d::worker {

namespace {

using ipc::LeaseMode;
using shm::SegmentKind;

// Collects uses; a lease that is absent from the message is no use.
class Uses {
 public:
  void file(bool present, const v1::Lease& lease) {
    if (present) list.push_back({name_of(lease), LeaseMode::file, SegmentKind::input});
  }
  void read(bool present, const v1::Lease& lease, SegmentKind kind) {
    if (present) list.push_back({name_of(lease), LeaseMode::read_only, kind});
  }
  void write(bool present, const v1::Lease& lease, SegmentKind kind) {
    if (present) list.push_back({name_of(lease), LeaseMode::read_write, kind});
  }

  std::vector<LeaseUse> list;
};

std::vector<LeaseUse> uses_of(const v1::AssignInspect& inspect) {
  Uses uses;
  uses.file(inspect.circuit().has_key_file(), inspect.circuit().key_file());
  uses.file(inspect.circuit().has_r1cs_file(), inspect.circuit().r1cs_file());
  uses.file(inspect.input().has_input_file(), inspect.input().input_file());
  return uses.list;
}

std::vector<LeaseUse> uses_of(const v1::AssignLoad& load) {
  Uses uses;
  uses.file(load.has_key_file(), load.key_file());
  uses.file(load.has_r1cs_file(), load.r1cs_file());
  uses.write(load.has_key(), load.key(), SegmentKind::key);
  uses.write(load.has_r1cs(), load.r1cs(), SegmentKind::r1cs);
  return uses.list;
}

std::vector<LeaseUse> uses_of(const v1::AssignAdopt& adopt) {
  Uses uses;
  uses.read(adopt.has_key(), adopt.key(), SegmentKind::key);
  uses.read(adopt.has_r1cs(), adopt.r1cs(), SegmentKind::r1cs);
  return uses.list;
}

std::vector<LeaseUse> uses_of(const v1::AssignSynth& synth) {
  Uses uses;
  uses.read(synth.has_input(), synth.input(), SegmentKind::input);
  uses.read(synth.has_r1cs(), synth.r1cs(), SegmentKind::r1cs);
  uses.write(synth.has_witness(), synth.witness(), SegmentKind::witness);
  uses.write(synth.has_ab(), synth.ab(), SegmentKind::ab);
  return uses.list;
}

// What PROVE, B2 and ASSEMBLE have in common: they read one partition's sealed witness under one key.
template <class Assign>
Uses reader_uses(const Assign& assign) {
  Uses uses;
  uses.read(assign.has_key(), assign.key(), SegmentKind::key);
  uses.read(assign.has_r1cs(), assign.r1cs(), SegmentKind::r1cs);
  uses.read(assign.has_witness(), assign.witness(), SegmentKind::witness);
  return uses;
}

std::vector<LeaseUse> uses_of(const v1::AssignProve& prove) {
  Uses uses = reader_uses(prove);
  uses.write(prove.has_ab(), prove.ab(), SegmentKind::ab);
  return uses.list;
}

}  // namespace

std::string to_string(const LeaseName& name) { return fmt::format("{}.{}", name.segment, name.generation); }

std::vector<LeaseUse> leases_of(const v1::Down& down) {
  switch (down.body_case()) {
    case v1::Down::kInspect:
      return uses_of(down.inspect());
    case v1::Down::kLoad:
      return uses_of(down.load());
    case v1::Down::kAdopt:
      return uses_of(down.adopt());
    case v1::Down::kSynth:
      return uses_of(down.synth());
    case v1::Down::kProve:
      return uses_of(down.prove());
    case v1::Down::kB2:
      return reader_uses(down.b2()).list;
    case v1::Down::kAssemble:
      return reader_uses(down.assemble()).list;
    default:
      return {};
  }
}

}  // namespace groth16d::worker
