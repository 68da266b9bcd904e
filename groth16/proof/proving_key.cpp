// The flat layout of a proving key.
#include "groth16/proof/proving_key.hpp"

#include <string>

#include "groth16/proof/constraint_system_builder.hpp"
#include "groth16/proof/flat_array.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::array<const char*, kKeySections> kSectionNames{"fixed_g1", "fixed_g2", "ic", "a", "b1", "b2", "l", "h"};

constexpr bool is_in_g2(std::size_t section) {
  return section == static_cast<std::size_t>(KeySection::fixed_g2) ||
         section == static_cast<std::size_t>(KeySection::b2);
}

std::array<std::uint64_t, kKeySections> section_counts(const KeySizes& sizes) {
  const SystemSizes& system = sizes.system;
  return {3, 3, system.n_public + 1, system.n_vars, system.n_vars, system.n_vars, system.n_private(), sizes.h_count()};
}

tl::unexpected<groth16d::Error> malformed(const std::string& name, const std::string& text) {
  return failure(ErrorCode::malformed, "key." + name, "proving key: " + text);
}

// The enumerators and sizes that a header may state, for curve C.
template <class C>
Result<void> check_sizes(const KeySizes& sizes, DomainRoot root) {
  if (const auto checked = ConstraintSystemBuilder<C>::check_sizes(sizes.system); !checked) {
    return malformed("sizes", checked.error().text);
  }
  if (sizes.basis != HBasis::odd_coset_lagrange && sizes.basis != HBasis::monomial) {
    return malformed("sizes",
                     "H basis number " + std::to_string(static_cast<std::uint32_t>(sizes.basis)) + " is not known");
  }
  if ((root != DomainRoot::five && root != DomainRoot::seven) || !C::has_root(root)) {
    return malformed("sizes", "domain root " + std::to_string(static_cast<std::uint32_t>(root)) + " is none of " +
                                  std::string(C::name));
  }
  return {};
}

template <class T, class Byte>
auto section_of(std::span<Byte> bytes, const KeyHeader& header, KeySection section) {
  const auto index = static_cast<std::size_t>(section);
  return flat_array<T>(bytes, header.offset[index], header.count[index], std::string("key.") + kSectionNames[index]);
}

// The verifying key's sections are small and lie in a key that has just been opened.
template <class C>
Result<ProvingKey<C>> open_written(std::span<std::byte> bytes) {
  return ProvingKey<C>::open(std::span<const std::byte>(bytes));
}

}  // namespace

template <class C>
KeyHeader key_header(const KeySizes& sizes, DomainRoot root) {
  KeyHeader header{};
  header.magic = KeyHeader::kMagic;
  header.layout_version = KeyHeader::kLayoutVersion;
  header.curve = static_cast<std::uint32_t>(C::id);
  header.h_basis = static_cast<std::uint32_t>(sizes.basis);
  header.root = static_cast<std::uint32_t>(root);
  header.n_vars = sizes.system.n_vars;
  header.n_public = sizes.system.n_public;
  header.n_constraints = sizes.system.n_constraints;
  header.domain_log2 = sizes.system.domain_log2;
  header.count = section_counts(sizes);
  std::uint64_t end = align_up(sizeof(KeyHeader), KeyHeader::kPageBytes);
  for (std::size_t section = 0; section < kKeySections; ++section) {
    header.offset[section] = end;
    const std::uint64_t point_bytes = is_in_g2(section) ? sizeof(typename C::G2) : sizeof(typename C::G1);
    end = align_up(end + header.count[section] * point_bytes, KeyHeader::kPageBytes);
  }
  header.total_bytes = end;
  return header;
}

template <class C>
Result<KeySections<C>> begin_key(std::span<std::byte> out, const KeySizes& sizes, DomainRoot root) {
  if (const auto checked = check_sizes<C>(sizes, root); !checked) return tl::unexpected(checked.error());
  const KeyHeader header = key_header<C>(sizes, root);
  if (out.size() < header.total_bytes || reinterpret_cast<std::uintptr_t>(out.data()) % 8 != 0) {
    return failure(ErrorCode::internal, "key.length",
                   "proving key: " + std::to_string(out.size()) + " bytes to write to, expected " +
                       std::to_string(header.total_bytes) + ", aligned to 8");
  }
  store_flat(out, header);
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  return KeySections<C>{section_of<G1>(out, header, KeySection::fixed_g1).value(),
                        section_of<G2>(out, header, KeySection::fixed_g2).value(),
                        section_of<G1>(out, header, KeySection::ic).value(),
                        section_of<G1>(out, header, KeySection::a).value(),
                        section_of<G1>(out, header, KeySection::b1).value(),
                        section_of<G2>(out, header, KeySection::b2).value(),
                        section_of<G1>(out, header, KeySection::l).value(),
                        section_of<G1>(out, header, KeySection::h).value()};
}

template <class C>
Result<void> finish_key(std::span<std::byte> out, const Digest* source_digest, std::uint32_t warnings) {
  const auto key = open_written<C>(out);
  if (!key) return tl::unexpected(key.error());
  auto header = load_flat<KeyHeader>(out);
  const VerifyingKey<C> vk = verifying_key(*key);
  header.vk_digest = digest(vk);
  header.warnings = warnings | (is_forgeable(vk) ? kKeyForgeable : 0);
  const std::uint64_t sections_bytes = header.total_bytes - header.offset[0];
  header.key_digest =
      source_digest != nullptr ? *source_digest : groth16d::sha256(out.subspan(header.offset[0], sections_bytes));
  store_flat(out, header);
  return {};
}

template <class C>
Result<ProvingKey<C>> ProvingKey<C>::open(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(KeyHeader)) {
    return malformed("length", std::to_string(bytes.size()) + " bytes are too few for its header");
  }
  const auto header = load_flat<KeyHeader>(bytes);
  if (header.magic != KeyHeader::kMagic) return malformed("magic", "the first 8 bytes are not its magic");
  if (header.layout_version != KeyHeader::kLayoutVersion) {
    return malformed("version", "layout version " + std::to_string(header.layout_version) + ", expected " +
                                    std::to_string(KeyHeader::kLayoutVersion));
  }
  if (header.curve != static_cast<std::uint32_t>(C::id)) {
    return failure(ErrorCode::mismatch, "key.curve",
                   "proving key: curve number " + std::to_string(header.curve) + ", expected " +
                       std::to_string(static_cast<std::uint32_t>(C::id)) + " (" + std::string(C::name) + ")");
  }
  const KeySizes sizes{{header.n_vars, header.n_public, header.n_constraints, header.domain_log2},
                       static_cast<HBasis>(header.h_basis)};
  const auto root = static_cast<DomainRoot>(header.root);
  if (const auto checked = check_sizes<C>(sizes, root); !checked) return tl::unexpected(checked.error());
  const KeyHeader expected = key_header<C>(sizes, root);
  if (header.offset != expected.offset || header.count != expected.count ||
      header.total_bytes != expected.total_bytes) {
    return malformed("sections", "its sections do not lie where its sizes put them");
  }
  if (header.total_bytes > bytes.size()) {
    return malformed("length", "says " + std::to_string(header.total_bytes) + " bytes, " +
                                   std::to_string(bytes.size()) + " are there");
  }

  ProvingKey key;
  key.sizes_ = sizes.system;
  key.basis_ = sizes.basis;
  key.root_ = root;
  key.warnings_ = header.warnings;
  key.key_digest_ = header.key_digest;
  key.vk_digest_ = header.vk_digest;
  groth16d::Error error;
  const auto take = [&](auto& member, KeySection section) {
    using Point = typename std::remove_reference_t<decltype(member)>::value_type;
    const auto points = section_of<Point>(bytes, header, section);
    if (points) {
      member = *points;
    } else {
      error = points.error();
    }
    return points.has_value();
  };
  if (!take(key.fixed_g1_, KeySection::fixed_g1) || !take(key.fixed_g2_, KeySection::fixed_g2) ||
      !take(key.ic_, KeySection::ic) || !take(key.a_, KeySection::a) || !take(key.b1_, KeySection::b1) ||
      !take(key.b2_, KeySection::b2) || !take(key.l_, KeySection::l) || !take(key.h_, KeySection::h)) {
    return tl::unexpected(error);
  }
  return key;
}

template <class C>
VerifyingKey<C> verifying_key(const ProvingKey<C>& key) {
  return {key.alpha1(), key.beta2(), key.gamma2(), key.delta2(), {key.ic().begin(), key.ic().end()}};
}

template <class C>
Result<void> check_belong_together(const ProvingKey<C>& key, const ConstraintSystem<C>& system) {
  const SystemSizes &of_key = key.sizes(), &of_system = system.sizes();
  if (of_key.n_vars == of_system.n_vars && of_key.n_public == of_system.n_public &&
      of_key.domain_log2 == of_system.domain_log2) {
    return {};
  }
  const auto describe = [](const SystemSizes& sizes) {
    return std::to_string(sizes.n_vars) + " wires, " + std::to_string(sizes.n_public) + " public, a domain of 2^" +
           std::to_string(sizes.domain_log2);
  };
  return failure(ErrorCode::mismatch, "key.system_sizes",
                 "the proving key has " + describe(of_key) + "; the constraint system has " + describe(of_system));
}

#define GROTH16_DEFINE_PROVING_KEY(C)                                                              \
  template KeyHeader key_header<C>(const KeySizes&, DomainRoot);                                   \
  template Result<KeySections<C>> begin_key<C>(std::span<std::byte>, const KeySizes&, DomainRoot); \
  template Result<void> finish_key<C>(std::span<std::byte>, const Digest*, std::uint32_t);         \
  template class ProvingKey<C>;                                                                    \
  template VerifyingKey<C> verifying_key(const ProvingKey<C>&);                                    \
  template Result<void> check_belong_together(const ProvingKey<C>&, const ConstraintSystem<C>&);
GROTH16_DEFINE_PROVING_KEY(Bn254)
GROTH16_DEFINE_PROVING_KEY(Bls12_381)

}  // namespace groth16
