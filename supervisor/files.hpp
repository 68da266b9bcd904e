// The thread that touches files on behalf of clients: it takes uploads, examines what SUBMIT names, spools inputs, and
// opens keys and inputs for leases. A slow or dead file system stalls this thread and nobody else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
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
#include "supervisor/uploads.hpp"

namespace groth16d::supervisor {

// One partition's input as a SUBMIT names it: a path inside a root, an upload of its client, or frames.
struct NamedInput {
  std::string path;  // "": no path
  std::vector<zmq::message_t> frames;
  std::string declared_public_json;
  std::optional<Digest> upload = {};  // by its SHA-256
};

// Find out what a SUBMIT stands for: its digest, the sizes of its inputs, and the stamp of its key.
struct Examine {
  ReplyToken token = 0;
  std::string normal_form;  // of the request, as the digest takes it
  CircuitSource source;     // key_path "": a registered circuit
  std::vector<NamedInput> inputs;
  std::string client = {};  // who asks
  std::string payer = {};   // whose quota the inputs count to; "": nobody's
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
// The job is in the journal: uploads that it names are its own from now on.
struct KeepSpooled {
  JobId job;
};

struct TakeUpload {
  ReplyToken token = 0;
  UploadPiece piece;
};
struct UploadTaken {
  ReplyToken token = 0;
  Result<UploadProgress> progress;
};
// Time has passed.
struct ExpireUploads {};

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
  SpoolLimits spool;
  std::uint64_t upload_expiry_ms = 0;
};

// What lies in the spool, for monitors.
struct SpoolFigures {
  std::uint64_t used_bytes = 0;
  std::uint64_t max_bytes = 0;
  UploadFigures uploads;
};

using FilesRequest = std::variant<Examine, SpoolJob, RemoveSpooled, KeepSpooled, TakeUpload, ExpireUploads,
                                  ReplaceInput, OpenFiles, ReadConfig, FileLimits>;
using FilesCompletion = std::variant<Examined, JobSpooled, UploadTaken, InputReplaced, FilesAnswered, ConfigRead>;

class Files {
 public:
  // `read_config` is called in this thread.
  Files(Spool spool, Uploads uploads, std::vector<std::filesystem::path> roots,
        std::function<Result<Config>()> read_config);

  void put(FilesRequest request) { thread_.put(std::move(request)); }
  int descriptor() const { return thread_.descriptor(); }
  std::vector<FilesCompletion> take() { return thread_.take(); }

  // At least as after the answer that was taken last.
  SpoolFigures figures() const;

 private:
  struct Opening {
    OpenFiles request;
    std::uint64_t since_ms = 0;
  };

  void spool_jobs(std::vector<SpoolJob> jobs, Outbox<FilesCompletion>& completions);
  void serve(std::vector<FilesRequest> requests, Outbox<FilesCompletion>& completions);
  void serve_one(FilesRequest request, Outbox<FilesCompletion>& completions);
  void remove(const RemoveSpooled& gone);
  void set_limits(const FileLimits& limits);
  void publish_figures();
  void answer(Outbox<FilesCompletion>& completions, FilesCompletion completion);
  InputReplaced replace(ReplaceInput cut);
  Examined examine(Examine request) const;
  Result<std::vector<SpoolInput>> open_inputs(std::vector<NamedInput> inputs, const std::string& client) const;
  Result<SpoolInput> open_named(NamedInput input, std::size_t partition, const std::string& client) const;
  Result<std::string> stamp(const CircuitSource& source) const;
  void open(Opening opening, Outbox<FilesCompletion>& completions);
  FilesAnswered open_files(const OpenFiles& request) const;
  Result<SegmentHandle> open_one(const FileSpec& spec) const;

  Spool spool_;
  Uploads uploads_;
  std::vector<std::string> roots_;
  std::function<Result<Config>()> read_config_;
  std::vector<Opening> waiting_;  // for descriptors
  mutable std::mutex figures_mutex_;
  SpoolFigures figures_;
  HelperThread<FilesRequest, FilesCompletion> thread_;
};

}  // namespace groth16d::supervisor
