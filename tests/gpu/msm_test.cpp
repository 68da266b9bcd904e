// The card's sums are the host's: for every kind of point and scalar, every plan, and sizes with a closed form.
#include <catch2/catch.hpp>
#include <span>
#include <string>
#include <vector>

#include "cuda/msm.cuh"
#include "groth16/algebra/msm.hpp"
#include "tests/algebra/points.hpp"
#include "tests/gpu/device_vectors.hpp"
#include "tests/gpu/walk_factor.hpp"

using namespace groth16;
using namespace groth16::test;
using device::DeviceArray;
using device::MsmPlan;

namespace {

template <class G>
constexpr unsigned scalar_bits() {
  return static_cast<unsigned>(G::Curve::Fr::modulus().bit_length());
}

template <class G>
Jacobian<typename G::Field> sum_on_card(const device::FixedBases<typename G::Field>& bases, const UInt<4>* scalars,
                                        const device::Stream& stream) {
  using F = typename G::Field;
  device::Workspace workspace(device::msm_workspace_bytes<F>(bases.plan()));
  device::PendingSum<F> pending;
  device::start_msm(bases, scalars, G::Curve::Fr::modulus(), workspace, pending, stream.get());
  stream.wait("a sum");
  return pending.finish();
}

template <class G>
Jacobian<typename G::Field> sum_on_card(const Points<typename G::Field>& points, const Scalars& scalars,
                                        const MsmPlan& plan, const device::Stream& stream) {
  const device::FixedBases<typename G::Field> bases(points.data(), plan, stream);
  const DeviceArray<UInt<4>> on_card = on_device<UInt<4>>(scalars, stream);
  return sum_on_card<G>(bases, on_card.data(), stream);
}

// Multiples of the generator with infinities, repeated and opposite points among them.
template <class G>
Points<typename G::Field> points_of_all_kinds(std::size_t count, Random& random) {
  Points<typename G::Field> points;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t kind = i < 2 ? 7 : random.u64() % 8;
    if (kind == 0) {
      points.push_back(Affine<typename G::Field>::infinity());
    } else if (kind == 1) {
      points.push_back(points[random.u64() % i]);
    } else if (kind == 2) {
      points.push_back(-points[random.u64() % i]);
    } else {
      points.push_back(times(G::generator(), UInt<1>::from_u64(random.u64() >> 40)).to_affine());
    }
  }
  return points;
}

template <class G>
Scalars scalars_of_kind(const std::string& kind, std::size_t count, Random& random) {
  const UInt<4> r = G::Curve::Fr::modulus(), one = UInt<4>::from_u64(1);
  Scalars out;
  const UInt<4> same = random.below(r);
  for (std::size_t i = 0; i < count; ++i) {
    if (kind == "random") out.push_back(random.below(r));
    if (kind == "equal") out.push_back(same);
    if (kind == "bits") out.push_back(UInt<4>::from_u64(random.u64() & 1));
    if (kind == "minus one") out.push_back(r - one);
    if (kind == "zero") out.push_back(UInt<4>::zero());
    if (kind == "edges") {
      const UInt<4> half = r >> 1;
      const UInt<4> edges[] = {
          UInt<4>::zero(),    one,       half, half + one, r - one, r - UInt<4>::from_u64(2), one << 127,
          (one << 128) - one, one << 252};
      out.push_back(edges[random.u64() % std::size(edges)]);
    }
  }
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("a sum on the card is the host's, whatever the points, scalars and plan", "[msm]",
                   GROTH16_TEST_GROUPS) {
  using G = TestType;
  using F = typename G::Field;
  const device::Stream stream;
  Random random(61);
  const std::size_t count = GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{33}, std::size_t{1500});
  const Points<F> points = points_of_all_kinds<G>(count, random);
  for (const std::string kind : {"random", "equal", "bits", "minus one", "zero", "edges"}) {
    const Scalars scalars = scalars_of_kind<G>(kind, count, random);
    const Jacobian<F> expected = msm(std::span(points), std::span(scalars), Compute(2));
    for (const auto& [window, tables] : {std::pair{2u, 3u}, {5u, 1000u}, {8u, 1u}, {11u, 4u}, {13u, 1000u}}) {
      for (const std::size_t max_pairs : {std::size_t{1}, std::size_t{1} << 30}) {
        CAPTURE(count, kind, window, tables, max_pairs);
        const MsmPlan plan = device::plan_msm_with_window(count, scalar_bits<G>(), window, tables, max_pairs);
        REQUIRE(sum_on_card<G>(points, scalars, plan, stream) == expected);
      }
    }
  }
}

TEMPLATE_TEST_CASE("a sum of selected points is the host's", "[msm]", GROTH16_TEST_GROUPS) {
  using G = TestType;
  using F = typename G::Field;
  const device::Stream stream;
  Random random(62);
  const std::size_t count = GENERATE(std::size_t{1}, std::size_t{31}, std::size_t{64}, std::size_t{3001});
  const Points<F> points = points_of_all_kinds<G>(count, random);
  std::vector<std::uint64_t> bits((count + 63) / 64), moved_bits((2 * count + 63) / 64);
  std::vector<std::uint32_t> bit_of(count);
  for (auto& word : bits) word = random.u64();
  for (std::size_t i = 0; i < count; ++i) {
    bit_of[i] = static_cast<std::uint32_t>(2 * count - 1 - 2 * i);
    if (((bits[i / 64] >> (i % 64)) & 1) != 0) moved_bits[bit_of[i] / 64] |= std::uint64_t{1} << (bit_of[i] % 64);
  }
  const Jacobian<F> expected = sum_selected(std::span(points), std::span(bits), Compute(2));
  const DeviceArray<Affine<F>> on_card = on_device<Affine<F>>(points, stream);
  const DeviceArray<std::uint32_t> places = on_device<std::uint32_t>(bit_of, stream);
  for (const bool moved : {false, true}) {
    CAPTURE(count, moved);
    const DeviceArray<std::uint64_t> words = on_device<std::uint64_t>(moved ? moved_bits : bits, stream);
    device::Workspace workspace(device::selected_workspace_bytes<F>(count));
    device::PendingSum<F> pending;
    device::start_selected_sum(on_card.data(), moved ? places.data() : nullptr,
                               reinterpret_cast<const std::uint32_t*>(words.data()), count, workspace, pending,
                               stream.get());
    stream.wait("a sum");
    CHECK(pending.finish() == expected);
  }
}

TEMPLATE_TEST_CASE("large sums have their closed form", "[msm][large]", GROTH16_TEST_GROUPS) {
  using G = TestType;
  using F = typename G::Field;
  using Fr = typename G::Curve::Fr;
  const device::Stream stream;
  const unsigned log2 = GENERATE(16u, 20u, 22u);
  const std::size_t count = (std::size_t{1} << log2) - 3;
  CAPTURE(log2);
  const DeviceArray<Affine<F>> points(count, "points");
  const DeviceArray<UInt<4>> scalars(count, "scalars");
  device::walk(G::generator(), 5, count, points.data(), stream.get());
  fill_random(scalars.data(), log2, Fr::modulus(), count, stream.get());
  const Jacobian<F> expected = times(G::generator(), walk_factor<Fr>(log2, 5, count).to_uint());
  for (const unsigned tables : {1u, 5u, 100u}) {
    CAPTURE(tables);
    const MsmPlan plan = device::plan_msm(count, scalar_bits<G>(), tables, std::size_t{1} << 28);
    const device::FixedBases<F> bases(points.data(), plan, stream);
    CHECK(sum_on_card<G>(bases, scalars.data(), stream) == expected);
  }
}
