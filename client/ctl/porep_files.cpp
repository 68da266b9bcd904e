#include "client/ctl/porep_files.hpp"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "groth16/circuits/parameter_files.hpp"
#include "groth16/formats/bellperson_params.hpp"
#include "groth16/formats/input_file.hpp"

namespace groth16d::ctl {
namespace {

namespace circuits = groth16::circuits;
namespace formats = groth16::formats;

constexpr std::uint64_t kMaxC1Bytes = std::uint64_t{2} << 30;  // 64 GiB, non-interactive, in a wrapper: 660 MB

// JSON begins with a brace after white space; bincode with a number of partitions.
bool looks_like_json(formats::Bytes bytes) {
  for (const std::byte byte : bytes) {
    const char c = static_cast<char>(byte);
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return c == '{';
  }
  return false;
}

CachedParameters parameters_named(const std::string& stem, bool is_development) {
  const std::filesystem::path folder = circuits::parameter_cache();
  CachedParameters found;
  found.params = folder / (stem + (is_development ? ".insecure.params" : ".params"));
  found.vk = folder / (stem + (is_development ? ".insecure.vk" : ".vk"));
  found.is_development = is_development;
  std::error_code ignored;  // what cannot be looked at is not there
  found.has_params = std::filesystem::is_regular_file(found.params, ignored);
  found.has_vk = std::filesystem::is_regular_file(found.vk, ignored);
  return found;
}

Result<std::string> cached_vk(const circuits::SectorShape& sector) {
  const std::string stem = circuits::porep_parameter_stem(sector);
  const CachedParameters published = published_parameters(stem), development = development_parameters(stem);
  if (published.has_vk) return published.vk;
  if (development.has_vk) return development.vk;
  return failure(ErrorCode::not_found, "parameters.absent", fmt::format("{}: is not there; name a key", published.vk));
}

}  // namespace

Result<circuits::C1> read_c1(const std::string& path, const std::string& proof_name) {
  const auto file = formats::InputFile::open(path, formats::Access::copy, kMaxC1Bytes);
  if (!file) return tl::unexpected<Error>(file.error());
  if (looks_like_json(file->bytes())) {
    auto c1 = circuits::read_c1_json(path, file->bytes());
    if (!c1 || proof_name.empty()) return c1;
    const auto named = circuits::registered_proof_of_name(proof_name);
    if (!named) return tl::unexpected<Error>(named.error());
    if (named->porep_id == c1->statement.proof.porep_id) return c1;
    return failure(ErrorCode::malformed, "c1.registered_proof",
                   fmt::format("{}: is not for {}, which the command line names", path, proof_name));
  }
  if (proof_name.empty()) {
    return failure(ErrorCode::malformed, "c1.registered_proof",
                   fmt::format("{}: is no JSON; where it is bincode, name its registered proof", path));
  }
  const auto proof = circuits::registered_proof_of_name(proof_name);
  if (!proof) return tl::unexpected<Error>(proof.error());
  return circuits::read_c1_bincode(path, file->bytes(), *proof);
}

Result<std::uint64_t> actor_of_miner(const std::string& miner) {
  const bool has_network = miner.starts_with("t0") || miner.starts_with("f0");
  const std::string_view digits = std::string_view(miner).substr(has_network ? 2 : 0);
  std::uint64_t actor = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), actor);
  if (error == std::errc() && end == digits.data() + digits.size()) return actor;
  return failure(ErrorCode::malformed, "porep.miner",
                 fmt::format("\"{}\" is no miner; expected an actor's number such as t01000 or 1000", miner));
}

Result<void> check_owner(const circuits::C1& c1, const std::string& miner, const std::optional<std::uint64_t>& sector) {
  const auto actor = actor_of_miner(miner);
  if (!actor) return tl::unexpected<Error>(actor.error());
  const std::optional<std::uint64_t> number = sector ? sector : c1.sector_number;
  if (!number) {
    return failure(ErrorCode::malformed, "porep.sector", "the file does not say its sector's number; name it");
  }
  const circuits::PorepStatement& statement = c1.statement;
  const auto expected = circuits::replica_id(circuits::prover_id_of_actor(*actor), *number, c1.ticket, statement.comm_d,
                                             statement.proof.porep_id);
  if (expected == statement.replica_id) return {};
  return failure(ErrorCode::mismatch, "porep.replica_id",
                 fmt::format("the replica is not sector {} of miner {}: replica_id is {}, theirs would be {}", *number,
                             *actor, to_hex(statement.replica_id), to_hex(expected)));
}

CachedParameters published_parameters(const std::string& stem) { return parameters_named(stem, false); }
CachedParameters development_parameters(const std::string& stem) { return parameters_named(stem, true); }

Result<formats::BellpersonVk> read_vk(const std::string& path, const circuits::SectorShape& sector) {
  const Result<std::string> chosen = path.empty() ? cached_vk(sector) : Result<std::string>(path);
  if (!chosen) return tl::unexpected<Error>(chosen.error());
  const auto file = formats::InputFile::open(*chosen, formats::Access::map);
  if (!file) return tl::unexpected<Error>(file.error());
  // A compressed point has its top bit set, another one has not.
  const bool is_compressed = (file->bytes().front() & std::byte{0x80}) != std::byte{0};
  const auto form = is_compressed ? formats::PointForm::compressed : formats::PointForm::uncompressed;
  const auto size = formats::bellperson_vk_bytes(*chosen, file->bytes(), form);
  if (!size) return tl::unexpected<Error>(size.error());
  const bool is_start_of_params = !is_compressed && *size < file->bytes().size();
  if (is_start_of_params) {
    return formats::BellpersonParams::parse(*chosen, file->bytes()).map([](const formats::BellpersonParams& params) {
      return params.vk();
    });
  }
  return formats::read_bellperson_vk(*chosen, file->bytes(), form);
}

}  // namespace groth16d::ctl
