// The bodies of h_transforms.cuh; each curve is compiled in a file of its own.
#pragma once

#include "cuda/h_transforms.cuh"
#include "cuda/threads.cuh"

namespace groth16::device {

namespace {

constexpr unsigned kHThreads = 128;

// scalars = (p f - q g) as plain numbers; f and g are plain.
template <class Fr>
__global__ void __launch_bounds__(kHThreads)
    monomial_scalars(const Fr* p, const Fr* q, typename Fr::Integer f, typename Fr::Integer g, UInt<4>* scalars,
                     std::size_t count) {
  const std::size_t i = thread_index();
  if (i >= count) return;
  store16(scalars + i, (load16(p + i).mul_raw(f) - load16(q + i).mul_raw(g)).limbs());
}

// scalars = (a b f - c g) as plain numbers.
template <class Fr>
__global__ void __launch_bounds__(kHThreads)
    lagrange_scalars(const Fr* a, const Fr* b, const Fr* c, typename Fr::Integer f, typename Fr::Integer g,
                     UInt<4>* scalars, std::size_t count) {
  const std::size_t i = thread_index();
  if (i >= count) return;
  const Fr product = load16(a + i) * load16(b + i);
  store16(scalars + i, (product.mul_raw(f) - load16(c + i).mul_raw(g)).limbs());
}

template <class F>
__global__ void place(const Affine<F>* in, std::uint32_t first, std::size_t count, unsigned log2, bool reversed,
                      Affine<F>* out) {
  const std::size_t i = thread_index();
  if (i >= count) return;
  const std::uint32_t at = first + static_cast<std::uint32_t>(i);
  store16(out + (reversed ? __brev(at) >> (32 - log2) : at), load16(in + i));
}

__global__ void take(const UInt<4>* scalars, std::uint32_t first, std::size_t count, unsigned log2, bool reversed,
                     UInt<4>* out) {
  const std::size_t i = thread_index();
  if (i >= count) return;
  const std::uint32_t at = first + static_cast<std::uint32_t>(i);
  store16(out + i, load16(scalars + (reversed ? __brev(at) >> (32 - log2) : at)));
}

}  // namespace

template <class C>
HTransforms<C>::HTransforms(std::uint32_t domain_log2, DomainRoot root, HBasis basis, const Stream& stream)
    : basis_(basis),
      to_coefficients_(C::root_of_unity(root, domain_log2).inverse(), Fr::one(), domain_log2, stream.get()),
      to_coset_(C::root_of_unity(root, domain_log2), C::root_of_unity(root, domain_log2 + 1), domain_log2,
                stream.get()) {
  if (basis == HBasis::monomial) {
    from_coset_.emplace(C::root_of_unity(root, domain_log2).inverse(),
                        C::root_of_unity(root, domain_log2 + 1).inverse(), domain_log2, stream.get());
  }
  stream.wait("twiddles");
}

template <class C>
std::uint64_t HTransforms<C>::planned_bytes(std::uint32_t domain_log2, HBasis basis) {
  return (sizeof(Fr) << domain_log2) * (basis == HBasis::monomial ? 3 : 2);
}

template <class C>
void HTransforms<C>::run(Fr* a, Fr* b, Fr* product, UInt<4>* scalars, cudaStream_t stream) const {
  const std::size_t n = std::size_t{1} << to_coset_.log2();
  const Fr n_inverse = Fr::from_u64(n).inverse();
  const Fr to_plain = Fr::from_montgomery_limbs(Fr::Integer::from_u64(1));  // x * to_plain has x's plain limbs
  decimate_frequency<Fr>(a, product, to_coefficients_, {b, nullptr}, stream);
  for (Fr* const values : {a, b}) {
    decimate_frequency<Fr>(values, values, to_coefficients_, {}, stream);
    decimate_time<Fr>(values, values, to_coset_, {}, stream);
  }
  const unsigned blocks = blocks_for(n, kHThreads);
  if (basis_ == HBasis::monomial) {
    decimate_frequency<Fr>(a, a, *from_coset_, {b, nullptr}, stream);
    const Fr half = Fr::from_u64(2).inverse();
    monomial_scalars<Fr>
        <<<blocks, kHThreads, 0, stream>>>(product, a, (half * n_inverse * to_plain).limbs(),
                                           (half * n_inverse * n_inverse * n_inverse * to_plain).limbs(), scalars, n);
    check_launch("monomial_scalars");
  } else {
    decimate_time<Fr>(product, product, to_coset_, {}, stream);
    lagrange_scalars<Fr><<<blocks, kHThreads, 0, stream>>>(a, b, product, (n_inverse * n_inverse * to_plain).limbs(),
                                                           (n_inverse * to_plain).limbs(), scalars, n);
    check_launch("lagrange_scalars");
  }
}

template <class F>
void place_points(const Affine<F>* in, std::size_t first, std::size_t count, unsigned log2, bool reversed,
                  Affine<F>* out, cudaStream_t stream) {
  place<F>
      <<<blocks_for(count, 256), 256, 0, stream>>>(in, static_cast<std::uint32_t>(first), count, log2, reversed, out);
  check_launch("place");
}

inline void take_scalars(const UInt<4>* scalars, std::size_t first, std::size_t count, unsigned log2, bool reversed,
                         UInt<4>* out, cudaStream_t stream) {
  take<<<blocks_for(count, kHThreads), kHThreads, 0, stream>>>(scalars, static_cast<std::uint32_t>(first), count, log2,
                                                               reversed, out);
  check_launch("take");
}

}  // namespace groth16::device
