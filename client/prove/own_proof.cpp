#include "client/prove/own_proof.hpp"

#include <csignal>
#include <cstdlib>
#include <future>
#include <span>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "common/digest.hpp"
#include "common/hygiene.hpp"
#include "common/page_tables.hpp"
#include "common/posix.hpp"
#include "common/private_pages.hpp"
#include "groth16/formats/input_file.hpp"
#include "groth16/formats/key_warnings.hpp"
#include "groth16/formats/proof_binary.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/formats/wtns.hpp"
#include "groth16/formats/zkey.hpp"
#include "groth16/proof/prove.hpp"

namespace groth16d::client {
namespace {

using groth16::Compute;
using groth16::ConstraintSystem;
using groth16::PackedWitness;
using groth16::ProvingKey;
using groth16::SystemSizes;
using groth16::formats::Access;
using groth16::formats::InputFile;
using groth16::formats::WitnessFile;
using groth16::formats::ZkeyFile;

// A mapped file that is shortened leaves pages without contents: only async-signal-safe calls here.
[[noreturn]] void on_lost_page(int /*signal*/) {
  static constexpr char kMessage[] = "groth16-prove: a file was shortened while it was read [file.truncated]\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  ::_exit(EXIT_FAILURE);
}

// A key file that is open: its few small sections and the coefficients mapped, the points to be read.
struct OwnKey {
  const ZkeyFile& file;
  const OwnProof& wanted;
  groth16::formats::ReadAt read_at;
  Digest digest;
};

// A witness file that was read, not mapped: what was checked stays as it was.
struct OwnWitness {
  InputFile bytes;
  WitnessFile file;
};

// The key and the system of one circuit in this process's memory.
template <class C>
struct OwnCircuit {
  PrivatePages key_bytes, system_bytes;
  ProvingKey<C> key;
  ConstraintSystem<C> system;
};

template <class C>
Result<PrivatePages> read_points(const OwnKey& own, const SystemSizes& sizes, const Compute& compute) {
  auto pages = PrivatePages::of(own.file.key_bytes<C>(sizes));
  if (!pages) return pages;
  const groth16::formats::ZkeyLoadOptions options{own.wanted.allow_insecure_key, false, &own.digest, own.read_at};
  const auto loaded = own.file.load_key<C>(sizes, pages->bytes(), options, compute);
  if (!loaded) return tl::unexpected(loaded.error());
  return pages;
}

template <class C>
Result<PrivatePages> read_system(const ZkeyFile& file, const SystemSizes& sizes) {
  groth16::ConstraintSystemBuilder<C> builder(sizes, false);
  const Result<void> collected = file.collect(builder);
  map_out(file.coefficient_bytes());
  if (!collected) return tl::unexpected(collected.error());
  auto pages = PrivatePages::of(builder.serialized_bytes());
  if (pages) builder.write(pages->bytes());
  return pages;
}

// Points and coefficients side by side: checking the ones is for all threads, collecting the others for one.
template <class C>
Result<OwnCircuit<C>> read_circuit(const OwnKey& own, const Compute& compute) {
  map_in_for_reading(own.file.coefficient_bytes());
  const Result<SystemSizes> sizes = own.file.check_coefficients(compute);
  if (!sizes) return tl::unexpected(sizes.error());
  auto reading_system = std::async(std::launch::async, [&] { return read_system<C>(own.file, *sizes); });
  auto key_bytes = read_points<C>(own, *sizes, compute);
  auto system_bytes = reading_system.get();
  if (!key_bytes) return tl::unexpected(key_bytes.error());
  if (!system_bytes) return tl::unexpected(system_bytes.error());
  auto key = ProvingKey<C>::open(key_bytes->bytes());
  if (!key) return tl::unexpected(key.error());
  auto system = ConstraintSystem<C>::open(system_bytes->bytes());
  if (!system) return tl::unexpected(system.error());
  return OwnCircuit<C>{std::move(*key_bytes), std::move(*system_bytes), *key, *system};
}

// The copy of the file is freed at the end.
template <class C>
Result<PrivatePages> pack(const OwnWitness witness, const ConstraintSystem<C>& system) {
  auto pages = PrivatePages::of(groth16::packed_witness_bytes(system));
  if (!pages) return pages;
  if (auto packed = groth16::pack_witness<C>(witness.file.values(), system, pages->bytes()); !packed)
    return tl::unexpected(packed.error());
  return pages;
}

Error explained(Error error) {
  if (error.name != "verify.equation") return error;
  return {ErrorCode::unsatisfied, "proof.unverified", std::string(groth16::kUnverifiedWithoutC)};
}

std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class C>
Result<OwnResult> prove_on(const OwnKey& own, OwnWitness witness, const Compute& compute) {
  if (auto fits = witness.file.check_fits(C::id, own.file.header().n_vars); !fits) return tl::unexpected(fits.error());
  const auto circuit = read_circuit<C>(own, compute);
  if (!circuit) return tl::unexpected(circuit.error());
  const auto pages = pack<C>(std::move(witness), circuit->system);
  if (!pages) return tl::unexpected(pages.error());
  const auto packed = PackedWitness<C>::open(pages->bytes(), circuit->system);
  if (!packed) return tl::unexpected(packed.error());
  const auto proof = groth16::prove(circuit->key, *packed, compute);
  if (!proof) return tl::unexpected(explained(proof.error()));

  OwnResult result;
  result.curve = std::string(C::name);
  result.key_digest = own.digest;
  result.vk_digest = circuit->key.vk_digest();
  result.texts = {groth16::formats::proof_json(*proof), groth16::formats::public_json(packed->public_inputs()),
                  as_text(groth16::formats::compress(*proof))};
  return result;
}

}  // namespace

Result<OwnResult> make_own_proof(const OwnProof& wanted) {
  if (auto hardened = harden_process(); !hardened) return tl::unexpected(hardened.error());
  struct sigaction lost_page {};
  lost_page.sa_handler = on_lost_page;
  ::sigaction(SIGBUS, &lost_page, nullptr);

  const auto key_fd = open_file(wanted.key, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!key_fd) return tl::unexpected(key_fd.error());
  const auto key_bytes = InputFile::from_fd(key_fd->get(), wanted.key, Access::map);
  if (!key_bytes) return tl::unexpected(key_bytes.error());
  auto witness_bytes = InputFile::open(wanted.witness, Access::copy);
  if (!witness_bytes) return tl::unexpected(witness_bytes.error());
  const auto key = ZkeyFile::parse(wanted.key, key_bytes->bytes());
  if (!key) return tl::unexpected(key.error());
  if (!wanted.allow_insecure_key) {
    if (auto secure = key->refuse_insecure(); !secure) return tl::unexpected(secure.error());
  }
  auto parsed = WitnessFile::parse(wanted.witness, witness_bytes->bytes());
  if (!parsed) return tl::unexpected(parsed.error());
  OwnWitness witness{std::move(*witness_bytes), std::move(*parsed)};

  const auto read_at = [&](std::uint64_t offset, std::span<std::byte> out) {
    return read_exact_at(key_fd->get(), out, offset, wanted.key);
  };
  const OwnKey own{*key, wanted, read_at, wanted.wants_digest ? sha256(key_bytes->bytes()) : Digest{}};
  const Compute compute(std::thread::hardware_concurrency());
  auto result = groth16::with_curve(key->header().curve,
                                    [&]<class C>() { return prove_on<C>(own, std::move(witness), compute); });
  if (!result) return result;
  result->warnings =
      groth16::formats::key_warnings({wanted.key, key->warnings(), key->has_transcript(), key->trailing_bytes()});
  return result;
}

}  // namespace groth16d::client
