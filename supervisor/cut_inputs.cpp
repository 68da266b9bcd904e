#include "supervisor/cut_inputs.hpp"

#include <algorithm>

#include "supervisor/worker_messages.hpp"

namespace groth16d::supervisor {

void CutInputs::assigned(const Assign& action) {
  if (!std::holds_alternative<AssignInspectInput>(action.what)) return;
  inspections_[action.slot] = {action.epoch, action.assignment, {action.work.job, action.work.partition}};
}

std::optional<ReplaceInput> CutInputs::cut_of(const ipc::Up& up) {
  const std::string& bytes = cut_input_of(up);
  const auto slot = parse_slot(up.slot());
  if (bytes.empty() || !slot) return std::nullopt;
  const auto found = inspections_.find(*slot);
  if (found == inspections_.end() || found->second.epoch != up.epoch() || found->second.assignment != up.assignment())
    return std::nullopt;
  const InputId input = std::move(found->second.input);
  inspections_.erase(found);
  Cut& cut = cuts_[input];
  cut.is_under_way = true;
  cut.bytes.clear();
  return ReplaceInput{input.first, input.second, bytes};
}

CutInputs::Next CutInputs::allocating(AllocateSegments action) {
  const auto copied = std::find_if(action.segments.begin(), action.segments.end(),
                                   [](const SegmentSpec& spec) { return spec.fill_from_spool; });
  if (copied == action.segments.end()) return {std::move(action), {}, {}};
  const InputId input{copied->work.job, copied->work.partition};
  const auto found = cuts_.find(input);
  if (found == cuts_.end()) return {std::move(action), {}, {}};
  Cut& cut = found->second;
  cut.allocation = std::move(action);
  if (cut.is_under_way) return {};
  cut.is_under_way = true;
  return {{}, ReplaceInput{input.first, input.second, std::exchange(cut.bytes, {})}, {}};
}

CutInputs::Next CutInputs::replaced(InputReplaced done) {
  const auto found = cuts_.find({done.job, done.partition});
  if (found == cuts_.end()) return {};
  Cut& cut = found->second;
  Next next;
  if (!done.failure) {
    next.allocate = std::move(cut.allocation);
    cuts_.erase(found);
    return next;
  }
  cut.is_under_way = false;
  cut.bytes = std::move(done.bytes);
  if (const auto waited = std::exchange(cut.allocation, std::nullopt))
    next.failed = AllocationFailed{waited->request, *done.failure};
  return next;
}

void CutInputs::forget(const JobId& job) {
  std::erase_if(inspections_, [&](const auto& entry) { return entry.second.input.first == job; });
  std::erase_if(cuts_, [&](const auto& entry) { return entry.first.first == job; });
}

}  // namespace groth16d::supervisor
