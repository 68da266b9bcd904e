#include "tests/core/trace.hpp"

#include <cxxabi.h>
#include <cstdlib>

#include <memory>
#include <typeinfo>

namespace groth16d::supervisor::test {
namespace {

std::string type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                    std::free);
  const std::string full = status == 0 ? name.get() : type.name();
  return full.substr(full.rfind(':') + 1);
}

std::string text_of(SegmentRef ref) { return " segment " + std::to_string(ref.id); }

template <class Struct>
std::string line(const Struct& s) {
  std::string text = type_name(typeid(Struct));
  if constexpr (requires { s.from.epoch; })
    text +=
        " " + to_string(s.from.slot) + "." + std::to_string(s.from.epoch) + " #" + std::to_string(s.from.assignment);
  if constexpr (requires { s.slot.role; }) text += " " + to_string(s.slot);
  if constexpr (requires { s.epoch; }) text += "." + std::to_string(s.epoch);
  if constexpr (requires { s.assignment; }) text += " #" + std::to_string(s.assignment);
  if constexpr (requires { s.segment.id; }) text += text_of(s.segment);
  if constexpr (requires { s.request; }) text += " request " + std::to_string(s.request);
  if constexpr (requires { s.record.job; }) text += " job " + s.record.job;
  if constexpr (requires { s.job.size(); }) text += " job " + s.job;
  if constexpr (requires { s.circuit.size(); }) text += " circuit " + s.circuit;
  if constexpr (requires { s.work.job; })
    text += " " + s.work.job + "/" + std::to_string(s.work.partition) + " attempt " + std::to_string(s.work.attempt);
  if constexpr (requires { s.what.index(); })
    text += " " + std::visit([](const auto& a) { return type_name(typeid(a)); }, s.what);
  if constexpr (requires { s.segments.front().kind; })
    for (const auto& spec : s.segments) text += text_of(spec.segment);
  if constexpr (requires { s.files.front().path; })
    for (const auto& file : s.files) text += text_of(file.segment);
  if constexpr (requires { s.code + 0; }) text += " code " + std::to_string(s.code);
  if constexpr (requires { s.text.size(); }) text += " \"" + s.text + "\"";
  if constexpr (requires { s.reason.size(); }) text += " \"" + s.reason + "\"";
  if constexpr (requires { s.error.text; }) text += " \"" + s.error.text + "\"";
  return text;
}

template <std::size_t... Index>
std::vector<std::string> event_names(std::index_sequence<Index...>) {
  return {type_name(typeid(std::variant_alternative_t<Index, Event>))...};
}

}  // namespace

std::string event_name(std::size_t index) {
  static const std::vector<std::string> names = event_names(std::make_index_sequence<std::variant_size_v<Event>>());
  return names.at(index);
}

std::string describe(const Event& event) {
  return std::visit([](const auto& e) { return line(e); }, event);
}

std::string describe(const Action& action) {
  return std::visit([](const auto& a) { return line(a); }, action);
}

}  // namespace groth16d::supervisor::test
