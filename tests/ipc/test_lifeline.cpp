// The lifeline carries one descriptor a lease, tells the end, and survives a hostile peer without leaking descriptors.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <vector>

#include "ipc/lifeline.hpp"

using namespace groth16d;
using namespace groth16d::ipc;

namespace {

UniqueFd file_with(const std::string& text) {
  UniqueFd fd(::memfd_create("test", MFD_CLOEXEC));
  REQUIRE(::pwrite(fd.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  return fd;
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

// A packet as a hostile peer makes it.
void send_raw(int socket, std::string_view bytes, const std::vector<int>& descriptors) {
  iovec data{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(64 * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size() * sizeof(int));
  }
  REQUIRE(::sendmsg(socket, &header, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
}

// The bytes of a good lease, as they are on the wire.
std::string good_packet() {
  const LifelinePair pair = make_lifeline().value();
  REQUIRE(send_lease(pair.supervisor.get(), {1, 1, LeaseMode::file, 0, 4}, pair.worker.get()));
  std::string bytes(256, '\0');
  const ssize_t got = ::recv(pair.worker.get(), bytes.data(), bytes.size(), 0);
  REQUIRE(got > 0);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

}  // namespace

TEST_CASE("a lease arrives with its descriptor, in order, close-on-exec") {
  const LifelinePair pair = make_lifeline().value();
  const UniqueFd first = file_with("first");
  const UniqueFd second = file_with("second");
  REQUIRE(send_lease(pair.supervisor.get(), {7, 2, LeaseMode::read_write, 3, 4096}, first.get()));
  REQUIRE(send_lease(pair.supervisor.get(), {8, 1, LeaseMode::read_only, 2, 9}, second.get()));

  const ReceivedLease lease = receive_lease(pair.worker.get()).value().value();
  CHECK(lease.message.segment == 7);
  CHECK(lease.message.generation == 2);
  CHECK(lease.message.mode == LeaseMode::read_write);
  CHECK(lease.message.kind == 3);
  CHECK(lease.message.payload_bytes == 4096);
  CHECK(lease.descriptor.get() != first.get());
  CHECK((::fcntl(lease.descriptor.get(), F_GETFD) & FD_CLOEXEC) != 0);
  std::array<char, 5> text{};
  REQUIRE(::pread(lease.descriptor.get(), text.data(), text.size(), 0) == 5);
  CHECK(std::string(text.data(), text.size()) == "first");
  CHECK(receive_lease(pair.worker.get()).value()->message.segment == 8);
}

TEST_CASE("nothing there is no error and does not block") {
  const LifelinePair pair = make_lifeline().value();
  const auto nothing = receive_lease(pair.worker.get());
  REQUIRE(nothing);
  CHECK_FALSE(nothing->has_value());
}

TEST_CASE("the end of either side is seen by the other, after what was sent before it") {
  LifelinePair pair = make_lifeline().value();
  const UniqueFd file = file_with("x");
  REQUIRE(send_lease(pair.supervisor.get(), {1, 1, LeaseMode::file, 0, 1}, file.get()));
  pair.supervisor.reset();
  CHECK(receive_lease(pair.worker.get()).value().has_value());
  CHECK(receive_lease(pair.worker.get()).error().name == "lifeline.closed");

  LifelinePair other = make_lifeline().value();
  other.worker.reset();
  CHECK(send_lease(other.supervisor.get(), {}, file.get()).error().name == "lifeline.closed");
  CHECK(receive_lease(other.supervisor.get()).error().name == "lifeline.closed");
}

TEST_CASE("a peer that does not read makes the lifeline full, not the sender wait") {
  const LifelinePair pair = make_lifeline().value();
  const UniqueFd file = file_with("x");
  Result<void> sent;
  for (int i = 0; i < 100'000 && sent; ++i) sent = send_lease(pair.supervisor.get(), {}, file.get());
  REQUIRE_FALSE(sent);
  CHECK(sent.error().name == "lifeline.full");
}

TEST_CASE("garbage is refused and every descriptor that came with it is closed") {
  const std::string good = good_packet();
  const UniqueFd file = file_with("x");
  const int fd = file.get();
  const LifelinePair pair = make_lifeline().value();
  const auto refused = [&](std::string_view bytes, const std::vector<int>& descriptors) {
    const auto before = open_descriptors();
    send_raw(pair.supervisor.get(), bytes, descriptors);
    const auto lease = receive_lease(pair.worker.get());
    return !lease && lease.error().name == "lifeline.message" && open_descriptors() == before;
  };
  CHECK(refused(good, {}));
  CHECK(refused(good, {fd, fd}));
  CHECK(refused(good, std::vector<int>(8, fd)));
  CHECK(refused(good, std::vector<int>(60, fd)));
  CHECK(refused(good.substr(1), {fd}));
  CHECK(refused(good + "x", {fd}));
  CHECK(refused("x", {fd}));
  CHECK(refused(std::string(good.size(), 'x'), {fd}));
  std::string unknown_mode = good;
  unknown_mode[32] = 4;
  CHECK(refused(unknown_mode, {fd}));

  send_raw(pair.supervisor.get(), good, {fd});
  CHECK(receive_lease(pair.worker.get()).value().has_value());
}
