#include "supervisor/files.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include "common/clock.hpp"
#include "common/posix.hpp"

namespace groth16d::supervisor {
namespace {

// About as long as the core tries a failed allocation again.
constexpr std::uint64_t kDescriptorPatience_ms = 120'000;

std::vector<std::string> raw_digests(const std::vector<Digest>& digests) {
  std::vector<std::string> bytes;
  for (const Digest& digest : digests) bytes.push_back(to_binary(digest));
  return bytes;
}

std::vector<std::string> names_of(const std::vector<std::filesystem::path>& roots) {
  std::vector<std::string> names;
  for (const auto& root : roots) names.push_back(root.lexically_normal().string());
  return names;
}

// Lengths in front, so that no two requests have the same bytes.
std::string digest_of(const Examine& request) {
  Sha256 hash;
  const auto add_length = [&](std::uint64_t length) { hash.update(std::as_bytes(std::span(&length, 1))); };
  add_length(request.normal_form.size());
  hash.update(request.normal_form);
  for (const NamedInput& input : request.inputs) {
    add_length(input.frames.size());
    for (const zmq::message_t& frame : input.frames) {
      add_length(frame.size());
      hash.update(std::string_view(static_cast<const char*>(frame.data()), frame.size()));
    }
  }
  return to_binary(hash.finish());
}

// Equal for inputs that are one file; "": it is none. No path that can be opened begins so.
std::string file_of(const NamedInput& input) { return input.upload ? "upload " + to_hex(*input.upload) : input.path; }

SpoolInput once_more(const SpoolInput& input) {
  return {input.name, input.file, {}, input.bytes, input.upload_path, input.upload_digest, input.uploader};
}

}  // namespace

Files::Files(Spool spool, Uploads uploads, std::vector<std::filesystem::path> roots,
             std::function<Result<Config>()> read_config)
    : spool_(std::move(spool)),
      uploads_(std::move(uploads)),
      roots_(names_of(roots)),
      read_config_(std::move(read_config)),
      thread_("files", [this](std::vector<FilesRequest> requests, Outbox<FilesCompletion>& completions) {
        serve(std::move(requests), completions);
        publish_figures();
      }) {}

SpoolFigures Files::figures() const {
  const std::lock_guard lock(figures_mutex_);
  return figures_;
}

void Files::publish_figures() {
  SpoolFigures now{spool_.used_bytes(), spool_.account()->limits().max_bytes, uploads_.figures()};
  const std::lock_guard lock(figures_mutex_);
  figures_ = now;
}

// Whoever has the answer finds the figures as they are after it.
void Files::answer(Outbox<FilesCompletion>& completions, FilesCompletion completion) {
  publish_figures();
  completions.put(std::move(completion));
}

void Files::serve(std::vector<FilesRequest> requests, Outbox<FilesCompletion>& completions) {
  for (Opening& opening : std::exchange(waiting_, {})) open(std::move(opening), completions);
  std::vector<SpoolJob> jobs;
  for (FilesRequest& request : requests) {
    if (auto* job = std::get_if<SpoolJob>(&request)) {
      jobs.push_back(std::move(*job));
    } else {
      serve_one(std::move(request), completions);
    }
  }
  spool_jobs(std::move(jobs), completions);
}

void Files::serve_one(FilesRequest request, Outbox<FilesCompletion>& completions) {
  if (auto* wanted = std::get_if<Examine>(&request)) {
    answer(completions, examine(std::move(*wanted)));
  } else if (auto* upload = std::get_if<TakeUpload>(&request)) {
    answer(completions, UploadTaken{upload->token, uploads_.take(upload->piece, monotonic_ms())});
  } else if (std::holds_alternative<ExpireUploads>(request)) {
    uploads_.expire(monotonic_ms());
  } else if (const auto* gone = std::get_if<RemoveSpooled>(&request)) {
    remove(*gone);
  } else if (const auto* kept = std::get_if<KeepSpooled>(&request)) {
    uploads_.hand_over(kept->job, spool_);
  } else if (auto* cut = std::get_if<ReplaceInput>(&request)) {
    answer(completions, replace(std::move(*cut)));
  } else if (const auto* read = std::get_if<ReadConfig>(&request)) {
    answer(completions, ConfigRead{read->token, read_config_()});
  } else if (const auto* limits = std::get_if<FileLimits>(&request)) {
    set_limits(*limits);
  } else {
    open({std::move(std::get<OpenFiles>(request)), monotonic_ms()}, completions);
  }
}

void Files::remove(const RemoveSpooled& gone) {
  uploads_.release(gone.job);
  if (auto removed = spool_.remove(gone.job); !removed)
    spdlog::warn("job {}: its inputs stay until the next start: {}", gone.job, removed.error().text);
}

void Files::set_limits(const FileLimits& limits) {
  roots_ = names_of(limits.roots);
  spool_.account()->set_limits(limits.spool);
  uploads_.set_expiry_ms(limits.upload_expiry_ms);
}

InputReplaced Files::replace(ReplaceInput cut) {
  const auto replaced = spool_.replace(cut.job, cut.partition, cut.bytes);
  if (replaced) return {std::move(cut.job), cut.partition, std::nullopt, {}};
  spdlog::warn("job {}: what was cut of input {} is not stored: {}", cut.job, cut.partition, replaced.error().text);
  return {std::move(cut.job), cut.partition, replaced.error(), std::move(cut.bytes)};
}

// Jobs that came together are written one after another and synced together. A request about one of them comes only
// after its JobSpooled. An upload that has gone meanwhile, or is to be another job's, is copied from its open file.
void Files::spool_jobs(std::vector<SpoolJob> jobs, Outbox<FilesCompletion>& completions) {
  std::vector<SpoolDraft> drafts;
  std::vector<JobRecord> records;
  for (SpoolJob& job : jobs) {
    for (SpoolInput& input : job.inputs)
      if (!input.upload_path.empty() && !uploads_.claim(input.uploader, input.upload_digest, job.record.job))
        input.upload_path.clear();
    auto draft = spool_.write(job.record.job, job.inputs, job.record.client);
    if (!draft) {
      uploads_.release(job.record.job);
      answer(completions, JobSpooled{std::move(job.record), tl::unexpected(draft.error())});
      continue;
    }
    drafts.push_back(std::move(*draft));
    records.push_back(std::move(job.record));
  }
  if (drafts.empty()) return;
  const auto synced = spool_.sync(drafts);
  for (std::size_t place = 0; place < drafts.size(); ++place) {
    if (!synced[place]) uploads_.release(drafts[place].job);
    answer(completions, JobSpooled{std::move(records[place]),
                                   synced[place].map([&] { return raw_digests(drafts[place].digests); })});
  }
}

Examined Files::examine(Examine request) const {
  Examined found{request.token, digest_of(request), {}, {}};
  auto inputs = open_inputs(std::move(request.inputs), request.client);
  if (!inputs) {
    found.key_stamp = tl::unexpected(inputs.error());
    return found;
  }
  found.inputs = std::move(*inputs);
  if (auto space = spool_.account()->check(spooled_bytes(found.inputs), request.payer); !space)
    found.key_stamp = tl::unexpected(space.error());
  else
    found.key_stamp = stamp(request.source);
  return found;
}

// Each file once: a job may name one in all of its thousands of partitions.
Result<std::vector<SpoolInput>> Files::open_inputs(std::vector<NamedInput> inputs, const std::string& client) const {
  std::vector<SpoolInput> opened;
  std::map<std::string, std::size_t> first;
  for (std::size_t partition = 0; partition < inputs.size(); ++partition) {
    const std::string file = file_of(inputs[partition]);
    if (const auto known = first.find(file); known != first.end()) {
      opened.push_back(once_more(opened[known->second]));
      continue;
    }
    auto input = open_named(std::move(inputs[partition]), partition, client);
    if (!input) return tl::unexpected(input.error());
    if (!file.empty()) first.emplace(file, partition);
    opened.push_back(std::move(*input));
  }
  return opened;
}

Result<SpoolInput> Files::open_named(NamedInput input, std::size_t partition, const std::string& client) const {
  if (input.upload) return uploads_.open(client, *input.upload);
  SpoolInput opened;
  if (input.path.empty()) {
    opened.name = fmt::format("input {}", partition);
    for (const zmq::message_t& frame : input.frames) opened.bytes += frame.size();
    opened.frames = std::move(input.frames);
    return opened;
  }
  auto file = open_inside_roots(roots_, input.path);
  if (!file) return tl::unexpected(file.error());
  const auto bytes = file_size_bytes(file->get(), input.path);
  if (!bytes) return tl::unexpected(bytes.error());
  opened.name = input.path;
  opened.file = std::move(*file);
  opened.bytes = *bytes;
  return opened;
}

// A key that was written again under the same name is another circuit.
Result<std::string> Files::stamp(const CircuitSource& source) const {
  std::string stamps;
  for (const std::string& path : {source.key_path, source.r1cs_path}) {
    if (path.empty()) continue;
    const auto file = open_inside_roots(roots_, path);
    if (!file) return tl::unexpected(file.error());
    struct stat status {};
    if (::fstat(file->get(), &status) != 0) return system_failure("fstat", path);
    stamps += fmt::format("{}:{}:{}:{}.{};", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                          status.st_mtim.tv_nsec);
  }
  return stamps;
}

// Where no descriptor is left a circuit must not fail for it: with every request, and once a second, it is tried again.
void Files::open(Opening opening, Outbox<FilesCompletion>& completions) {
  FilesAnswered answered = open_files(opening.request);
  const auto* refused = std::get_if<FilesRefused>(&answered.event);
  if (refused == nullptr || refused->error.code != ErrorCode::busy ||
      monotonic_ms() >= opening.since_ms + kDescriptorPatience_ms)
    return answer(completions, std::move(answered));
  if (waiting_.empty()) spdlog::warn("files to be leased wait for descriptors: {}", refused->error.text);
  waiting_.push_back(std::move(opening));
}

FilesAnswered Files::open_files(const OpenFiles& request) const {
  std::vector<NamedSegment> opened;
  for (const FileSpec& spec : request.files) {
    auto held = open_one(spec);
    if (!held) return {FilesRefused{request.request, held.error()}, {}};
    opened.emplace_back(spec.segment, std::move(*held));
  }
  return {FilesOpened{request.request}, std::move(opened)};
}

Result<SegmentHandle> Files::open_one(const FileSpec& spec) const {
  auto file = spec.spooled ? open_spooled_input(spool_.folder(), spec.job, spec.partition)
                           : open_inside_roots(roots_, spec.path);
  if (!file) return tl::unexpected(file.error());
  const auto bytes = file_size_bytes(file->get(), spec.path);
  if (!bytes) return tl::unexpected(bytes.error());
  auto held = std::make_shared<HeldSegment>();
  held->read_only = std::move(*file);
  held->payload_bytes = *bytes;
  return held;
}

}  // namespace groth16d::supervisor
