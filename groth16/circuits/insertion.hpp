// insert_with: a node's children, from one of them, its index and its siblings, by conditional picks. Their order is
// part of the circuit and is written down here once, for the circuit and for the generators of its witness.
#pragma once

#include <cstdlib>
#include <span>
#include <vector>

namespace groth16::circuits {

namespace insertion_detail {

// In each of these a is the element, s the siblings, p picks: the second argument where the first is 1, else the third.
template <class Pick, class Flag, class Value>
std::vector<Value> insert_2(Pick& p, const Value& a, std::span<const Flag> bit, std::span<const Value> s) {
  std::vector<Value> child;
  child.push_back(p(bit[0], s[0], a));
  child.push_back(p(bit[0], a, s[0]));
  return child;
}

template <class Pick, class Flag, class Value>
std::vector<Value> insert_4(Pick& p, const Value& a, std::span<const Flag> bit, std::span<const Value> s) {
  std::vector<Value> child;
  child.push_back(p(bit[1], s[0], p(bit[0], s[0], a)));
  child.push_back(p(bit[1], s[1], p(bit[0], a, s[0])));
  child.push_back(p(bit[1], p(bit[0], s[2], a), s[1]));
  child.push_back(p(bit[1], p(bit[0], a, s[2]), s[2]));
  return child;
}

template <class Pick, class Flag, class Value>
std::vector<Value> insert_8(Pick& p, const Value& a, std::span<const Flag> bit, const Flag& neither, const Flag& both,
                            std::span<const Value> s) {
  std::vector<Value> child;
  child.push_back(p(bit[2], s[0], p(neither, a, s[0])));
  child.push_back(p(bit[2], s[1], p(bit[1], s[1], p(bit[0], a, s[0]))));
  child.push_back(p(bit[2], s[2], p(bit[1], p(bit[0], s[2], a), s[1])));
  child.push_back(p(bit[2], s[3], p(both, a, s[2])));
  child.push_back(p(bit[2], p(neither, a, s[4]), s[3]));
  child.push_back(p(bit[2], p(bit[1], s[5], p(bit[0], a, s[4])), s[4]));
  child.push_back(p(bit[2], p(bit[1], p(bit[0], s[6], a), s[5]), s[5]));
  child.push_back(p(bit[2], p(both, a, s[6]), s[6]));
  return child;
}

}  // namespace insertion_detail

// Gates has pick(flag, value, value), both(flag, flag) and neither(flag, flag). 1, 3 or 7 siblings.
template <class Gates, class Flag, class Value>
std::vector<Value> insert_with(Gates&& gates, const Value& element, std::span<const Flag> index,
                               std::span<const Value> siblings) {
  auto pick = [&](const Flag& condition, const Value& a, const Value& b) { return gates.pick(condition, a, b); };
  switch (siblings.size()) {
    case 1:
      return insertion_detail::insert_2(pick, element, index, siblings);
    case 3:
      return insertion_detail::insert_4(pick, element, index, siblings);
    case 7: {
      const Flag neither = gates.neither(index[0], index[1]);
      const Flag both = gates.both(index[0], index[1]);
      return insertion_detail::insert_8(pick, element, index, neither, both, siblings);
    }
    default:
      std::abort();  // no tree of ours has such nodes
  }
}

}  // namespace groth16::circuits
