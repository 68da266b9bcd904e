// Taking a valid iden3 container apart, damaging it in one named way, and putting it together again. Independent of the
// readers under test.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "tests/formats/sample.hpp"

namespace groth16::formats::test {

class Image {
 public:
  struct Part {
    std::uint32_t id;
    std::uint64_t length;  // as the header says, which may be a lie
    FileBytes payload;
  };

  explicit Image(const FileBytes& file) {
    std::memcpy(magic_, file.data(), 4);
    std::memcpy(&version, file.data() + 4, 4);
    std::memcpy(&count, file.data() + 8, 4);
    std::size_t at = 12;
    for (std::uint32_t i = 0; i < count; ++i) {
      Part part;
      std::memcpy(&part.id, file.data() + at, 4);
      std::memcpy(&part.length, file.data() + at + 4, 8);
      part.payload.assign(file.begin() + static_cast<std::ptrdiff_t>(at + 12),
                          file.begin() + static_cast<std::ptrdiff_t>(at + 12 + part.length));
      at += 12 + part.length;
      parts.push_back(std::move(part));
    }
  }

  FileBytes bytes() const {
    FileBytes out;
    const auto append = [&](const void* from, std::size_t size) {
      const auto* first = static_cast<const std::byte*>(from);
      out.insert(out.end(), first, first + size);
    };
    append(magic_, 4);
    append(&version, 4);
    append(&count, 4);
    for (const Part& part : parts) {
      append(&part.id, 4);
      append(&part.length, 8);
      append(part.payload.data(), part.payload.size());
    }
    return out;
  }

  Part& part(std::uint32_t id) {
    for (Part& part : parts) {
      if (part.id == id) return part;
    }
    throw std::runtime_error("no such section");
  }

  // Adds a section, at the front.
  Image& add(std::uint32_t id, FileBytes payload) {
    parts.insert(parts.begin(), Part{id, payload.size(), std::move(payload)});
    ++count;
    return *this;
  }
  Image& drop(std::uint32_t id) {
    std::erase_if(parts, [&](const Part& part) { return part.id == id; });
    --count;
    return *this;
  }
  // Overwrites bytes of a section.
  template <class T>
  Image& put(std::uint32_t id, std::size_t offset, const T& value) {
    std::memcpy(part(id).payload.data() + offset, &value, sizeof value);
    return *this;
  }
  Image& flip(std::uint32_t id, std::size_t offset, unsigned mask = 1) {
    part(id).payload[offset] ^= static_cast<std::byte>(mask);
    return *this;
  }
  // Makes a section's payload longer or shorter, honestly.
  Image& resize(std::uint32_t id, std::size_t size) {
    part(id).payload.resize(size);
    part(id).length = size;
    return *this;
  }
  std::size_t size_of(std::uint32_t id) { return part(id).payload.size(); }

  std::uint32_t version = 0;
  std::uint32_t count = 0;
  std::vector<Part> parts;

 private:
  char magic_[4];
};

// The name of a result's error, or "accepted". The text must name the file, which every test here calls "the.file".
template <class T>
std::string error_of(const groth16d::Result<T>& result) {
  if (result) return "accepted";
  INFO(result.error().name << ": " << result.error().text);
  CHECK(result.error().text.find("the.file") != std::string::npos);
  return result.error().name;
}

}  // namespace groth16::formats::test
