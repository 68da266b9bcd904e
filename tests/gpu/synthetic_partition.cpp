#include "tests/gpu/synthetic_partition.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>

#include "cuda/msm.cuh"
#include "groth16/proof/evaluate.hpp"
#include "groth16/proof/flat_array.hpp"
#include "groth16/proof/h.hpp"
#include "tests/gpu/device_vectors.hpp"

namespace groth16::test {

namespace {

using C = SyntheticPartition::C;
using Fr = C::Fr;

constexpr std::uint64_t kPublic = 20;
constexpr std::uint64_t kDictionary = 1000;

const Compute& all_cores() {
  static const Compute compute(std::max(1u, std::thread::hardware_concurrency()));
  return compute;
}

template <class T>
T expect(groth16d::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text);
  return std::move(*result);
}

bool is_full(std::uint64_t wire) { return wire <= kPublic || wire % 100 == 0; }
bool always(std::uint64_t) { return true; }
bool has_a(std::uint64_t wire) { return scrambled(wire) % 100 < 97; }
bool has_b(std::uint64_t wire) { return scrambled(wire) % 4 == 0; }

SystemSizes sizes_of(std::uint64_t n_rows) {
  SystemSizes sizes;
  sizes.domain_log2 = smallest_domain_log2(n_rows);
  sizes.n_public = kPublic;
  sizes.n_constraints = n_rows - kPublic - 1;
  sizes.n_vars = kPublic + 1 + sizes.n_constraints / 100 * 98;
  return sizes;
}

// Rows of A have 2, 2, 3, 2, 3 terms in turn, rows of B one.
std::uint64_t start_of(MatrixId matrix, std::uint64_t row) {
  return matrix == MatrixId::b ? row : row / 5 * 12 + (row % 5) * 2 + (row % 5 > 2 ? 1 : 0);
}

SystemHeader header_of(const SystemSizes& sizes) {
  const std::uint64_t rows = sizes.n_rows();
  return system_header(C::id, sizes,
                       {{start_of(MatrixId::a, rows), start_of(MatrixId::b, rows), 0}, kDictionary, false});
}

void fill_dictionary(Fr* dictionary) {
  dictionary[0] = Fr::one();
  dictionary[1] = -Fr::one();
  for (std::uint64_t i = 2; i < kDictionary; ++i) {
    dictionary[i] = i < 34 ? dictionary[i - 1 - i % 2].doubled() : Fr::from_u64(scrambled(i));
  }
}

void fill_matrix(MatrixId matrix, const SystemSizes& sizes, const SystemHeader& header, const PageMemory& memory) {
  const auto index = static_cast<std::size_t>(matrix);
  auto* const starts = memory.at<std::uint32_t>(header.starts_offset[index]);
  auto* const wires = memory.at<std::uint32_t>(header.wires_offset[index]);
  auto* const coefficients = memory.at<std::uint16_t>(header.coefficients_offset[index]);
  const std::uint64_t rows = sizes.n_rows();
  all_cores().parallel_for(rows + 1, [&](std::size_t begin, std::size_t end) {
    for (std::uint64_t row = begin; row < end; ++row) {
      const std::uint64_t start = start_of(matrix, row);
      starts[row] = static_cast<std::uint32_t>(start);
      const std::uint64_t next = row == rows ? start : start_of(matrix, row + 1);
      for (std::uint64_t term = start; term < next; ++term) {
        const std::uint64_t random = scrambled(2 * term + index);
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

void fill_system(const SystemSizes& sizes, const PageMemory& memory) {
  SystemHeader header = header_of(sizes);
  fill_dictionary(memory.at<Fr>(header.dictionary_offset));
  const std::span bitmap(memory.at<std::uint64_t>(header.boolean_bitmap_offset), (sizes.n_vars + 63) / 64);
  const std::span ranks(memory.at<std::uint32_t>(header.boolean_ranks_offset),
                        (sizes.n_vars + SystemHeader::kWiresPerRank - 1) / SystemHeader::kWiresPerRank);
  for (std::uint64_t wire = 0; wire < sizes.n_vars; ++wire) {
    if (!is_full(wire)) bitmap[wire / 64] |= std::uint64_t{1} << (wire % 64);
  }
  header.n_boolean = rank_booleans(bitmap, ranks);
  for (const MatrixId matrix : {MatrixId::a, MatrixId::b}) fill_matrix(matrix, sizes, header, memory);
  store_flat(memory.bytes(), header);
}

// Points number i of a section: [1 + i] generator, infinity where `has` says no.
template <class F>
void fill_section(std::span<Affine<F>> section, const Affine<F>& generator, bool (*has)(std::uint64_t)) {
  const device::Stream stream;
  constexpr std::size_t kBlock = std::size_t{1} << 22;
  const device::DeviceArray<Affine<F>> block(std::min(kBlock, section.size()), "points");
  for (std::size_t at = 0; at < section.size(); at += kBlock) {
    const std::span<Affine<F>> here = section.subspan(at, std::min(kBlock, section.size() - at));
    device::walk(generator, 1 + at, here.size(), block.data(), stream.get());
    device::download(here, static_cast<const Affine<F>*>(block.data()), stream.get());
    stream.wait("points");
    if (has == always) continue;
    all_cores().parallel_for(
        here.size(),
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            if (!has(at + i)) here[i] = Affine<F>::infinity();
          }
        },
        1024);
  }
}

void fill_key(const KeySizes& sizes, const PageMemory& memory) {
  const KeySections<C> sections = expect(begin_key<C>(memory.bytes(), sizes, DomainRoot::seven));
  fill_section(sections.a, C::generator_g1(), has_a);
  fill_section(sections.b1, C::generator_g1(), has_b);
  fill_section(sections.b2, C::generator_g2(), has_b);
  fill_section(sections.l, C::generator_g1(), always);
  fill_section(sections.h, C::generator_g1(), always);
}

void fill_witness(const ConstraintSystem<C>& system, const PageMemory& memory) {
  const auto arrays = expect(lay_out_packed_witness(system, memory.bytes()));
  for (std::size_t i = 0; i < arrays.bits.size(); ++i) arrays.bits[i] = scrambled(i ^ 0x5555);
  if (const std::uint64_t used = system.n_boolean() % 64; used != 0)
    arrays.bits.back() &= (std::uint64_t{1} << used) - 1;
  for (std::size_t i = 1; i < arrays.publics.size(); ++i) arrays.publics[i] = random_scalar(3, i, Fr::modulus());
  for (std::size_t i = 0; i < arrays.full.size(); ++i) arrays.full[i] = random_scalar(4, i, Fr::modulus());
}

// sum over i < count of value(i) (1 + i), on all cores.
template <class Value>
Fr weighted_sum(std::uint64_t count, const Value& value) {
  std::mutex adding;
  Fr total = Fr::zero();
  all_cores().parallel_for(
      count,
      [&](std::size_t begin, std::size_t end) {
        Fr sum = Fr::zero();
        for (std::uint64_t i = begin; i < end; ++i) sum += value(i) * Fr::from_u64(1 + i);
        const std::lock_guard lock(adding);
        total += sum;
      },
      4096);
  return total;
}

// The same over the wires from first on that have a point.
Fr factor_of_wires(const PackedWitness<C>& witness, std::uint64_t first, bool (*has)(std::uint64_t)) {
  return weighted_sum(witness.system().n_vars() - first,
                      [&](std::uint64_t i) { return has(i) ? Fr::from_uint(witness.value(first + i)) : Fr::zero(); });
}

// Bits that are set and whose wire, from first on, has a point.
std::uint64_t set_bits(const PackedWitness<C>& witness, std::uint64_t first, bool (*has)(std::uint64_t)) {
  const auto& system = witness.system();
  std::atomic<std::uint64_t> total{0};
  all_cores().parallel_for(
      system.n_vars() - first,
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t count = 0;
        for (std::uint64_t i = begin; i < end; ++i) {
          if (has(i) && system.is_boolean(first + i) && !witness.value(first + i).is_zero()) ++count;
        }
        total += count;
      },
      4096);
  return total;
}

Fr factor_of_h(const ProvingKey<C>& key, const PackedWitness<C>& witness) {
  const auto& system = witness.system();
  std::vector<Fr> a(system.domain_size()), b(system.domain_size()), scratch(system.domain_size());
  evaluate<C>(system, witness, a, b, all_cores());
  h_scalars<C>(system.sizes().domain_log2, key.root(), key.basis(), a, b, scratch, all_cores());
  return weighted_sum(key.h().size(), [&](std::uint64_t i) { return a[i]; });
}

}  // namespace

PageMemory::PageMemory(std::size_t size) : size_(size) {
  at_ = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at_ == MAP_FAILED) throw std::runtime_error("no memory for " + std::to_string(size) + " bytes");
  (void)::madvise(at_, size, MADV_HUGEPAGE);
}
PageMemory::~PageMemory() { (void)::munmap(at_, size_); }

SyntheticPartition::SyntheticPartition(std::uint64_t n_rows, HBasis basis)
    : system_bytes_(header_of(sizes_of(n_rows)).total_bytes),
      key_bytes_(key_header<C>({sizes_of(n_rows), basis}, DomainRoot::seven).total_bytes),
      witness_bytes_([&] {
        fill_system(sizes_of(n_rows), system_bytes_);
        system_.emplace(expect(ConstraintSystem<C>::open(system_bytes_.bytes())));
        return packed_witness_bytes(*system_);
      }()) {
  fill_key({sizes_of(n_rows), basis}, key_bytes_);
  key_.emplace(expect(ProvingKey<C>::open(key_bytes_.bytes())));
  fill_witness(*system_, witness_bytes_);
  witness_.emplace(expect(PackedWitness<C>::open(witness_bytes_.bytes(), *system_)));
}

SyntheticPartition::Additions SyntheticPartition::additions() const {
  return {set_bits(*witness_, kPublic + 1, always), set_bits(*witness_, 0, has_a), set_bits(*witness_, 0, has_b),
          system_->n_full() + kPublic + 1};
}

device::GpuSums<C> SyntheticPartition::expected_sums() const {
  const auto in_g1 = [](const Fr& factor) { return times(C::generator_g1(), factor.to_uint()).to_affine(); };
  const Fr b_factor = factor_of_wires(*witness_, 0, has_b);
  device::GpuSums<C> out;
  out.sums.h = in_g1(factor_of_h(*key_, *witness_));
  out.sums.l = in_g1(factor_of_wires(*witness_, kPublic + 1, always));
  out.sums.a = in_g1(factor_of_wires(*witness_, 0, has_a));
  out.sums.b1 = in_g1(b_factor);
  out.b2 = times(C::generator_g2(), b_factor.to_uint()).to_affine();
  return out;
}

}  // namespace groth16::test
