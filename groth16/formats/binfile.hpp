// The iden3 container that .r1cs, .wtns, .zkey and .ptau share:
//
//   4 bytes magic | u32 version | u32 number of sections | { u32 id | u64 length | payload }*      all little-endian
//
// Sections come in any order and are looked up by id. Unknown ids are skipped and bytes after the last section are
// tolerated (counted in trailing_bytes(), worth a warning), as every existing tool does; everything else is strict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "groth16/formats/byte_reader.hpp"
#include "groth16/formats/byte_sink.hpp"

namespace groth16::formats {

struct Section {
  std::uint32_t id = 0;
  std::uint64_t offset = 0;  // of the payload in the file
  Bytes payload;
};

// What one format demands of its container.
struct ContainerRules {
  std::string_view magic;  // four letters; also the first part of every error name
  std::uint32_t lowest_version = 1;
  std::uint32_t highest_version = 1;
  std::span<const std::uint32_t> required;  // sections that must be there
  std::span<const std::uint32_t> optional;  // known sections that may be there; no known section may come twice
};

// The table of sections of one file. It refers to the bytes it was parsed from.
class Container {
 public:
  // More sections than any writer makes; bounds the table's memory and time.
  static constexpr std::uint32_t kMaxSections = 256;

  // Errors, with <f> the format's magic: <f>.magic, <f>.version, <f>.section_count, <f>.section_bounds,
  // <f>.duplicate_section, <f>.missing_section.
  static groth16d::Result<Container> parse(std::string file, Bytes bytes, const ContainerRules& rules);

  const std::string& file() const { return file_; }
  std::uint32_t version() const { return version_; }
  std::uint64_t trailing_bytes() const { return trailing_bytes_; }
  bool has(std::uint32_t id) const { return find(id) != nullptr; }

  // A section that the rules require (so it is there), or an empty one.
  Section section(std::uint32_t id) const;

  // An error about this file: name "<f>.<rule>", text "<file>: <text>".
  tl::unexpected<groth16d::Error> fail(std::string_view rule, std::string_view text,
                                       groth16d::ErrorCode code = groth16d::ErrorCode::malformed) const;

  // The same with a place: "<file>: section <id> at offset <offset>: <text>".
  tl::unexpected<groth16d::Error> fail(const Section& section, std::uint64_t offset, std::string_view rule,
                                       std::string_view text) const;

  // Error <f>.section_length unless the payload has exactly expected bytes; why: how that number comes about.
  groth16d::Result<void> expect_length(const Section& section, std::uint64_t expected, std::string_view why) const;

 private:
  Container(std::string file, std::string_view format) : file_(std::move(file)), format_(format) {}
  const Section* find(std::uint32_t id) const;
  groth16d::Result<void> read_table(Bytes bytes, const ContainerRules& rules);

  std::string file_;
  std::string format_;
  std::uint32_t version_ = 0;
  std::uint64_t trailing_bytes_ = 0;
  std::vector<Section> sections_;  // known ones only
};

// Writes a container to a sink, section by section, each with its length known beforehand. The first error ends all
// writing and is what finish() returns, so that the calls in between read as the format's description.
class ContainerWriter {
 public:
  ContainerWriter(ByteSink& sink, std::string_view magic, std::uint32_t version, std::uint32_t section_count);

  // Starts a section of exactly length bytes, which the following writes fill.
  void section(std::uint32_t id, std::uint64_t length);
  void write(Bytes bytes);
  void u32(std::uint32_t value);
  void u64(std::uint64_t value);

  bool failed() const { return !state_.has_value(); }

  // The first error of the sink, or writer.section (internal) unless every announced section was written in full.
  groth16d::Result<void> finish();

 private:
  void require(bool condition, std::string_view text);

  ByteSink& sink_;
  groth16d::Result<void> state_;
  std::uint32_t sections_left_ = 0;
  std::uint64_t bytes_left_ = 0;  // of the current section
};

}  // namespace groth16::formats
