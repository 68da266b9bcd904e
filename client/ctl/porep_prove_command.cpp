// porep prove: from a C1 file to the proofs that a chain accepts, 192 bytes a partition. Asks the daemon that runs, or
// brings one; takes the published parameters, and only for sectors of tests makes keys of its own where there are none.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "client/ctl/command.hpp"
#include "client/ctl/development_key.hpp"
#include "client/ctl/job_run.hpp"
#include "client/ctl/long_work.hpp"
#include "client/ctl/porep_files.hpp"
#include "client/ctl/result_files.hpp"
#include "common/posix.hpp"
#include "groth16/circuits/parameter_files.hpp"
#include "groth16/circuits/partition_input.hpp"
#include "groth16/formats/snarkjs_json.hpp"

namespace groth16d::ctl {
namespace {

namespace circuits = groth16::circuits;

constexpr mode_t kPorepProofMode = 0644;                            // proofs are public
constexpr std::uint64_t kMaxInlineBytes = std::uint64_t{64} << 20;  // all payload of a message

struct PorepProveArguments {
  std::string c1, registered_proof, miner, out, params, circuit, job;
  std::optional<std::uint64_t> sector;
  bool allow_insecure_key = false, send = false, own_daemon = false;
};

// The parameters to prove with. For a sector of tests they are made where there are none, in the cache, under a name
// that no published file has.
struct Parameters {
  std::string path;
  bool is_development = false;
};

Result<Parameters> make_parameters(const circuits::BuiltinCircuit& circuit, const CachedParameters& place) {
  say(
      fmt::format("warning: no parameters of {} are there: making a key without a ceremony, which takes minutes; "
                  "proofs for it can be forged and no chain accepts them",
                  circuit.name()));
  std::error_code error;
  std::filesystem::create_directories(circuits::parameter_cache(), error);
  if (error) return system_failure("mkdir", circuits::parameter_cache().string(), error.value());
  auto made = make_development_key(circuit, {place.params, place.vk}, std::nullopt);
  if (!made) return tl::unexpected<Error>(made.error());
  return Parameters{place.params, true};
}

Result<Parameters> find_parameters(const PorepProveArguments& arguments, const circuits::BuiltinCircuit& circuit) {
  if (!arguments.params.empty()) return Parameters{arguments.params, arguments.allow_insecure_key};
  const CachedParameters published = published_parameters(circuit.parameter_stem());
  if (published.has_params) return Parameters{published.params, false};
  if (circuit.is_for_production()) {
    return failure(
        ErrorCode::not_found, "parameters.absent",
        fmt::format("{}: is not there; {} is not proven with a key that is made up", published.params, circuit.name()));
  }
  const CachedParameters development = development_parameters(circuit.parameter_stem());
  if (!development.has_params || !development.has_vk) return make_parameters(circuit, development);
  say(fmt::format("warning: {}: made without a ceremony: proofs for it can be forged", development.params));
  return Parameters{development.params, true};
}

// Cut here, a partition's input travels in the message.
Result<void> add_cut_input(const circuits::C1& c1, std::uint32_t partition, v1::PartitionInput& input,
                           Submission& submission) {
  std::string bytes(circuits::partition_input_bytes(c1.statement.proof.sector), '\0');
  if (bytes.size() * c1.partitions.size() > kMaxInlineBytes) {
    return failure(ErrorCode::too_large, "submit.payload",
                   fmt::format("{} partitions of {} bytes, a message holds {}", c1.partitions.size(), bytes.size(),
                               kMaxInlineBytes));
  }
  circuits::write_partition_input(c1.statement.proof.sector, c1.partitions[partition],
                                  std::as_writable_bytes(std::span(bytes)));
  std::vector<std::string> frames = ipc::cut_payload(bytes);
  input.set_payload_frames(static_cast<std::uint32_t>(frames.size()));
  for (auto& frame : frames) submission.payload.push_back(std::move(frame));
  return {};
}

// C1 is named once a partition, and the daemon cuts it. The public inputs that the proofs must have follow from the
// statement of C1 here, too.
Result<Submission> make_submission(const circuits::C1& c1, const PorepProveArguments& arguments) {
  Submission submission;
  auto job = arguments.job.empty() ? made_up_job_name() : Result<std::string>(arguments.job);
  if (!job) return tl::unexpected<Error>(job.error());
  submission.request.set_job(*job);
  const auto path = absolute(arguments.c1);
  if (!path) return tl::unexpected<Error>(path.error());
  for (std::uint32_t k = 0; k < c1.partitions.size(); ++k) {
    v1::PartitionInput& input = *submission.request.add_partitions();
    input.set_declared_public_json(groth16::formats::public_json(circuits::public_inputs(c1.statement, k)));
    if (!arguments.send) {
      input.set_path(*path);
    } else if (auto added = add_cut_input(c1, k, input, submission); !added) {
      return tl::unexpected<Error>(added.error());
    }
  }
  return submission;
}

Result<void> deliver(Session& session, const v1::ResultReply& result, const PorepProveArguments& arguments,
                     bool is_development) {
  std::string proofs;
  for (const auto& partition : result.partitions()) proofs += partition.proof();
  if (auto written = write_file_atomically(arguments.out, proofs, kPorepProofMode); !written) return written;
  session.print({{"proof_file", arguments.out},
                 {"partitions", result.partitions_size()},
                 {"bytes", proofs.size()},
                 {"key_digest", to_hex(result.key_digest())},
                 {"vk_digest", to_hex(result.vk_digest())},
                 {"insecure_key", is_development}},
                arguments.out);
  return {};
}

Result<JobRun> prepare(const PorepProveArguments& arguments, const circuits::C1& c1, bool& is_development) {
  const std::string name = "porep-" + circuits::sector_name(c1.statement.proof.sector.sector_bytes());
  const auto circuit = circuits::builtin_circuit(name);
  if (!circuit) return tl::unexpected<Error>(circuit.error());
  auto submission = make_submission(c1, arguments);
  if (!submission) return tl::unexpected<Error>(submission.error());

  JobRun run;
  run.submission = std::move(*submission);
  run.n_partitions = c1.partitions.size();
  run.wants_private = arguments.own_daemon;
  run.forget = arguments.job.empty();
  if (!arguments.circuit.empty()) {
    run.submission.request.set_circuit(arguments.circuit);
    run.can_be_private = false;
    return run;
  }
  const auto parameters = find_parameters(arguments, **circuit);
  if (!parameters) return tl::unexpected<Error>(parameters.error());
  const auto path = absolute(parameters->path);
  if (!path) return tl::unexpected<Error>(path.error());
  run.submission.request.set_key_path(*path);
  run.submission.request.set_allow_insecure_key(parameters->is_development);
  run.files = {parameters->path, arguments.c1};
  is_development = parameters->is_development;
  return run;
}

void run_porep_prove(Session& session, PorepProveArguments& arguments) {
  watch_for_interruption();
  arguments.send = arguments.send || session.is_remote();
  const auto writable = check_writable({"", "", arguments.out}, {arguments.c1, arguments.params});
  if (!writable) return session.fail(writable.error());
  const auto c1 = read_c1(arguments.c1, arguments.registered_proof);
  if (!c1) return session.fail(c1.error());
  if (auto owned = check_owner(*c1, arguments.miner, arguments.sector); !owned) return session.fail(owned.error());
  bool is_development = false;
  const auto run = prepare(arguments, *c1, is_development);
  if (!run) return session.fail(run.error());
  run_to_result(session, *run,
                [&](const v1::ResultReply& result) { return deliver(session, result, arguments, is_development); });
}

}  // namespace

void add_porep_prove_command(CLI::App& porep, Session& session) {
  auto arguments = std::make_shared<PorepProveArguments>();
  auto* prove = porep.add_subcommand("prove", "prove a sector's replication; starts a private daemon where none runs");
  prove->add_option("--c1", arguments->c1, "the sector's C1: JSON, JSON in a wrapper, or bincode")
      ->type_name("FILE")
      ->required();
  prove->add_option("--miner", arguments->miner, "whose sector it is, t01000 or 1000")->type_name("ID")->required();
  prove->add_option("--sector", arguments->sector, "its number, where C1 does not say it")->type_name("N");
  prove->add_option("--out", arguments->out, "where the proofs of all partitions go, 192 bytes each")
      ->type_name("FILE")
      ->required();
  prove->add_option("--registered-proof", arguments->registered_proof, "for a C1 in bincode, which does not say it")
      ->type_name("NAME");
  auto* circuit =
      prove->add_option("--circuit", arguments->circuit, "a circuit that a daemon keeps")->type_name("NAME");
  auto* params = prove->add_option("--params", arguments->params, "its .params; else those in the cache of parameters")
                     ->type_name("FILE");
  prove
      ->add_flag("--allow-insecure-key", arguments->allow_insecure_key,
                 "accept parameters without a ceremony, for which anyone can forge proofs")
      ->needs(params);
  circuit->excludes(params);
  prove->add_option("--job", arguments->job, "the job's name; made up where it is not given")->type_name("NAME");
  prove->add_flag(
      "--send", arguments->send,
      "cut C1 here and send its parts, where the daemon may not read it; a tcp:// endpoint gets them so by itself");
  prove->add_flag("--private", arguments->own_daemon, "start a private daemon even where one runs");
  prove->callback([&session, arguments] { run_porep_prove(session, *arguments); });
}

}  // namespace groth16d::ctl
