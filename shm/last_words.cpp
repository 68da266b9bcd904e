#include "shm/last_words.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <type_traits>

#include "common/posix.hpp"
#include "shm/memfd.hpp"

namespace groth16d::shm {

namespace {

constexpr std::array<char, 8> kWordsMagic = {'G', '1', '6', 'W', 'O', 'R', 'D', 'S'};

// The page. Texts are zero padded; a text that fills its field has no terminator.
struct WordsLayout {
  std::array<char, 8> magic;
  std::uint64_t assignment;
  std::uint32_t partition;
  std::uint32_t attempt;
  std::array<char, 40> stage;
  std::array<char, 64> job;
  std::array<char, 3072> text;
  std::array<std::uint8_t, 896> reserved;
};
static_assert(sizeof(WordsLayout) == kLastWordsBytes && std::is_trivially_copyable_v<WordsLayout>);

template <std::size_t Size>
std::string printable(const std::array<char, Size>& field) {
  std::string text(field.begin(), std::find(field.begin(), field.end(), '\0'));
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter < 0x20 || letter == 0x7f; }, '?');
  return text;
}

std::byte* field_at(const boost::interprocess::mapped_region& region, std::size_t offset) {
  return static_cast<std::byte*>(region.get_address()) + offset;
}

// Plain stores, no allocation: this runs in signal handlers. The fence keeps the compiler from moving stores past it.
void store_text(std::byte* field, std::size_t capacity, std::string_view text) {
  const std::size_t length = std::min(capacity, text.size());
  if (length > 0) std::memcpy(field, text.data(), length);
  std::memset(field + length, 0, capacity - length);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

template <class Number>
void store_number(std::byte* field, Number number) {
  std::memcpy(field, &number, sizeof number);
}

}  // namespace

Result<UniqueFd> allocate_last_words() {
  Result<UniqueFd> fd = make_memfd("groth16d-words", kLastWordsBytes);
  if (!fd) return fd;
  if (::pwrite(fd->get(), kWordsMagic.data(), kWordsMagic.size(), 0) != static_cast<ssize_t>(kWordsMagic.size())) {
    return system_failure("pwrite", "groth16d-words");
  }
  return fd;
}

Result<LastWords> read_last_words(int fd) {
  WordsLayout page{};
  const auto bytes = std::as_writable_bytes(std::span(&page, 1));
  if (auto read = read_exact_at(fd, bytes, 0, "last words"); !read) return tl::unexpected<Error>(read.error());
  return LastWords{printable(page.stage), printable(page.job), page.partition,
                   page.attempt,          page.assignment,     printable(page.text)};
}

LastWordsPage::LastWordsPage(boost::interprocess::mapped_region region) : region_(std::move(region)) {}

Result<LastWordsPage> LastWordsPage::map(int fd) {
  std::array<char, 8> magic{};
  const auto bytes = std::as_writable_bytes(std::span(magic));
  if (auto read = read_exact_at(fd, bytes, 0, "last words"); !read) return tl::unexpected<Error>(read.error());
  Result<std::uint64_t> size = file_size_bytes(fd, "last words");
  if (!size) return tl::unexpected<Error>(size.error());
  if (magic != kWordsMagic || *size != kLastWordsBytes) {
    return failure(ErrorCode::malformed, "last_words.page", "the descriptor is no page of last words");
  }
  auto region = map_memfd(fd, boost::interprocess::read_write, kLastWordsBytes);
  if (!region) return tl::unexpected<Error>(region.error());
  return LastWordsPage(std::move(*region));
}

void LastWordsPage::begin(std::string_view stage, std::string_view job, std::uint32_t partition, std::uint32_t attempt,
                          std::uint64_t assignment) {
  end();
  store_text(field_at(region_, offsetof(WordsLayout, job)), sizeof(WordsLayout::job), job);
  store_number(field_at(region_, offsetof(WordsLayout, partition)), partition);
  store_number(field_at(region_, offsetof(WordsLayout, attempt)), attempt);
  store_number(field_at(region_, offsetof(WordsLayout, assignment)), assignment);
  // Last, so that a named stage always has its work beside it.
  store_text(field_at(region_, offsetof(WordsLayout, stage)), sizeof(WordsLayout::stage), stage);
}

void LastWordsPage::say(std::string_view text) {
  store_text(field_at(region_, offsetof(WordsLayout, text)), sizeof(WordsLayout::text), text);
}

void LastWordsPage::end() {
  store_text(field_at(region_, offsetof(WordsLayout, stage)), sizeof(WordsLayout::stage), {});
}

}  // namespace groth16d::shm
