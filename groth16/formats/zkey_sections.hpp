// The numbers and sizes of a .zkey's sections, shared by its reader and its writer.
#pragma once

#include <array>
#include <cstdint>

#include "groth16/formats/encoding.hpp"

namespace groth16::formats::zkey {

inline constexpr std::uint32_t kProtocol = 1, kHeader = 2, kIc = 3, kCoefficients = 4, kA = 5, kB1 = 6, kB2 = 7, kL = 8,
                               kH = 9, kTranscript = 10;
inline constexpr std::array kRequired{kProtocol, kHeader, kIc, kCoefficients, kA, kB1, kB2, kL, kH};

inline constexpr std::uint32_t kGroth16 = 1;  // the protocol
inline constexpr std::uint64_t kProtocolBytes = 4;

// Section 2 up to its points.
template <class C>
inline constexpr std::uint64_t kSizesBytes = 4 + C::Fq::kBytes + 4 + C::Fr::kBytes + 3 * 4;
template <class C>
inline constexpr std::uint64_t kHeaderBytes =
    kSizesBytes<C> + 3 * kPointBytes<typename C::G1> + 3 * kPointBytes<typename C::G2>;

// Section 4: u32 count, then records of u32 matrix, u32 row, u32 wire, value.
inline constexpr std::uint64_t kCountBytes = 4;
inline constexpr std::uint64_t kRecordBytes = 3 * 4 + kScalarBytes;

// Section 10 of a key without a ceremony: circuit hash, number of contributions.
inline constexpr std::uint64_t kEmptyTranscriptBytes = 64 + 4;

}  // namespace groth16::formats::zkey
