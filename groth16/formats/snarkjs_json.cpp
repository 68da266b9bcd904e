// Reading snarkjs's JSON files. Writing is in snarkjs_json_writer.cpp.
#include "groth16/formats/snarkjs_json.hpp"

#include <fmt/format.h>

#include <optional>

#include "groth16/formats/json_document.hpp"

namespace groth16::formats {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;
using nlohmann::json;

namespace {

// Canonical decimal digits as a number of at most N limbs; nothing for any other text or a larger number.
template <std::size_t N>
std::optional<UInt<N>> parse_decimal(std::string_view text) {
  const bool canonical = !text.empty() && (text == "0" || text[0] != '0') &&
                         text.find_first_not_of("0123456789") == std::string_view::npos;
  return canonical ? UInt<N>::parse(text) : std::nullopt;
}

// The reader of one document: turns values into points and says where it failed.
class Reader {
 public:
  Reader(const std::string& file, std::string_view format) : file_(file), format_(format) {}

  tl::unexpected<groth16d::Error> fail(std::string_view rule, std::string_view text,
                                       ErrorCode code = ErrorCode::malformed) const {
    return failure(code, fmt::format("{}.{}", format_, rule), fmt::format("{}: {}", file_, text));
  }

  Result<const json*> member(const json& object, const char* key) const {
    const auto found = object.find(key);
    if (found != object.end()) return &*found;
    return fail("missing_key", fmt::format("the key \"{}\" is missing", key));
  }

  Result<void> expect_groth16(const json& object) const {
    const Result<const json*> protocol = member(object, "protocol");
    if (!protocol) return tl::unexpected(protocol.error());
    if (**protocol == "groth16") return {};
    return fail("protocol", "\"protocol\" is not \"groth16\"");
  }

  template <class P>
  Result<void> coordinate(const json& value, const std::string& where, Fp<P>& out) const {
    if (!value.is_string()) return fail("shape", fmt::format("{} is not a decimal string", where));
    const auto& text = value.get_ref<const std::string&>();
    const auto integer = parse_decimal<Fp<P>::kLimbs>(text);
    if (!integer) {
      return fail("decimal", fmt::format("{} is not a canonical decimal number of at most {} bits", where,
                                         UInt<Fp<P>::kLimbs>::kBits));
    }
    if (!Fp<P>::is_canonical(*integer)) return fail("coordinate", fmt::format("{} is not below the prime q", where));
    out = Fp<P>::from_uint(*integer);
    return {};
  }

  template <class F>
  Result<void> coordinate(const json& value, const std::string& where, Fp2<F>& out) const {
    if (!value.is_array() || value.size() != 2) {
      return fail("shape", fmt::format("{} is not a pair of decimal strings", where));
    }
    return coordinate(value[0], where + "[0]", out.c0).and_then([&] {
      return coordinate(value[1], where + "[1]", out.c1);
    });
  }

  template <class C, class Point>
  Result<Point> point(const json& value, const std::string& where) const {
    using Field = typename Point::Field;
    if (!value.is_array() || value.size() != 3) {
      return fail("shape", fmt::format("{} is not an array of 3 coordinates", where));
    }
    Point point;
    Field z;
    const Result<void> read = coordinate(value[0], where + "[0]", point.x)
                                  .and_then([&] { return coordinate(value[1], where + "[1]", point.y); })
                                  .and_then([&] { return coordinate(value[2], where + "[2]", z); });
    if (!read) return tl::unexpected(read.error());
    if (z.is_zero() && point.x.is_zero() && point.y.is_one()) return Point::infinity();
    if (!z.is_one()) return fail("z", fmt::format("{}: z is not 1", where));
    // (0, 0) is the library's infinity and no point of a file.
    if (point.is_infinity() || !on_curve(point, b<C>(point))) {
      return fail("not_on_curve", fmt::format("{} is not on the curve", where));
    }
    if (!C::in_subgroup(point))
      return fail("not_in_subgroup", fmt::format("{} is not in the subgroup of order r", where));
    return point;
  }

  template <class C, class Point>
  Result<Point> member_point(const json& object, const char* key) const {
    const Result<const json*> value = member(object, key);
    if (!value) return tl::unexpected(value.error());
    return point<C, Point>(**value, key);
  }

  template <class C, class Point>
  Result<Point> finite_member_point(const json& object, const char* key) const {
    Result<Point> found = member_point<C, Point>(object, key);
    if (found && found->is_infinity()) return fail("infinity", fmt::format("{} is at infinity", key));
    return found;
  }

 private:
  template <class C>
  static const typename C::Fq& b(const typename C::G1&) {
    return C::b_g1();
  }
  template <class C>
  static const typename C::Fq2& b(const typename C::G2&) {
    return C::b_g2();
  }

  const std::string& file_;
  std::string_view format_;
};

// A proof is about 1 KiB, whatever its circuit.
constexpr JsonLimits kProofLimits{.max_bytes = 64 << 10};

// The document as an object.
Result<json> parse_object(const Reader& reader, const std::string& file, std::string_view text,
                          JsonLimits limits = {}) {
  Result<json> document = parse_json(file, text, limits);
  if (document && !document->is_object()) return reader.fail("shape", "the file is not a JSON object");
  return document;
}

template <class C>
Result<std::vector<typename C::G1>> read_ic(const Reader& reader, const json& document) {
  const Result<const json*> count = reader.member(document, "nPublic");
  if (!count) return tl::unexpected(count.error());
  const Result<const json*> points = reader.member(document, "IC");
  if (!points) return tl::unexpected(points.error());
  if (!(*points)->is_array()) return reader.fail("shape", "\"IC\" is not an array");
  if (!(*count)->is_number_unsigned()) return reader.fail("shape", "\"nPublic\" is not a number");
  const auto n_public = (*count)->get<std::uint64_t>();
  const std::uint64_t found = (*points)->size();
  if (found == 0 || found - 1 != n_public) {
    return reader.fail("public_count",
                       fmt::format("IC has {} points, expected nPublic + 1 with nPublic = {}", found, n_public));
  }
  std::vector<typename C::G1> ic;
  ic.reserve(found);
  for (const json& value : **points) {
    Result<typename C::G1> point = reader.point<C, typename C::G1>(value, fmt::format("IC[{}]", ic.size()));
    if (!point) return tl::unexpected(point.error());
    ic.push_back(*point);
  }
  return ic;
}

template <class C>
Result<AnyVerifyingKey> read_verifying_key(const Reader& reader, const json& document) {
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  const Result<G1> alpha1 = reader.finite_member_point<C, G1>(document, "vk_alpha_1");
  if (!alpha1) return tl::unexpected(alpha1.error());
  const Result<G2> beta2 = reader.finite_member_point<C, G2>(document, "vk_beta_2");
  if (!beta2) return tl::unexpected(beta2.error());
  const Result<G2> gamma2 = reader.finite_member_point<C, G2>(document, "vk_gamma_2");
  if (!gamma2) return tl::unexpected(gamma2.error());
  const Result<G2> delta2 = reader.finite_member_point<C, G2>(document, "vk_delta_2");
  if (!delta2) return tl::unexpected(delta2.error());
  Result<std::vector<G1>> ic = read_ic<C>(reader, document);
  if (!ic) return tl::unexpected(ic.error());
  return VerifyingKey<C>{*alpha1, *beta2, *gamma2, *delta2, std::move(*ic)};
}

// The curve that a "curve" value names.
Result<CurveId> read_curve(const Reader& reader, const json& value) {
  if (!value.is_string()) return reader.fail("curve", "\"curve\" is not a string");
  const auto& name = value.get_ref<const std::string&>();
  if (const std::optional<CurveId> curve = curve_from_name(name)) return *curve;
  return reader.fail("curve", fmt::format("the curve \"{}\" is neither bn128 nor bls12381", name.substr(0, 32)));
}

}  // namespace

Result<AnyVerifyingKey> parse_verification_key_json(const std::string& file, std::string_view text) {
  const Reader reader(file, "vk");
  const Result<json> document = parse_object(reader, file, text);
  if (!document) return tl::unexpected(document.error());
  if (Result<void> protocol = reader.expect_groth16(*document); !protocol) return tl::unexpected(protocol.error());
  const Result<const json*> name = reader.member(*document, "curve");
  if (!name) return tl::unexpected(name.error());
  const Result<CurveId> curve = read_curve(reader, **name);
  if (!curve) return tl::unexpected(curve.error());
  return with_curve(*curve, [&]<class C>() { return read_verifying_key<C>(reader, *document); });
}

template <class C>
Result<Proof<C>> parse_proof_json(const std::string& file, std::string_view text) {
  const Reader reader(file, "proof");
  const Result<json> document = parse_object(reader, file, text, kProofLimits);
  if (!document) return tl::unexpected(document.error());
  if (Result<void> protocol = reader.expect_groth16(*document); !protocol) return tl::unexpected(protocol.error());
  if (const auto name = document->find("curve"); name != document->end()) {
    const Result<CurveId> curve = read_curve(reader, *name);
    if (!curve) return tl::unexpected(curve.error());
    if (*curve != C::id) {
      return reader.fail("curve", fmt::format("the proof is for {}, expected {}", curve_name(*curve), C::name),
                         ErrorCode::mismatch);
    }
  }
  const auto a = reader.member_point<C, typename C::G1>(*document, "pi_a");
  if (!a) return tl::unexpected(a.error());
  const auto b = reader.member_point<C, typename C::G2>(*document, "pi_b");
  if (!b) return tl::unexpected(b.error());
  const auto c = reader.member_point<C, typename C::G1>(*document, "pi_c");
  if (!c) return tl::unexpected(c.error());
  return Proof<C>{*a, *b, *c};
}

Result<std::vector<UInt<4>>> parse_public_json(const std::string& file, std::string_view text, CurveId curve) {
  const Reader reader(file, "public");
  const Result<json> document = parse_json(file, text);
  if (!document) return tl::unexpected(document.error());
  if (!document->is_array()) return reader.fail("shape", "the file is not a JSON array");
  const UInt<4> r = with_curve(curve, []<class C>() { return C::Fr::modulus(); });
  std::vector<UInt<4>> values;
  values.reserve(document->size());
  for (const json& value : *document) {
    const std::size_t index = values.size();
    if (!value.is_string()) return reader.fail("shape", fmt::format("value {} is not a decimal string", index));
    const std::optional<UInt<4>> number = parse_decimal<4>(value.get_ref<const std::string&>());
    if (!number) {
      return reader.fail("decimal",
                         fmt::format("value {} is not a canonical decimal number of at most 256 bits", index));
    }
    if (*number >= r) {
      return reader.fail("not_canonical",
                         fmt::format("value {} is not below the prime r of {}", index, curve_name(curve)));
    }
    values.push_back(*number);
  }
  return values;
}

template Result<Proof<Bn254>> parse_proof_json(const std::string&, std::string_view);
template Result<Proof<Bls12_381>> parse_proof_json(const std::string&, std::string_view);

}  // namespace groth16::formats
