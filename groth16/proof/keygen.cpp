// From the values of the wires' polynomials at tau to the points of a key.
#include "groth16/proof/keygen.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "groth16/proof/blinding.hpp"

namespace groth16 {

using groth16d::ErrorCode;
using groth16d::failure;
using groth16d::Result;

namespace {

constexpr std::size_t kGrain = 1024;

// The values at tau of the polynomials of every wire: a_s, b_s, c_s.
template <class C>
struct WireValues {
  std::vector<typename C::Fr> a, b, c;
};

// out[wire] = sum over rows of coefficient times lagrange[row], for the wires first .. end - 1 alone.
template <class C>
void add_wire_values(const ConstraintSystem<C>& system, MatrixId matrix, std::uint64_t first, std::uint64_t end,
                     std::span<const typename C::Fr> lagrange, std::span<typename C::Fr> out, const Compute& compute) {
  using Fr = typename C::Fr;
  constexpr std::uint64_t kRowsAtOnce = std::uint64_t{1} << 20;
  const Fr one = Fr::one(), minus_one = -one;
  for (std::uint64_t row = 0; row < system.n_rows(); ++row) {
    if (row % kRowsAtOnce == 0) compute.beat();
    if (row % kRowsAtOnce == 0 && compute.cancelled()) return;
    system.matrix(matrix).for_each_term(row, [&](std::uint32_t wire, std::uint32_t index) {
      if (wire < first || wire >= end) return;
      const Fr& coefficient = system.dictionary()[index];
      if (coefficient == one) {
        out[wire] += lagrange[row];
      } else if (coefficient == minus_one) {
        out[wire] -= lagrange[row];
      } else {
        out[wire] += coefficient * lagrange[row];
      }
    });
  }
}

// Each thread reads all terms and keeps those of its wires: a term is read in a nanosecond, and adding it up waits for
// memory.
template <class C>
WireValues<C> wire_values(const ConstraintSystem<C>& system, const typename C::Fr& tau, DomainRoot root,
                          const Compute& compute) {
  using Fr = typename C::Fr;
  std::vector<Fr> lagrange(system.domain_size());
  lagrange_at(tau, Fr::one(), C::root_of_unity(root, system.sizes().domain_log2), std::span<Fr>(lagrange), compute);
  WireValues<C> values;
  const std::array<std::pair<MatrixId, std::vector<Fr>*>, 3> outputs{
      {{MatrixId::a, &values.a}, {MatrixId::b, &values.b}, {MatrixId::c, &values.c}}};
  const std::uint64_t n_vars = system.n_vars(), n_parts = compute.threads();
  for (const auto& [matrix, out] : outputs) {
    out->assign(n_vars, Fr::zero());
    const auto parts = [&, matrix = matrix, out = out](std::size_t begin, std::size_t end) {
      add_wire_values(system, matrix, n_vars * begin / n_parts, n_vars * end / n_parts, std::span<const Fr>(lagrange),
                      std::span<Fr>(*out), compute);
    };
    compute.parallel_for(n_parts, parts, 1);
  }
  return values;
}

// k_s / divisor for wires first .. first + count - 1, with k_s = beta a_s + alpha b_s + c_s.
template <class C>
std::vector<typename C::Fr> k_scalars(const WireValues<C>& values, const ToxicWaste<C>& toxic, std::size_t first,
                                      std::size_t count, const typename C::Fr& divisor, const Compute& compute) {
  const auto factor = divisor.inverse();
  std::vector<typename C::Fr> out(count);
  const auto range = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t wire = first + i;
      out[i] = (toxic.beta * values.a[wire] + toxic.alpha * values.b[wire] + values.c[wire]) * factor;
    }
  };
  compute.parallel_for(count, range, kGrain);
  return out;
}

// The scalars of section h; see HBasis.
template <class C>
std::vector<typename C::Fr> h_points_scalars(const KeySizes& sizes, const ToxicWaste<C>& toxic, DomainRoot root,
                                             const Compute& compute) {
  using Fr = typename C::Fr;
  std::vector<Fr> out(sizes.h_count());
  const Fr z = toxic.tau.pow(sizes.system.domain_size()) - Fr::one();
  if (sizes.basis == HBasis::monomial) {
    const Fr first = z * toxic.delta.inverse();
    const auto powers = [&](std::size_t begin, std::size_t end) {
      Fr value = first * toxic.tau.pow(begin);
      for (std::size_t i = begin; i < end; ++i, value *= toxic.tau) out[i] = value;
    };
    compute.parallel_for(out.size(), powers, kGrain);
    return out;
  }
  // With w of order 2n, the basis of the double domain restricted to its odd points is that of the coset w times
  // -Z(tau) / 2, the factor that vanishes on the even points and is 1 on the odd ones.
  const std::uint32_t log2 = sizes.system.domain_log2;
  lagrange_at(toxic.tau, C::root_of_unity(root, log2 + 1), C::root_of_unity(root, log2), std::span<Fr>(out), compute);
  const Fr factor = -z * (toxic.delta.doubled()).inverse();
  for (Fr& scalar : out) scalar *= factor;
  return out;
}

template <class C>
bool is_usable(const ToxicWaste<C>& toxic, std::uint64_t domain_size) {
  for (const auto& value : {toxic.tau, toxic.alpha, toxic.beta, toxic.gamma, toxic.delta}) {
    if (value.is_zero()) return false;
  }
  return !toxic.tau.pow(2 * domain_size).is_one();
}

}  // namespace

template <class C>
Result<ToxicWaste<C>> ToxicWaste<C>::draw() {
  ToxicWaste toxic;
  for (Fr* value : {&toxic.tau, &toxic.alpha, &toxic.beta, &toxic.delta}) {
    const auto scalar = draw_scalar<C>();
    if (!scalar) return tl::unexpected(scalar.error());
    *value = Fr::from_uint(*scalar);
  }
  return toxic;
}

// Each value is a SHA-256 of a label, the seed and a number, reduced modulo r.
template <class C>
ToxicWaste<C> ToxicWaste<C>::from_seed(std::uint64_t seed) {
  ToxicWaste toxic;
  unsigned number = 0;
  for (Fr* value : {&toxic.tau, &toxic.alpha, &toxic.beta, &toxic.delta}) {
    const std::string text = "groth16d development key " + std::to_string(seed) + " " + std::to_string(number++);
    const Digest digest = groth16d::sha256(text);
    *value = Fr::from_uint(C::Scalar::from_le_bytes(std::as_bytes(std::span(digest))));
  }
  return toxic;
}

template <class C>
std::uint64_t generated_key_bytes(const ConstraintSystem<C>& system, HBasis basis) {
  return key_header<C>({system.sizes(), basis}, DomainRoot::five).total_bytes;  // the same for every root
}

// The three polynomials' values, and beside them those of the Lagrange basis, or the scalars of one section.
template <class C>
std::uint64_t generate_key_private_bytes(const SystemSizes& sizes) {
  return (3 * sizes.n_vars + std::max(sizes.domain_size(), sizes.n_vars)) * sizeof(typename C::Fr);
}

template <class Fr>
void lagrange_at(const Fr& tau, const Fr& shift, const Fr& root, std::span<Fr> out, const Compute& compute) {
  const std::uint64_t n = out.size();
  const Fr factor = ((tau * shift.inverse()).pow(n) - Fr::one()) * Fr::from_u64(n).inverse();
  const auto values = [&](std::size_t begin, std::size_t end) {
    const Fr first = shift * root.pow(begin);
    Fr x = first;
    for (std::size_t i = begin; i < end; ++i, x *= root) out[i] = tau - x;
    batch_inverse(out.subspan(begin, end - begin));
    x = first;
    for (std::size_t i = begin; i < end; ++i, x *= root) out[i] *= factor * x;
  };
  compute.parallel_for(n, values, kGrain);
}

template <class C>
Result<void> generate_key(const ConstraintSystem<C>& system, const ToxicWaste<C>& toxic, HBasis basis, DomainRoot root,
                          std::span<std::byte> out, const GeneratorMultiples<C>& multiples, const Compute& compute,
                          const Digest* source) {
  using Fr = typename C::Fr;
  if (!system.has_c()) {
    return failure(ErrorCode::malformed, "keygen.no_c", "a key needs all three matrices, this system has no C");
  }
  if (!is_usable(toxic, system.domain_size())) {
    return failure(ErrorCode::malformed, "keygen.toxic", "a toxic value is zero, or tau lies in the domain");
  }
  const KeySizes sizes{system.sizes(), basis};
  const auto sections = begin_key<C>(out, sizes, root);
  if (!sections) return tl::unexpected(sections.error());

  const WireValues<C> values = wire_values(system, toxic.tau, root, compute);

  Result<void> done;
  const auto in_g1 = [&](const std::vector<Fr>& scalars, std::span<typename C::G1> points) {
    if (done) done = multiples.in_g1(scalars, points, compute);
  };
  const auto in_g2 = [&](const std::vector<Fr>& scalars, std::span<typename C::G2> points) {
    if (done) done = multiples.in_g2(scalars, points, compute);
  };
  in_g1({toxic.alpha, toxic.beta, toxic.delta}, sections->fixed_g1);
  in_g2({toxic.beta, toxic.gamma, toxic.delta}, sections->fixed_g2);
  in_g1(values.a, sections->a);
  in_g1(values.b, sections->b1);
  in_g2(values.b, sections->b2);
  const std::size_t n_ic = system.n_public() + 1;
  in_g1(k_scalars(values, toxic, 0, n_ic, toxic.gamma, compute), sections->ic);
  in_g1(k_scalars(values, toxic, n_ic, system.sizes().n_private(), toxic.delta, compute), sections->l);
  in_g1(h_points_scalars(sizes, toxic, root, compute), sections->h);
  if (!done) return done;
  if (compute.cancelled()) return failure(ErrorCode::cancelled, "cancelled", "key generation: cancelled");
  return finish_key<C>(out, source, kKeyDevelopment);
}

#define GROTH16_DEFINE_KEYGEN(C)                                                                           \
  template struct ToxicWaste<C>;                                                                           \
  template std::uint64_t generated_key_bytes(const ConstraintSystem<C>&, HBasis);                          \
  template std::uint64_t generate_key_private_bytes<C>(const SystemSizes&);                                \
  template Result<void> generate_key(const ConstraintSystem<C>&, const ToxicWaste<C>&, HBasis, DomainRoot, \
                                     std::span<std::byte>, const GeneratorMultiples<C>&, const Compute&,   \
                                     const Digest*);                                                       \
  template void lagrange_at(const C::Fr&, const C::Fr&, const C::Fr&, std::span<C::Fr>, const Compute&);
GROTH16_DEFINE_KEYGEN(Bn254)
GROTH16_DEFINE_KEYGEN(Bls12_381)

}  // namespace groth16
