// One daemon binds an endpoint, with the rights that it was given.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "ipc/endpoint.hpp"
#include "ipc/socket_options.hpp"
#include "tests/temporary_directory.hpp"

using namespace groth16d;
using namespace groth16d::ipc;

TEST_CASE("a path that sockaddr_un cannot hold is refused, not cut") {
  CHECK(ipc_endpoint("/run/x.sock").value() == "ipc:///run/x.sock");
  CHECK(ipc_endpoint("/" + std::string(106, 'x')));
  CHECK(ipc_endpoint("/" + std::string(107, 'x')).error().name == "endpoint.too_long");
  CHECK(ipc_endpoint("").error().name == "endpoint.empty");
}

TEST_CASE("the second lock on a directory is refused and names the holder; it is free again after the first") {
  const TemporaryDirectory directory;
  {
    const EndpointLock lock = EndpointLock::take(directory.path()).value();
    const auto second = EndpointLock::take(directory.path());
    REQUIRE_FALSE(second);
    CHECK(second.error().name == "endpoint.locked");
    CHECK_THAT(second.error().text, Catch::Matchers::EndsWith("pid " + std::to_string(::getpid())));
  }
  CHECK(EndpointLock::take(directory.path()));
  CHECK(EndpointLock::take(directory / "absent").error().code == ErrorCode::not_found);
}

TEST_CASE("a bound socket has the mode asked for, the umask is as before, and a stale socket is replaced") {
  const TemporaryDirectory directory;
  const EndpointLock lock = EndpointLock::take(directory.path()).value();
  zmq::context_t context;
  const mode_t mask = ::umask(022);
  for (int life = 0; life < 2; ++life) {
    zmq::socket_t socket = make_router(context).value();
    REQUIRE(bind_endpoint(socket, lock, "a.sock", 0660));
    struct stat status {};
    REQUIRE(::lstat((directory / "a.sock").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0660);
  }
  CHECK(::umask(mask) == 022);
}

TEST_CASE("a file of the socket's name that is no socket is left alone") {
  const TemporaryDirectory directory;
  std::ofstream(directory / "a.sock") << "precious";
  const EndpointLock lock = EndpointLock::take(directory.path()).value();
  zmq::context_t context;
  zmq::socket_t socket = make_router(context).value();
  CHECK(bind_endpoint(socket, lock, "a.sock", 0600).error().name == "endpoint.not_a_socket");
  CHECK(std::filesystem::file_size(directory / "a.sock") == 8);
}
