#include "client/ctl/job_request.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "client/ctl/command.hpp"
#include "common/digest.hpp"
#include "common/posix.hpp"

namespace groth16d::ctl {
namespace {

constexpr std::uint64_t kMaxPublicBytes = std::uint64_t{1} << 20;   // a message's frame holds no more
constexpr std::uint64_t kMaxInlineBytes = std::uint64_t{64} << 20;  // all payload of a message
constexpr double kMaxDeadline_s = 10.0 * 365 * 24 * 3'600;          // docs/PROTOCOL.md

const std::map<std::string, v1::Priority>& priorities() {
  static const std::map<std::string, v1::Priority> words = {{"low", v1::PRIORITY_LOW},
                                                            {"normal", v1::PRIORITY_NORMAL},
                                                            {"high", v1::PRIORITY_HIGH},
                                                            {"critical", v1::PRIORITY_CRITICAL}};
  return words;
}

Result<void> name_the_circuit(const JobInput& input, v1::SubmitRequest& request) {
  if (!input.circuit.empty()) {
    request.set_circuit(input.circuit);
    return {};
  }
  auto key = absolute(input.zkey);
  if (!key) return tl::unexpected<Error>(key.error());
  request.set_key_path(*key);
  request.set_allow_insecure_key(input.allow_insecure_key);
  if (input.r1cs.empty()) return {};
  auto r1cs = absolute(input.r1cs);
  if (!r1cs) return tl::unexpected<Error>(r1cs.error());
  request.set_r1cs_path(*r1cs);
  return {};
}

Result<void> add_partition(const JobInput& input, std::size_t index, bool upload, Submission& submission) {
  v1::PartitionInput& partition = *submission.request.add_partitions();
  const std::string& witness = input.witnesses[index];
  if (input.send_inputs) {
    auto bytes = read_text_file(witness, kMaxInlineBytes);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    std::vector<std::string> frames = ipc::cut_payload(*bytes);
    partition.set_payload_frames(static_cast<std::uint32_t>(frames.size()));
    for (auto& frame : frames) submission.payload.push_back(std::move(frame));
  } else if (upload) {
    auto file = client::prepare_upload(witness);
    if (!file) return tl::unexpected<Error>(file.error());
    partition.set_upload(file->sha256.data(), file->sha256.size());
    submission.uploads.push_back(std::move(*file));
  } else {
    auto path = absolute(witness);
    if (!path) return tl::unexpected<Error>(path.error());
    partition.set_path(*path);
  }
  if (input.publics.empty()) return {};
  auto declared = read_text_file(input.publics[index], kMaxPublicBytes);
  if (!declared) return tl::unexpected<Error>(declared.error());
  partition.set_declared_public_json(*declared);
  return {};
}

// As the JSON library judges, which refuses to write anything else.
bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

}  // namespace

void add_job_options(CLI::App& command, JobInput& input, const std::string& zkey_names) {
  command.add_option("--job", input.job, "the job's name; made up where it is not given")->type_name("NAME");
  auto* circuit = command.add_option("--circuit", input.circuit, "a registered circuit")->type_name("NAME");
  auto* zkey = command.add_option(zkey_names, input.zkey, "a proving key file")->type_name("FILE");
  circuit->excludes(zkey);
  command.add_option("--r1cs", input.r1cs, "the key's constraint system, to name a failing row")
      ->type_name("FILE")
      ->needs(zkey);
  command
      .add_flag("--allow-insecure-key", input.allow_insecure_key,
                "accept a key without a contribution, for which anyone can forge proofs")
      ->needs(zkey);
  command.add_option("--declare-public", input.publics, "public signals that the proof must have, one file a witness")
      ->type_name("FILE");
  auto* send =
      command.add_flag("--send", input.send_inputs, "send the witnesses' bytes (up to 64 MiB) instead of their paths");
  auto* upload = command.add_flag("--upload", input.upload,
                                  "send them in chunks, whatever their size; a tcp:// endpoint gets them so by itself");
  auto* by_path = command.add_flag("--by-path", input.by_path,
                                   "name the witnesses' paths to a tcp:// endpoint too, which reads the same files");
  send->excludes(upload);
  by_path->excludes(upload)->excludes(send);
  command.add_option("--priority", input.priority, "low, normal, high or critical")
      ->check(CLI::IsMember({"low", "normal", "high", "critical"}));
  command.add_option("--deadline", input.deadline_s, "cancel the job when it has not ended after so many seconds")
      ->check(CLI::NonNegativeNumber);
}

Result<Submission> make_submission(const JobInput& input, bool to_remote) {
  if (!input.publics.empty() && input.publics.size() != input.witnesses.size()) {
    return failure(ErrorCode::malformed, "submit.publics",
                   std::to_string(input.publics.size()) + " files of public signals for " +
                       std::to_string(input.witnesses.size()) + " witnesses");
  }
  if (!(input.deadline_s >= 0 && input.deadline_s <= kMaxDeadline_s)) {
    return failure(ErrorCode::malformed, "submit.deadline",
                   "a deadline of " + std::to_string(input.deadline_s) + " s; 0 to ten years are possible");
  }
  Submission submission;
  std::string job = input.job;
  if (job.empty()) {
    auto made_up = made_up_job_name();
    if (!made_up) return tl::unexpected<Error>(made_up.error());
    job = *made_up;
  }
  submission.request.set_job(job);
  submission.request.set_priority(priorities().at(input.priority));
  submission.request.set_deadline_ms(static_cast<std::uint64_t>(input.deadline_s * 1000));
  if (auto named = name_the_circuit(input, submission.request); !named) return tl::unexpected<Error>(named.error());
  const bool upload = input.upload || (to_remote && !input.by_path);
  for (std::size_t i = 0; i < input.witnesses.size(); ++i) {
    if (auto added = add_partition(input, i, upload, submission); !added) return tl::unexpected<Error>(added.error());
  }
  return submission;
}

Result<v1::SubmitReply> hand_in(client::Client& client, const Submission& submission) {
  return client::submit_with_uploads(client, submission.request, submission.uploads, submission.payload,
                                     [](const auto&, std::uint64_t) { return !is_interrupted(); });
}

Result<std::string> absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(path, error);
  if (error) return system_failure("realpath", path, error.value());
  if (is_utf8(canonical.string())) return canonical.string();
  return failure(ErrorCode::malformed, "request.path", path + ": the path is not UTF-8, which the protocol needs");
}

Result<std::string> made_up_job_name() {
  constexpr std::size_t kBytes = 6;
  return ipc::new_request_id().map(
      [](const ipc::RequestId& id) { return "job-" + to_hex(std::span(id).first(kBytes)); });
}

}  // namespace groth16d::ctl
