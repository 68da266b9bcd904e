// The flat layout of a packed witness, its writer, and the look-up of single values.
#include "groth16/proof/packed_witness.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "groth16/proof/flat_array.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

// With C, a boolean wire is constrained to be one: a satisfying witness has no exception, and the list only keeps small
// faults exact, so that their row can be named later.
constexpr std::uint64_t kExceptionCapacity = 1024;

constexpr std::uint64_t kScalarBytes = 32;  // both curves

// Without C, a row that looks like x (x - 1) = 0 may be x (x - 1) = y: every boolean wire may be an exception.
constexpr std::uint64_t exception_capacity(std::uint64_t n_boolean, bool has_c) {
  return has_c ? std::min(kExceptionCapacity, n_boolean) : n_boolean;
}

// The header of every packed witness of a system: no exceptions yet.
WitnessHeader witness_header(CurveId curve, const SystemSizes& sizes, std::uint64_t n_boolean, bool has_c) {
  WitnessHeader header{};
  header.magic = WitnessHeader::kMagic;
  header.layout_version = WitnessHeader::kLayoutVersion;
  header.curve = static_cast<std::uint32_t>(curve);
  header.n_vars = sizes.n_vars;
  header.n_public = sizes.n_public;
  header.n_boolean = n_boolean;
  header.n_full = sizes.n_private() - n_boolean;
  header.exception_capacity = exception_capacity(n_boolean, has_c);
  header.public_offset = align_up(sizeof(WitnessHeader), 8);
  header.bits_offset = header.public_offset + (sizes.n_public + 1) * kScalarBytes;
  header.full_offset = header.bits_offset + (n_boolean + 63) / 64 * sizeof(std::uint64_t);
  header.exception_offset = header.full_offset + header.n_full * kScalarBytes;
  header.total_bytes = header.exception_offset + header.exception_capacity * sizeof(WitnessException);
  return header;
}
template <class C>
WitnessHeader witness_header(const ConstraintSystem<C>& system) {
  return witness_header(C::id, system.sizes(), system.n_boolean(), system.has_c());
}

tl::unexpected<groth16d::Error> refuse(ErrorCode code, const std::string& name, const std::string& text) {
  return failure(code, "witness." + name, "witness: " + text);
}

}  // namespace

template <class C>
std::uint64_t packed_witness_bytes(const ConstraintSystem<C>& system) {
  return witness_header(system).total_bytes;
}

std::uint64_t packed_witness_bytes(const SystemSizes& sizes, std::uint64_t n_boolean, bool has_c) {
  return witness_header(CurveId{}, sizes, n_boolean, has_c).total_bytes;
}

// A private wire costs at most a bit and an exception, or 32 bytes.
std::uint64_t packed_witness_bytes_bound(const SystemSizes& sizes) {
  return sizeof(WitnessHeader) + 64 + (sizes.n_public + 1) * kScalarBytes + sizes.n_private() / 8 +
         sizes.n_private() * sizeof(WitnessException);
}

template <class C>
Result<PackedWitness<C>> PackedWitness<C>::open(std::span<const std::byte> bytes, const ConstraintSystem<C>& system) {
  if (bytes.size() < sizeof(WitnessHeader)) {
    return refuse(ErrorCode::malformed, "length", std::to_string(bytes.size()) + " bytes are too few for its header");
  }
  const auto header = load_flat<WitnessHeader>(bytes);
  const WitnessHeader expected = witness_header(system);
  if (header.magic != expected.magic)
    return refuse(ErrorCode::malformed, "magic", "the first 8 bytes are not its magic");
  if (header.layout_version != expected.layout_version) {
    return refuse(ErrorCode::malformed, "version",
                  "layout version " + std::to_string(header.layout_version) + ", expected " +
                      std::to_string(expected.layout_version));
  }
  if (header.curve != expected.curve) {
    return refuse(ErrorCode::mismatch, "curve",
                  "curve number " + std::to_string(header.curve) + ", its constraint system has " +
                      std::to_string(expected.curve));
  }
  WitnessHeader comparable = header;
  comparable.n_exceptions = 0;
  if (std::memcmp(&comparable, &expected, sizeof(WitnessHeader)) != 0) {
    return refuse(ErrorCode::mismatch, "sizes",
                  "packed for a system of " + std::to_string(header.n_vars) + " wires, " +
                      std::to_string(header.n_public) + " public, " + std::to_string(header.n_boolean) +
                      " boolean; this one has " + std::to_string(expected.n_vars) + ", " +
                      std::to_string(expected.n_public) + ", " + std::to_string(expected.n_boolean));
  }
  if (header.total_bytes > bytes.size() || header.n_exceptions > header.exception_capacity) {
    return refuse(ErrorCode::malformed, "length",
                  std::to_string(header.total_bytes) + " bytes with " + std::to_string(header.n_exceptions) +
                      " exceptions, " + std::to_string(bytes.size()) + " bytes and room for " +
                      std::to_string(header.exception_capacity) + " are there");
  }

  PackedWitness witness;
  witness.system_ = &system;
  const auto publics = flat_array<Scalar>(bytes, header.public_offset, header.n_public + 1, "witness.public");
  if (!publics) return tl::unexpected(publics.error());
  witness.public_ = *publics;
  const auto bits = flat_array<std::uint64_t>(bytes, header.bits_offset, (header.n_boolean + 63) / 64, "witness.bits");
  if (!bits) return tl::unexpected(bits.error());
  witness.bits_ = *bits;
  const auto full = flat_array<Scalar>(bytes, header.full_offset, header.n_full, "witness.full");
  if (!full) return tl::unexpected(full.error());
  witness.full_ = *full;
  const auto exceptions =
      flat_array<WitnessException>(bytes, header.exception_offset, header.n_exceptions, "witness.exceptions");
  if (!exceptions) return tl::unexpected(exceptions.error());
  witness.exceptions_ = *exceptions;

  if (!(witness.public_[0] == Scalar::from_u64(1))) return refuse(ErrorCode::malformed, "one", "w[0] is not 1");
  std::uint64_t next_wire = 0;
  for (const WitnessException& exception : witness.exceptions_) {
    if (exception.wire < next_wire || exception.wire >= system.n_vars() || !system.is_boolean(exception.wire)) {
      return refuse(ErrorCode::malformed, "exceptions",
                    "its exceptions are not boolean wires in rising order, at wire " + std::to_string(exception.wire));
    }
    next_wire = std::uint64_t{exception.wire} + 1;
  }
  return witness;
}

template <class C>
typename C::Scalar PackedWitness<C>::value(std::uint64_t wire) const {
  if (wire < public_.size()) return public_[wire];
  const std::uint64_t rank = system_->boolean_rank(wire);
  if (!system_->is_boolean(wire)) return full_[wire - public_.size() - rank];
  if (((bits_[rank / 64] >> (rank % 64)) & 1) != 0) return Scalar::from_u64(1);
  if (exceptions_.empty()) return Scalar::zero();
  const auto found = std::ranges::lower_bound(exceptions_, wire, {}, &WitnessException::wire);
  return found != exceptions_.end() && found->wire == wire ? found->value : Scalar::zero();
}

template <class C>
std::vector<std::uint64_t> PackedWitness<C>::wire_bits(const Compute& compute) const {
  const std::span<const std::uint64_t> bitmap = system_->boolean_bitmap();
  std::vector<std::uint64_t> out(bitmap.size(), 0);
  constexpr std::size_t kGrain = 4096;
  const auto expand = [&](std::size_t begin, std::size_t end) {
    std::uint64_t rank = begin < end ? system_->boolean_rank(64 * begin) : 0;
    for (std::size_t word = begin; word < end; ++word) {
      for (std::uint64_t rest = bitmap[word]; rest != 0; rest &= rest - 1, ++rank) {
        const std::uint64_t lowest = rest & (~rest + 1);
        if (((bits_[rank / 64] >> (rank % 64)) & 1) != 0) out[word] |= lowest;
      }
    }
  };
  compute.parallel_for(bitmap.size(), expand, kGrain);
  return out;
}

template <class C>
Result<PackedWitnessArrays<C>> lay_out_packed_witness(const ConstraintSystem<C>& system, std::span<std::byte> out) {
  using Scalar = typename C::Scalar;
  const WitnessHeader header = witness_header(system);
  if (out.size() < header.total_bytes || reinterpret_cast<std::uintptr_t>(out.data()) % 8 != 0) {
    return refuse(
        ErrorCode::internal, "length",
        std::to_string(out.size()) + " bytes, expected " + std::to_string(header.total_bytes) + ", aligned to 8");
  }
  store_flat(out, header);
  PackedWitnessArrays<C> arrays;
  arrays.publics = flat_array<Scalar>(out, header.public_offset, header.n_public + 1, "witness.public").value();
  arrays.bits = flat_array<std::uint64_t>(out, header.bits_offset, (header.n_boolean + 63) / 64, "witness").value();
  arrays.full = flat_array<Scalar>(out, header.full_offset, header.n_full, "witness.full").value();
  arrays.publics[0] = Scalar::from_u64(1);
  std::ranges::fill(arrays.bits, 0);
  return arrays;
}

template <class C>
Result<PackedWitnessWriter<C>> PackedWitnessWriter<C>::create(const ConstraintSystem<C>& system,
                                                              std::span<std::byte> out) {
  const auto arrays = lay_out_packed_witness(system, out);
  if (!arrays) return tl::unexpected(arrays.error());
  PackedWitnessWriter writer;
  writer.system_ = &system;
  writer.header_ = witness_header(system);
  writer.out_ = out;
  writer.public_ = arrays->publics;
  writer.bits_ = arrays->bits;
  writer.full_ = arrays->full;
  writer.exceptions_ =
      flat_array<WitnessException>(out, writer.header_.exception_offset, writer.header_.exception_capacity, "witness")
          .value();
  return writer;
}

template <class C>
void PackedWitnessWriter<C>::append(const Scalar& value) {
  const std::uint64_t wire = next_wire_++;
  if (wire >= header_.n_vars) return;  // finish() counts them
  if (!C::Fr::is_canonical(value) && n_not_canonical_++ == 0) first_not_canonical_ = wire;
  if (wire <= header_.n_public) {
    public_[wire] = value;
  } else if (!system_->is_boolean(wire)) {
    full_[next_full_++] = value;
  } else {
    const std::uint64_t bit = next_bit_++;
    if (value.is_zero()) return;
    if (value == Scalar::from_u64(1)) {
      bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    } else if (n_exceptions_++ < exceptions_.size()) {
      exceptions_[n_exceptions_ - 1] = {static_cast<std::uint32_t>(wire), 0, value};
    }
  }
}

template <class C>
Result<void> PackedWitnessWriter<C>::finish() {
  if (next_wire_ != header_.n_vars) {
    return refuse(ErrorCode::mismatch, "count",
                  std::to_string(next_wire_) + " values, the circuit has " + std::to_string(header_.n_vars) + " wires");
  }
  if (n_not_canonical_ != 0) {
    return refuse(ErrorCode::malformed, "not_canonical",
                  std::to_string(n_not_canonical_) + " values are not below r, the first is that of wire " +
                      std::to_string(first_not_canonical_));
  }
  if (!(public_[0] == Scalar::from_u64(1))) return refuse(ErrorCode::malformed, "one", "w[0] is not 1");
  if (n_exceptions_ > exceptions_.size()) {
    return refuse(ErrorCode::unsatisfied, "booleans",
                  std::to_string(n_exceptions_) + " boolean constraints are violated");
  }
  header_.n_exceptions = n_exceptions_;
  store_flat(out_, header_);
  return {};
}

template <class C>
Result<void> pack_witness(std::span<const std::byte> values, const ConstraintSystem<C>& system,
                          std::span<std::byte> out) {
  if (values.size() % kScalarBytes != 0 || values.size() / kScalarBytes != system.n_vars()) {
    return refuse(ErrorCode::mismatch, "count",
                  std::to_string(values.size()) + " bytes of values, the circuit has " +
                      std::to_string(system.n_vars()) + " wires of 32 bytes");
  }
  auto writer = PackedWitnessWriter<C>::create(system, out);
  if (!writer) return tl::unexpected(writer.error());
  for (; !values.empty(); values = values.subspan(kScalarBytes)) {
    writer->append(C::Scalar::from_le_bytes(values.template first<kScalarBytes>()));
  }
  return writer->finish();
}

#define GROTH16_DEFINE_PACKED_WITNESS(C)                                                                            \
  template std::uint64_t packed_witness_bytes(const ConstraintSystem<C>&);                                          \
  template class PackedWitness<C>;                                                                                  \
  template class PackedWitnessWriter<C>;                                                                            \
  template Result<PackedWitnessArrays<C>> lay_out_packed_witness(const ConstraintSystem<C>&, std::span<std::byte>); \
  template Result<void> pack_witness<C>(std::span<const std::byte>, const ConstraintSystem<C>&, std::span<std::byte>);
GROTH16_DEFINE_PACKED_WITNESS(Bn254)
GROTH16_DEFINE_PACKED_WITNESS(Bls12_381)

}  // namespace groth16
