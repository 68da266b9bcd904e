// Reading and writing .r1cs.
#include "groth16/formats/r1cs.hpp"

#include <fmt/format.h>

#include <array>

#include "groth16/formats/encoding.hpp"

namespace groth16::formats {

using groth16d::Result;

namespace {

constexpr std::uint32_t kR1csHeader = 1, kConstraints = 2, kLabels = 3, kCustomGates = 4, kCustomGateUses = 5;
constexpr std::array kR1csRequired{kR1csHeader, kConstraints};
constexpr std::array kOptional{kLabels, kCustomGates, kCustomGateUses};
constexpr ContainerRules kR1csRules{"r1cs", 1, 1, kR1csRequired, kOptional};

constexpr std::uint64_t kHeaderBytes = 4 + kScalarBytes + 4 * 4 + 8 + 4;
constexpr std::uint64_t kLabelBytes = 8;
constexpr std::uint64_t kTermBytes = 4 + kScalarBytes;
constexpr std::uint64_t kSmallestRowBytes = 3 * 4;  // three empty combinations
constexpr std::uint64_t kUnnamedWires = std::uint64_t{1} << 16;

Result<R1csHeader> read_r1cs_header(const Container& container) {
  const Section section = container.section(kR1csHeader);
  ByteReader reader(section.payload, section.offset);
  const Result<CurveId> curve = read_scalar_field(container, section, reader);
  if (!curve) return tl::unexpected(curve.error());
  if (Result<void> length = container.expect_length(section, kHeaderBytes, "n8, prime, counts"); !length) {
    return tl::unexpected(length.error());
  }
  R1csHeader header;
  header.curve = *curve;
  const std::uint64_t counts_at = reader.offset();
  header.n_wires = reader.u32();
  header.n_public_outputs = reader.u32();
  header.n_public_inputs = reader.u32();
  header.n_private_inputs = reader.u32();
  header.n_labels = reader.u64();
  header.n_constraints = reader.u32();

  const std::uint64_t named =
      std::uint64_t{1} + header.n_public_outputs + header.n_public_inputs + header.n_private_inputs;
  if (header.n_wires < named) {
    return container.fail(
        section, counts_at, "wire_count",
        fmt::format("{} wires, expected at least {} (1 + {} outputs + {} public + {} private inputs)", header.n_wires,
                    named, header.n_public_outputs, header.n_public_inputs, header.n_private_inputs));
  }
  return header;
}

Result<void> refuse_custom_gates(const Container& container) {
  for (const std::uint32_t id : {kCustomGates, kCustomGateUses}) {
    if (!container.has(id)) continue;
    const Section section = container.section(id);
    if (section.payload.size() < 4) {
      return container.fail(section, section.offset, "section_length",
                            fmt::format("length {}, expected at least 4", section.payload.size()));
    }
    if (const std::uint32_t count = load_u32(section.payload.data()); count != 0) {
      return container.fail(section, section.offset, "custom_gates",
                            fmt::format("{} custom gates, expected 0: Groth16 has no custom gates", count));
    }
  }
  return {};
}

// Without labels no section's length speaks of the wires: their number is held to what the constraints could name, and
// to some that nothing names, so that a few bytes cannot ask for a bitmap of 2^32 wires.
Result<void> check_unlabelled_wires(const Container& container, const R1csHeader& header) {
  const std::uint64_t most = container.section(kConstraints).payload.size() + kUnnamedWires;
  if (header.n_wires <= most) return {};
  const Section section = container.section(kR1csHeader);
  return container.fail(
      section, section.offset, "wire_count",
      fmt::format("{} wires without labels, expected at most {} in a file of this size", header.n_wires, most));
}

Result<void> check_sizes(const Container& container, const R1csHeader& header) {
  const Section constraints = container.section(kConstraints);
  if (header.n_constraints > constraints.payload.size() / kSmallestRowBytes) {
    return container.fail(constraints, constraints.offset, "constraint_count",
                          fmt::format("{} constraints do not fit into {} bytes (at least {} each)",
                                      header.n_constraints, constraints.payload.size(), kSmallestRowBytes));
  }
  if (!container.has(kLabels)) return check_unlabelled_wires(container, header);
  return container.expect_length(container.section(kLabels), header.n_wires * kLabelBytes,
                                 fmt::format("{} wires x {}", header.n_wires, kLabelBytes));
}

}  // namespace

Result<R1csFile> R1csFile::parse(std::string file, Bytes bytes) {
  Result<Container> container = Container::parse(std::move(file), bytes, kR1csRules);
  if (!container) return tl::unexpected(container.error());
  const Result<R1csHeader> header = read_r1cs_header(*container);
  if (!header) return tl::unexpected(header.error());
  if (Result<void> gates = refuse_custom_gates(*container); !gates) return tl::unexpected(gates.error());
  if (Result<void> sizes = check_sizes(*container, *header); !sizes) return tl::unexpected(sizes.error());
  return R1csFile(std::move(*container), *header);
}

Bytes R1csFile::labels() const { return container_.section(kLabels).payload; }

template <class C>
R1csFile::Rows<C> R1csFile::rows() const {
  return Rows<C>(*this, container_.section(kConstraints));
}

template <class C>
Result<bool> R1csFile::Rows<C>::next(R1csRow<C>& row) {
  if (row_ == file_.header_.n_constraints) {
    if (reader_.remaining() == 0) return false;
    return file_.container_.fail(section_, reader_.offset(), "section_length",
                                 fmt::format("{} bytes follow the last of {} constraints, expected 0",
                                             reader_.remaining(), file_.header_.n_constraints));
  }
  if (Result<void> done = read_combination('A', row.a); !done) return tl::unexpected(done.error());
  if (Result<void> done = read_combination('B', row.b); !done) return tl::unexpected(done.error());
  if (Result<void> done = read_combination('C', row.c); !done) return tl::unexpected(done.error());
  ++row_;
  return true;
}

template <class C>
Result<void> R1csFile::Rows<C>::read_combination(char matrix, std::vector<R1csTerm<C>>& terms) {
  terms.clear();
  const Container& container = file_.container_;
  const std::uint64_t at = reader_.offset();
  const std::uint32_t count = reader_.u32();
  if (reader_.overrun() || count > reader_.remaining() / kTermBytes) {
    return container.fail(section_, at, "terms",
                          fmt::format("{} of constraint {} has {} terms of {} bytes, but {} bytes are left", matrix,
                                      row_, count, kTermBytes, reader_.remaining()));
  }
  terms.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t term_at = reader_.offset();
    const std::uint32_t wire = reader_.u32();
    if (wire >= file_.header_.n_wires) {
      return container.fail(section_, term_at, "wire",
                            fmt::format("{} of constraint {} names wire {}, expected less than {}", matrix, row_, wire,
                                        file_.header_.n_wires));
    }
    const auto value = load_integer<typename C::Fr>(reader_.take(kScalarBytes).data());
    if (!C::Fr::is_canonical(value)) {
      return container.fail(section_, term_at + 4, "coefficient",
                            fmt::format("{} of constraint {}: the coefficient of wire {} is not below the prime of {}",
                                        matrix, row_, wire, C::name));
    }
    terms.push_back({wire, C::Fr::from_uint(value)});
  }
  return {};
}

namespace {

void append_u32(std::vector<std::byte>& bytes, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(value >> shift));
}

}  // namespace

template <class C>
void R1csWriter<C>::add_row(const R1csRow<C>& row) {
  for (const auto* terms : {&row.a, &row.b, &row.c}) {
    append_u32(rows_, static_cast<std::uint32_t>(terms->size()));
    for (const R1csTerm<C>& term : *terms) {
      append_u32(rows_, term.wire);
      std::array<std::byte, kScalarBytes> value;
      term.coefficient.to_uint().to_le_bytes(value);
      rows_.insert(rows_.end(), value.begin(), value.end());
    }
  }
  ++count_;
}

template <class C>
Result<void> R1csWriter<C>::write(ByteSink& sink, R1csHeader header, Bytes labels) const {
  ContainerWriter writer(sink, "r1cs", 1, 3);
  writer.section(kConstraints, rows_.size());
  writer.write(rows_);

  writer.section(kR1csHeader, kHeaderBytes);
  writer.u32(kScalarBytes);
  writer.write(prime_bytes<typename C::Fr>());
  writer.u32(header.n_wires);
  writer.u32(header.n_public_outputs);
  writer.u32(header.n_public_inputs);
  writer.u32(header.n_private_inputs);
  writer.u64(header.n_labels);
  writer.u32(count_);

  writer.section(kLabels, header.n_wires * kLabelBytes);
  writer.write(labels);
  return writer.finish();
}

template R1csFile::Rows<Bn254> R1csFile::rows<Bn254>() const;
template R1csFile::Rows<Bls12_381> R1csFile::rows<Bls12_381>() const;
template class R1csFile::Rows<Bn254>;
template class R1csFile::Rows<Bls12_381>;
template class R1csWriter<Bn254>;
template class R1csWriter<Bls12_381>;

}  // namespace groth16::formats
