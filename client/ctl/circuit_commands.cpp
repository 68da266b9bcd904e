// circuit add|list|remove: keys under a name, loaded once and kept for every job that uses them.
#include <CLI/CLI.hpp>
#include <memory>

#include "client/ctl/command.hpp"
#include "client/ctl/job_request.hpp"
#include "client/ctl/render_text.hpp"
#include "client/json/message_json.hpp"

namespace groth16d::ctl {
namespace {

struct AddArguments {
  std::string name;
  std::string zkey;
  std::string r1cs;
  bool allow_insecure_key = false;
};

void run_add(Session& session, const AddArguments& arguments) {
  v1::CircuitAddRequest request;
  request.set_circuit(arguments.name);
  request.set_allow_insecure_key(arguments.allow_insecure_key);
  auto key = absolute(arguments.zkey);
  if (!key) return session.fail(key.error());
  request.set_key_path(*key);
  if (!arguments.r1cs.empty()) {
    auto r1cs = absolute(arguments.r1cs);
    if (!r1cs) return session.fail(r1cs.error());
    request.set_r1cs_path(*r1cs);
  }
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  auto circuit = client->add_circuit(request);
  if (!circuit) return session.fail_call(circuit.error());
  for (const auto& warning : circuit->warnings()) say("warning: " + warning);
  session.print(client::to_json(*circuit), text_of(*circuit));
}

void run_list(Session& session, const std::string& name) {
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  auto circuits = client->circuits(name);
  if (!circuits) return session.fail_call(circuits.error());
  const bool one = !name.empty() && circuits->size() == 1;
  session.print(client::array_of(*circuits), one ? text_of(circuits->front()) : table_of(*circuits));
}

void run_remove(Session& session, const std::string& name) {
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  auto removed = client->remove_circuit(name);
  if (!removed) return session.fail_call(removed.error());
  session.print({{"circuit", name}, {"removed", true}}, name + " removed");
}

}  // namespace

void add_circuit_commands(CLI::App& app, Session& session) {
  auto* circuit = app.add_subcommand("circuit", "circuits that the daemon keeps by name");
  circuit->require_subcommand(1);

  auto arguments = std::make_shared<AddArguments>();
  auto* add = circuit->add_subcommand("add", "register a proving key, and its constraint system to name failing rows");
  add->add_option("name", arguments->name, "1 to 64 of A-Z a-z 0-9 . _ -")->type_name("NAME")->required();
  add->add_option("--zkey", arguments->zkey, "the proving key")->type_name("FILE")->required();
  add->add_option("--r1cs", arguments->r1cs, "its constraint system")->type_name("FILE");
  add->add_flag("--allow-insecure-key", arguments->allow_insecure_key,
                "accept a key without a contribution, for which anyone can forge proofs");
  add->callback([&session, arguments] { run_add(session, *arguments); });

  auto listed = std::make_shared<std::string>();
  auto* list = circuit->add_subcommand("list", "all circuits, or one in full");
  list->add_option("name", *listed, "only this one")->type_name("NAME");
  list->callback([&session, listed] { run_list(session, *listed); });

  add_circuit_hash_command(*circuit, session);

  auto removed = std::make_shared<std::string>();
  auto* remove = circuit->add_subcommand("remove", "forget a circuit that no unfinished job uses");
  remove->add_option("name", *removed, "the circuit")->type_name("NAME")->required();
  remove->callback([&session, removed] { run_remove(session, *removed); });
}

}  // namespace groth16d::ctl
