// Compressing and decompressing proofs.
#include "groth16/formats/proof_binary.hpp"

#include <fmt/format.h>

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

// Reads the point called name at offset into point.
template <class C, class Point>
Result<void> read_point(Bytes proof, std::size_t offset, char name, Point& point) {
  const auto read = decompress_point<C, Point>(proof.data() + offset);
  if (!read) {
    return failure(ErrorCode::malformed, fmt::format("proof_binary.{}", read.error().rule),
                   fmt::format("point {} at offset {} {}", name, offset, read.error().text));
  }
  point = *read;
  return {};
}

}  // namespace

template <class C>
std::array<std::byte, kCompressedProofBytes<C>> compress(const Proof<C>& proof) {
  constexpr std::size_t kG1 = kCompressedPointBytes<typename C::G1>, kG2 = kCompressedPointBytes<typename C::G2>;
  std::array<std::byte, kCompressedProofBytes<C>> bytes;
  compress_point<C>(proof.a, bytes.data());
  compress_point<C>(proof.b, bytes.data() + kG1);
  compress_point<C>(proof.c, bytes.data() + kG1 + kG2);
  return bytes;
}

template <class C>
Result<Proof<C>> decompress(Bytes bytes) {
  constexpr std::size_t kG1 = kCompressedPointBytes<typename C::G1>, kG2 = kCompressedPointBytes<typename C::G2>;
  if (bytes.size() != kCompressedProofBytes<C>) {
    return failure(ErrorCode::malformed, "proof_binary.length",
                   fmt::format("{} bytes, expected {} for a compressed proof on {}", bytes.size(),
                               kCompressedProofBytes<C>, C::name));
  }
  Proof<C> proof;
  const Result<void> read = read_point<C>(bytes, 0, 'A', proof.a)
                                .and_then([&] { return read_point<C>(bytes, kG1, 'B', proof.b); })
                                .and_then([&] { return read_point<C>(bytes, kG1 + kG2, 'C', proof.c); });
  if (!read) return tl::unexpected(read.error());
  return proof;
}

template std::array<std::byte, 128> compress(const Proof<Bn254>&);
template std::array<std::byte, 192> compress(const Proof<Bls12_381>&);
template Result<Proof<Bn254>> decompress<Bn254>(Bytes);
template Result<Proof<Bls12_381>> decompress<Bls12_381>(Bytes);

}  // namespace groth16::formats
