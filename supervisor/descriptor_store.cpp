#include "supervisor/descriptor_store.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>

#include "common/digest.hpp"
#include "common/posix.hpp"
#include "shm/segment.hpp"

namespace groth16d::supervisor {
namespace {

constexpr std::string_view kClientSocketUnit = "client";  // FileDescriptorName= of groth16d-client.socket

constexpr std::uint64_t kForgetPatience_us = 5'000'000;

constexpr int kAllSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

bool is_resident(shm::SegmentKind kind) { return kind == shm::SegmentKind::key || kind == shm::SegmentKind::r1cs; }

bool looks_like_ours(std::string_view name) { return name.starts_with("key.") || name.starts_with("r1cs."); }

std::string raw(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

void close_and_forget(const std::string& name, UniqueFd descriptor, const std::string& why) {
  spdlog::warn("stored segment {}: closed: {}", name, why);
  descriptor.reset();
  if (auto done = forget_descriptor(name); !done) spdlog::warn("{}", done.error().text);
}

// Nobody can have written to it since it was stored, and it is what its name says.
Result<InheritedSegment> examine(const std::string& name, UniqueFd descriptor) {
  const auto refuse = [](std::string text) { return failure(ErrorCode::malformed, "store.segment", std::move(text)); };
  const int seals = ::fcntl(descriptor.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kAllSeals) != kAllSeals) return refuse("it is not sealed");
  const auto header = shm::read_header(descriptor.get());
  if (!header) return tl::unexpected(header.error());
  const auto right_name = store_name(descriptor.get());
  if (!right_name) return tl::unexpected(right_name.error());
  if (*right_name != name) return refuse("its header says " + *right_name);
  if (header->segment == 0) return refuse("it has no number");
  auto held = std::make_shared<HeldSegment>();
  held->kind = header->kind;
  held->payload_bytes = header->payload_capacity_bytes;
  held->read_only = std::move(descriptor);
  return InheritedSegment{name, {header->segment, header->generation}, raw(header->content), std::move(held)};
}

// Takes the first segment of this kind and source out of `from`.
std::optional<InheritedSegment> take(std::vector<InheritedSegment>& from, shm::SegmentKind kind,
                                     const std::string& digest) {
  const auto found = std::ranges::find_if(from, [&](const InheritedSegment& segment) {
    return segment.held->kind == static_cast<std::uint32_t>(kind) && segment.digest == digest;
  });
  if (found == from.end()) return std::nullopt;
  InheritedSegment taken = std::move(*found);
  from.erase(found);
  return taken;
}

}  // namespace

Result<std::string> store_name(int segment) {
  const auto header = shm::read_header(segment);
  if (!header) return tl::unexpected(header.error());
  const auto kind = static_cast<shm::SegmentKind>(header->kind);
  if (!is_resident(kind))
    return failure(ErrorCode::malformed, "store.kind", fmt::format("a segment of kind {}", to_string(kind)));
  struct stat status {};
  if (::fstat(segment, &status) != 0) return system_failure("fstat", "segment");
  return fmt::format("{}.{}.{}", to_string(kind), to_hex(header->content), status.st_ino);
}

Result<bool> store_descriptor(const std::string& name, int descriptor) {
  // FDPOLL: a memfd has no end that the service manager could wait for.
  const std::string message = "FDSTORE=1\nFDPOLL=0\nFDNAME=" + name;
  const int sent = ::sd_pid_notify_with_fds(0, 0, message.c_str(), &descriptor, 1);
  if (sent < 0) return system_failure("sd_notify", "FDSTORE " + name, -sent);
  return sent > 0;
}

Result<void> forget_descriptor(const std::string& name) {
  const int sent = ::sd_notify(0, ("FDSTOREREMOVE=1\nFDNAME=" + name).c_str());
  if (sent < 0) return system_failure("sd_notify", "FDSTOREREMOVE " + name, -sent);
  const int done = sent > 0 ? ::sd_notify_barrier(0, kForgetPatience_us) : 0;
  return done < 0 ? system_failure("sd_notify_barrier", name, -done) : Result<void>();
}

std::vector<NamedDescriptor> handed_over() {
  char** names = nullptr;
  const int count = ::sd_listen_fds_with_names(1, &names);
  std::vector<NamedDescriptor> descriptors;
  for (int place = 0; place < count; ++place) {
    if (names[place] == kClientSocketUnit || looks_like_ours(names[place]))
      descriptors.emplace_back(names[place], UniqueFd(SD_LISTEN_FDS_START + place));
    std::free(names[place]);
  }
  std::free(names);
  return descriptors;
}

UniqueFd take_client_socket(std::vector<NamedDescriptor>& descriptors) {
  const auto found = std::ranges::find(descriptors, kClientSocketUnit, &NamedDescriptor::first);
  if (found == descriptors.end()) return UniqueFd();
  UniqueFd socket = std::move(found->second);
  descriptors.erase(found);
  return socket;
}

std::vector<InheritedSegment> inherited_segments(std::vector<NamedDescriptor> descriptors) {
  std::vector<InheritedSegment> inherited;
  std::set<SegmentRef> numbers;
  for (auto& [name, descriptor] : descriptors) {
    UniqueFd second(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 0));
    auto segment = examine(name, std::move(descriptor));
    if (segment && !numbers.insert(segment->segment).second)
      segment = failure(ErrorCode::malformed, "store.segment", "another has its number");
    if (segment)
      inherited.push_back(std::move(*segment));
    else
      close_and_forget(name, std::move(second), segment.error().text);
  }
  return inherited;
}

std::vector<InheritedSegment> match_residents(std::vector<InheritedSegment> inherited, Recovered& recovered) {
  std::vector<InheritedSegment> matched;
  for (Recovered::Circuit& circuit : recovered.circuits) {
    if (circuit.key_digest.empty()) continue;
    const std::string& source = circuit.r1cs_digest.empty() ? circuit.key_digest : circuit.r1cs_digest;
    auto key = take(inherited, shm::SegmentKind::key, circuit.key_digest);
    auto r1cs = take(inherited, shm::SegmentKind::r1cs, source);
    if (key && r1cs)
      circuit.resident = {key->segment, r1cs->segment, key->held->payload_bytes, r1cs->held->payload_bytes};
    for (auto* part : {&key, &r1cs}) {
      if (!*part) continue;
      (circuit.resident ? matched : inherited).push_back(std::move(**part));
    }
  }
  for (InheritedSegment& left : inherited) {
    left.held.reset();
    close_and_forget(left.name, UniqueFd(), "no circuit wants it");
  }
  return matched;
}

}  // namespace groth16d::supervisor
