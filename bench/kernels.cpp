// The primitives of a proof on this machine: field products, point sums, MSM and NTT by size and threads, with the
// arithmetic of the processor (GROTH16D_CPU lowers it) and, beside it, with portable arithmetic. Each figure is the
// median of several runs after one that warms up; the two take turns, so that their ratio means something on a machine
// that others use. Points and scalars are random but for "bits", the scalars of a circuit of bits (99 of 100 are 0 or
// 1).
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/timing.hpp"
#include "groth16/algebra/cpu_level.hpp"
#include "groth16/algebra/curves.hpp"
#include "groth16/algebra/msm.hpp"
#include "groth16/algebra/ntt.hpp"
#include "groth16/algebra/pair_adder.hpp"
#include "groth16/algebra/pairing.hpp"

namespace {

using namespace groth16;
using groth16d::bench::median;
using groth16d::bench::median_seconds;
using groth16d::bench::seconds_of;

// Medians at the level of this process and at the portable one, in turns, after one run that is not counted.
struct Seconds {
  double here, portable;
};
template <class Body>
Seconds median_by_level(int runs, Body&& body) {
  std::vector<double> here, portable;
  body(cpu_level());
  for (int run = 0; run < runs; ++run) {
    here.push_back(seconds_of([&] { body(cpu_level()); }));
    portable.push_back(seconds_of([&] { body(CpuLevel::portable); }));
  }
  return {median(std::move(here)), median(std::move(portable))};
}

template <class Integer>
Integer random_below(const Integer& modulus, std::mt19937_64& random) {
  Integer value;
  do {
    for (auto& limb : value.limb) limb = random();
    value.limb[std::size(value.limb) - 1] >>= 1;
  } while (!(value < modulus));
  return value;
}

// Distinct points without a scalar product each: P, P + G, P + 2G, ...
template <class F>
std::vector<Affine<F>> walk(const Affine<F>& generator, std::size_t count) {
  std::vector<Jacobian<F>> sums(count);
  auto sum = times(generator, UInt<4>{{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 1}});
  for (auto& slot : sums) {
    slot = sum;
    sum += generator;
  }
  std::vector<Affine<F>> points(count);
  batch_to_affine(std::span<const Jacobian<F>>(sums), std::span(points));
  return points;
}

template <class C>
std::vector<UInt<4>> scalars(std::size_t count, bool bits) {
  std::mt19937_64 random(count);
  std::vector<UInt<4>> out(count);
  for (auto& scalar : out) {
    scalar = bits && random() % 100 != 0 ? UInt<4>::from_u64(random() & 1) : random_below(C::Fr::modulus(), random);
  }
  return out;
}

void row(const char* curve, const std::string& what, unsigned threads, double value, const char* unit) {
  std::printf("%-9s %-22s %7u %12.3f %12s %7s %s\n", curve, what.c_str(), threads, value, "-", "-", unit);
  std::fflush(stdout);
}
void row(const char* curve, const std::string& what, unsigned threads, double value, double portable, double ratio,
         const char* unit) {
  std::printf("%-9s %-22s %7u %12.3f %12.3f %7.2f %s\n", curve, what.c_str(), threads, value, portable, ratio, unit);
  std::fflush(stdout);
}

template <class C, class F>
void bench_field(const char* name) {
  std::mt19937_64 random(1);
  F a = F::from_uint(random_below(F::modulus(), random)), b = F::from_uint(random_below(F::modulus(), random));
  constexpr int kProducts = 1'000'000;
  const double seconds = median_seconds(5, [&] {
    for (int i = 0; i < kProducts; ++i) a = a * b;
  });
  if (a.is_zero()) std::abort();  // keeps the chain of products alive
  row(C::name.data(), std::string(name) + " product", 1, seconds / kProducts * 1e9, "ns");
}

// Sums of pairs that share inversions, at random places of 2^15 points.
template <class C, class F>
void bench_pairs(const char* group, const Affine<F>& generator) {
  const auto points = walk(generator, std::size_t{1} << 15);
  std::mt19937_64 random(3);
  std::vector<Affine<F>> sums(PairAdder<F>::kBatch);
  std::vector<PointPair<F>> pairs;
  for (auto& sum : sums) pairs.push_back({&points[random() % points.size()], &points[random() % points.size()], &sum});
  const Seconds seconds = median_by_level(9, [&](CpuLevel level) { make_pair_adder<F>(level)->add(pairs); });
  const double scale = 1e9 / static_cast<double>(pairs.size());
  row(C::name.data(), std::string(group) + " sum of a pair", 1, seconds.here * scale, seconds.portable * scale,
      seconds.portable / seconds.here, "ns");
}

template <class C, class F>
void bench_msm(const char* group, const Affine<F>& generator, unsigned log2, unsigned threads) {
  const std::size_t count = std::size_t{1} << log2;
  const auto points = walk(generator, count);
  for (const bool bits : {false, true}) {
    const auto factors = scalars<C>(count, bits);
    const Seconds seconds = median_by_level(
        3, [&](CpuLevel level) { msm(std::span(points), std::span<const UInt<4>>(factors), Compute(threads), level); });
    const double scale = static_cast<double>(count) / 1e3;
    row(C::name.data(), std::string("MSM ") + group + " 2^" + std::to_string(log2) + (bits ? " bits" : ""), threads,
        scale / seconds.here, scale / seconds.portable, seconds.portable / seconds.here, "k points/s");
  }
}

template <class C>
void bench_ntt(unsigned log2, unsigned threads) {
  using Fr = typename C::Fr;
  const Fr root = C::root_of_unity(DomainRoot::five, log2);
  const Domain<Fr> here(root, log2, Compute(threads)), portable(root, log2, Compute(threads), CpuLevel::portable);
  std::mt19937_64 random(2);
  std::vector<Fr> values(here.size());
  for (auto& value : values) value = Fr::from_uint(random_below(Fr::modulus(), random));
  const Seconds seconds = median_by_level(5, [&](CpuLevel level) {
    (level == CpuLevel::portable ? portable : here).forward(std::span(values), Compute(threads));
  });
  row(C::name.data(), "NTT 2^" + std::to_string(log2), threads, seconds.here * 1e3, seconds.portable * 1e3,
      seconds.portable / seconds.here, "ms");
}

template <class C>
void bench_curve(unsigned max_log2, unsigned threads) {
  bench_field<C, typename C::Fr>("Fr");
  bench_field<C, typename C::Fq>("Fq");
  bench_pairs<C>("G1", C::generator_g1());
  bench_pairs<C>("G2", C::generator_g2());
  const double pairing_seconds = median_seconds(5, [] { (void)pairing<C>(C::generator_g1(), C::generator_g2()); });
  row(C::name.data(), "pairing", 1, pairing_seconds * 1e3, "ms");
  for (unsigned log2 = 14; log2 <= max_log2; log2 += 2) {
    bench_msm<C>("G1", C::generator_g1(), log2, threads);
    if (log2 <= 18) bench_msm<C>("G2", C::generator_g2(), log2, threads);
    bench_ntt<C>(log2, threads);
  }
}

}  // namespace

// bench_kernels [MAX_LOG2 [THREADS]]: sizes from 2^14 (default: to 2^18) on THREADS threads (default: all).
int main(int argc, char** argv) {
  const unsigned max_log2 = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 18;
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : std::thread::hardware_concurrency();
  std::printf("%-9s %-22s %7s %12s %12s %7s\n", "curve", "what", "threads", cpu_level_name(cpu_level()).data(),
              "portable", "ratio");
  bench_curve<Bn254>(max_log2, threads);
  bench_curve<Bls12_381>(max_log2, threads);
}
