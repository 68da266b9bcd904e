#include "groth16/circuits/poseidon_constants.hpp"

#include <array>
#include <cstdlib>
#include <deque>

namespace groth16::circuits {

namespace {

constexpr unsigned kFieldBits = 255;
constexpr unsigned kHalfFull = PoseidonConstants::kFullRounds / 2;

// The self-shrinking Grain LFSR: 80 bits of state that name the instance; of each pair of new bits, the second counts
// when the first is 1.
class GrainLfsr {
 public:
  GrainLfsr(unsigned width, unsigned full_rounds, unsigned partial_rounds) {
    constexpr unsigned kPrimeField = 1, kPowerSbox = 1;
    push(kPrimeField, 2);
    push(kPowerSbox, 4);
    push(kFieldBits, 12);
    push(width, 12);
    push(full_rounds, 10);
    push(partial_rounds, 10);
    push((1u << 30) - 1, 30);
    for (int i = 0; i < 160; ++i) step();
  }

  // Draws 255 bits, most significant first, until they name a number below r.
  Fr next_element() {
    while (true) {
      Scalar value{};
      for (unsigned i = 0; i < kFieldBits; ++i) {
        value = value << 1;
        value.limb[0] |= next_bit() ? 1 : 0;
      }
      if (Fr::is_canonical(value)) return Fr::from_uint(value);
    }
  }

 private:
  void push(unsigned value, unsigned n_bits) {
    for (unsigned i = n_bits; i > 0; --i) state_.push_back(((value >> (i - 1)) & 1) != 0);
  }
  bool step() {
    const bool bit = state_[62] ^ state_[51] ^ state_[38] ^ state_[23] ^ state_[13] ^ state_[0];
    state_.pop_front();
    state_.push_back(bit);
    return bit;
  }
  bool next_bit() {
    while (true) {
      const bool counts = step();
      const bool bit = step();
      if (counts) return bit;
    }
  }

  std::deque<bool> state_;
};

using Vector = std::vector<Fr>;

Vector times(const Vector& row, const Matrix& matrix) {
  Vector result(row.size(), Fr::zero());
  for (std::size_t j = 0; j < row.size(); ++j) {
    for (std::size_t i = 0; i < row.size(); ++i) result[j] += row[i] * matrix[i][j];
  }
  return result;
}

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix product;
  for (const Vector& row : a) product.push_back(times(row, b));
  return product;
}

Matrix identity(std::size_t size) {
  Matrix matrix(size, Vector(size, Fr::zero()));
  for (std::size_t i = 0; i < size; ++i) matrix[i][i] = Fr::one();
  return matrix;
}

// By Gauss and Jordan. Every leading minor of a Cauchy matrix, and of what the factorisation below makes of one, is
// invertible; a zero pivot only swaps rows.
Matrix inverse(Matrix matrix) {
  const std::size_t size = matrix.size();
  Matrix result = identity(size);
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    while (pivot < size && matrix[pivot][column].is_zero()) ++pivot;
    if (pivot == size) std::abort();  // not one of the matrices above
    std::swap(matrix[pivot], matrix[column]);
    std::swap(result[pivot], result[column]);
    const Fr scale = matrix[column][column].inverse();
    for (std::size_t j = 0; j < size; ++j) {
      matrix[column][j] *= scale;
      result[column][j] *= scale;
    }
    for (std::size_t row = 0; row < size; ++row) {
      if (row == column || matrix[row][column].is_zero()) continue;
      const Fr factor = matrix[row][column];
      for (std::size_t j = 0; j < size; ++j) {
        matrix[row][j] -= factor * matrix[column][j];
        result[row][j] -= factor * result[column][j];
      }
    }
  }
  return result;
}

// M[i][j] = 1 / (i + j + width).
Matrix cauchy_matrix(unsigned width) {
  Matrix matrix(width, Vector(width));
  for (unsigned i = 0; i < width; ++i) {
    for (unsigned j = 0; j < width; ++j) matrix[i][j] = Fr::from_u64(i + j + width).inverse();
  }
  return matrix;
}

// Moves every round's constants but the first behind the S-boxes of the round before: through the inverse of the
// matrix, and in the partial rounds, last to first, all but the first element further on.
void compress_round_constants(PoseidonConstants& constants) {
  const unsigned width = constants.width();
  const unsigned partial = constants.partial_rounds;
  const Matrix unmix = inverse(constants.mix);
  const auto of_round = [&](unsigned round) {
    const auto first = constants.round_constants.begin() + static_cast<std::ptrdiff_t>(round * width);
    return Vector(first, first + width);
  };
  const auto append = [&](const Vector& values) {
    constants.compressed.insert(constants.compressed.end(), values.begin(), values.end());
  };

  append(of_round(0));
  for (unsigned round = 1; round < kHalfFull; ++round) append(times(of_round(round), unmix));

  Vector carried = of_round(kHalfFull + partial);
  Vector first_elements;  // of the partial rounds, last round first
  for (unsigned i = 0; i < partial; ++i) {
    Vector before_mix = times(carried, unmix);
    first_elements.push_back(before_mix[0]);
    before_mix[0] = Fr::zero();
    carried = of_round(kHalfFull + partial - 1 - i);
    for (unsigned j = 0; j < width; ++j) carried[j] += before_mix[j];
  }
  append(times(carried, unmix));
  append(Vector(first_elements.rbegin(), first_elements.rend()));

  for (unsigned round = 1; round < kHalfFull; ++round) {
    append(times(of_round(kHalfFull + partial + round), unmix));
  }
}

// Splits the matrices of the partial rounds, last to first: current = (rest that only mixes elements 1 and up) times
// (sparse), and the rest joins the matrix of the round before.
void factor_partial_rounds(PoseidonConstants& constants) {
  const std::size_t width = constants.width();
  Matrix current = constants.mix;
  std::vector<SparseMix> last_first;
  for (unsigned round = 0; round < constants.partial_rounds; ++round) {
    Matrix block;
    Matrix rest = identity(width);
    Vector column;
    for (std::size_t i = 1; i < width; ++i) {
      block.emplace_back(current[i].begin() + 1, current[i].end());
      std::copy(current[i].begin() + 1, current[i].end(), rest[i].begin() + 1);
      column.push_back(current[i][0]);
    }
    SparseMix sparse;
    sparse.w.push_back(current[0][0]);
    for (const Vector& row : inverse(block)) {
      Fr sum = Fr::zero();
      for (std::size_t j = 0; j < column.size(); ++j) sum += row[j] * column[j];
      sparse.w.push_back(sum);
    }
    sparse.v.assign(current[0].begin() + 1, current[0].end());
    last_first.push_back(std::move(sparse));
    current = times(constants.mix, rest);
  }
  constants.pre_sparse = current;
  constants.sparse.assign(last_first.rbegin(), last_first.rend());
}

PoseidonConstants generate(unsigned arity, unsigned partial_rounds) {
  PoseidonConstants constants;
  constants.arity = arity;
  constants.partial_rounds = partial_rounds;
  constants.domain_tag = Fr::from_u64((std::uint64_t{1} << arity) - 1);
  GrainLfsr lfsr(constants.width(), PoseidonConstants::kFullRounds, partial_rounds);
  const std::size_t count = (PoseidonConstants::kFullRounds + partial_rounds) * std::size_t{constants.width()};
  for (std::size_t i = 0; i < count; ++i) constants.round_constants.push_back(lfsr.next_element());
  constants.mix = cauchy_matrix(constants.width());
  compress_round_constants(constants);
  factor_partial_rounds(constants);
  return constants;
}

}  // namespace

// The numbers of partial rounds are the paper's minimum for 128 bits and this field, plus its margin of 7.5 %.
const PoseidonConstants& poseidon_constants(unsigned arity) {
  static const PoseidonConstants arity_2 = generate(2, 55);
  static const PoseidonConstants arity_4 = generate(4, 56);
  static const PoseidonConstants arity_8 = generate(8, 57);
  static const PoseidonConstants arity_11 = generate(11, 57);
  static const PoseidonConstants arity_16 = generate(16, 59);
  switch (arity) {
    case 2:
      return arity_2;
    case 4:
      return arity_4;
    case 8:
      return arity_8;
    case 11:
      return arity_11;
    case 16:
      return arity_16;
    default:
      std::abort();  // no tree of ours has such nodes
  }
}

}  // namespace groth16::circuits
