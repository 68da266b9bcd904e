// The container's table of sections, and its writer.
#include "groth16/formats/binfile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace groth16::formats {

using groth16d::Error;
using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::uint64_t kHeaderBytes = 12;         // magic, version, number of sections
constexpr std::uint64_t kSectionHeaderBytes = 12;  // id, length

bool contains(std::span<const std::uint32_t> ids, std::uint32_t id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// What the first bytes look like, for a person who passed the wrong file.
std::string describe_start(Bytes bytes) {
  const Bytes start = bytes.first(std::min<std::size_t>(bytes.size(), 16));
  const auto is = [&](char c) { return static_cast<char>(start[0]) == c; };
  if (std::all_of(start.begin(), start.end(), [](std::byte b) { return b == std::byte{0}; })) return "zero bytes";
  if (is('<')) return "what looks like an HTML or XML page";
  if (is('{') || is('[')) return "what looks like JSON";
  std::string text;
  for (const std::byte b : start.first(std::min<std::size_t>(start.size(), 4))) {
    const char c = static_cast<char>(b);
    text += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned>(b));
  }
  return fmt::format("\"{}\"", text);
}

}  // namespace

Result<Container> Container::parse(std::string file, Bytes bytes, const ContainerRules& rules) {
  Container container(std::move(file), rules.magic);
  if (bytes.empty()) return container.fail("empty", "the file is empty");
  const bool magic_matches =
      bytes.size() >= 4 && std::equal(rules.magic.begin(), rules.magic.end(), bytes.begin(),
                                      [](char letter, std::byte b) { return static_cast<std::byte>(letter) == b; });
  if (!magic_matches) {
    return container.fail(
        "magic", fmt::format("at offset 0: found {}, expected the letters \"{}\"", describe_start(bytes), rules.magic));
  }
  if (Result<void> table = container.read_table(bytes, rules); !table) return tl::unexpected(table.error());
  for (const std::uint32_t id : rules.required) {
    if (!container.has(id)) return container.fail("missing_section", fmt::format("section {} is missing", id));
  }
  return container;
}

Result<void> Container::read_table(Bytes bytes, const ContainerRules& rules) {
  if (bytes.size() < kHeaderBytes) {
    return fail("section_bounds", fmt::format("the file has {} bytes, its header alone has 12", bytes.size()));
  }
  version_ = load_u32(bytes.data() + 4);
  if (version_ < rules.lowest_version || version_ > rules.highest_version) {
    return fail("version", rules.lowest_version == rules.highest_version
                               ? fmt::format("at offset 4: version {}, expected {}", version_, rules.lowest_version)
                               : fmt::format("at offset 4: version {}, expected {} to {}", version_,
                                             rules.lowest_version, rules.highest_version));
  }
  const std::uint32_t count = load_u32(bytes.data() + 8);
  if (count > kMaxSections) {
    return fail("section_count", fmt::format("at offset 8: {} sections, at most {} are read", count, kMaxSections));
  }

  ByteReader reader(bytes.subspan(kHeaderBytes), kHeaderBytes);
  for (std::uint32_t index = 0; index < count; ++index) {
    const std::uint64_t header_offset = reader.offset();
    if (reader.remaining() < kSectionHeaderBytes) {
      return fail("section_bounds",
                  fmt::format("at offset {}: the file ends inside the header of section number {} of {}", header_offset,
                              index + 1, count));
    }
    const std::uint32_t id = reader.u32();
    const std::uint64_t length = reader.u64();
    if (length > reader.remaining()) {
      return fail("section_bounds", fmt::format("section {} at offset {}: length {}, but only {} bytes are left", id,
                                                reader.offset(), length, reader.remaining()));
    }
    Section section{id, reader.offset(), reader.take(length)};
    if (!contains(rules.required, id) && !contains(rules.optional, id)) continue;
    if (const Section* first = find(id); first != nullptr) {
      return fail(section, section.offset, "duplicate_section",
                  fmt::format("it was already at offset {}", first->offset));
    }
    sections_.push_back(section);
  }
  trailing_bytes_ = reader.remaining();
  return {};
}

const Section* Container::find(std::uint32_t id) const {
  const auto at = std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.id == id; });
  return at == sections_.end() ? nullptr : &*at;
}

Section Container::section(std::uint32_t id) const {
  const Section* found = find(id);
  return found == nullptr ? Section{id, 0, {}} : *found;
}

tl::unexpected<Error> Container::fail(std::string_view rule, std::string_view text, ErrorCode code) const {
  return failure(code, fmt::format("{}.{}", format_, rule), fmt::format("{}: {}", file_, text));
}

tl::unexpected<Error> Container::fail(const Section& section, std::uint64_t offset, std::string_view rule,
                                      std::string_view text) const {
  return fail(rule, fmt::format("section {} at offset {}: {}", section.id, offset, text));
}

Result<void> Container::expect_length(const Section& section, std::uint64_t expected, std::string_view why) const {
  if (section.payload.size() == expected) return {};
  return fail(section, section.offset, "section_length",
              fmt::format("length {}, expected {} ({})", section.payload.size(), expected, why));
}

ContainerWriter::ContainerWriter(ByteSink& sink, std::string_view magic, std::uint32_t version,
                                 std::uint32_t section_count)
    : sink_(sink), sections_left_(section_count), bytes_left_(kHeaderBytes) {
  write(std::as_bytes(std::span(magic)));
  u32(version);
  u32(section_count);
}

void ContainerWriter::section(std::uint32_t id, std::uint64_t length) {
  require(bytes_left_ == 0 && sections_left_ > 0, "a section begins before its predecessor is complete");
  if (failed()) return;
  --sections_left_;
  bytes_left_ = kSectionHeaderBytes + length;
  u32(id);
  u64(length);
}

void ContainerWriter::write(Bytes bytes) {
  require(bytes.size() <= bytes_left_, "a section is longer than announced");
  if (failed()) return;
  bytes_left_ -= bytes.size();
  state_ = sink_.write(bytes);
}

void ContainerWriter::u32(std::uint32_t value) {
  std::array<std::byte, 4> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
  write(bytes);
}

void ContainerWriter::u64(std::uint64_t value) {
  u32(static_cast<std::uint32_t>(value));
  u32(static_cast<std::uint32_t>(value >> 32));
}

Result<void> ContainerWriter::finish() {
  require(bytes_left_ == 0 && sections_left_ == 0, "the container is not complete");
  return state_;
}

void ContainerWriter::require(bool condition, std::string_view text) {
  if (state_ && !condition) state_ = failure(ErrorCode::internal, "writer.section", std::string(text));
}

}  // namespace groth16::formats
