#include "common/build.hpp"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include <fmt/format.h>

namespace groth16d {
namespace {

constexpr std::size_t kShownDigits = 12;

std::string hex(std::span<const unsigned char> bytes) {
  std::string digits;
  for (const unsigned char byte : bytes) digits += fmt::format("{:02x}", byte);
  return digits;
}

// The notes of one segment: (name size, content size, type), name and content, each padded to 4 bytes.
std::string id_in(std::span<const unsigned char> notes) {
  const auto padded = [](std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(notes.data());
    const std::size_t content = sizeof *note + padded(note->n_namesz);
    const std::size_t end = content + padded(note->n_descsz);
    if (end > notes.size()) return "";
    if (note->n_type == NT_GNU_BUILD_ID) return hex(notes.subspan(content, note->n_descsz));
    notes = notes.subspan(end);
  }
  return "";
}

// The first object that is iterated over is the program itself.
int look_at_program(dl_phdr_info* info, std::size_t /*size*/, void* out) {
  for (const ElfW(Phdr) & part : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (part.p_type != PT_NOTE) continue;
    const auto* begin = reinterpret_cast<const unsigned char*>(info->dlpi_addr + part.p_vaddr);
    std::string id = id_in({begin, static_cast<std::size_t>(part.p_memsz)});
    if (!id.empty()) *static_cast<std::string*>(out) = std::move(id);
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string id;
  ::dl_iterate_phdr(look_at_program, &id);
  return id;
}

std::string version_text() {
  const std::string id = build_id();
  return fmt::format("{} (build {})", GROTH16D_VERSION, id.empty() ? "unknown" : id.substr(0, kShownDigits));
}

}  // namespace groth16d
