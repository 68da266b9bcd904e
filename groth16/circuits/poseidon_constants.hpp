// The constants of Poseidon (Grassi, Khovratovich, Rechberger, Roy, Schofnegger 2019) over the scalar field of
// BLS12-381 as Filecoin's trees use it: S-box x^5, width arity + 1, 8 full rounds, security 128 bits with margin.
// Nothing is pasted: the round constants come from the Grain LFSR of the paper's appendix, the matrix is Cauchy's.
//
// A partial round has one S-box, so all but the first element pass it linearly. That is used twice: most of a round's
// constants move behind the S-boxes of earlier rounds, and each partial round's matrix splits into a sparse one and a
// rest that joins the matrix of the round before (the paper's appendix B). What remains is in this file's types. Row
// vectors are multiplied from the left: new_j = sum over i of old_i M[i][j].
#pragma once

#include <vector>

#include "groth16/circuits/linear_combination.hpp"

namespace groth16::circuits {

using Matrix = std::vector<std::vector<Fr>>;  // square, [row][column]

// new_0 = sum over i of w[i] old_i; new_j = old_j + v[j - 1] old_0 for j >= 1.
struct SparseMix {
  std::vector<Fr> w;  // width
  std::vector<Fr> v;  // width - 1
};

struct PoseidonConstants {
  static constexpr unsigned kFullRounds = 8;

  unsigned arity = 0;
  unsigned partial_rounds = 0;
  Fr domain_tag = Fr::zero();  // element 0 of the state: 2^arity - 1, the tag of a tree's node

  // (full + partial) * width constants, round by round.
  std::vector<Fr> round_constants;

  // In the order of their use: width constants before the first S-boxes, then those behind the S-boxes: width for each
  // of the first 4 full rounds, 1 for each partial round, width for each of the next 3 full rounds.
  std::vector<Fr> compressed;
  Matrix mix;                     // after every full round but the fourth
  Matrix pre_sparse;              // after the fourth full round
  std::vector<SparseMix> sparse;  // after each partial round

  unsigned width() const { return arity + 1; }
};

// For arity 2, 4, 8, 11 or 16; made on first use and kept. Any thread may call it.
const PoseidonConstants& poseidon_constants(unsigned arity);

}  // namespace groth16::circuits
