// porep verify: whether proofs of a sector's replication are valid for what the sector's owner claims. The public
// inputs are derived here, from the statement in a C1 file, or are given.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "client/ctl/command.hpp"
#include "client/ctl/porep_files.hpp"
#include "common/posix.hpp"
#include "groth16/formats/input_file.hpp"
#include "groth16/formats/proof_binary.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/proof/verify.hpp"

namespace groth16d::ctl {
namespace {

namespace circuits = groth16::circuits;
namespace formats = groth16::formats;
using Curve = groth16::Bls12_381;
using Publics = std::vector<Curve::Scalar>;

constexpr std::uint64_t kMaxPorepProofBytes = std::uint64_t{1} << 20;    // 5,461 partitions
constexpr std::uint64_t kMaxPorepPublicBytes = std::uint64_t{16} << 20;  // 126 partitions of 64 GiB: 3 MB
constexpr std::size_t kProofBytes = formats::kCompressedProofBytes<Curve>;

struct PorepVerifyArguments {
  std::string c1, registered_proof, publics, proof, vk, miner;
  std::optional<std::uint64_t> sector;
};

// What a verdict is about, read whole before anything is judged.
struct Claim {
  std::vector<Publics> partitions;
  std::vector<std::byte> proofs;
  formats::BellpersonVk vk;
};

// ["1", ...] for one partition, or an array of such arrays.
Result<std::vector<Publics>> read_publics(const std::string& path) {
  const auto text = read_text_file(path, kMaxPorepPublicBytes);
  if (!text) return tl::unexpected<Error>(text.error());
  const Json json = Json::parse(*text, nullptr, false);
  const bool is_nested = json.is_array() && !json.empty() && json.front().is_array();
  std::vector<Publics> partitions;
  const auto add = [&](const std::string& one) -> Result<void> {
    auto publics = formats::parse_public_json(path, one, Curve::id);
    if (!publics) return tl::unexpected<Error>(publics.error());
    partitions.push_back(std::move(*publics));
    return {};
  };
  if (!is_nested) return add(*text).map([&] { return partitions; });
  for (const Json& one : json) {
    if (auto added = add(one.dump()); !added) return tl::unexpected<Error>(added.error());
  }
  return partitions;
}

Result<std::vector<Publics>> derive_publics(const circuits::C1& c1) {
  std::vector<Publics> partitions;
  for (std::uint32_t k = 0; k < c1.statement.proof.partitions(); ++k) {
    partitions.push_back(circuits::public_inputs(c1.statement, k));
  }
  return partitions;
}

Result<Claim> read_claim(const PorepVerifyArguments& arguments) {
  Claim claim;
  circuits::SectorShape sector;
  Result<std::vector<Publics>> partitions;
  if (arguments.c1.empty()) {
    partitions = read_publics(arguments.publics);
  } else {
    const auto c1 = read_c1(arguments.c1, arguments.registered_proof);
    if (!c1) return tl::unexpected<Error>(c1.error());
    if (!arguments.miner.empty()) {
      if (auto owned = check_owner(*c1, arguments.miner, arguments.sector); !owned) {
        return tl::unexpected<Error>(owned.error());
      }
    }
    sector = c1->statement.proof.sector;
    partitions = derive_publics(*c1);
  }
  if (!partitions) return tl::unexpected<Error>(partitions.error());
  claim.partitions = std::move(*partitions);
  auto vk = read_vk(arguments.vk, sector);
  if (!vk) return tl::unexpected<Error>(vk.error());
  claim.vk = std::move(*vk);
  const auto proofs = formats::InputFile::open(arguments.proof, formats::Access::copy, kMaxPorepProofBytes);
  if (!proofs) return tl::unexpected<Error>(proofs.error());
  claim.proofs.assign(proofs->bytes().begin(), proofs->bytes().end());
  return claim;
}

Result<void> verify_partition(const Claim& claim, std::size_t partition) {
  const auto proof = formats::decompress<Curve>(std::span(claim.proofs).subspan(partition * kProofBytes, kProofBytes));
  if (!proof) return tl::unexpected<Error>(proof.error());
  return groth16::verify<Curve>(claim.vk.key, claim.partitions[partition], *proof);
}

Result<void> verify(const Claim& claim) {
  const std::size_t expected_bytes = claim.partitions.size() * kProofBytes;
  if (claim.proofs.size() != expected_bytes) {
    return failure(ErrorCode::malformed, "proof_binary.length",
                   fmt::format("{} bytes of proofs, {} partitions have {}", claim.proofs.size(),
                               claim.partitions.size(), expected_bytes));
  }
  for (std::size_t partition = 0; partition < claim.partitions.size(); ++partition) {
    const auto verified = verify_partition(claim, partition);
    if (verified) continue;
    const Error& error = verified.error();
    return failure(error.code, error.name, fmt::format("partition {}: {}", partition, error.text));
  }
  return {};
}

void run_porep_verify(Session& session, const PorepVerifyArguments& arguments) {
  const auto claim = read_claim(arguments);
  if (!claim) return session.fail(claim.error(), ExitCode::no_verdict);
  const bool is_insecure = formats::warnings_of(claim->vk) != 0;
  if (is_insecure) say("warning: the key was made without a ceremony: proofs for it can be forged");
  Json json = {{"valid", true}, {"partitions", claim->partitions.size()}, {"insecure_key", is_insecure}};
  const auto verdict = verify(*claim);
  if (verdict) {
    return session.print(
        json, fmt::format("valid: {} partition{}", claim->partitions.size(), claim->partitions.size() == 1 ? "" : "s"));
  }
  json["valid"] = false;
  json["error"] = {{"name", verdict.error().name}, {"text", verdict.error().text}};
  session.exit_code = ExitCode::failed;
  session.print(json, "not valid");
  say(verdict.error().text + " [" + verdict.error().name + "]");
}

}  // namespace

void add_porep_verify_command(CLI::App& porep, Session& session) {
  auto arguments = std::make_shared<PorepVerifyArguments>();
  auto* verify = porep.add_subcommand("verify", "check a sector's proofs against what its owner claims");
  verify->add_option("--c1", arguments->c1, "the sector's C1, whose statement gives the public inputs")
      ->type_name("FILE");
  verify->add_option("--public", arguments->publics, "public inputs instead: an array, or an array a partition")
      ->type_name("FILE");
  verify->add_option("--proof", arguments->proof, "the proofs of all partitions, 192 bytes each")
      ->type_name("FILE")
      ->required();
  verify->add_option("--vk", arguments->vk, "a .vk, or a .params; else the one in the cache of parameters")
      ->type_name("FILE");
  verify->add_option("--miner", arguments->miner, "the sector must be this miner's, t01000 or 1000")->type_name("ID");
  verify->add_option("--sector", arguments->sector, "its number, where C1 does not say it")->type_name("N");
  verify->add_option("--registered-proof", arguments->registered_proof, "for a C1 in bincode, which does not say it")
      ->type_name("NAME");
  verify->callback([&session, arguments] {
    if (arguments->c1.empty() == arguments->publics.empty()) {
      throw CLI::ValidationError("verify", "one of --c1 and --public is needed");
    }
    if (!arguments->publics.empty() && arguments->vk.empty()) {
      throw CLI::ValidationError("verify", "--public does not say which circuit it is for: --vk is needed");
    }
    run_porep_verify(session, *arguments);
  });
}

}  // namespace groth16d::ctl
