// verify, vk, calldata: what a proof needs afterwards. They work on files alone, without a daemon.
#include <CLI/CLI.hpp>
#include <memory>
#include <variant>

#include "client/ctl/command.hpp"
#include "common/posix.hpp"
#include "groth16/formats/calldata.hpp"
#include "groth16/formats/input_file.hpp"
#include "groth16/formats/proof_binary.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/formats/zkey.hpp"
#include "groth16/proof/verify.hpp"

namespace groth16d::ctl {
namespace {

namespace formats = groth16::formats;

constexpr std::uint64_t kMaxProofBytes = std::uint64_t{1} << 16;
constexpr std::uint64_t kMaxPublicBytes = std::uint64_t{64} << 20;  // 800,000 public signals
constexpr std::uint64_t kMaxKeyBytes = std::uint64_t{1} << 30;      // their points
constexpr mode_t kExportMode = 0644;

struct VerifyArguments {
  std::string vk, publics, proof;
};

struct KeyArguments {
  std::string zkey, out;
};

struct CalldataArguments {
  std::string publics, proof;
};

// JSON begins with a brace after white space; a compressed point's first byte has its top bit set, or is infinity.
bool looks_like_json(const std::string& content) {
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  return first != std::string::npos && content[first] == '{';
}

template <class C>
Result<groth16::Proof<C>> parse_proof(const std::string& file, const std::string& content) {
  if (looks_like_json(content)) return formats::parse_proof_json<C>(file, content);
  auto proof = formats::decompress<C>(std::as_bytes(std::span(content)));
  if (!proof) proof.error().text = file + ": " + proof.error().text;
  return proof;
}

// What a verdict is about, read whole before anything is judged: a file that cannot be read says nothing of the proof.
struct VerifyFiles {
  formats::AnyVerifyingKey key;
  std::string publics, proof;
};

Result<VerifyFiles> read_verify_files(const VerifyArguments& arguments) {
  auto text = read_text_file(arguments.vk, kMaxKeyBytes);
  if (!text) return tl::unexpected<Error>(text.error());
  auto key = formats::parse_verification_key_json(arguments.vk, *text);
  if (!key) return tl::unexpected<Error>(key.error());
  auto publics = read_text_file(arguments.publics, kMaxPublicBytes);
  if (!publics) return tl::unexpected<Error>(publics.error());
  auto proof = read_text_file(arguments.proof, kMaxProofBytes);
  if (!proof) return tl::unexpected<Error>(proof.error());
  return VerifyFiles{std::move(*key), std::move(*publics), std::move(*proof)};
}

template <class C>
Result<void> verify(const groth16::VerifyingKey<C>& key, const VerifyFiles& files, const VerifyArguments& arguments) {
  auto publics = formats::parse_public_json(arguments.publics, files.publics, C::id);
  if (!publics) return tl::unexpected<Error>(publics.error());
  auto proof = parse_proof<C>(arguments.proof, files.proof);
  if (!proof) return tl::unexpected<Error>(proof.error());
  return groth16::verify(key, std::span<const typename C::Scalar>(*publics), *proof);
}

void run_verify(Session& session, const VerifyArguments& arguments) {
  const auto files = read_verify_files(arguments);
  if (!files) return session.fail(files.error(), ExitCode::no_verdict);
  const auto verdict = std::visit([&](const auto& key) { return verify(key, *files, arguments); }, files->key);
  if (verdict) return session.print({{"valid", true}}, "valid");
  const Error& error = verdict.error();
  session.exit_code = ExitCode::failed;
  session.print({{"valid", false}, {"error", {{"name", error.name}, {"text", error.text}}}}, "not valid");
  say(error.text + " [" + error.name + "]");
}

template <class C>
Result<std::string> verification_key_of(const formats::ZkeyFile& file) {
  return file.verifying_key<C>().map(
      [](const groth16::VerifyingKey<C>& key) { return formats::verification_key_json(key); });
}

Result<std::string> verification_key_of(const std::string& zkey) {
  auto file = formats::InputFile::open(zkey, formats::Access::map);
  if (!file) return tl::unexpected<Error>(file.error());
  auto parsed = formats::ZkeyFile::parse(file->name(), file->bytes());
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  if (parsed->header().curve == groth16::CurveId::bn254) return verification_key_of<groth16::Bn254>(*parsed);
  return verification_key_of<groth16::Bls12_381>(*parsed);
}

void run_vk(Session& session, const KeyArguments& arguments) {
  auto json = verification_key_of(arguments.zkey);
  if (!json) return session.fail(json.error());
  if (arguments.out.empty()) return session.print(Json::parse(*json), *json);
  if (auto written = write_file_atomically(arguments.out, *json, kExportMode); !written)
    return session.fail(written.error());
  session.print({{"vk_file", arguments.out}}, arguments.out);
}

void run_calldata(Session& session, const CalldataArguments& arguments) {
  auto text = read_text_file(arguments.publics, kMaxPublicBytes);
  if (!text) return session.fail(text.error());
  auto publics = formats::parse_public_json(arguments.publics, *text, groth16::CurveId::bn254);
  if (!publics) return session.fail(publics.error());
  auto content = read_text_file(arguments.proof, kMaxProofBytes);
  if (!content) return session.fail(content.error());
  auto proof = parse_proof<groth16::Bn254>(arguments.proof, *content);
  if (!proof) return session.fail(proof.error());
  const std::string calldata = formats::solidity_calldata(*proof, *publics);
  session.print({{"calldata", calldata}}, calldata);
}

}  // namespace

void add_proof_commands(CLI::App& app, Session& session) {
  auto verified = std::make_shared<VerifyArguments>();
  auto* verify = app.add_subcommand("verify", "check a proof against a verification key and public signals");
  verify->add_option("--vk,vk", verified->vk, "verification_key.json")->type_name("VK")->required();
  verify->add_option("--public,public", verified->publics, "public.json")->type_name("PUBLIC")->required();
  verify->add_option("--proof,proof", verified->proof, "proof.json or a compressed proof")
      ->type_name("PROOF")
      ->required();
  verify->callback([&session, verified] { run_verify(session, *verified); });

  auto exported = std::make_shared<KeyArguments>();
  auto* vk = app.add_subcommand("vk", "the verification key of a proving key");
  vk->add_option("--zkey,zkey", exported->zkey, "the proving key")->type_name("FILE")->required();
  vk->add_option("out", exported->out, "where verification_key.json goes; standard output where it is not given")
      ->type_name("OUT");
  vk->callback([&session, exported] { run_vk(session, *exported); });

  auto called = std::make_shared<CalldataArguments>();
  auto* calldata = app.add_subcommand("calldata", "arguments of a Solidity verifier, as snarkjs prints them (bn128)");
  calldata->add_option("--public,public", called->publics, "public.json")->type_name("PUBLIC")->required();
  calldata->add_option("--proof,proof", called->proof, "proof.json or a compressed proof")
      ->type_name("PROOF")
      ->required();
  calldata->callback([&session, called] { run_calldata(session, *called); });
}

}  // namespace groth16d::ctl
