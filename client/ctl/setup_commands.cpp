// setup: keys for tests and development, from secrets that this program draws and forgets. Whoever had watched it could
// forge proofs, so there is no other mode, --insecure must be said, and the key itself carries the warning.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "client/ctl/command.hpp"
#include "client/ctl/development_key.hpp"
#include "client/ctl/job_request.hpp"
#include "client/ctl/long_work.hpp"
#include "client/ctl/render_text.hpp"
#include "client/json/message_json.hpp"
#include "common/posix.hpp"
#include "groth16/formats/input_file.hpp"
#include "groth16/formats/key_recipe.hpp"
#include "groth16/formats/ptau.hpp"
#include "groth16/formats/r1cs.hpp"
#include "groth16/formats/r1cs_system.hpp"
#include "groth16/formats/snarkjs_json.hpp"
#include "groth16/formats/zkey_writer.hpp"
#include "groth16/proof/blinding.hpp"
#include "groth16/proof/keygen.hpp"

namespace groth16d::ctl {
namespace {

namespace formats = groth16::formats;
using groth16::CurveId;

constexpr mode_t kSetupMode = 0644;

struct SetupArguments {
  bool insecure = false;
  std::string r1cs, zkey, vk;
  std::string circuit, params;        // a built-in circuit, instead
  std::string recipe, name;           // of a built-in circuit: a daemon makes the key, and keeps it under the name
  std::optional<std::uint64_t> seed;  // the same key again, for tests
};

struct PtauArguments {
  bool insecure = false;
  std::uint32_t power = 0;
  std::string curve, out;
};

template <class C>
Result<groth16::ToxicWaste<C>> toxic_waste(const std::optional<std::uint64_t>& seed) {
  if (seed) return groth16::ToxicWaste<C>::from_seed(*seed);
  return groth16::ToxicWaste<C>::draw();
}

// The constraint system's flat form, for ConstraintSystem::open.
template <class C>
Result<std::vector<std::byte>> read_system(const formats::R1csFile& file) {
  auto sizes = formats::system_sizes(file);
  if (!sizes) return tl::unexpected<Error>(sizes.error());
  groth16::ConstraintSystemBuilder<C> builder(*sizes, true);
  if (auto collected = formats::collect(file, builder); !collected) return tl::unexpected<Error>(collected.error());
  std::vector<std::byte> bytes(builder.serialized_bytes());
  builder.write(bytes);
  return bytes;
}

template <class C>
Result<void> make_key(const formats::R1csFile& file, const SetupArguments& arguments) {
  auto system_bytes = read_system<C>(file);
  if (!system_bytes) return tl::unexpected<Error>(system_bytes.error());
  auto system = groth16::ConstraintSystem<C>::open(*system_bytes);
  if (!system) return tl::unexpected<Error>(system.error());
  auto toxic = toxic_waste<C>(arguments.seed);
  if (!toxic) return tl::unexpected<Error>(toxic.error());
  constexpr auto kBasis = groth16::HBasis::odd_coset_lagrange;
  std::vector<std::byte> key_bytes(groth16::generated_key_bytes(*system, kBasis));
  if (auto made = groth16::generate_key<C>(*system, *toxic, kBasis, groth16::DomainRoot::five, key_bytes, all_cores());
      !made) {
    return made;
  }
  auto key = groth16::ProvingKey<C>::open(key_bytes);
  if (!key) return tl::unexpected<Error>(key.error());
  if (auto written = write_output(arguments.zkey,
                                  [&](formats::ByteSink& sink) { return formats::write_zkey(sink, *key, *system); });
      !written) {
    return written;
  }
  if (arguments.vk.empty()) return {};
  return write_file_atomically(arguments.vk, formats::verification_key_json(groth16::verifying_key(*key)), kSetupMode);
}

Result<void> make_key(const SetupArguments& arguments) {
  auto file = formats::InputFile::open(arguments.r1cs, formats::Access::map);
  if (!file) return tl::unexpected<Error>(file.error());
  auto parsed = formats::R1csFile::parse(file->name(), file->bytes());
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  if (parsed->header().curve == CurveId::bn254) return make_key<groth16::Bn254>(*parsed, arguments);
  return make_key<groth16::Bls12_381>(*parsed, arguments);
}

template <class C>
Result<void> make_ptau(const PtauArguments& arguments) {
  auto toxic = groth16::ToxicWaste<C>::draw();
  if (!toxic) return tl::unexpected<Error>(toxic.error());
  return write_output(arguments.out, [&](formats::ByteSink& sink) {
    return formats::write_prepared_ptau(sink, arguments.power, *toxic, all_cores());
  });
}

void run_builtin_setup(Session& session, const SetupArguments& arguments) {
  const auto circuit = groth16::circuits::builtin_circuit(arguments.circuit);
  if (!circuit) return session.fail(circuit.error(), ExitCode::usage);
  const KeyFiles files{arguments.params, arguments.vk};
  if (auto made = make_development_key(**circuit, files, arguments.seed); !made) return session.fail(made.error());
  const std::string& first = files.params.empty() ? files.vk : files.params;
  say(kInsecureWarning + first);
  session.print({{"params_file", files.params}, {"vk_file", files.vk}, {"insecure", true}}, first);
}

// A number that nobody chose, where none is given.
Result<std::uint64_t> seed_of(const SetupArguments& arguments) {
  if (arguments.seed) return *arguments.seed;
  const auto drawn = groth16::draw_scalar<groth16::Bls12_381>();
  if (!drawn) return tl::unexpected<Error>(drawn.error());
  return drawn->limb[0];
}

// The recipe goes to a file that the daemon may read; the key is made where it is used. Its .params and .vk are made
// here as well, where they are asked for.
void run_recipe_setup(Session& session, const SetupArguments& arguments) {
  const auto circuit = groth16::circuits::builtin_circuit(arguments.circuit);
  if (!circuit) return session.fail(circuit.error(), ExitCode::usage);
  const auto seed = seed_of(arguments);
  if (!seed) return session.fail(seed.error());
  const std::string text = formats::key_recipe_text({arguments.circuit, *seed});
  if (auto written = write_file_atomically(arguments.recipe, text, kSetupMode); !written)
    return session.fail(written.error());
  const KeyFiles files{arguments.params, arguments.vk};
  if (!files.params.empty() || !files.vk.empty()) {
    if (auto made = make_development_key(**circuit, files, *seed); !made) return session.fail(made.error());
  }
  say("warning: whoever reads " + arguments.recipe + " can forge proofs for the key that it makes");
  if (arguments.name.empty()) {
    return session.print(
        {{"recipe_file", arguments.recipe}, {"params_file", files.params}, {"vk_file", files.vk}, {"insecure", true}},
        arguments.recipe);
  }
  v1::CircuitAddRequest request;
  request.set_circuit(arguments.name);
  request.set_allow_insecure_key(true);
  const auto path = absolute(arguments.recipe);
  if (!path) return session.fail(path.error());
  request.set_key_path(*path);
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  const auto added = client->add_circuit(request);
  if (!added) return session.fail_call(added.error());
  session.print(client::to_json(*added), text_of(*added));
}

void run_setup(Session& session, const SetupArguments& arguments) {
  if (!arguments.recipe.empty()) return run_recipe_setup(session, arguments);
  if (!arguments.circuit.empty()) return run_builtin_setup(session, arguments);
  if (auto made = make_key(arguments); !made) return session.fail(made.error());
  say(kInsecureWarning + arguments.zkey);
  session.print({{"zkey_file", arguments.zkey}, {"vk_file", arguments.vk}, {"insecure", true}}, arguments.zkey);
}

void run_ptau(Session& session, const PtauArguments& arguments) {
  const bool is_bn254 = groth16::curve_from_name(arguments.curve) == CurveId::bn254;
  auto made = is_bn254 ? make_ptau<groth16::Bn254>(arguments) : make_ptau<groth16::Bls12_381>(arguments);
  if (!made) return session.fail(made.error());
  say(kInsecureWarning + ("keys from " + arguments.out));
  session.print({{"ptau_file", arguments.out}, {"insecure", true}}, arguments.out);
}

void require_insecure(bool insecure) {
  if (!insecure) throw CLI::ValidationError("setup", "makes insecure keys only; say --insecure to have one");
}

std::string check_curve(const std::string& name) {
  return groth16::curve_from_name(name) ? "" : name + ": a curve is bn128 or bls12381";
}

}  // namespace

void add_setup_commands(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<SetupArguments>();
  auto* setup = app.add_subcommand("setup", "make a key for tests and development, without a ceremony");
  setup->add_flag("--insecure", arguments->insecure, "yes, proofs for this key can be forged");
  setup->add_option("--r1cs", arguments->r1cs, "the circuit's constraint system")->type_name("FILE");
  setup->add_option("--zkey", arguments->zkey, "where the proving key goes")->type_name("FILE");
  setup->add_option("--circuit", arguments->circuit, "a built-in circuit instead, porep-2KiB ...")
      ->type_name("CIRCUIT");
  setup->add_option("--params", arguments->params, "where its .params goes, as bellperson lays it out")
      ->type_name("FILE");
  auto* recipe = setup->add_option("--recipe", arguments->recipe, "what a daemon makes the same key from, on its card")
                     ->type_name("FILE");
  setup->add_option("--register", arguments->name, "have the daemon make it now, and keep it under this name")
      ->type_name("NAME")
      ->needs(recipe);
  setup->add_option("--vk", arguments->vk, "where verification_key.json goes, of a built-in circuit its .vk")
      ->type_name("FILE");
  setup->add_option("--seed", arguments->seed, "make the same key from the same number");
  setup->callback([&session, arguments, setup] {
    if (!setup->get_subcommands().empty()) return;
    require_insecure(arguments->insecure);
    const bool has_files = !arguments->r1cs.empty() && !arguments->zkey.empty();
    const bool has_output = !arguments->params.empty() || !arguments->vk.empty();
    const bool has_circuit = !arguments->circuit.empty() && (has_output || !arguments->recipe.empty());
    if (has_files == has_circuit) {
      throw CLI::ValidationError("setup",
                                 "--r1cs and --zkey are needed, or --circuit and any of --params, --vk and --recipe");
    }
    run_setup(session, *arguments);
  });

  auto ptau_arguments = std::make_shared<PtauArguments>();
  auto* ptau = setup->add_subcommand("ptau", "write a prepared .ptau of known tau, for snarkjs groth16 setup");
  ptau->add_flag("--insecure", ptau_arguments->insecure, "yes, proofs for keys from it can be forged");
  ptau->add_option("--power", ptau_arguments->power, "circuits of up to 2^POWER rows")
      ->type_name("POWER")
      ->check(CLI::Range(1U, formats::PtauFile::kMaxPower))
      ->required();
  ptau->add_option("--curve", ptau_arguments->curve, "bn128 or bls12381")
      ->type_name("CURVE")
      ->check(check_curve)
      ->required();
  ptau->add_option("out", ptau_arguments->out, "where the .ptau goes")->type_name("OUT")->required();
  ptau->callback([&session, ptau_arguments] {
    require_insecure(ptau_arguments->insecure);
    run_ptau(session, *ptau_arguments);
  });
}

}  // namespace groth16d::ctl
