// porep: what a Filecoin sector's first commit phase (C1) says, and sectors that were never sealed, for tests.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "client/ctl/command.hpp"
#include "client/ctl/long_work.hpp"
#include "client/ctl/porep_files.hpp"
#include "client/ctl/render_text.hpp"
#include "common/posix.hpp"
#include "groth16/circuits/base64.hpp"
#include "groth16/circuits/parameter_files.hpp"
#include "groth16/circuits/synthetic_sector.hpp"

namespace groth16d::ctl {
namespace {

namespace circuits = groth16::circuits;

struct InspectArguments {
  std::string c1, registered_proof, miner;
  std::optional<std::uint64_t> sector;
};

struct SyntheticArguments {
  std::string sector_size, out, miner = "1000", ticket, seed;
  std::uint64_t sector = 1;
  bool wrapper = false;
};

// ---------------------------------------------------------------- inspect

std::string_view word(circuits::ChallengeRule rule) {
  switch (rule) {
    case circuits::ChallengeRule::interactive:
      return "interactive";
    case circuits::ChallengeRule::synthetic:
      return "synthetic";
    case circuits::ChallengeRule::non_interactive:
      return "non-interactive";
  }
  return "unknown";
}

void report(Session& session, const circuits::C1& c1) {
  const circuits::PorepStatement& statement = c1.statement;
  const circuits::RegisteredProof& proof = statement.proof;
  const std::string size = circuits::sector_name(proof.sector.sector_bytes());
  const std::string graph = proof.graph == circuits::GraphVersion::legacy ? "legacy" : "fixed";
  const auto n_partitions = c1.partitions.size();
  Json json = {{"circuit", "porep-" + size},
               {"sector_bytes", proof.sector.sector_bytes()},
               {"challenges", word(proof.rule)},
               {"graph", graph},
               {"partitions", n_partitions},
               {"challenges_per_partition", proof.sector.challenges},
               {"replica_id", to_hex(statement.replica_id)},
               {"comm_d", to_hex(statement.comm_d)},
               {"comm_r", to_hex(statement.comm_r)},
               {"seed", to_hex(statement.seed)},
               {"ticket", to_hex(c1.ticket)},
               {"parameters", circuits::porep_parameter_stem(proof.sector)}};
  std::vector<std::vector<std::string>> rows = {
      {"sector", size + (c1.sector_number ? fmt::format(", number {}", *c1.sector_number) : "")},
      {"challenges", fmt::format("{}, {} graph, {} in each of {} partition{}", word(proof.rule), graph,
                                 proof.sector.challenges, n_partitions, n_partitions == 1 ? "" : "s")}};
  if (c1.sector_number) json["sector_number"] = *c1.sector_number;
  for (const char* name : {"replica_id", "comm_d", "comm_r", "seed", "ticket", "parameters"}) {
    rows.push_back({name, json[name].get<std::string>()});
  }
  json["nodes"] = Json::array();
  for (std::uint32_t k = 0; k < n_partitions; ++k) json["nodes"].push_back(circuits::challenges(statement, k));
  session.print(json, table(rows));
}

void run_inspect(Session& session, const InspectArguments& arguments) {
  const auto c1 = read_c1(arguments.c1, arguments.registered_proof);
  if (!c1) return session.fail(c1.error());
  if (!arguments.miner.empty()) {
    if (auto owned = check_owner(*c1, arguments.miner, arguments.sector); !owned) return session.fail(owned.error());
  }
  report(session, *c1);
}

// ---------------------------------------------------------------- synth-c1

// What the published synthetic sectors have: ticket 01 08 0f ... 11, seed 01 02 ... 1f 2a.
circuits::Bytes32 default_ticket() {
  circuits::Bytes32 ticket;
  for (std::size_t i = 0; i < ticket.size(); ++i) ticket[i] = static_cast<std::uint8_t>(7 * i + 1);
  ticket.back() = 0x11;
  return ticket;
}
circuits::Bytes32 default_seed() {
  circuits::Bytes32 seed;
  for (std::size_t i = 0; i < seed.size(); ++i) seed[i] = static_cast<std::uint8_t>(i + 1);
  seed.back() = 0x2a;
  return seed;
}

circuits::Bytes32 bytes_or(const std::string& hex, const circuits::Bytes32& otherwise) {
  if (hex.empty()) return otherwise;
  const auto bytes = from_hex(hex);
  circuits::Bytes32 out;
  if (!bytes || bytes->size() != out.size()) {
    throw CLI::ValidationError("synth-c1", hex + ": 64 hexadecimal digits are needed");
  }
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return out;
}

// "2KiB", or a number of bytes.
Result<circuits::SectorShape> sector_of(const std::string& size) {
  const bool is_number = !size.empty() && size.size() < 20 && size.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? circuits::sector_of_bytes(std::stoull(size)) : circuits::sector_of_name(size);
}

Result<std::string> synthetic_c1(const SyntheticArguments& arguments) {
  const auto sector = sector_of(arguments.sector_size);
  if (!sector) return tl::unexpected<Error>(sector.error());
  const std::string name = circuits::size_class_name(*sector) + "_1";
  const auto proof = circuits::registered_proof_of_name(name);
  if (!proof) return tl::unexpected<Error>(proof.error());
  const auto actor = actor_of_miner(arguments.miner);
  if (!actor) return tl::unexpected<Error>(actor.error());
  circuits::SyntheticRequest request{*proof, *actor, arguments.sector, bytes_or(arguments.ticket, default_ticket()),
                                     bytes_or(arguments.seed, default_seed())};
  const auto made = circuits::SyntheticSector::create(request);
  if (!made) return tl::unexpected<Error>(made.error());
  std::string text = made->c1_json(name);
  if (!arguments.wrapper) return text;
  const std::string encoded = circuits::encode_base64(std::as_bytes(std::span(text)));
  return fmt::format("{{\"SectorNum\":{},\"Phase1Out\":\"{}\",\"SectorSize\":{}}}", arguments.sector, encoded,
                     sector->sector_bytes());
}

void run_synthetic(Session& session, const SyntheticArguments& arguments) {
  const auto text = synthetic_c1(arguments);
  if (!text) return session.fail(text.error());
  auto written = write_output(
      arguments.out, [&](groth16::formats::ByteSink& sink) { return sink.write(std::as_bytes(std::span(*text))); });
  if (!written) return session.fail(written.error());
  session.print({{"c1_file", arguments.out}, {"bytes", text->size()}}, arguments.out);
}

}  // namespace

void add_porep_commands(CLI::App& app, Session& session) {
  auto* porep = app.add_subcommand("porep", "Filecoin sectors: commit phase 2");
  porep->require_subcommand(1);

  auto inspected = std::make_shared<InspectArguments>();
  auto* inspect = porep->add_subcommand("inspect", "check a C1 file and show what it says");
  inspect->add_option("--c1,c1", inspected->c1, "JSON, JSON in a wrapper, or bincode")->type_name("FILE")->required();
  inspect->add_option("--miner", inspected->miner, "the sector must be this miner's, t01000 or 1000")->type_name("ID");
  inspect->add_option("--sector", inspected->sector, "its number, where C1 does not say it")->type_name("N");
  inspect->add_option("--registered-proof", inspected->registered_proof, "for bincode, which does not say it")
      ->type_name("NAME");
  inspect->callback([&session, inspected] { run_inspect(session, *inspected); });

  auto synthetic = std::make_shared<SyntheticArguments>();
  auto* synth = porep->add_subcommand("synth-c1", "a C1 that can be proven, of a sector that was never sealed");
  synth->add_option("--sector-size", synthetic->sector_size, "2KiB, 8MiB, 512MiB, 32GiB or 64GiB")
      ->type_name("SIZE")
      ->required();
  synth->add_option("--out,out", synthetic->out, "where it goes")->type_name("FILE")->required();
  synth->add_option("--miner", synthetic->miner, "whose sector it is (1000)")->type_name("ID");
  synth->add_option("--sector", synthetic->sector, "its number (1)")->type_name("N");
  synth->add_option("--ticket", synthetic->ticket, "64 hexadecimal digits")->type_name("HEX");
  synth->add_option("--seed", synthetic->seed, "64 hexadecimal digits")->type_name("HEX");
  synth->add_flag("--wrapper", synthetic->wrapper, "in the wrapper that lotus-bench writes");
  synth->callback([&session, synthetic] { run_synthetic(session, *synthetic); });

  add_porep_parameters_command(*porep, session);
  add_porep_prove_command(*porep, session);
  add_porep_verify_command(*porep, session);
}

}  // namespace groth16d::ctl
