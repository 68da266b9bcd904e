// What `submit` and `prove` have in common: which circuit, which witnesses, and the SubmitRequest that says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/lib/upload.hpp"
#include "common/error.hpp"

namespace CLI {
class App;
}

namespace groth16d::ctl {

struct JobInput {
  std::string job;      // "": one is made up
  std::string circuit;  // registered with the daemon, or
  std::string zkey;     // a key file that the daemon may read
  std::string r1cs;     // with zkey, optional: lets a failing row be named
  bool allow_insecure_key = false;
  std::vector<std::string> witnesses;  // one a partition
  std::vector<std::string> publics;    // declared public signals, one file a partition, or none
  bool send_inputs = false;            // the witnesses' bytes travel in the message, or
  bool upload = false;                 // in chunks before it: for a remote daemon, unless
  bool by_path = false;                // it reads the same files
  std::string priority = "normal";
  double deadline_s = 0;
};

// --job, --circuit, --zkey, --r1cs, --allow-insecure-key, --declare-public, --send, --upload, --by-path, --priority,
// --deadline.
// zkey_names: "--zkey", or "--zkey,zkey" where the key may also be the first positional argument.
void add_job_options(CLI::App& command, JobInput& input, const std::string& zkey_names);

struct Submission {
  v1::SubmitRequest request;
  std::vector<std::string> payload;
  std::vector<client::UploadFile> uploads;
};

// Paths become absolute and free of symbolic links, because the daemon has another working directory and follows none.
// Errors: those of reading the files that are sent or declared, malformed "submit.publics".
Result<Submission> make_submission(const JobInput& input, bool to_remote);

// SUBMIT, after the uploads that the daemon has not; an interruption stops these.
Result<v1::SubmitReply> hand_in(client::Client& client, const Submission& submission);

// The path as the daemon must be told it. Errors: not_found "system.realpath", malformed "request.path": not UTF-8.
Result<std::string> absolute(const std::string& path);

// "job-" and 12 hexadecimal digits from the kernel's random numbers.
Result<std::string> made_up_job_name();

}  // namespace groth16d::ctl
