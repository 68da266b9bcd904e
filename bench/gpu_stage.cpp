// The prove stage on the card for a system of a given size with the statistics of Filecoin's replication circuit: 0.98
// private wires a row, one in a hundred full-size, 2.4 and 1.0 terms a row of A and B, nearly all coefficients 1, -1 or
// a small power of two, points of B at infinity for three wires in four. Points are known multiples of the generator,
// so the sums over the witness have closed forms; the system is not satisfied, which costs the same.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <sys/mman.h>

#include "bench/timing.hpp"
#include "cuda/device.hpp"
#include "cuda/msm.cuh"
#include "cuda/prove_stage.hpp"
#include "groth16/algebra/bls12_381.hpp"
#include "groth16/proof/flat_array.hpp"
#include "tests/gpu/device_vectors.hpp"

namespace {

using namespace groth16;
using namespace groth16::test;
using groth16d::bench::seconds_of;
using C = Bls12_381;
using Fr = C::Fr;

[[noreturn]] void give_up(const std::string& text) {
  std::fprintf(stderr, "bench_gpu_stage: %s\n", text.c_str());
  std::exit(1);
}

template <class T>
T expect(groth16d::Result<T> result) {
  if (!result) give_up(result.error().text);
  return std::move(*result);
}

// Zeroed memory in huge pages where the system has them.
class Memory {
 public:
  explicit Memory(std::size_t size) : size_(size) {
    at_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at_ == MAP_FAILED) give_up("no memory");
    (void)madvise(at_, size, MADV_HUGEPAGE);
  }
  ~Memory() { munmap(at_, size_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(at_), size_}; }
  template <class T>
  T* at(std::uint64_t offset) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(at_) + offset);
  }

 private:
  std::size_t size_;
  void* at_;
};

constexpr std::uint64_t kPublic = 20;
const Compute kCompute(16);

bool is_full(std::uint64_t wire) { return wire <= kPublic || wire % 100 == 0; }
bool has_b(std::uint64_t wire) { return scrambled(wire) % 4 == 0; }

std::unique_ptr<Memory> make_system(unsigned log2) {
  SystemSizes sizes;
  sizes.domain_log2 = log2;
  sizes.n_public = kPublic;
  sizes.n_constraints = sizes.domain_size() / 100 * 97;
  sizes.n_vars = kPublic + 1 + sizes.n_constraints;
  constexpr std::uint64_t kDictionary = 1000;
  const std::uint64_t rows = sizes.n_rows();
  // Rows of A have 2, 2, 3, 2, 3 terms in turn.
  const auto a_start = [](std::uint64_t row) { return row / 5 * 12 + (row % 5) * 2 + (row % 5 > 2 ? 1 : 0); };
  SystemHeader header = system_header(C::id, sizes, {{a_start(rows), rows, 0}, kDictionary, false});
  auto memory = std::make_unique<Memory>(header.total_bytes);
  auto* const dictionary = memory->at<Fr>(header.dictionary_offset);
  dictionary[0] = Fr::one();
  dictionary[1] = -Fr::one();
  for (std::uint64_t i = 2; i < kDictionary; ++i) {
    dictionary[i] = i < 34 ? dictionary[i - 1 - i % 2].doubled() : Fr::from_u64(scrambled(i));
  }
  auto* const bitmap = memory->at<std::uint64_t>(header.boolean_bitmap_offset);
  auto* const ranks = memory->at<std::uint32_t>(header.boolean_ranks_offset);
  for (std::uint64_t wire = 0; wire < sizes.n_vars; ++wire) {
    if (wire % SystemHeader::kWiresPerRank == 0) {
      ranks[wire / SystemHeader::kWiresPerRank] = static_cast<std::uint32_t>(header.n_boolean);
    }
    if (is_full(wire)) continue;
    bitmap[wire / 64] |= std::uint64_t{1} << (wire % 64);
    ++header.n_boolean;
  }
  for (int matrix = 0; matrix < 2; ++matrix) {
    auto* const starts = memory->at<std::uint32_t>(header.starts_offset[matrix]);
    auto* const wires = memory->at<std::uint32_t>(header.wires_offset[matrix]);
    auto* const coefficients = memory->at<std::uint16_t>(header.coefficients_offset[matrix]);
    kCompute.parallel_for(rows + 1, [&](std::size_t begin, std::size_t end) {
      for (std::uint64_t row = begin; row < end; ++row) {
        const std::uint64_t start = matrix == 0 ? a_start(row) : row;
        starts[row] = static_cast<std::uint32_t>(start);
        if (row == rows) continue;
        const std::uint64_t next = matrix == 0 ? a_start(row + 1) : row + 1;
        for (std::uint64_t term = start; term < next; ++term) {
          const std::uint64_t random = scrambled(2 * term + static_cast<std::uint64_t>(matrix));
          const std::uint64_t near = row + random % 2048;
          wires[term] = static_cast<std::uint32_t>(near < 1024 ? 0 : std::min(near - 1024, sizes.n_vars - 1));
          const std::uint64_t kind = (random >> 20) % 100;
          coefficients[term] = static_cast<std::uint16_t>(kind < 45   ? 0
                                                          : kind < 80 ? 1
                                                          : kind < 97 ? 2 + (random >> 30) % 32
                                                                      : 34 + (random >> 30) % 900);
        }
      }
    });
  }
  store_flat(memory->bytes(), header);
  return memory;
}

// Points number i of a section: [first + i] generator, infinity where `has` says no.
template <class F, class Has>
void fill_section(std::span<Affine<F>> section, const Affine<F>& generator, std::uint64_t first, Has&& has) {
  const device::Stream stream;
  constexpr std::size_t kBlock = std::size_t{1} << 22;
  const device::DeviceArray<Affine<F>> block(std::min(kBlock, section.size()), "points");
  for (std::size_t at = 0; at < section.size(); at += kBlock) {
    const std::span<Affine<F>> here = section.subspan(at, std::min(kBlock, section.size() - at));
    device::walk(generator, first + at, here.size(), block.data(), stream.get());
    device::download(here, static_cast<const Affine<F>*>(block.data()), stream.get());
    stream.wait("points");
    kCompute.parallel_for(
        here.size(),
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            if (!has(at + i)) here[i] = Affine<F>::infinity();
          }
        },
        1024);
  }
}

std::unique_ptr<Memory> make_key(const SystemSizes& sizes) {
  const KeySizes key_sizes{sizes, HBasis::monomial};
  auto memory = std::make_unique<Memory>(key_header<C>(key_sizes, DomainRoot::seven).total_bytes);
  const KeySections<C> sections = expect(begin_key<C>(memory->bytes(), key_sizes, DomainRoot::seven));
  const auto always = [](std::uint64_t) { return true; };
  fill_section(sections.a, C::generator_g1(), 1, [](std::uint64_t wire) { return scrambled(wire) % 100 < 97; });
  fill_section(sections.b1, C::generator_g1(), 1, has_b);
  fill_section(sections.b2, C::generator_g2(), 1, has_b);
  fill_section(sections.l, C::generator_g1(), 1, always);
  fill_section(sections.h, C::generator_g1(), 1, always);
  return memory;
}

std::unique_ptr<Memory> make_witness(const ConstraintSystem<C>& system) {
  auto memory = std::make_unique<Memory>(packed_witness_bytes(system));
  const auto arrays = expect(lay_out_packed_witness(system, memory->bytes()));
  for (std::size_t i = 0; i < arrays.bits.size(); ++i) arrays.bits[i] = scrambled(i ^ 0x5555);
  if (const std::uint64_t used = system.n_boolean() % 64; used != 0)
    arrays.bits.back() &= (std::uint64_t{1} << used) - 1;
  for (std::size_t i = 1; i < arrays.publics.size(); ++i) arrays.publics[i] = random_scalar(3, i, Fr::modulus());
  for (std::size_t i = 0; i < arrays.full.size(); ++i) arrays.full[i] = random_scalar(4, i, Fr::modulus());
  return memory;
}

// sum over wires from first of w (wire - first + 1), where `has`.
template <class Has>
Fr expected_factor(const PackedWitness<C>& witness, std::uint64_t first, Has&& has) {
  Fr sum = Fr::zero();
  const auto& system = witness.system();
  std::uint64_t bit = 0, full = 0;
  for (std::uint64_t wire = 0; wire < system.n_vars(); ++wire) {
    Fr value = Fr::zero();
    if (system.is_boolean(wire)) {
      const bool is_set = ((witness.bits()[bit / 64] >> (bit % 64)) & 1) != 0;
      ++bit;
      if (!is_set) continue;
      value = Fr::one();
    } else if (wire <= kPublic) {
      value = Fr::from_uint(witness.public_values()[wire]);
    } else {
      value = Fr::from_uint(witness.full_values()[full++]);
    }
    if (wire >= first && has(wire - first)) sum += value * Fr::from_u64(wire - first + 1);
  }
  return sum;
}

void check(bool right, const char* what) {
  std::printf("| %s | %s |\n", what, right ? "right" : "WRONG");
  if (!right) give_up(std::string(what) + " is wrong");
}

}  // namespace

// bench_gpu_stage LOG2 [RUNS]: a domain of 2^LOG2 rows, RUNS partitions (default 5).
int main(int argc, char** argv) {
  const unsigned log2 = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 24;
  const int runs = argc > 2 ? std::atoi(argv[2]) : 5;
  expect(device::use_first_device());
  using Clock = std::chrono::steady_clock;
  auto begin = Clock::now();
  const auto lap = [&](const char* what) {
    std::printf("| %s | %.1f s |\n", what, std::chrono::duration<double>(Clock::now() - begin).count());
    std::fflush(stdout);
    begin = Clock::now();
  };
  const auto system_bytes = make_system(log2);
  const auto system = expect(ConstraintSystem<C>::open(system_bytes->bytes()));
  lap("constraint system");
  const auto key_bytes = make_key(system.sizes());
  const auto key = expect(ProvingKey<C>::open(key_bytes->bytes()));
  lap("key");
  const auto witness_bytes = make_witness(system);
  const auto witness = expect(PackedWitness<C>::open(witness_bytes->bytes(), system));
  lap("witness");
  device::GpuStageOptions options;
  options.b2 = device::B2Points::required;
  const auto stage = expect(device::GpuProveStage<C>::load(key, system, options, kCompute));
  lap("load");
  const auto& memory = stage->memory();
  const auto gib = [](std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); };
  std::printf("rows %.2f, points %.2f (%u tables), twiddles %.2f, vectors %.2f, workspace %.2f, in all %.2f GiB\n",
              gib(memory.rows), gib(memory.points), memory.tables, gib(memory.twiddles), gib(memory.vectors),
              gib(memory.workspace), gib(memory.total()));
  device::GpuSums<C> sums;
  for (int run = 0; run <= runs; ++run) {
    const double seconds = seconds_of([&] { sums = expect(stage->prove(key, witness, true, kCompute)); });
    std::printf("| partition %d | %.1f ms |", run, seconds * 1e3);
    for (const auto& [step, ms] : stage->steps()) std::printf(" %s %.1f", step.c_str(), ms);
    std::printf("\n");
    std::fflush(stdout);
  }
  const auto always = [](std::uint64_t) { return true; };
  const auto g1 = [](const Fr& factor) { return times(C::generator_g1(), factor.to_uint()).to_affine(); };
  check(sums.sums.l == g1(expected_factor(witness, kPublic + 1, always)), "L");
  check(sums.sums.a == g1(expected_factor(witness, 0, [](std::uint64_t wire) { return scrambled(wire) % 100 < 97; })),
        "A");
  const Fr b_factor = expected_factor(witness, 0, has_b);
  check(sums.sums.b1 == g1(b_factor), "B1");
  check(*sums.b2 == times(C::generator_g2(), b_factor.to_uint()).to_affine(), "B2");
}
