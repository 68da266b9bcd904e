// circuit hash: the fingerprint of a built-in circuit's constraint system, as bellperson's test constraint system makes
// it, and its counts. Nothing is built: the description streams by.
#include <CLI/CLI.hpp>
#include <memory>

#include <fmt/format.h>

#include "client/ctl/command.hpp"
#include "client/ctl/render_text.hpp"
#include "groth16/circuits/builtin_circuit.hpp"
#include "groth16/circuits/system_census.hpp"
#include "groth16/circuits/system_hash.hpp"

namespace groth16d::ctl {
namespace {

namespace circuits = groth16::circuits;

void report(Session& session, const std::string& name, const std::string& hash, const circuits::SystemCensus& census) {
  const groth16::SystemSizes sizes = census.sizes();
  const auto& terms = census.n_terms();
  const std::uint64_t n_inputs = sizes.n_public + 1, n_a_terms = terms[0] + n_inputs;  // with the public rows
  const Json json = {{"circuit", name},
                     {"hash", hash},
                     {"inputs", n_inputs},
                     {"private_variables", sizes.n_private()},
                     {"bits", census.n_bits()},
                     {"constraints", sizes.n_constraints},
                     {"rows", sizes.n_rows()},
                     {"domain_log2", sizes.domain_log2},
                     {"non_zeros", {{"a", n_a_terms}, {"b", terms[1]}, {"c", terms[2]}}},
                     {"private_densities", {{"a", census.a_private_density()}, {"b", census.b_private_density()}}}};
  const std::string text = table(
      {{"circuit", name},
       {"hash", hash},
       {"inputs", fmt::format("{} with the constant one", n_inputs)},
       {"private variables", fmt::format("{}, {} of them bits", sizes.n_private(), census.n_bits())},
       {"constraints", std::to_string(sizes.n_constraints)},
       {"rows", fmt::format("{} with those of the inputs, in a domain of 2^{}", sizes.n_rows(), sizes.domain_log2)},
       {"non-zeros", fmt::format("{} in A, {} in B, {} in C", n_a_terms, terms[1], terms[2])},
       {"private densities", fmt::format("{} in A, {} in B", census.a_private_density(), census.b_private_density())}});
  session.print(json, text);
}

void run_hash(Session& session, const std::string& name) {
  const auto circuit = circuits::builtin_circuit(name);
  if (!circuit) return session.fail(circuit.error(), ExitCode::usage);
  circuits::SystemCensus census;
  circuits::SystemHash hash((*circuit)->sizes());
  circuits::CircuitBuilder builder{&census, &hash};
  (*circuit)->describe(builder);
  const auto digest = hash.finish();
  if (!digest) return session.fail(digest.error());
  report(session, (*circuit)->name(), *digest, census);
}

}  // namespace

void add_circuit_hash_command(CLI::App& circuit, Session& session) {
  auto name = std::make_shared<std::string>();
  auto* hash =
      circuit.add_subcommand("hash", "the fingerprint and the counts of a built-in circuit (1 min for 32 GiB)");
  hash->add_option("name", *name, "porep-2KiB ... porep-64GiB")->type_name("CIRCUIT")->required();
  hash->callback([&session, name] { run_hash(session, *name); });
}

}  // namespace groth16d::ctl
