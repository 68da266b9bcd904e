#include "groth16/algebra/elementwise.hpp"

#include "groth16/algebra/lane_scalars.hpp"

namespace groth16 {

namespace {

constexpr std::size_t kGrain = 4096;

#if defined(GROTH16_HAS_IFMA)
// Memory is times 2^256 and a product of lanes divides by 2^260, so one factor is shifted by the 4 bits between them:
// 16 p times p fits the range of a product in both fields.
template <class Fr>
struct LaneElements {
  using Scalars = LaneScalars<Fr>;
  using Field = typename Scalars::Field;
  using Element = typename Scalars::Element;
  using Columns = typename Field::Columns;
  static constexpr std::size_t kLanes = Scalars::kLanes;
  static constexpr unsigned kShift = 4;
  static_assert(Scalars::kFactor == 1u << kShift);

  GROTH16_IFMA static Columns product(const Fr* a, const Fr* b) {
    return Field::product(Field::template shifted<kShift>(Scalars::load(a, 1)), Scalars::load(b, 1));
  }

  GROTH16_IFMA_CALLED static void multiply(const Fr* a, const Fr* b, Fr* out, std::size_t groups) {
    for (std::size_t i = 0; i < groups * kLanes; i += kLanes) {
      Scalars::store(Scalars::canonical(Field::carried(product(a + i, b + i))), out + i, 1);
    }
  }

  GROTH16_IFMA_CALLED static void multiply_less(const Fr* a, const Fr* b, const Fr* c, Fr* out, std::size_t groups) {
    for (std::size_t i = 0; i < groups * kLanes; i += kLanes) {
      // From (-p, 2p) to (0, 3p), and down twice.
      const Element difference =
          Field::carried(Field::template raised<1>(Field::less(product(a + i, b + i), Scalars::load(c + i, 1))));
      Scalars::store(Scalars::canonical(Scalars::canonical(difference)), out + i, 1);
    }
  }

  // Times 2^4 / 2^260: what memory is too much.
  GROTH16_IFMA_CALLED static void to_uint(const Fr* a, UInt<4>* out, std::size_t groups) {
    const Element factor = Field::constant({{Scalars::kFactor}});
    for (std::size_t i = 0; i < groups * kLanes; i += kLanes) {
      const Element plain = Field::carried(Field::product(Scalars::load(a + i, 1), factor));
      Scalars::store(Scalars::canonical(plain), reinterpret_cast<Fr*>(out + i), 1);
    }
  }
};
#endif

// by_lanes(begin, groups) for what fills lanes, by_one(i) for the rest.
template <class ByLanes, class ByOne>
void for_each_element(std::size_t count, const Compute& compute, CpuLevel level, ByLanes by_lanes, ByOne by_one) {
  constexpr std::size_t kLanes = 8;
  compute.parallel_for(
      count,
      [&](std::size_t begin, std::size_t end) {
        if (level == CpuLevel::ifma) {
          const std::size_t groups = (end - begin) / kLanes;
          by_lanes(begin, groups);
          begin += groups * kLanes;
        }
        for (; begin < end; ++begin) by_one(begin);
      },
      kGrain);
}

}  // namespace

template <class Fr>
void multiply_each(std::span<const Fr> a, std::span<const Fr> b, std::span<Fr> out, const Compute& compute,
                   CpuLevel level) {
  const auto by_lanes = [&]([[maybe_unused]] std::size_t begin, [[maybe_unused]] std::size_t groups) {
#if defined(GROTH16_HAS_IFMA)
    LaneElements<Fr>::multiply(&a[begin], &b[begin], &out[begin], groups);
#endif
  };
  for_each_element(out.size(), compute, level, by_lanes, [&](std::size_t i) { out[i] = a[i] * b[i]; });
}

template <class Fr>
void multiply_each_less(std::span<const Fr> a, std::span<const Fr> b, std::span<const Fr> c, std::span<Fr> out,
                        const Compute& compute, CpuLevel level) {
  const auto by_lanes = [&]([[maybe_unused]] std::size_t begin, [[maybe_unused]] std::size_t groups) {
#if defined(GROTH16_HAS_IFMA)
    LaneElements<Fr>::multiply_less(&a[begin], &b[begin], &c[begin], &out[begin], groups);
#endif
  };
  for_each_element(out.size(), compute, level, by_lanes, [&](std::size_t i) { out[i] = a[i] * b[i] - c[i]; });
}

template <class Fr>
void to_uint_each(std::span<const Fr> a, std::span<UInt<4>> out, const Compute& compute, CpuLevel level) {
  const auto by_lanes = [&]([[maybe_unused]] std::size_t begin, [[maybe_unused]] std::size_t groups) {
#if defined(GROTH16_HAS_IFMA)
    LaneElements<Fr>::to_uint(&a[begin], &out[begin], groups);
#endif
  };
  for_each_element(out.size(), compute, level, by_lanes, [&](std::size_t i) { out[i] = a[i].to_uint(); });
}

#define GROTH16_DEFINE_ELEMENTWISE(Fr)                                                                            \
  template void multiply_each(std::span<const Fr>, std::span<const Fr>, std::span<Fr>, const Compute&, CpuLevel); \
  template void multiply_each_less(std::span<const Fr>, std::span<const Fr>, std::span<const Fr>, std::span<Fr>,  \
                                   const Compute&, CpuLevel);                                                     \
  template void to_uint_each(std::span<const Fr>, std::span<UInt<4>>, const Compute&, CpuLevel);
GROTH16_DEFINE_ELEMENTWISE(Bn254::Fr)
GROTH16_DEFINE_ELEMENTWISE(Bls12_381::Fr)

}  // namespace groth16
