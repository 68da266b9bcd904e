// groth16ctl as a shell sees it: proofs where no daemon runs, exit codes, JSON.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "common/posix.hpp"
#include "tests/e2e/run_program.hpp"
#include "tests/e2e/scene.hpp"

using namespace groth16d;
using namespace groth16d::e2e;
using groth16::CurveId;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 20;

std::string text_of(const fs::path& file) {
  const auto text = read_text_file(file, kMaxTextBytes);
  REQUIRE(text.has_value());
  return *text;
}

std::size_t private_daemon_folders() {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path())) {
    const std::string name = entry.path().filename().string();
    count += name.starts_with("groth16d-") && fs::exists(entry.path() / "run") ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("prove without a running daemon proves by itself") {
  const TemporaryFolder folder;
  for (const auto curve : {CurveId::bn254, CurveId::bls12_381}) {
    const auto files = make_circuit(folder.path() / std::string(groth16::curve_name(curve)), curve, 6, 1);
    const fs::path proof = folder.path() / "proof.json";
    const fs::path publics = folder.path() / "public.json";
    const std::size_t before = private_daemon_folders();

    const auto proven = ctl({"--runtime-dir", folder.path() / "none", "prove", "--allow-insecure-key", files.zkey,
                             files.witnesses[0], proof, publics});

    INFO(proven.err);
    REQUIRE(proven.exit_code == 0);
    CHECK(proven.err.find("for development only") != std::string::npos);  // the key's own warning
    CHECK(is_valid(files.vk, text_of(publics), text_of(proof)));
    CHECK(ctl({"verify", files.vk, publics, proof}).exit_code == 0);
    CHECK(private_daemon_folders() == before);
  }
}

TEST_CASE("with or without a private daemon, prove tells the same of a proof") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bls12_381, 6, 1);
  const fs::path publics = folder.path() / "public.json";
  const auto told = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--json", "--allow-insecure-key", files.zkey, files.witnesses[0],
                               folder.path() / "proof.json", publics});
    const auto proven = ctl(words);
    INFO(proven.err);
    REQUIRE(proven.exit_code == 0);
    CHECK(is_valid(files.vk, text_of(publics), text_of(folder.path() / "proof.json")));
    return std::pair(Json::parse(proven.out), text_of(publics));
  };

  const auto [alone, publics_alone] = told({"--runtime-dir", folder.path() / "none", "prove"});
  const auto [by_daemon, publics_by_daemon] = told({"prove", "--private"});

  CHECK(publics_alone == publics_by_daemon);
  for (const char* same : {"curve", "key_digest", "vk_digest", "state", "warnings", "proof_file", "public_file"})
    CHECK(alone.at(same) == by_daemon.at(same));
}

TEST_CASE("a private daemon whose owner is killed leaves no witness behind") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bls12_381, 14, 1);
  const fs::path temporary = folder.path() / "tmp";
  fs::create_directory(temporary);
  const std::vector<std::string> words = {program("groth16ctl"),
                                          "prove",
                                          "--private",
                                          "--allow-insecure-key",
                                          files.zkey,
                                          files.witnesses[0],
                                          folder.path() / "p",
                                          folder.path() / "q"};
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  argv.push_back(nullptr);
  const pid_t owner = ::fork();
  if (owner == 0) {
    ::setenv("TMPDIR", temporary.c_str(), 1);
    ::execv(argv[0], const_cast<char* const*>(argv.data()));
    ::_exit(127);
  }
  const auto spooled = [&] {
    std::error_code gone;
    for (const auto& daemon : fs::directory_iterator(temporary))
      for (const auto& job : fs::directory_iterator(daemon.path() / "state/spool", gone))
        if (job.path().filename().string().starts_with("job-") && !fs::is_empty(job.path(), gone)) return true;
    return false;
  };
  CHECK(eventually(spooled));
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  CHECK(eventually([&] { return fs::is_empty(temporary); }));
}

TEST_CASE("a witness that does not satisfy the circuit gives no proof where no daemon runs, either") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 1);
  const auto wrong = changed_copy(files.witnesses[0], folder.path() / "wrong.wtns", [](std::string& bytes) {
    bytes.at(bytes.size() - 32) = static_cast<char>(bytes.at(bytes.size() - 32) ^ 1);
  });
  const fs::path proof = folder.path() / "proof.json";

  const auto refused = ctl({"--runtime-dir", folder.path() / "none", "prove", "--allow-insecure-key", files.zkey, wrong,
                            proof, folder.path() / "public.json"});

  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("proof.unverified") != std::string::npos);
  CHECK_FALSE(fs::exists(proof));

  const auto insecure = ctl({"--runtime-dir", folder.path() / "none", "prove", files.zkey, files.witnesses[0], proof,
                             folder.path() / "public.json"});
  CHECK(insecure.err.find("zkey.insecure") != std::string::npos);
  CHECK_FALSE(fs::exists(proof));
}

TEST_CASE("an output never takes the place of an input, of another output or of a device") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 1);
  const std::string witness = text_of(files.witnesses[0]);
  const auto prove = [&](const fs::path& proof, const fs::path& publics) {
    return ctl({"prove", "--private", "--allow-insecure-key", "--zkey", files.zkey, "--wtns", files.witnesses[0],
                "--proof", proof, "--public", publics});
  };
  for (const auto& [proof, publics] : {std::pair{files.witnesses[0], folder.path() / "public.json"},
                                       {folder.path() / "same.json", folder.path() / "." / "same.json"}}) {
    const auto refused = prove(proof, publics);
    CHECK(refused.exit_code != 0);
    CHECK(refused.err.find("output.taken") != std::string::npos);
  }
  CHECK(text_of(files.witnesses[0]) == witness);

  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const UniqueFd reader(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  CHECK(prove(folder.path() / "proof.json", pipe).exit_code == 0);
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("a path that could forge a line of the log, or is not UTF-8, is refused") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 1);
  for (const char* name : {"a\n2026 info groth16d: forged.wtns", "latin-\xe9.wtns"}) {
    const fs::path path = folder.path() / name;
    fs::copy(files.witnesses[0], path);
    const auto refused = ctl({"prove", "--private", "--allow-insecure-key", "--zkey", files.zkey, "--wtns", path,
                              "--proof", folder.path() / "p", "--public", folder.path() / "q"});
    CHECK(refused.exit_code != 0);
    CHECK(refused.err.find("request.path") != std::string::npos);
  }
}

TEST_CASE("the compressed proof of prove --binary verifies, with and without a daemon") {
  const auto [curve, bytes] = GENERATE(std::pair(CurveId::bls12_381, 192), std::pair(CurveId::bn254, 128));
  const std::string by = GENERATE("--private", "--runtime-dir=/nowhere");
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), curve, 6, 1);
  const fs::path binary = folder.path() / "proof.bin";
  const fs::path publics = folder.path() / "public.json";

  const auto proven = ctl({"prove", by, "--allow-insecure-key", "--zkey", files.zkey, "--wtns", files.witnesses[0],
                           "--proof", folder.path() / "proof.json", "--public", publics, "--binary", binary});

  INFO(proven.err);
  REQUIRE(proven.exit_code == 0);
  CHECK(fs::file_size(binary) == static_cast<std::uintmax_t>(bytes));
  CHECK(ctl({"verify", files.vk, publics, binary}).exit_code == 0);
}

TEST_CASE("without a daemon, too, an error is a JSON value where one is asked for, and nothing is written") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 1);
  const fs::path proof = folder.path() / "proof.json";
  const auto refused = ctl({"--json", "--runtime-dir", folder.path() / "none", "prove", files.zkey, files.zkey, proof,
                            folder.path() / "public.json"});
  CHECK(refused.exit_code == 1);
  CHECK(Json::parse(refused.out).at("error").contains("name"));
  CHECK_FALSE(fs::exists(proof));
}

TEST_CASE("exit codes tell a script what happened") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 1);
  const auto daemon = start_daemon(folder.path());
  const std::string run = daemon.runtime_dir();

  CHECK(ctl({"--version"}).exit_code == 0);
  CHECK(ctl({}).exit_code == 2);
  CHECK(ctl({"prove"}).exit_code == 2);
  CHECK(ctl({"setup", "--r1cs", files.r1cs, "--zkey", folder.path() / "no.zkey"}).exit_code == 2);
  CHECK(ctl({"--runtime-dir", folder.path() / "none", "list"}).exit_code == 3);
  CHECK(ctl({"--runtime-dir", run, "status", "nobody"}).exit_code == 4);
  CHECK(ctl({"--runtime-dir", run, "status"}).exit_code == 0);
  CHECK(ctl({"verify", files.vk, files.vk, files.vk}).exit_code == 1);
  CHECK(ctl({"verify", files.vk, files.vk, folder.path() / "absent.json"}).exit_code == 66);
  CHECK(ctl({"verify", files.zkey, files.vk, files.vk}).exit_code == 66);
  CHECK(ctl({"--runtime-dir", run, "prove", "--allow-insecure-key", files.zkey, files.witnesses[0],
             folder.path() / "nowhere" / "proof.json", folder.path() / "public.json"})
            .exit_code == 1);
}

TEST_CASE("an empty file name is a wrong command line, not a file that nobody wants") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 1);
  const std::string publics = folder.path() / "public.json";
  for (const auto& [name, command] : {std::pair<std::string, std::vector<std::string>>{"groth16-prove", {}},
                                      {"groth16ctl", {"prove"}},
                                      {"groth16ctl", {"prove", "--private"}}}) {
    std::vector<std::string> words = command;
    words.insert(words.begin(), program(name));
    words.insert(words.end(), {"--json", "--allow-insecure-key", files.zkey, files.witnesses[0], "", publics});
    const auto refused = run_program(words);
    CHECK(refused.exit_code == 2);
    CHECK(Json::parse(refused.out).at("error").at("name") == "usage.arguments");
    CHECK_FALSE(fs::exists(publics));
  }
}

TEST_CASE("a wrong command line is told by the word that is wrong, in JSON too, with exit code 2") {
  const auto unknown = ctl({"frobnicate", "--json"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err.find("there is no command \"frobnicate\"") != std::string::npos);
  const Json error = Json::parse(unknown.out, nullptr, false).at("error");
  CHECK(error.at("name") == "usage.unknown_command");
  CHECK(error.at("code") == "malformed");
  const auto nested = ctl({"worker", "resart", "synth-0"});
  CHECK(nested.exit_code == 2);
  CHECK(nested.err.find("worker: there is no command \"resart\"; expected one of list, restart") != std::string::npos);
  CHECK(nested.out.empty());
  CHECK(ctl({}).err.find("a command is needed: one of prove") != std::string::npos);
  const auto missing = ctl({"--json", "cancel"});
  CHECK(missing.exit_code == 2);
  CHECK(Json::parse(missing.out, nullptr, false).at("error").at("text").get<std::string>().starts_with("cancel: job"));
  CHECK(ctl({"list", "--nonsense"}).err.find("--nonsense") != std::string::npos);
  CHECK(ctl({"worker", "restart", "synth-0", "--at-most", "3"}).exit_code == 2);  // without --wait
}

TEST_CASE("top prints one frame where there is no terminal") {
  const TemporaryFolder folder;
  const auto daemon = start_daemon(folder.path());
  const auto frame = ctl({"--runtime-dir", daemon.runtime_dir(), "top"});
  CHECK(frame.exit_code == 0);
  CHECK(frame.out.find("budget   [") != std::string::npos);
  CHECK(frame.out.find("synth-0") != std::string::npos);
  CHECK(frame.out.find('\x1b') == std::string::npos);
  const auto json = ctl({"--runtime-dir", daemon.runtime_dir(), "--json", "top", "--once"});
  CHECK(Json::parse(json.out, nullptr, false).at("queues").size() == 4);
}

TEST_CASE("every command speaks JSON when told to, errors too") {
  const TemporaryFolder folder;
  const auto files = make_circuit(folder.path(), CurveId::bn254, 6, 2);
  const auto daemon = start_daemon(folder.path());
  const auto json = [&](std::vector<std::string> arguments, int exit_code = 0) {
    arguments.insert(arguments.begin(), {"--json", "--runtime-dir", daemon.runtime_dir()});
    const auto outcome = ctl(arguments);
    INFO(arguments[3] << ": " << outcome.err << outcome.out);
    CHECK(outcome.exit_code == exit_code);
    const Json value = Json::parse(outcome.out, nullptr, false);
    REQUIRE_FALSE(value.is_discarded());
    return value;
  };

  CHECK(json({"circuit", "add", "spoken", "--zkey", files.zkey, "--r1cs", files.r1cs, "--allow-insecure-key"})
            .at("circuit") == "spoken");
  CHECK(json({"submit", "--job", "two", "--circuit", "spoken", files.witnesses[0], files.witnesses[1]}).at("job") ==
        "two");
  CHECK(json({"wait", "two"}).at("state") == "done");
  const Json result = json({"result", "two"});
  REQUIRE(result.at("proofs").size() == 2);
  CHECK(result.at("proofs").at(0).at("proof").at("protocol") == "groth16");
  CHECK(result.at("key_digest").get<std::string>().size() == 64);
  const Json status = json({"status", "two"});
  CHECK(status.at("partitions").size() == 2);
  CHECK(status.at("timeline").size() >= 8);
  CHECK(json({"status"}).at("workers").size() >= 4);
  CHECK(json({"worker", "list"}).size() >= 4);
  CHECK(json({"list"}).size() == 1);
  CHECK(json({"list", "--state", "failed"}).empty());
  CHECK(json({"circuit", "list"}).at(0).at("loads") == 1);
  CHECK(json({"logs", "two"}).is_array());
  CHECK(json({"status", "nobody"}, 4).at("error").at("code") == "not_found");
  CHECK(json({"verify", files.vk, files.vk, files.vk}, 1).at("valid") == false);
  CHECK(json({"verify", folder.path() / "absent.json", files.vk, files.vk}, 66).at("error").at("code") == "not_found");
  CHECK(json({"close", "two"}).at("closed") == true);
  CHECK(json({"circuit", "remove", "spoken"}).at("removed") == true);
}
