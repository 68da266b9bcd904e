// Counts that lie: whatever a few changed bytes announce, a reader asks for no more memory than the file is long.
// operator new is replaced in this program alone, and records the largest request.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "groth16/formats/bellperson_params.hpp"
#include "groth16/formats/proof_binary.hpp"
#include "groth16/formats/ptau.hpp"
#include "groth16/formats/r1cs.hpp"
#include "groth16/formats/wtns.hpp"
#include "groth16/formats/zkey.hpp"
#include "tests/formats/bellperson_sample.hpp"
#include "tests/formats/damage.hpp"

namespace {
std::atomic<std::size_t> largest_request{0};
}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  std::size_t known = largest_request.load();
  while (size > known && !largest_request.compare_exchange_weak(known, size)) {
  }
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace groth16;
using namespace groth16::formats;
using namespace groth16::formats::test;

namespace {

constexpr std::size_t kFewBytes = 64 << 10;

// Runs a reader on every file that has a u32 overwritten by a large number, at every address that may_change allows.
template <class Read, class Filter>
void overwrite(const FileBytes& good, Filter&& may_change, Read&& read) {
  for (std::size_t at = 0; at + 4 <= good.size(); ++at) {
    if (!may_change(at)) continue;
    for (const std::uint32_t value : {0xffffffffu, 0x7fffffffu, 0x00100000u}) {
      FileBytes bad = good;
      std::memcpy(bad.data() + at, &value, sizeof value);
      largest_request = 0;
      read(bad);
      INFO("offset " << at << " value " << value);
      REQUIRE(largest_request.load() < kFewBytes);
    }
  }
}

constexpr auto kEverywhere = [](std::size_t) { return true; };

// The bytes of a .zkey that are not coordinates: the table, section 1, the start of 2 and 4.
std::vector<bool> numbers_of_zkey(const FileBytes& file) {
  std::vector<bool> numbers(file.size(), true);
  std::size_t at = 12;
  for (const Image::Part& part : Image(file).parts) {
    at += 12;
    const std::size_t kept = part.id == 2 ? 84 : part.id == 4 ? part.length : part.id == 1 ? 4 : 0;
    for (std::size_t i = kept; i < part.length; ++i) numbers[at + i] = false;
    at += part.length;
  }
  return numbers;
}

}  // namespace

TEST_CASE("no overwritten number in a witness makes its reader allocate") {
  overwrite(sample<Bn254>().wtns, kEverywhere, [](const FileBytes& bytes) {
    const auto witness = WitnessFile::parse("the.file", bytes);
    if (!witness) return;
    std::vector<UInt<4>> values(witness->size());
    witness->copy_to(values);
  });
}

TEST_CASE("no overwritten number in an .r1cs makes its reader allocate") {
  overwrite(sample<Bn254>().r1cs, kEverywhere, [](const FileBytes& bytes) {
    const auto file = R1csFile::parse("the.file", bytes);
    if (!file) return;
    auto rows = file->rows<Bn254>();
    R1csRow<Bn254> row;
    for (auto more = rows.next(row); more && *more;) more = rows.next(row);
  });
}

TEST_CASE("no overwritten number in a .zkey makes its reader allocate") {
  const FileBytes& good = sample<Bn254>().zkey;
  const std::vector<bool> numbers = numbers_of_zkey(good);
  overwrite(
      good, [&](std::size_t at) { return numbers[at]; },
      [](const FileBytes& bytes) {
        const auto file = ZkeyFile::parse("the.file", bytes);
        if (!file) return;
        (void)file->check_coefficients(Compute(1));
        (void)file->verifying_key<Bn254>();
      });
}

TEST_CASE("no overwritten count in bellperson's files makes their readers allocate") {
  // Where the counts of the sample lie: of ic, then of h (3 points), l (2), a (4), b_g1 (2), b_g2.
  constexpr std::size_t kG1 = 96, kIc = 864, kH = kIc + 4 + 2 * kG1, kL = kH + 4 + 3 * kG1, kA = kL + 4 + 2 * kG1,
                        kBg1 = kA + 4 + 4 * kG1, kBg2 = kBg1 + 4 + 2 * kG1;
  const auto is_count = [](std::size_t at) {
    for (const std::size_t count : {kIc, kH, kL, kA, kBg1, kBg2}) {
      if (at + 3 >= count && at <= count + 3) return true;
    }
    return false;
  };
  overwrite(bellperson_sample().params, is_count,
            [](const FileBytes& bytes) { (void)BellpersonParams::parse("the.file", bytes); });
  overwrite(
      bellperson_sample().vk, [](std::size_t at) { return at + 3 >= kIc && at <= kIc + 3; },
      [](const FileBytes& bytes) { (void)read_bellperson_vk("the.file", bytes, PointForm::uncompressed); });
}
