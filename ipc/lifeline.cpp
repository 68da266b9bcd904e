#include "ipc/lifeline.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <vector>

#include "common/posix.hpp"

namespace groth16d::ipc {

namespace {

// On the wire: one packet, host byte order (it never leaves the machine).
struct Wire {
  std::array<char, 8> magic;
  std::uint64_t segment;
  std::uint64_t generation;
  std::uint64_t payload_bytes;
  std::uint32_t mode;
  std::uint32_t kind;
};
static_assert(sizeof(Wire) == 40 && std::is_trivially_copyable_v<Wire>);

constexpr std::array<char, 8> kWireMagic = {'G', '1', '6', 'L', 'E', 'A', 'S', 'E'};

// Room for more descriptors than are allowed: what arrives in excess must be received in order to be closed.
constexpr std::size_t kControlBytes = CMSG_SPACE(8 * sizeof(int));

struct Packet {
  Wire wire{};
  std::size_t bytes = 0;
  bool truncated = false;
  std::vector<UniqueFd> descriptors;
};

void take_descriptors(msghdr& header, std::vector<UniqueFd>& descriptors) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
}

bool well_formed(const Packet& packet) {
  const bool known_mode = packet.wire.mode >= static_cast<std::uint32_t>(LeaseMode::read_only) &&
                          packet.wire.mode <= static_cast<std::uint32_t>(LeaseMode::file);
  return packet.bytes == sizeof(Wire) && !packet.truncated && packet.wire.magic == kWireMagic && known_mode &&
         packet.descriptors.size() == 1;
}

tl::unexpected<Error> closed() {
  return failure(ErrorCode::unavailable, "lifeline.closed", "the other end of the lifeline is gone");
}

ssize_t receive_packet(int lifeline, Packet& packet) {
  iovec data{&packet.wire, sizeof packet.wire};
  alignas(cmsghdr) std::array<char, kControlBytes> control{};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t got = -1;
  do {
    got = ::recvmsg(lifeline, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return got;
  packet.bytes = static_cast<std::size_t>(got);
  packet.truncated = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  take_descriptors(header, packet.descriptors);
  return got;
}

}  // namespace

Result<LifelinePair> make_lifeline() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return system_failure("socketpair", "lifeline");
  }
  return LifelinePair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<void> send_lease(int lifeline, const LeaseMessage& message, int descriptor) {
  Wire wire{
      kWireMagic,  message.segment, message.generation, message.payload_bytes, static_cast<std::uint32_t>(message.mode),
      message.kind};
  iovec data{&wire, sizeof wire};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(lifeline, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return {};
  if (errno == EPIPE || errno == ECONNRESET) return closed();
  // ETOOMANYREFS: more descriptors in flight than RLIMIT_NOFILE, because the worker does not take them.
  if (errno == EAGAIN || errno == ETOOMANYREFS) {
    return failure(ErrorCode::busy, "lifeline.full", "the worker does not take its leases");
  }
  return system_failure("sendmsg", "lifeline");
}

Result<std::optional<ReceivedLease>> receive_lease(int lifeline) {
  Packet packet;
  const ssize_t got = receive_packet(lifeline, packet);
  if (got < 0 && errno == EAGAIN) return std::nullopt;
  if (got < 0 && errno == ECONNRESET) return closed();
  if (got < 0) return system_failure("recvmsg", "lifeline");
  // A packet of no bytes looks the same as the end: neither is a lease.
  if (got == 0) return closed();
  if (!well_formed(packet)) {
    return failure(ErrorCode::malformed, "lifeline.message",
                   "a packet of " + std::to_string(packet.bytes) + " bytes with " +
                       std::to_string(packet.descriptors.size()) + " descriptors is no lease");
  }
  ReceivedLease lease;
  lease.message = {packet.wire.segment, packet.wire.generation, static_cast<LeaseMode>(packet.wire.mode),
                   packet.wire.kind, packet.wire.payload_bytes};
  lease.descriptor = std::move(packet.descriptors.front());
  return lease;
}

}  // namespace groth16d::ipc
