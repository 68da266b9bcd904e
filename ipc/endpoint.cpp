#include "ipc/endpoint.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "common/posix.hpp"
#include "ipc/socket_options.hpp"

namespace groth16d::ipc {

namespace {

// What the holder wrote into its lock file, for the message of the one that came second.
std::string holder_of(int fd) {
  char text[32] = {};
  const ssize_t length = ::pread(fd, text, sizeof text - 1, 0);
  std::string holder(text, length > 0 ? static_cast<std::size_t>(length) : 0);
  std::erase_if(holder, [](char letter) { return letter < '0' || letter > '9'; });
  return holder.empty() ? "unknown" : holder;
}

Result<void> remove_stale_socket(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return system_failure("lstat", path);
  }
  if (!S_ISSOCK(status.st_mode)) {
    return failure(ErrorCode::conflict, "endpoint.not_a_socket", path + ": exists and is no socket; not removed");
  }
  if (::unlink(path.c_str()) != 0) return system_failure("unlink", path);
  return {};
}

// The socket file never exists with more rights than it is to have.
class ScopedUmask {
 public:
  explicit ScopedUmask(mode_t mask) : old_(::umask(mask)) {}
  ScopedUmask(const ScopedUmask&) = delete;
  ScopedUmask& operator=(const ScopedUmask&) = delete;
  ~ScopedUmask() { ::umask(old_); }

 private:
  mode_t old_;
};

// Where a listening unix socket stands; "" for anything else.
std::string listening_path(int fd) {
  int listens = 0;
  socklen_t length = sizeof listens;
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || listens == 0) return "";
  sockaddr_un address{};
  length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return "";
  if (address.sun_family != AF_UNIX || length <= offsetof(sockaddr_un, sun_path)) return "";
  return {address.sun_path, ::strnlen(address.sun_path, length - offsetof(sockaddr_un, sun_path))};
}

}  // namespace

Result<std::string> ipc_endpoint(const std::string& path) {
  if (path.empty()) return failure(ErrorCode::malformed, "endpoint.empty", "a socket path is empty");
  if (path.size() > kMaxSocketPathBytes) {
    return failure(ErrorCode::malformed, "endpoint.too_long",
                   fmt::format("{}: {} bytes, expected at most {}", path, path.size(), kMaxSocketPathBytes));
  }
  return "ipc://" + path;
}

EndpointLock::EndpointLock(std::string directory, UniqueFd fd) : directory_(std::move(directory)), fd_(std::move(fd)) {}

Result<EndpointLock> EndpointLock::take(const std::string& directory) {
  const std::string path = directory + "/lock";
  Result<UniqueFd> fd = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  if (!fd) return tl::unexpected<Error>(fd.error());
  if (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_failure("flock", path);
    return failure(ErrorCode::conflict, "endpoint.locked",
                   fmt::format("{}: another daemon runs here, pid {}", path, holder_of(fd->get())));
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd->get(), 0) != 0) return system_failure("ftruncate", path);
  if (auto written = write_all(fd->get(), std::as_bytes(std::span(pid)), path); !written) {
    return tl::unexpected<Error>(written.error());
  }
  return EndpointLock(directory, std::move(*fd));
}

Result<void> bind_endpoint(zmq::socket_t& socket, const EndpointLock& lock, const std::string& name, mode_t mode) {
  const std::string path = lock.directory() + "/" + name;
  Result<std::string> endpoint = ipc_endpoint(path);
  if (!endpoint) return tl::unexpected<Error>(endpoint.error());
  if (auto removed = remove_stale_socket(path); !removed) return removed;
  const ScopedUmask mask(static_cast<mode_t>(~mode & 0777));
  try {
    socket.bind(*endpoint);
  } catch (const zmq::error_t& error) {
    return failure(ErrorCode::system, "zmq.bind", fmt::format("zmq_bind {}: {}", *endpoint, error.what()));
  }
  if (::chmod(path.c_str(), mode) != 0) return system_failure("chmod", path);
  return {};
}

Result<void> bind_activated(zmq::socket_t& socket, const EndpointLock& lock, const std::string& name,
                            UniqueFd listening) {
  const std::string path = lock.directory() + "/" + name;
  Result<std::string> endpoint = ipc_endpoint(path);
  if (!endpoint) return tl::unexpected<Error>(endpoint.error());
  if (const std::string found = listening_path(listening.get()); found != path) {
    return failure(ErrorCode::conflict, "endpoint.activated",
                   fmt::format("the service manager's socket listens at \"{}\", expected {}", found, path));
  }
  try {
    socket.set(zmq::sockopt::use_fd, listening.get());
    socket.bind(*endpoint);
  } catch (const zmq::error_t& error) {
    return failure(ErrorCode::system, "zmq.bind", fmt::format("zmq_bind {}: {}", *endpoint, error.what()));
  }
  static_cast<void>(listening.release());  // the socket closes it
  return {};
}

}  // namespace groth16d::ipc
