// Uploads over TCP: what they may take, whose they are, and what a killed supervisor leaves of them.
#include <fstream>

#include "client/lib/upload.hpp"
#include "common/digest.hpp"
#include "tests/e2e/service.hpp"
#include "tests/security/fortress.hpp"

namespace groth16d::security {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

// Bytes that are no witness; the daemon looks at none.
std::string bytes_of(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 131 >> 5);
  return text;
}

std::string raw(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

// Chunk `number` of `text`, or the message that begins.
struct Message {
  v1::UploadRequest request;
  std::string chunk;
};
Message beginning_of(const std::string& text) {
  Message message;
  message.request.set_sha256(raw(sha256(text)));
  message.request.set_bytes(text.size());
  return message;
}
Message chunk_of(const std::string& text, std::size_t number) {
  Message message = beginning_of(text);
  message.chunk = text.substr(number * kChunk, kChunk);
  message.request.set_offset(number * kChunk);
  message.request.set_chunk_sha256(raw(sha256(message.chunk)));
  return message;
}

Result<v1::UploadReply> send(client::Client& client, const Message& message) {
  return client.upload(message.request, message.chunk);
}
std::string refusal(client::Client& client, const Message& message) {
  const auto reply = send(client, message);
  return reply ? "" : reply.error().name;
}

v1::SubmitRequest request_for(const std::string& job, const std::string& circuit, const std::string& sha256) {
  v1::SubmitRequest request;
  request.set_job(job);
  request.set_circuit(circuit);
  request.add_partitions()->set_upload(sha256);
  return request;
}

// A circuit whose witness takes three chunks, in a folder that the daemon does not read.
struct FarAway {
  e2e::TemporaryFolder folder;
  e2e::CircuitFiles files = e2e::make_circuit(folder.path(), groth16::CurveId::bn254, 16, 1);

  client::UploadFile witness() const {
    auto file = client::prepare_upload(files.witnesses[0].string());
    REQUIRE(file.has_value());
    REQUIRE(file->bytes > 2 * kChunk);
    return *file;
  }
  // Registers "far", as whoever runs the daemon does: keys are its files.
  void add_to(client::Client& client, const Gate& gate) const {
    e2e::CircuitFiles there;
    there.zkey = gate.path("circuit.zkey");
    there.r1cs = gate.path("circuit.r1cs");
    e2e::fs::copy_file(files.zkey, there.zkey);
    e2e::fs::copy_file(files.r1cs, there.r1cs);
    e2e::add_circuit(client, "far", there);
  }
};

}  // namespace

TEST_CASE("an upload that is too large, or whose chunks do not lie in it, is refused before anything is kept") {
  Fortress fortress("max_spool = \"8 MiB\"\nmax_spool_per_client = \"4 MiB\"");
  auto client = fortress.connect_as("submit");
  Message huge = beginning_of("x");
  for (const auto& [bytes, name] : {std::pair<std::uint64_t, std::string>{std::uint64_t{1} << 63, "input.bytes"},
                                    {(8 << 20) + 1, "spool.too_large"},
                                    {(4 << 20) + 1, "quota.too_large"},
                                    {0, "request.bytes"}}) {
    huge.request.set_bytes(bytes);
    CHECK(refusal(client, huge) == name);
  }
  const std::string text = bytes_of(2 * kChunk);
  REQUIRE(send(client, beginning_of(text)).has_value());
  Message beyond = chunk_of(text, 1);
  beyond.request.set_offset(kChunk + 1);
  CHECK(refusal(client, beyond) == "request.offset");
  beyond.request.set_offset(~std::uint64_t{0});
  CHECK(refusal(client, beyond) == "request.offset");
  Message nameless = beginning_of(text);
  nameless.request.set_sha256("short");
  CHECK(refusal(client, nameless) == "request.sha256");
  nameless = chunk_of(text, 0);
  nameless.request.clear_chunk_sha256();
  CHECK(refusal(client, nameless) == "request.chunk_sha256");
  CHECK(client.metrics()->spool().used_bytes() == text.size());
}

TEST_CASE("a chunk that comes again, early, or with other bytes changes nothing, and a job's input is no upload") {
  Fortress fortress;
  FarAway away;
  auto operators = fortress.connect_as("operate");
  away.add_to(operators, fortress);
  auto client = fortress.connect_as("submit");
  std::ifstream file(away.files.witnesses[0], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(send(client, beginning_of(text))->status().code() == 202);
  for (int again = 0; again < 2; ++again) CHECK(send(client, chunk_of(text, 0))->received_bytes() == kChunk);
  CHECK(refusal(client, chunk_of(text, 2)) == "upload.offset");
  Message other = chunk_of(text, 0);
  other.chunk[77] ^= 1;
  CHECK(refusal(client, other) == "upload.chunk");
  other.request.set_chunk_sha256(raw(sha256(other.chunk)));
  CHECK(refusal(client, other) == "upload.differs");
  const auto early = client.submit(request_for("job", "far", raw(sha256(text))));
  CHECK(early.error().name == "upload.incomplete");
  REQUIRE(send(client, chunk_of(text, 1))->status().code() == 202);
  REQUIRE(send(client, chunk_of(text, 2))->status().code() == 200);

  REQUIRE(client.submit(request_for("job", "far", raw(sha256(text)))).has_value());
  CHECK(refusal(client, chunk_of(text, 0)) == "upload.unknown");
  REQUIRE(client.submit(request_for("job", "far", raw(sha256(text)))).has_value());  // the same job again
  CHECK(client.submit(request_for("other", "far", raw(sha256(text)))).error().name == "upload.unknown");
  CHECK(client.submit(request_for("job", "far", raw(sha256("else")))).error().code == ErrorCode::conflict);
  CHECK(e2e::wait_for(client, "job").state() == v1::DONE);
  e2e::checked_result(client, "job", away.files.vk);
}

TEST_CASE("another client's upload is nothing to a client, whatever its right and its socket") {
  Fortress fortress;
  auto client = fortress.connect_as("submit");
  const std::string text = bytes_of(5'000);
  REQUIRE(send(client, beginning_of(text)).has_value());
  REQUIRE(send(client, chunk_of(text, 0))->status().code() == 200);
  auto operators = fortress.connect_as("operate");
  auto local = e2e::connect(fortress.daemon());
  for (client::Client* other : {&operators, &local}) {
    CHECK(refusal(*other, chunk_of(text, 0)) == "upload.unknown");
    const auto stolen = other->submit(request_for("stolen", "far", raw(sha256(text))));
    REQUIRE_FALSE(stolen.has_value());
    CHECK(stolen.error().name == "upload.unknown");
  }
  auto reader = fortress.connect_as("read");
  CHECK(refusal(reader, beginning_of(text)) == "protocol.not_permitted");
}

TEST_CASE("a client's quota of bytes is 429 for it and nothing for the others") {
  Fortress fortress("max_spool_per_client = \"3 MiB\"");
  auto client = fortress.connect_as("submit");
  REQUIRE(send(client, beginning_of(bytes_of(2 * kChunk))).has_value());
  const auto second = send(client, beginning_of(bytes_of(kChunk + 1)));
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().name == "quota.bytes");
  CHECK(second.error().code == ErrorCode::busy);
  v1::SubmitRequest sent_along = request_for("job", "far", "");
  sent_along.mutable_partitions(0)->set_payload_frames(2);
  CHECK(client.submit(sent_along, {bytes_of(kChunk), "x"}).error().name == "quota.bytes");
  auto local = e2e::connect(fortress.daemon());
  CHECK(send(local, beginning_of(bytes_of(kChunk + 1))).has_value());
  auto operators = fortress.connect_as("operate");
  CHECK(send(operators, beginning_of(bytes_of(4 * kChunk))).has_value());
}

TEST_CASE("an abandoned upload is gone when its time is over, and its space is another's") {
  Fortress fortress("upload_expiry = \"2 s\"\nmax_spool = \"3 MiB\"");
  auto client = fortress.connect_as("submit");
  const std::string text = bytes_of(2 * kChunk + 1);
  const auto begun = send(client, beginning_of(text));
  REQUIRE(begun.has_value());
  CHECK(begun->expires_in_ms() == 2'000);
  auto local = e2e::connect(fortress.daemon());
  CHECK(refusal(local, beginning_of(bytes_of(kChunk))) == "spool.full");
  REQUIRE(e2e::eventually([&] { return client.metrics()->spool().uploads_expired() == 1; }, std::chrono::seconds(30)));
  CHECK(client.metrics()->spool().used_bytes() == 0);
  CHECK(refusal(client, chunk_of(text, 0)) == "upload.unknown");
  CHECK(send(local, beginning_of(bytes_of(kChunk))).has_value());
}

TEST_CASE("groth16ctl uploads to a tcp endpoint by itself, and a second time sends nothing") {
  Fortress fortress;
  FarAway away;
  auto operators = fortress.connect_as("operate");
  away.add_to(operators, fortress);
  const std::string key = fortress.path("client.key");
  std::ofstream(key) << fortress.keys_of("submit").secret_key << "\n";
  REQUIRE(::chmod(key.c_str(), 0600) == 0);
  const std::vector<std::string> address{
      "--endpoint", fortress.endpoint(), "--server-key", fortress.server().public_key, "--key", key};
  const auto ctl = [&](std::vector<std::string> words) {
    words.insert(words.begin(), address.begin(), address.end());
    return e2e::ctl(words);
  };
  const std::string witness = away.files.witnesses[0].string(), out = away.folder.path().string();
  for (int again = 0; again < 2; ++again) {
    const auto submitted = ctl({"submit", "--job", "job", "--circuit", "far", witness});
    INFO(submitted.err);
    REQUIRE(submitted.exit_code == 0);
  }
  REQUIRE(ctl({"wait", "job", "--at-most", "300"}).exit_code == 0);
  REQUIRE(ctl({"result", "job", "--out", out}).exit_code == 0);
  CHECK(e2e::ctl({"verify", away.files.vk.string(), out + "/public.json", out + "/proof.json"}).exit_code == 0);
  const auto spool = operators.metrics()->spool();
  CHECK(spool.uploads_begun() == 1);
  CHECK(spool.uploads_taken() == 1);
  CHECK(spool.uploads_received_bytes() == away.witness().bytes);

  const auto by_path = ctl({"submit", "--by-path", "--job", "path", "--circuit", "far", witness});
  CHECK(by_path.exit_code == 4);
  CHECK(by_path.err.find("path.outside_root") != std::string::npos);
  const auto proved =
      ctl({"prove", "--circuit", "far", "--wtns", witness, "--proof", out + "/p.json", "--public", out + "/s.json"});
  INFO(proved.err);
  CHECK(proved.exit_code == 0);
}

TEST_CASE("a killed supervisor's successor goes on with an upload, and knows each client's jobs and bytes") {
  const Gate gate("max_jobs_per_client = 1\nmax_spool_per_client = \"6 MiB\"");
  FarAway away;
  e2e::Service service({gate.folder(), true, true, {"--config", gate.path("groth16d.toml")}});
  service.start();
  auto operators = gate.connect_as("operate");
  away.add_to(operators, gate);
  auto client = gate.connect_as("submit", 60'000);
  const client::UploadFile witness = away.witness();

  std::uint64_t sent = 0;
  const auto interrupted = client::upload(client, witness, [&](const auto&, std::uint64_t received_bytes) {
    sent = received_bytes;
    return received_bytes < 2 * kChunk;
  });
  REQUIRE(interrupted.error().name == "upload.interrupted");
  service.kill();
  service.start();
  std::vector<std::uint64_t> seen;
  const auto gone_on = client::upload(client, witness, [&](const auto&, std::uint64_t received_bytes) {
    seen.push_back(received_bytes);
    return true;
  });
  REQUIRE(gone_on.has_value());
  CHECK(seen == std::vector<std::uint64_t>{sent, witness.bytes});

  service.kill();  // whole, and no job's yet
  service.start();
  CHECK(send(client, beginning_of(bytes_of(4 * kChunk + kChunk / 2))).error().name == "quota.bytes");
  v1::SubmitRequest long_job =
      request_for("job", "far", raw(witness.sha256));  // it must not end before it is asked for
  while (long_job.partitions_size() < 6) long_job.add_partitions()->set_upload(raw(witness.sha256));
  const auto accepted = client.submit(long_job);
  INFO((accepted ? std::string() : accepted.error().text));
  REQUIRE(accepted.has_value());

  service.kill();
  service.start();
  v1::SubmitRequest sent_along = request_for("next", "far", "");
  sent_along.mutable_partitions(0)->set_payload_frames(1);
  CHECK(client.submit(sent_along, {"x"}).error().name == "quota.jobs");
  CHECK(client.submit(request_for("next", "far", raw(witness.sha256))).error().name == "upload.unknown");
  CHECK(send(client, beginning_of(bytes_of(4 * kChunk + kChunk / 2))).error().name == "quota.bytes");
  CHECK(e2e::wait_for(client, "job").state() == v1::DONE);
  e2e::checked_result(client, "job", away.files.vk);
}

}  // namespace groth16d::security
