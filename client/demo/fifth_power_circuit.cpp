#include "client/demo/fifth_power_circuit.hpp"

#include "groth16/formats/r1cs.hpp"
#include "groth16/formats/wtns.hpp"

namespace groth16d::demo {
namespace {

namespace formats = groth16::formats;

enum FifthPowerWire : std::uint32_t { kOne, kCiphertext, kPlaintext, kKey, kFirstOfRounds };

constexpr std::uint32_t square_wire(std::uint32_t round) { return kFirstOfRounds + 3 * round; }
constexpr std::uint32_t fourth_wire(std::uint32_t round) { return square_wire(round) + 1; }
constexpr std::uint32_t fifth_wire(std::uint32_t round) { return square_wire(round) + 2; }

template <class Fr>
Fr round_constant(std::uint32_t round) {
  return Fr::from_u64(round).pow(3) + Fr::from_u64(7);
}

// s of a round as a linear combination.
template <class C>
std::vector<formats::R1csTerm<C>> round_input(std::uint32_t round) {
  using Fr = typename C::Fr;
  const std::uint32_t x = round == 0 ? std::uint32_t{kPlaintext} : fifth_wire(round - 1);
  return {{kOne, round_constant<Fr>(round)}, {kKey, Fr::one()}, {x, Fr::one()}};
}

}  // namespace

std::uint32_t FifthPowerCircuit::rounds_that_fill(std::uint32_t domain_log2) {
  constexpr std::uint32_t kPublicRows = 3;  // one, ciphertext, plaintext
  return ((std::uint32_t{1} << domain_log2) - kPublicRows) / 3;
}

template <class C>
Result<void> FifthPowerCircuit::write_r1cs_of(formats::ByteSink& sink) const {
  using Fr = typename C::Fr;
  formats::R1csWriter<C> writer;
  for (std::uint32_t i = 0; i < rounds_; ++i) {
    const std::vector<formats::R1csTerm<C>> s = round_input<C>(i);
    const std::vector<formats::R1csTerm<C>> square = {{square_wire(i), Fr::one()}};
    const std::vector<formats::R1csTerm<C>> fourth = {{fourth_wire(i), Fr::one()}};
    std::vector<formats::R1csTerm<C>> fifth = {{fifth_wire(i), Fr::one()}};
    if (i + 1 == rounds_) fifth = {{kCiphertext, Fr::one()}, {kKey, -Fr::one()}};
    writer.add_row({s, s, square});
    writer.add_row({square, square, fourth});
    writer.add_row({fourth, s, fifth});
  }
  formats::R1csHeader header;
  header.curve = C::id;
  header.n_wires = n_wires();
  header.n_public_outputs = 1;
  header.n_public_inputs = 1;
  header.n_private_inputs = 1;
  header.n_labels = n_wires();
  std::vector<std::byte> labels(std::size_t{8} * n_wires());
  for (std::uint64_t wire = 0; wire < n_wires(); ++wire) {
    for (std::size_t byte = 0; byte < 8; ++byte) labels[8 * wire + byte] = static_cast<std::byte>(wire >> (8 * byte));
  }
  return writer.write(sink, header, labels);
}

template <class C>
std::vector<typename C::Scalar> FifthPowerCircuit::witness(std::uint64_t plaintext, std::uint64_t key) const {
  using Fr = typename C::Fr;
  std::vector<typename C::Scalar> wires(n_wires());
  const Fr k = Fr::from_u64(key);
  Fr x = Fr::from_u64(plaintext);
  wires[kOne] = Fr::one().to_uint();
  wires[kPlaintext] = x.to_uint();
  wires[kKey] = k.to_uint();
  for (std::uint32_t i = 0; i < rounds_; ++i) {
    const Fr s = x + k + round_constant<Fr>(i);
    const Fr square = s.square();
    const Fr fourth = square.square();
    x = fourth * s;
    wires[square_wire(i)] = square.to_uint();
    wires[fourth_wire(i)] = fourth.to_uint();
    if (i + 1 < rounds_) wires[fifth_wire(i)] = x.to_uint();
  }
  wires[kCiphertext] = (x + k).to_uint();
  return wires;
}

Result<void> FifthPowerCircuit::write_r1cs(groth16::CurveId curve, formats::ByteSink& sink) const {
  return groth16::with_curve(curve, [&]<class C>() { return write_r1cs_of<C>(sink); });
}

Result<void> FifthPowerCircuit::write_witness(groth16::CurveId curve, std::uint64_t plaintext, std::uint64_t key,
                                              formats::ByteSink& sink) const {
  return groth16::with_curve(curve,
                             [&]<class C>() { return formats::write_wtns(sink, curve, witness<C>(plaintext, key)); });
}

}  // namespace groth16d::demo
