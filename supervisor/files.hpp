// The thread that touches files on behalf of clients: it examines what SUBMIT names, spools inputs, and opens keys and
// inputs for leases. A slow or dead file system stalls this thread and nobody else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <zmq.hpp>

#include "common/error.hpp"
#include "supervisor/config.hpp"
#include "supervisor/core/action.hpp"
#include "supervisor/core/event.hpp"
#include "supervisor/helper_thread.hpp"
#include "supervisor/segments.hpp"
#include "supervisor/spool.hpp"

namespace groth16d::supervisor {

// One partition's input as a SUBMIT names it: a path inside a root, or frames.
struct NamedInput {
  std::string path;  // "": the frames
  std::vector<zmq::message_t> frames;
  std::string declared_public_json;
};

// Find out what a SUBMIT stands for: its digest, the sizes of its inputs, and the stamp of its key.
struct Examine {
  ReplyToken token = 0;
  std::string normal_form;  // of the request, as the digest takes it
  CircuitSource source;     // key_path "": a registered circuit
  std::vector<NamedInput> inputs;
};
struct Examined {
  ReplyToken token = 0;
  std::string digest;             // SHA-256 of the normal form and of inline inputs
  Result<std::string> key_stamp;  // an error where any named file cannot be used, or the spool has no space
  std::vector<SpoolInput> inputs;
};

struct SpoolJob {
  JobRecord record;
  std::vector<SpoolInput> inputs;
};
struct JobSpooled {
  JobRecord record;
  Result<std::vector<std::string>> input_digests;
};

struct RemoveSpooled {
  JobId job;
};

// What intake cut out of one partition's input takes its place (cut_inputs.hpp).
struct ReplaceInput {
  JobId job;
  std::uint32_t partition = 0;
  std::string bytes;
};
struct InputReplaced {
  JobId job;
  std::uint32_t partition = 0;
  std::optional<Error> failure;
  std::string bytes;  // back, with a failure
};

struct FilesAnswered {
  Event event;  // FilesOpened or FilesRefused
  std::vector<NamedSegment> opened;
};

// Read the configuration again, as at the start.
struct ReadConfig {
  ReplyToken token = 0;
};
struct ConfigRead {
  ReplyToken token = 0;
  Result<Config> config;  // resolved, or what is wrong with the file
};

// What of a new configuration is this thread's.
struct FileLimits {
  std::vector<std::filesystem::path> roots;
  std::uint64_t max_spool_bytes = 0;
};

using FilesRequest = std::variant<Examine, SpoolJob, RemoveSpooled, ReplaceInput, OpenFiles, ReadConfig, FileLimits>;
using FilesCompletion = std::variant<Examined, JobSpooled, InputReplaced, FilesAnswered, ConfigRead>;

class Files {
 public:
  // `read_config` is called in this thread.
  Files(Spool spool, std::vector<std::filesystem::path> roots, std::function<Result<Config>()> read_config);

  void put(FilesRequest request) { thread_.put(std::move(request)); }
  int descriptor() const { return thread_.descriptor(); }
  std::vector<FilesCompletion> take() { return thread_.take(); }

 private:
  void spool_jobs(std::vector<SpoolJob> jobs, Outbox<FilesCompletion>& completions);
  void serve(std::vector<FilesRequest> requests, Outbox<FilesCompletion>& completions);
  void serve_one(FilesRequest request, Outbox<FilesCompletion>& completions);
  InputReplaced replace(ReplaceInput cut);
  Examined examine(Examine request) const;
  Result<SpoolInput> open_named(NamedInput input, std::size_t partition) const;
  Result<std::string> stamp(const CircuitSource& source) const;
  FilesAnswered open_files(const OpenFiles& request) const;
  Result<SegmentHandle> open_one(const FileSpec& spec) const;

  Spool spool_;
  std::vector<std::string> roots_;
  std::function<Result<Config>()> read_config_;
  HelperThread<FilesRequest, FilesCompletion> thread_;
};

}  // namespace groth16d::supervisor
