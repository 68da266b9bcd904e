// A proof on this card by its parts, each beside what the card can do at most: transforms, sums in both groups, sums of
// selected points, keys' points, and the prove stage by its steps. Figures are medians; every sum is compared with its
// closed form.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "bench/card_table.hpp"
#include "bench/card_timing.hpp"
#include "bench/gpu_ceilings.hpp"
#include "bench/gpu_stage.hpp"
#include "bench/timing.hpp"
#include "cuda/card_multiples.hpp"
#include "cuda/device.hpp"
#include "cuda/msm.cuh"
#include "cuda/ntt.cuh"
#include "groth16/algebra/bls12_381.hpp"
#include "tests/gpu/device_vectors.hpp"
#include "tests/gpu/walk_factor.hpp"

namespace {

using namespace groth16;
using namespace groth16::test;
using device::DeviceArray;
using device::Stream;
using groth16d::bench::CardRow;
using groth16d::bench::Ceilings;
using groth16d::bench::median_card_ms;
using groth16d::bench::median_seconds;
using groth16d::bench::seconds_of;
using C = Bls12_381;

[[noreturn]] void give_up(const std::string& text) {
  std::fprintf(stderr, "bench_gpu: %s\n", text.c_str());
  std::exit(1);
}

std::string milliseconds_text(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", ms);
  return text;
}

// The least time of so many additions in a group: 8 products and 2 squares; Fq2's are three of Fq, its squares two.
template <class F>
double least_ms(const Ceilings& ceilings, double additions) {
  const double products = sizeof(F) == 48 ? 9.0 : 8 * 3.0 + 4;
  return additions * products / ceilings.fq_products * 1e3;
}

// Milliseconds of body, which waits for the card.
template <class Body>
double median_ms(int runs, Body&& body) {
  return 1e3 * median_seconds(runs, body);
}

void bench_ntt(const Ceilings& ceilings, unsigned log2) {
  using Fr = C::Fr;
  const Stream stream;
  const std::size_t size = std::size_t{1} << log2;
  const Fr root = C::root_of_unity(DomainRoot::seven, log2);
  const device::TwiddleTable<Fr> table(root, Fr::one(), log2, stream.get());
  const DeviceArray<Fr> values(size, "values");
  fill_random(reinterpret_cast<UInt<4>*>(values.data()), 1, Fr::modulus(), size, stream.get());
  const double time = median_card_ms(
      stream, 10, [&] { device::decimate_time<Fr>(values.data(), values.data(), table, {}, stream.get()); });
  const double frequency = median_card_ms(
      stream, 10, [&] { device::decimate_frequency<Fr>(values.data(), values.data(), table, {}, stream.get()); });
  const double products = static_cast<double>(size) * (log2 / 2.0 - 7.0 / 8);  // those by one are left out
  const double least = products / ceilings.fr_products * 1e3;
  const std::string name = "NTT 2^" + std::to_string(log2);
  groth16d::bench::print(CardRow{name + ", bit-reversed in", time, least, "Fr products", ""});
  groth16d::bench::print(CardRow{name + ", natural in", frequency, least, "Fr products", ""});
}

template <class F>
void bench_msm(const Ceilings& ceilings, const char* group, const Affine<F>& generator, unsigned log2,
               std::size_t table_bytes, unsigned window) {
  const Stream stream;
  const std::size_t count = std::size_t{1} << log2;
  const auto modulus = C::Fr::modulus();
  const unsigned bits = static_cast<unsigned>(modulus.bit_length());
  const unsigned most_tables = static_cast<unsigned>(table_bytes / (count * sizeof(Affine<F>)));
  const std::size_t most_pairs = std::size_t{1} << 30;
  const device::MsmPlan plan = window == 0 ? device::plan_msm(count, bits, most_tables, most_pairs)
                                           : device::plan_msm_with_window(count, bits, window, most_tables, most_pairs);
  double tables_seconds = 0;
  device::FixedBases<F> bases;
  {
    const DeviceArray<Affine<F>> points(count, "points");
    device::walk(generator, 1, count, points.data(), stream.get());
    tables_seconds = seconds_of([&] { bases = device::FixedBases<F>(points.data(), plan, stream); });
  }
  const DeviceArray<UInt<4>> scalars(count, "scalars");
  fill_random(scalars.data(), log2, modulus, count, stream.get());
  device::Workspace workspace(device::msm_workspace_bytes<F>(plan));
  device::PendingSum<F> pending;
  Jacobian<F> sum;
  const auto run = [&](device::StepClock* clock) {
    workspace.reset();
    device::start_msm(bases, scalars.data(), modulus, workspace, pending, stream.get(), clock);
    stream.wait("a sum");
    sum = pending.finish();
  };
  const double ms = median_ms(log2 >= 26 ? 3 : 5, [&] { run(nullptr); });
  device::StepClock clock;
  run(&clock);
  const bool right = sum == times(generator, walk_factor<C::Fr>(log2, 1, count).to_uint());
  const double least = least_ms<F>(ceilings, static_cast<double>(count) * plan.windows);
  std::string remark = "window " + std::to_string(plan.window_bits) + ", " + std::to_string(plan.windows) +
                       " windows, " + std::to_string(plan.tables) + " tables, made in " +
                       milliseconds_text(1e3 * tables_seconds) + ";";
  for (const auto& [step, step_ms] : clock.milliseconds()) remark += " " + step + " " + milliseconds_text(step_ms);
  groth16d::bench::print(
      CardRow{std::string("MSM ") + group + " 2^" + std::to_string(log2), ms, least, "Fq products", remark});
  if (!right) give_up("a sum is wrong");
}

template <class F>
void bench_skewed(const Ceilings& ceilings, const char* group, const Affine<F>& generator, unsigned log2) {
  const Stream stream;
  const std::size_t count = std::size_t{1} << log2;
  const auto modulus = C::Fr::modulus();
  const DeviceArray<Affine<F>> points(count, "points");
  device::walk(generator, 1, count, points.data(), stream.get());
  const device::MsmPlan plan = device::plan_msm(count, 255, 100, std::size_t{1} << 30);
  const device::FixedBases<F> bases(points.data(), plan, stream);
  device::Workspace workspace(device::msm_workspace_bytes<F>(plan));
  device::PendingSum<F> pending;
  for (const std::string kind : {"equal", "bits", "r-1"}) {
    std::vector<UInt<4>> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = kind == "equal" ? random_scalar(1, 1, modulus)
                  : kind == "r-1" ? modulus - UInt<4>::from_u64(1)
                                  : UInt<4>::from_u64(scrambled(i) & 1);
    }
    const DeviceArray<UInt<4>> scalars = on_device<UInt<4>>(values, stream);
    const double ms = median_ms(3, [&] {
      workspace.reset();
      device::start_msm(bases, scalars.data(), modulus, workspace, pending, stream.get());
      stream.wait("a sum");
    });
    // Digits that are not 0: in all windows, in one for half of the points, in one.
    const double additions = static_cast<double>(count) * (kind == "equal" ? plan.windows : kind == "bits" ? 0.5 : 1);
    groth16d::bench::print(CardRow{std::string("MSM ") + group + " 2^" + std::to_string(log2) + ", " + kind, ms,
                                   least_ms<F>(ceilings, additions), "Fq products", ""});
  }
}

template <class F>
void bench_selected(const Ceilings& ceilings, const char* group, const Affine<F>& generator, unsigned log2) {
  const Stream stream;
  const std::size_t count = std::size_t{1} << log2;
  const DeviceArray<Affine<F>> points(count, "points");
  device::walk(generator, 1, count, points.data(), stream.get());
  std::vector<std::uint64_t> bits(count / 64);
  C::Fr factor = C::Fr::zero();
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = scrambled(i);
  std::uint64_t selected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (((bits[i / 64] >> (i % 64)) & 1) == 0) continue;
    factor += C::Fr::from_u64(i + 1);
    ++selected;
  }
  const DeviceArray<std::uint64_t> words = on_device<std::uint64_t>(bits, stream);
  device::Workspace workspace(device::selected_workspace_bytes<F>(count));
  device::PendingSum<F> pending;
  const double ms = median_ms(5, [&] {
    workspace.reset();
    device::start_selected_sum(points.data(), nullptr, reinterpret_cast<const std::uint32_t*>(words.data()), count,
                               workspace, pending, stream.get());
    stream.wait("a sum");
  });
  const bool right = pending.finish() == times(generator, factor.to_uint());
  groth16d::bench::print(
      CardRow{std::string("bit sum ") + group + " 2^" + std::to_string(log2), ms,
              least_ms<F>(ceilings, static_cast<double>(selected)), "Fq products",
              std::to_string(static_cast<int>(static_cast<double>(selected) / ms / 1e3)) + " M additions/s"});
  if (!right) give_up("a sum is wrong");
}

// Points for a key, from scalars and into points of the host.
void bench_multiples(const Ceilings& ceilings, unsigned log2) {
  const std::size_t count = std::size_t{1} << log2;
  const auto card = device::CardMultiples<C>::make();
  if (!card) give_up(card.error().text);
  std::vector<C::Fr> scalars(count);
  for (std::size_t i = 0; i < count; ++i)
    scalars[i] = C::Fr::from_montgomery_limbs(random_scalar(log2, i, C::Fr::modulus()));
  const Compute compute(1);
  const auto row = [&](const char* group, auto generator, auto&& multiply) {
    std::vector<decltype(generator)> points(count);
    const double ms = median_ms(3, [&] {
      if (const auto done = multiply(points); !done) give_up(done.error().text);
    });
    const bool right = points[count - 1] == times(generator, scalars[count - 1].to_uint()).to_affine();
    const double least = least_ms<decltype(generator.x)>(ceilings, 16.0 * static_cast<double>(count));
    groth16d::bench::print(
        CardRow{std::string("multiples ") + group + " 2^" + std::to_string(log2), ms, least, "Fq products",
                std::to_string(static_cast<int>(static_cast<double>(count) / ms / 1e3)) + " M points/s"});
    if (!right) give_up("a multiple is wrong");
  };
  row("G1", C::generator_g1(), [&](auto& points) { return (*card)->in_g1(scalars, points, compute); });
  row("G2", C::generator_g2(), [&](auto& points) { return (*card)->in_g2(scalars, points, compute); });
}

}  // namespace

// bench_gpu [LARGEST_LOG2 [STAGE_LOG2 [WINDOW]]]: sums up to 2^LARGEST_LOG2 (default 26; below 20 none), the prove
// stage for 2^STAGE_LOG2 rows (default 24; 0: not at all), with a window of the caller's choice.
int main(int argc, char** argv) {
  const auto argument = [&](int place, unsigned otherwise) {
    return argc > place ? static_cast<unsigned>(std::atoi(argv[place])) : otherwise;
  };
  const unsigned largest = argument(1, 26), stage = argument(2, 24), window = argument(3, 0);
  const auto facts = device::use_first_device();
  if (!facts) give_up(facts.error().text);
  std::printf("%s, %d multiprocessors, %.1f GiB free\n", facts->name.c_str(), facts->multiprocessors,
              static_cast<double>(facts->free_bytes) / (1 << 30));
  const Ceilings ceilings = groth16d::bench::measure_ceilings();
  std::printf(
      "Fq products %.1f G/s, squares %.1f G/s, sums %.0f G/s; Fr products %.1f G/s; copy %.2f TB/s, up %.1f GB/s\n",
      ceilings.fq_products / 1e9, ceilings.fq_squares / 1e9, ceilings.fq_sums / 1e9, ceilings.fr_products / 1e9,
      ceilings.copied_bytes / 1e12, ceilings.uploaded_bytes / 1e9);
  groth16d::bench::print_card_heading();
  for (const unsigned log2 : {18u, 20u, 22u, 24u, 25u, 26u, 27u}) bench_ntt(ceilings, log2);
  constexpr std::size_t kTableBytes = std::size_t{100} << 30;
  for (unsigned log2 = 20; log2 <= largest; log2 += 2) {
    bench_msm(ceilings, "G1", C::generator_g1(), log2, kTableBytes, window);
    bench_msm(ceilings, "G2", C::generator_g2(), log2, kTableBytes, window);
  }
  if (largest >= 20) {
    bench_multiples(ceilings, 24);
    bench_skewed(ceilings, "G1", C::generator_g1(), 22);
    bench_skewed(ceilings, "G2", C::generator_g2(), 20);
    bench_selected(ceilings, "G1", C::generator_g1(), 24);
    bench_selected(ceilings, "G2", C::generator_g2(), 24);
  }
  if (stage == 0) return 0;
  try {
    // 2^27 rows leave the host no room for a second look.
    groth16d::bench::bench_stage(ceilings, stage, stage >= 26 ? 3 : 5, stage < 26);
  } catch (const std::exception& failure) {
    give_up(failure.what());
  }
}
