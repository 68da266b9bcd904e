#include "client/demo/boolean_circuit.hpp"

#include <random>
#include <vector>

#include "groth16/algebra/curves.hpp"
#include "groth16/formats/byte_sink.hpp"
#include "groth16/formats/r1cs.hpp"
#include "groth16/formats/wtns.hpp"

namespace groth16d::demo {
namespace {

namespace formats = groth16::formats;
using groth16::CurveId;

enum BooleanWire : std::uint32_t { kBooleanOne, kSum, kFirstBit };

constexpr std::uint32_t bit_wire(std::uint32_t group, std::uint32_t bit) {
  return kFirstBit + group * (BooleanCircuit::kBits + 1) + bit;
}
constexpr std::uint32_t number_wire(std::uint32_t group) { return bit_wire(group, BooleanCircuit::kBits); }

}  // namespace

BooleanCircuit::BooleanCircuit(std::uint32_t domain_log2) {
  constexpr std::uint32_t kOtherRows = 1 + 2;  // the sum's, and the public rows
  groups_ = ((std::uint32_t{1} << domain_log2) - kOtherRows) / (kBits + 1);
}

template <class C>
Result<void> BooleanCircuit::write_r1cs_of(formats::ByteSink& sink) const {
  using Fr = typename C::Fr;
  formats::R1csWriter<C> writer;
  std::vector<formats::R1csTerm<C>> numbers;
  for (std::uint32_t group = 0; group < groups_; ++group) {
    std::vector<formats::R1csTerm<C>> bits;
    Fr weight = Fr::one();
    for (std::uint32_t bit = 0; bit < kBits; ++bit, weight = weight.doubled()) {
      const std::uint32_t wire = bit_wire(group, bit);
      writer.add_row({{{wire, Fr::one()}}, {{kBooleanOne, -Fr::one()}, {wire, Fr::one()}}, {}});
      bits.push_back({wire, weight});
    }
    writer.add_row({bits, {{kBooleanOne, Fr::one()}}, {{number_wire(group), Fr::one()}}});
    numbers.push_back({number_wire(group), Fr::one()});
  }
  writer.add_row({numbers, {{kBooleanOne, Fr::one()}}, {{kSum, Fr::one()}}});
  formats::R1csHeader header;
  header.curve = C::id;
  header.n_wires = n_wires();
  header.n_public_outputs = 1;
  header.n_private_inputs = groups_ * kBits;
  header.n_labels = n_wires();
  std::vector<std::byte> labels(std::size_t{8} * n_wires());
  for (std::uint64_t wire = 0; wire < n_wires(); ++wire)
    for (std::size_t byte = 0; byte < 8; ++byte) labels[8 * wire + byte] = static_cast<std::byte>(wire >> (8 * byte));
  return writer.write(sink, header, labels);
}

Result<void> BooleanCircuit::write_r1cs(CurveId curve, formats::ByteSink& sink) const {
  return groth16::with_curve(curve, [&]<class C>() { return write_r1cs_of<C>(sink); });
}

Result<void> BooleanCircuit::write_witness(CurveId curve, std::uint64_t seed, formats::ByteSink& sink) const {
  std::mt19937_64 random(seed);
  std::vector<groth16::UInt<4>> wires(n_wires());
  groth16::UInt<4> sum{};
  for (std::uint32_t group = 0; group < groups_; ++group) {
    const std::uint64_t number = random() & random() & random() & random();
    for (std::uint32_t bit = 0; bit < kBits; ++bit) wires[bit_wire(group, bit)] = {{(number >> bit) & 1, 0, 0, 0}};
    wires[number_wire(group)] = {{number, 0, 0, 0}};
    sum.limb[0] += number;
    if (sum.limb[0] < number) ++sum.limb[1];
  }
  wires[kBooleanOne] = {{1, 0, 0, 0}};
  wires[kSum] = sum;
  return formats::write_wtns(sink, curve, wires);
}

}  // namespace groth16d::demo
