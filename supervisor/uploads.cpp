#include "supervisor/uploads.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/failpoint.hpp"
#include "common/log.hpp"
#include "common/posix.hpp"

namespace groth16d::supervisor {
namespace {

constexpr std::string_view kPart = "part";
constexpr std::string_view kWhole = "whole";
constexpr char kWithoutQuota = '-';  // clients begin with a letter
constexpr std::size_t kReadBytes = 1 << 20;
constexpr std::uint64_t kWriteBackBytes = 32 << 20;

std::string short_name(const Digest& sha256) { return to_hex(std::span(sha256).first(6)); }

// Of a file's name; nullopt: it is none of ours.
struct Name {
  bool is_whole = false;
  Digest sha256{};
  std::uint64_t bytes = 0;
  bool has_quota = true;
  std::string client;
};

std::string_view cut_word(std::string_view& text) {
  const std::size_t end = std::min(text.find('.'), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

std::optional<Name> parse_name(std::string_view text) {
  Name name;
  const std::string_view state = cut_word(text);
  name.is_whole = state == kWhole;
  const auto digest = from_hex(cut_word(text));
  const std::string_view bytes = cut_word(text);
  const auto number = std::from_chars(bytes.data(), bytes.data() + bytes.size(), name.bytes);
  if ((!name.is_whole && state != kPart) || !digest || digest->size() != name.sha256.size() || text.empty() ||
      number.ec != std::errc() || number.ptr != bytes.data() + bytes.size())
    return std::nullopt;
  std::memcpy(name.sha256.data(), digest->data(), digest->size());
  name.has_quota = text.front() != kWithoutQuota;
  name.client = text.substr(name.has_quota ? 0 : 1);
  return name;
}

// The disk has room for all of it, and the file still ends where what has come ends.
Result<void> reserve_upload(int file, std::uint64_t bytes, const std::string& path) {
  int done = -1;
  do {
    done = ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  } while (done != 0 && errno == EINTR);
  if (done != 0) return write_failed(system_failure("fallocate", path).value());
  return {};
}

Result<void> write_at(int file, std::span<const std::byte> bytes, std::uint64_t offset, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return write_failed(system_failure("pwrite", path).value());
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

// Has the disk begin with what came, each time so many bytes more are there: the sync at the end is then short, and its
// client's patience long enough. Only a hint.
void begin_write_back(int file, std::uint64_t before, std::uint64_t after) {
  if (before / kWriteBackBytes == after / kWriteBackBytes) return;
  static_cast<void>(::sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE));
}

std::span<const std::byte> bytes_of(const zmq::message_t& frame) {
  return std::as_bytes(std::span(static_cast<const char*>(frame.data()), frame.size()));
}

}  // namespace

// ---------------------------------------------------------------- a start

Result<Uploads> Uploads::recover(const Spool& spool, std::uint64_t expiry_ms, std::uint64_t now_ms) {
  Uploads uploads(uploads_folder(spool.folder()), spool.account(), expiry_ms);
  if (::mkdir(uploads.folder_.c_str(), 0700) != 0 && errno != EEXIST)
    return system_failure("mkdir", uploads.folder_.string());
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(uploads.folder_, error)) files.push_back(entry.path());
  if (error) return system_failure("readdir", uploads.folder_.string(), error.value());
  for (const std::filesystem::path& file : files) uploads.adopt(file, now_ms);
  return uploads;
}

// A file of two names is an accepted job's input: the supervisor was killed before it took this name away. A length
// that no upload can have is damage.
void Uploads::adopt(const std::filesystem::path& file, std::uint64_t now_ms) {
  const auto name = parse_name(file.filename().string());
  struct stat status {};
  const bool is_ours = name && ::lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1;
  const auto length = static_cast<std::uint64_t>(status.st_size);
  if (!is_ours || length > name->bytes || (name->is_whole && length != name->bytes)) {
    std::error_code ignored;
    std::filesystem::remove_all(file, ignored);
    return;
  }
  Upload upload;
  upload.bytes = name->bytes;
  upload.received_bytes = length;
  upload.payer = name->has_quota ? name->client : "";
  upload.is_whole = name->is_whole;
  upload.touched_ms = now_ms;
  account_->take(upload.bytes, upload.payer);
  uploads_.emplace(Id(name->client, name->sha256), std::move(upload));
}

// ---------------------------------------------------------------- chunks

std::string Uploads::path_of(const Id& id, const Upload& upload) const {
  const std::string owner = upload.payer.empty() ? kWithoutQuota + id.first : id.first;
  return (folder_ /
          fmt::format("{}.{}.{}.{}", upload.is_whole ? kWhole : kPart, to_hex(id.second), upload.bytes, owner))
      .string();
}

Result<UploadProgress> Uploads::take(const UploadPiece& piece, std::uint64_t now_ms) {
  const Id id(piece.client, piece.sha256);
  if (!uploads_.contains(id)) {
    if (piece.chunk.size() > 0)
      return failure(ErrorCode::not_found, "upload.unknown",
                     "there is no such upload: it was not begun, has expired, or is a job's input by now");
    if (auto begun = begin(piece, id); !begun) return tl::unexpected(begun.error());
  }
  const auto place = uploads_.find(id);
  Upload& upload = place->second;
  if (upload.bytes != piece.bytes)
    return failure(ErrorCode::conflict, "upload.bytes",
                   fmt::format("the upload has {} bytes, not {}", upload.bytes, piece.bytes));
  upload.touched_ms = now_ms;
  if (piece.chunk.size() > 0)
    if (auto appended = append(id, upload, piece); !appended) return tl::unexpected(appended.error());
  if (!upload.is_whole && upload.received_bytes == upload.bytes) {
    if (auto finished = finish(id, upload); !finished) {
      if (upload.is_spoilt) {
        ++counted_.spoilt;
        remove(place);
      }
      return tl::unexpected(finished.error());
    }
  }
  return UploadProgress{upload.received_bytes, upload.is_whole, expiry_ms_};
}

// The name is on the disk before the client hears that there is room.
Result<void> Uploads::begin(const UploadPiece& piece, const Id& id) {
  const auto first = uploads_.lower_bound(Id(piece.client, Digest{}));
  const auto count = std::count_if(first, uploads_.end(), [&](const auto& one) { return one.first.first == id.first; });
  if (static_cast<std::size_t>(count) >= kMostUploadsOfClient)
    return failure(ErrorCode::busy, "quota.uploads", fmt::format("this client has {} uploads already", count));
  Upload upload;
  upload.bytes = piece.bytes;
  upload.payer = piece.has_quota ? piece.client : "";
  if (auto room = account_->check(upload.bytes, upload.payer); !room) return room;
  const std::string path = path_of(id, upload);
  const auto file = open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file) return write_failed(file.error());
  auto reserved = reserve_upload(file->get(), upload.bytes, path);
  if (reserved) reserved = sync_directory(folder_.string());
  if (!reserved) {
    ::unlink(path.c_str());
    return reserved;
  }
  account_->take(upload.bytes, upload.payer);
  upload.hash.emplace();
  uploads_.emplace(id, std::move(upload));
  ++counted_.begun;
  return {};
}

Result<void> Uploads::append(const Id& id, Upload& upload, const UploadPiece& piece) {
  const auto chunk = bytes_of(piece.chunk);
  if (groth16d::sha256(chunk) != piece.chunk_sha256)
    return failure(ErrorCode::malformed, "upload.chunk",
                   fmt::format("the chunk at {} is not what its SHA-256 says", piece.offset));
  if (piece.offset > upload.received_bytes)
    return failure(ErrorCode::conflict, "upload.offset",
                   fmt::format("the chunk begins at {}, and {} bytes have come", piece.offset, upload.received_bytes));
  const std::string path = path_of(id, upload);
  const auto file = open_file(path, upload.is_whole ? O_RDONLY : O_RDWR);
  if (!file) return write_failed(file.error());
  const auto known =
      static_cast<std::size_t>(std::min<std::uint64_t>(upload.received_bytes - piece.offset, chunk.size()));
  std::vector<std::byte> before(known);
  if (auto read = read_exact_at(file->get(), before, piece.offset, path); !read) return write_failed(read.error());
  if (!std::equal(before.begin(), before.end(), chunk.begin()))
    return failure(ErrorCode::conflict, "upload.differs",
                   fmt::format("the chunk at {} is not what came there before", piece.offset));
  const auto fresh = chunk.subspan(known);
  if (fresh.empty()) return {};
  const auto all_hashed = hash_again(path, upload);
  if (!all_hashed) return tl::unexpected(all_hashed.error());
  if (!*all_hashed) return {};
  if (auto written = write_at(file->get(), fresh, upload.received_bytes, path); !written) return written;
  begin_write_back(file->get(), upload.received_bytes, upload.received_bytes + fresh.size());
  upload.hash->update(fresh);
  upload.hashed_bytes += fresh.size();
  upload.received_bytes += fresh.size();
  counted_.received_bytes += fresh.size();
  return {};
}

// After a restart: what came before it, a piece for each message. True: all of it.
Result<bool> Uploads::hash_again(const std::string& path, Upload& upload) const {
  if (!upload.hash) {
    upload.hash.emplace();
    upload.hashed_bytes = 0;
  }
  if (upload.hashed_bytes == upload.received_bytes) return true;
  const auto file = open_file(path, O_RDONLY);
  if (!file) return write_failed(file.error());
  const std::uint64_t end = std::min(upload.received_bytes, upload.hashed_bytes + kMostHashedAgainBytes);
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(end, kReadBytes)));
  while (upload.hashed_bytes < end) {
    const auto piece = std::span(buffer).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - upload.hashed_bytes)));
    if (auto read = read_exact_at(file->get(), piece, upload.hashed_bytes, path); !read)
      return write_failed(read.error());
    upload.hash->update(piece);
    upload.hashed_bytes += piece.size();
  }
  return end == upload.received_bytes;
}

// Whole is what a power cut leaves whole.
Result<void> Uploads::finish(const Id& id, Upload& upload) {
  const std::string part = path_of(id, upload);
  const auto all_hashed = hash_again(part, upload);
  if (!all_hashed) return tl::unexpected(all_hashed.error());
  if (!*all_hashed) return {};
  if (std::exchange(upload.hash, std::nullopt)->finish() != id.second) {
    upload.is_spoilt = true;
    return failure(ErrorCode::malformed, "upload.digest",
                   fmt::format("the {} bytes that came are not those with SHA-256 {}: send them again", upload.bytes,
                               to_hex(id.second)));
  }
  const auto file = open_file(part, O_RDONLY);
  if (!file) return write_failed(file.error());
  if (GROTH16D_FAILPOINT("upload.sync") || ::fsync(file->get()) != 0) {
    upload.is_spoilt = true;  // the kernel says it once, and the next sync would find nothing wrong
    return write_failed(system_failure("fsync", part).value());
  }
  GROTH16D_FAILPOINT("upload.synced");
  upload.is_whole = true;
  const std::string whole = path_of(id, upload);
  const bool renamed = ::rename(part.c_str(), whole.c_str()) == 0;
  if (auto synced = renamed ? sync_directory(folder_.string()) : system_failure("rename", whole); !synced) {
    upload.is_whole = renamed;
    return write_failed(synced.error());
  }
  ++counted_.finished;
  return {};
}

void Uploads::remove(std::map<Id, Upload>::iterator place) {
  const std::string path = path_of(place->first, place->second);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    spdlog::warn("upload {} stays until the next start: {}", short_name(place->first.second),
                 system_failure("unlink", path).value().text);
  account_->give_back(place->second.bytes, place->second.payer);
  uploads_.erase(place);
}

// ---------------------------------------------------------------- jobs

Result<SpoolInput> Uploads::open(const std::string& client, const Digest& sha256) const {
  const auto place = uploads_.find(Id(client, sha256));
  if (place == uploads_.end())
    return failure(ErrorCode::not_found, "upload.unknown",
                   fmt::format("this client has no upload with SHA-256 {}", to_hex(sha256)));
  const Upload& upload = place->second;
  if (!upload.is_whole)
    return failure(
        ErrorCode::conflict, "upload.incomplete",
        fmt::format("{} of {} bytes of upload {} have come", upload.received_bytes, upload.bytes, to_hex(sha256)));
  SpoolInput input;
  input.name = "upload " + short_name(sha256);
  input.upload_path = path_of(place->first, upload);
  input.upload_digest = sha256;
  input.uploader = client;
  input.bytes = upload.bytes;
  auto file = open_file(input.upload_path, O_RDONLY);
  if (!file) return write_failed(file.error());
  input.file = std::move(*file);
  return input;
}

bool Uploads::claim(const std::string& client, const Digest& sha256, const std::string& job) {
  const auto place = uploads_.find(Id(client, sha256));
  if (place == uploads_.end() || !place->second.is_whole) return false;
  std::string& claimed_by = place->second.claimed_by;
  if (claimed_by == job) return true;  // another partition of it
  if (!claimed_by.empty()) return false;
  claimed_by = job;
  claims_[job].push_back(place->first);
  return true;
}

void Uploads::hand_over(const std::string& job, Spool& spool) {
  for (const Id& id : std::exchange(claims_[job], {})) {
    const auto place = uploads_.find(id);
    if (::unlink(path_of(id, place->second).c_str()) != 0)
      spdlog::warn("upload {} stays until the next start", short_name(id.second));
    spool.take_over(job, place->second.bytes, place->second.payer);
    uploads_.erase(place);
    ++counted_.taken;
  }
  claims_.erase(job);
}

void Uploads::release(const std::string& job) {
  const auto claims = claims_.extract(job);
  if (claims.empty()) return;
  for (const Id& id : claims.mapped()) uploads_.at(id).claimed_by.clear();
}

void Uploads::expire(std::uint64_t now_ms) {
  for (auto place = uploads_.begin(); place != uploads_.end();) {
    const auto next = std::next(place);
    const Upload& upload = place->second;
    if (upload.claimed_by.empty() && now_ms >= upload.touched_ms + expiry_ms_) {
      const LogScope scope({.event = "upload.expired"});
      spdlog::info("upload {} of {}: {} of {} bytes came, and nobody went on with it", short_name(place->first.second),
                   place->first.first, upload.received_bytes, upload.bytes);
      remove(place);
      ++counted_.expired;
    }
    place = next;
  }
}

UploadFigures Uploads::figures() const {
  UploadFigures figures = counted_;
  for (const auto& [id, upload] : uploads_) {
    ++(upload.is_whole ? figures.whole : figures.open);
    figures.reserved_bytes += upload.bytes;
  }
  return figures;
}

}  // namespace groth16d::supervisor
