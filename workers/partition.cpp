#include "workers/partition.hpp"

namespace groth16d::worker {

namespace {

// Both flat forms begin with a header that has a magic and a curve.
template <class Header>
Result<groth16::CurveId> curve_of(std::span<const std::byte> bytes, const char* what) {
  if (bytes.size() >= sizeof(Header)) {
    const auto header = groth16::load_flat<Header>(bytes);
    const auto curve = static_cast<groth16::CurveId>(header.curve);
    const bool known = curve == groth16::CurveId::bn254 || curve == groth16::CurveId::bls12_381;
    if (header.magic == Header::kMagic && known) return curve;
  }
  return failure(ErrorCode::malformed, "segment.curve", std::string("the segment holds no ") + what);
}

}  // namespace

Result<groth16::CurveId> curve_of_system(std::span<const std::byte> r1cs) {
  return curve_of<groth16::SystemHeader>(r1cs, "constraint system");
}

Result<groth16::CurveId> curve_of_key(std::span<const std::byte> key) {
  return curve_of<groth16::KeyHeader>(key, "proving key");
}

}  // namespace groth16d::worker
