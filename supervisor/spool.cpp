#include "supervisor/spool.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/posix.hpp"

namespace groth16d::supervisor {
namespace {

constexpr std::size_t kCopyBytes = 1 << 20;
constexpr std::string_view kJobPrefix = "job-";

// What tells that a file was written to: its size and its times.
struct Stamp {
  off_t size = 0;
  timespec modified{};
  timespec changed{};

  bool operator==(const Stamp& other) const {
    return size == other.size && modified.tv_sec == other.modified.tv_sec &&
           modified.tv_nsec == other.modified.tv_nsec && changed.tv_sec == other.changed.tv_sec &&
           changed.tv_nsec == other.changed.tv_nsec;
  }
};

Result<Stamp> stamp_of(int file, const std::string& name) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return system_failure("fstat", name);
  return Stamp{status.st_size, status.st_mtim, status.st_ctim};
}

tl::unexpected<Error> changed(const std::string& name, std::string_view how) {
  return failure(ErrorCode::mismatch, "spool.changed",
                 fmt::format("{}: {} while it was copied: submit it again", name, how));
}

Result<void> reserve(int out, std::uint64_t bytes, const std::string& name) {
  if (bytes == 0) return {};
  const int error = ::posix_fallocate(out, 0, static_cast<off_t>(bytes));
  if (error == 0) return {};
  return write_failed(system_failure("posix_fallocate", name, error).value());
}

Result<void> copy_file(const SpoolInput& input, int out, Sha256& hash) {
  const auto before = stamp_of(input.file.get(), input.name);
  if (!before) return tl::unexpected(before.error());
  if (static_cast<std::uint64_t>(before->size) != input.bytes)
    return changed(input.name, fmt::format("it had {} bytes when the job came and has {}", input.bytes, before->size));
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(input.bytes, kCopyBytes)));
  for (std::uint64_t done = 0; done < input.bytes;) {
    const auto piece =
        std::span(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), input.bytes - done)));
    if (auto read = read_exact_at(input.file.get(), piece, done, input.name); !read) {
      if (read.error().code == ErrorCode::malformed) return changed(input.name, "it became shorter");
      return read;
    }
    hash.update(piece);
    if (auto written = write_all(out, piece, input.name); !written) return write_failed(written.error());
    done += piece.size();
  }
  const auto after = stamp_of(input.file.get(), input.name);
  if (!after) return tl::unexpected(after.error());
  if (!(*before == *after)) return changed(input.name, "it was written to");
  return {};
}

Result<void> copy_frames(const SpoolInput& input, int out, Sha256& hash) {
  std::uint64_t total = 0;
  for (const zmq::message_t& frame : input.frames) {
    const auto bytes = std::as_bytes(std::span(static_cast<const char*>(frame.data()), frame.size()));
    total += bytes.size();
    hash.update(bytes);
    if (auto written = write_all(out, bytes, input.name); !written) return write_failed(written.error());
  }
  if (total != input.bytes)
    return failure(ErrorCode::internal, "spool.frames",
                   fmt::format("{}: {} bytes of {}", input.name, total, input.bytes));
  return {};
}

Result<Digest> write_input(const SpoolInput& input, const std::string& path) {
  const auto out = open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!out) return write_failed(out.error());
  if (auto reserved = reserve(out->get(), input.bytes, path); !reserved) return tl::unexpected(reserved.error());
  Sha256 hash;
  auto copied = input.file ? copy_file(input, out->get(), hash) : copy_frames(input, out->get(), hash);
  if (!copied) return tl::unexpected(copied.error());
  return hash.finish();
}

using FileId = std::pair<dev_t, ino_t>;

// Of each input: which is the first of the same file, itself where none is before it.
std::vector<std::size_t> first_of_same_file(const std::vector<SpoolInput>& inputs) {
  std::vector<std::size_t> first(inputs.size());
  std::map<FileId, std::size_t> seen;
  for (std::size_t place = 0; place < inputs.size(); ++place) {
    struct stat status {};
    const bool is_file = inputs[place].file && ::fstat(inputs[place].file.get(), &status) == 0;
    first[place] = is_file ? seen.try_emplace({status.st_dev, status.st_ino}, place).first->second : place;
  }
  return first;
}

Result<SpoolDraft> write_inputs(const std::string& job, const std::vector<SpoolInput>& inputs,
                                const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0) return write_failed(system_failure("mkdir", folder.string()).value());
  SpoolDraft draft{job, {}};
  const std::vector<std::size_t> first = first_of_same_file(inputs);
  for (std::size_t partition = 0; partition < inputs.size(); ++partition) {
    const SpoolInput& input = inputs[partition];
    const std::string path = (folder / std::to_string(partition)).string();
    const bool is_first = first[partition] == partition;
    if (!is_first || !input.upload_path.empty()) {
      const std::string there = is_first ? input.upload_path : (folder / std::to_string(first[partition])).string();
      if (::link(there.c_str(), path.c_str()) != 0) return write_failed(system_failure("link", path).value());
      draft.digests.push_back(is_first ? input.upload_digest : draft.digests[first[partition]]);
      continue;
    }
    const auto digest = write_input(input, path);
    if (!digest) return tl::unexpected(digest.error());
    draft.digests.push_back(*digest);
  }
  return draft;
}

// Files are opened again, so that a job of thousands of partitions holds one descriptor; the kernel reports a failed
// write-back to whoever syncs first.
Result<void> sync_inputs(const SpoolDraft& draft, const std::filesystem::path& folder) {
  for (std::size_t partition = 0; partition < draft.digests.size(); ++partition) {
    const std::string path = (folder / std::to_string(partition)).string();
    const auto file = open_file(path, O_RDONLY);
    if (!file) return write_failed(file.error());
    if (::fsync(file->get()) != 0) return write_failed(system_failure("fsync", path).value());
  }
  return sync_directory(folder.string());
}

// A file of several names counts once.
std::uint64_t bytes_in(const std::filesystem::path& folder) {
  std::uint64_t total = 0;
  std::set<FileId> seen;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored)) {
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (seen.insert({status.st_dev, status.st_ino}).second) total += static_cast<std::uint64_t>(status.st_size);
  }
  return total;
}

std::filesystem::path job_folder(const std::filesystem::path& spool, const std::string& job) {
  return spool / (std::string(kJobPrefix) + job);
}

}  // namespace

std::uint64_t spooled_bytes(const std::vector<SpoolInput>& inputs) {
  const std::vector<std::size_t> first = first_of_same_file(inputs);
  std::uint64_t total = 0;
  for (std::size_t place = 0; place < inputs.size(); ++place)
    if (first[place] == place && inputs[place].upload_path.empty()) total += inputs[place].bytes;
  return total;
}

std::filesystem::path uploads_folder(const std::filesystem::path& spool_folder) { return spool_folder / "uploads"; }

Result<UniqueFd> open_spooled_input(const std::filesystem::path& spool_folder, const std::string& job,
                                    std::uint32_t partition) {
  return open_file((job_folder(spool_folder, job) / std::to_string(partition)).string(), O_RDONLY);
}

std::filesystem::path Spool::folder_of(const std::string& job) const { return job_folder(folder_, job); }

Result<Spool> Spool::open(const std::filesystem::path& folder, SpoolLimits limits, Durability durability) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return system_failure("mkdir", folder.string());
  Spool spool(folder, limits, durability);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kJobPrefix)) spool.hold(name.substr(kJobPrefix.size()), bytes_in(entry.path()), "");
  }
  if (error) return system_failure("readdir", folder.string(), error.value());
  return spool;
}

void Spool::hold(const std::string& job, std::uint64_t bytes, const std::string& client) {
  account_->take(bytes, client);
  holdings_[job] = {client, bytes};
}

void Spool::let_go(const std::string& job) {
  const auto place = holdings_.find(job);
  if (place == holdings_.end()) return;
  account_->give_back(place->second.bytes, place->second.client);
  holdings_.erase(place);
}

Result<SpoolDraft> Spool::write(const std::string& job, const std::vector<SpoolInput>& inputs,
                                const std::string& client) {
  const std::uint64_t bytes = spooled_bytes(inputs);
  if (auto space = account_->check(bytes, client); !space) return tl::unexpected(space.error());
  if (auto removed = remove(job); !removed) return tl::unexpected(removed.error());
  auto draft = write_inputs(job, inputs, folder_of(job));
  if (draft) {
    hold(job, bytes, client);
  } else {
    discard(job);
  }
  return draft;
}

std::vector<Result<void>> Spool::sync(std::span<const SpoolDraft> drafts) {
  if (durability_ == Durability::ephemeral) return std::vector<Result<void>>(drafts.size());
  std::vector<Result<void>> results;
  for (const SpoolDraft& draft : drafts) results.push_back(sync_inputs(draft, folder_of(draft.job)));
  const auto named = sync_directory(folder_.string());
  for (std::size_t place = 0; place < drafts.size(); ++place) {
    if (results[place] && !named) results[place] = named;
    if (!results[place]) discard(drafts[place].job);
  }
  return results;
}

Result<void> Spool::replace(const std::string& job, std::uint32_t partition, std::string_view bytes) {
  const std::string path = (folder_of(job) / std::to_string(partition)).string();
  struct stat before {};
  if (::stat(path.c_str(), &before) != 0) return write_failed(system_failure("stat", path).value());
  if (auto written = write_file_atomically(path, bytes, 0600); !written) return write_failed(written.error());
  const std::uint64_t gone = before.st_nlink == 1 ? static_cast<std::uint64_t>(before.st_size) : 0;
  Holding& holding = holdings_[job];
  account_->give_back(gone, holding.client);
  account_->take(bytes.size(), holding.client);
  holding.bytes = holding.bytes - std::min(gone, holding.bytes) + bytes.size();
  return {};
}

void Spool::take_over(const std::string& job, std::uint64_t bytes, const std::string& uploader) {
  account_->give_back(bytes, uploader);
  const auto place = holdings_.find(job);
  if (place == holdings_.end()) return;
  account_->take(bytes, place->second.client);
  place->second.bytes += bytes;
}

// The sweep of the next start takes what cannot be removed now.
void Spool::discard(const std::string& job) {
  std::error_code ignored;
  std::filesystem::remove_all(folder_of(job), ignored);
  let_go(job);
}

Result<void> Spool::remove(const std::string& job) {
  std::error_code error;
  std::filesystem::remove_all(folder_of(job), error);
  if (error) return system_failure("remove", folder_of(job).string(), error.value());
  let_go(job);
  return {};
}

Result<void> Spool::sweep(const std::map<std::string, std::string>& keep) {
  std::vector<std::string> leftovers;
  for (const auto& [job, holding] : std::map(holdings_)) {
    const auto owed = keep.find(job);
    if (owed == keep.end()) {
      leftovers.push_back(job);
      continue;
    }
    let_go(job);
    hold(job, holding.bytes, owed->second);
  }
  for (const std::string& job : leftovers)
    if (auto removed = remove(job); !removed) return removed;
  return durability_ == Durability::ephemeral ? Result<void>() : sync_directory(folder_.string());
}

}  // namespace groth16d::supervisor
