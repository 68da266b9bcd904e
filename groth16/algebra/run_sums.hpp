// RunSums: the sums of many runs of points, each as a tree, so that all pairs of a round are independent and share
// inversions. A piece of all runs is summed to its end before the next is looked at, which keeps the tree in the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "groth16/algebra/compute.hpp"
#include "groth16/algebra/pair_adder.hpp"

namespace groth16 {

// One of the points of a sum: its index and whether it is subtracted.
struct SignedIndex {
  std::uint32_t value;

  static SignedIndex of(std::size_t index, bool is_negative) {
    return {static_cast<std::uint32_t>(2 * index + (is_negative ? 1 : 0))};
  }
  std::size_t index() const { return value >> 1; }
  bool is_negative() const { return (value & 1) != 0; }
};

template <class F>
class RunSums {
 public:
  // Points that are summed at once: a MiB of them.
  static constexpr std::size_t kPiece = (std::size_t{1} << 20) / sizeof(Affine<F>);

  RunSums(CpuLevel level, const Compute& compute) : compute_(compute), adder_(make_pair_adder<F>(level)) {}

  // sums[i] is the sum of the points that entries name from ends[i - 1] (or 0) to ends[i]; ends grow, up to
  // entries.size(). Points that are subtracted are canonical; sums may not be. Unspecified when cancelled.
  void sum(const Affine<F>* points, std::span<const SignedIndex> entries, std::span<const std::uint32_t> ends,
           Affine<F>* sums) {
    reserve(entries.size());
    Piece piece{points, entries.data(), 0};
    std::size_t begin = 0;
    for (std::size_t run = 0; run < ends.size(); ++run) {
      sums[run] = Affine<F>::infinity();
      Affine<F>* target = &sums[run];
      while (begin < ends[run]) {
        const std::size_t length = std::min<std::size_t>(ends[run] - begin, kPiece - piece.size);
        runs_.push_back({length, target});
        piece.size += length;
        begin += length;
        if (piece.size < kPiece) continue;
        finish(piece);
        if (target == &rest_) add_now(sums[run], rest_);
        piece = {points, entries.data() + begin, 0};
        target = &rest_;  // what is left of this run is added when its piece is done
      }
      if (target == &rest_ && piece.size != 0) {
        finish(piece);
        add_now(sums[run], rest_);
        piece = {points, entries.data() + begin, 0};
      }
    }
    finish(piece);
  }

  // *sum = *first + *second, at some time before flush() returns. sum is no operand of another pair until then.
  void add(const Affine<F>& first, const Affine<F>& second, Affine<F>& sum) {
    if (first.is_infinity()) {
      sum = second;
    } else if (second.is_infinity()) {
      sum = first;
    } else {
      push({&first, &second, &sum});
    }
  }

  void flush() {
    if (pairs_.empty()) return;
    if (!compute_.cancelled()) adder_->add(pairs_);
    pairs_.clear();
    compute_.beat();
  }

 private:
  static constexpr std::size_t kRunsAhead = 8;  // between a request for a single point of the memory and its use

  struct Piece {
    const Affine<F>* points;
    const SignedIndex* entries;
    std::size_t size;
  };
  struct Run {
    std::size_t length;
    Affine<F>* target;
  };

  void reserve(std::size_t entries) {
    const std::size_t halved = 2 * std::min(entries, kPiece) / 3 + 1;  // what runs of three leave
    if (reserved_ >= halved) return;
    round_ = std::make_unique_for_overwrite<Affine<F>[]>(halved);
    next_round_ = std::make_unique_for_overwrite<Affine<F>[]>(halved);
    reserved_ = halved;
  }

  void push(const PointPair<F>& pair) {
    pairs_.push_back(pair);
    if (pairs_.size() == PairAdder<F>::kBatch) flush();
  }

  void add_now(Affine<F>& sum, const Affine<F>& other) {
    add(sum, other, sum);
    flush();
  }

  // The first round takes points through their entries, the others what the round before left.
  void finish(const Piece& piece) {
    const SignedIndex* entry = piece.entries;
    halve_runs([&](std::size_t i) { return Operand{&piece.points[entry[i].index()], entry[i].is_negative()}; });
    while (!runs_.empty()) {
      std::swap(round_, next_round_);
      halve_runs([&](std::size_t i) { return Operand{&next_round_[i], false}; });
    }
  }

  struct Operand {
    const Affine<F>* point;
    bool is_negative;
  };

  // Pairs neighbours of each run; a run that this leaves with one point is done.
  template <class At>
  void halve_runs(At&& at) {
    std::size_t in = 0, out = 0, kept = 0;
    std::size_t ahead = 0, end_ahead = 0;  // the first run whose single point was not asked for, and its first point
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      for (; ahead < std::min(i + kRunsAhead, runs_.size()); ++ahead) {
        end_ahead += runs_[ahead].length;
        if (runs_[ahead].length % 2 != 0) prefetch_point(at(end_ahead - 1).point);
      }
      const Run run = runs_[i];
      const bool ends = run.length <= 2;
      const std::size_t end = in + run.length;
      for (; in + 1 < end; in += 2) {
        const Operand first = at(in), second = at(in + 1);
        Affine<F>* const sum = ends ? run.target : &round_[out++];
        push({first.point, second.point, sum, first.is_negative, second.is_negative});
      }
      if (in < end) {
        const Operand single = at(in++);
        (ends ? *run.target : round_[out++]) = single.point->negated_if(single.is_negative);
      }
      if (!ends) runs_[kept++] = {(run.length + 1) / 2, run.target};
    }
    runs_.resize(kept);
    flush();
  }

  const Compute& compute_;
  std::unique_ptr<PairAdder<F>> adder_;
  std::vector<PointPair<F>> pairs_;
  std::vector<Run> runs_;
  std::size_t reserved_ = 0;  // of each of the two
  std::unique_ptr<Affine<F>[]> round_, next_round_;
  Affine<F> rest_ = Affine<F>::infinity();
};

}  // namespace groth16
