// LaneScalars<Fr>: eight elements of a scalar field between memory and lanes. Values in memory are canonical and times
// 2^256; a factor that is times 2^260 leaves a product times 2^256, so constants come times kFactor.
#pragma once

#include "groth16/algebra/lane_memory.hpp"
#include "groth16/algebra/lanes.hpp"

#if defined(GROTH16_HAS_IFMA)

#include <cstddef>
#include <cstdint>
#include <span>

namespace groth16 {

template <class Fr>
struct LaneScalars {
  using Field = Lanes<typename Fr::Params>;
  using Element = typename Field::Element;
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kWords = 4;
  static constexpr std::uint64_t kFactor = 16;  // 2^260 / 2^256
  static_assert(Field::kWords == kWords && Field::kRadixBits == 260);

  GROTH16_IFMA static Element load(const Fr* const (&each)[kLanes]) {
    const std::uint64_t* rows[kLanes];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLanes; ++i) rows[i] = reinterpret_cast<const std::uint64_t*>(each[i]);
    __m512i words[kWords];
    load_rows<kWords>(rows, words);
    return Field::from_words(words);
  }
  // Element i of each of eight rows that lie distance elements apart.
  GROTH16_IFMA static Element load(const Fr* first, std::size_t distance) {
    const Fr* each[kLanes];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLanes; ++i) each[i] = first + i * distance;
    return load(each);
  }
  GROTH16_IFMA static void store(const Element& value, Fr* first, std::size_t distance) {
    std::uint64_t* rows[kLanes];
    GROTH16_UNROLL
    for (std::size_t i = 0; i < kLanes; ++i) rows[i] = reinterpret_cast<std::uint64_t*>(first + i * distance);
    __m512i words[kWords];
    Field::to_words(value, words);
    store_rows<kWords>(words, rows);
  }

  GROTH16_IFMA static Element broadcast(const Fr& value) {
    return Field::constant(Field::split(value.limbs().template resized<kWords + 1>()));
  }
  // From product to below p.
  GROTH16_IFMA static Element canonical(const Element& a) {
    const Element less = Field::carried(Field::less(a, Field::constant(Field::template kMultiple<1>)));
    const __mmask8 is_below = _mm512_cmplt_epi64_mask(less.limb[Field::kLimbs - 1], _mm512_setzero_si512());
    return Field::chosen(is_below, less, a);
  }

  // Multiplies value i by power g^i, for whole groups of eight; returns how many that are.
  static std::size_t scale(std::span<Fr> values, const Fr& power, const Fr& g) {
    Fr powers[kLanes + 1];
    powers[0] = power * Fr::from_u64(kFactor);
    for (std::size_t i = 1; i < kLanes; ++i) powers[i] = powers[i - 1] * g;
    powers[kLanes] = g.pow(kLanes) * Fr::from_u64(kFactor);
    scale_groups(values.data(), values.size() / kLanes, powers);
    return values.size() / kLanes * kLanes;
  }

 private:
  // The powers of the first eight values, and their common ratio to the next.
  GROTH16_IFMA_CALLED static void scale_groups(Fr* values, std::size_t groups, const Fr (&powers)[kLanes + 1]) {
    Element power = load(powers, 1);
    const Element step = broadcast(powers[kLanes]);
    for (std::size_t i = 0; i < groups; ++i, values += kLanes) {
      store(canonical(Field::carried(Field::product(power, load(values, 1)))), values, 1);
      power = Field::carried(Field::product(power, step));
    }
  }
};

}  // namespace groth16

#endif
