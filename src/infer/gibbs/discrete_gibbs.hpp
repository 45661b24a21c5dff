// Gibbs kernels for any distribution of discrete variables that is known by its log weight.
//
//   const DiscreteTarget target{.sizes = {2, 3, 2}, .log_weight = f};
//   sweep_variables(target, state, {}, chooser);
//
// Every kernel leaves the target invariant. Acceptance is certain, which says nothing on how fast
// they move: where variables hold together, blocks do better. Lattices, mixtures and topics have
// kernels of their own that read neighbours or counts only.
#pragma once
#include "infer/compose/chooser.hpp"

namespace credo::infer::gibbs {

struct DiscreteTarget {
  std::vector<Index> sizes;                                       // values 0 .. sizes[v] - 1
  std::function<double(std::span<const Index>)> log_weight = {};  // -inf: impossible
  void check(std::span<const Index> state) const;                 // throws Error(data): size, range
};

// One variable from its full conditional; reversible.
void update_variable(const DiscreteTarget& target, std::span<Index> state, Index variable,
                     Chooser& chooser);
// Updates a variable that is picked with these weights (empty: equal ones); reversible.
void update_random_variable(const DiscreteTarget& target, std::span<Index> state,
                            std::span<const double> weights, Chooser& chooser);
// Updates all variables, in this order (empty: as they come); not reversible.
void sweep_variables(const DiscreteTarget& target, std::span<Index> state,
                     std::span<const Index> order, Chooser& chooser);
// Several variables jointly, by enumeration of all their values: at most 2^20. Throws Error(data)
// for more. For chains of variables: models/hidden_markov/hidden_path.hpp.
void update_block(const DiscreteTarget& target, std::span<Index> state,
                  std::span<const Index> block, Chooser& chooser);

// Metropolis within Gibbs: a variable is offered a value from the row of its own in a proposal
// matrix (size x size, row-major, rows are weights) and takes it with probability
// min(1, w' q(v', v) / (w q(v, v'))), all other variables as they are at that moment. Reversible.
void metropolis_within_gibbs(const DiscreteTarget& target, std::span<Index> state, Index variable,
                             std::span<const double> proposal, Chooser& chooser);

// Ordered over-relaxation [neal1998]: num_draws values from the conditional distribution are ranked together
// with the current one, ties in random order; the value of the mirrored rank is next. draw() gives
// independent values of any ordered type. Reversible; successive values are negatively correlated.
template <class T, class Draw>
T over_relaxed(const T& current, Index num_draws, Draw&& draw, Chooser& chooser) {
  std::vector<T> values;
  for (Index k = 0; k < num_draws; ++k) values.push_back(draw());
  std::sort(values.begin(), values.end());
  const auto [below, above] = std::equal_range(values.begin(), values.end(), current);
  const Index rank = below - values.begin() + chooser.uniform_index(above - below + 1);
  values.insert(values.begin() + rank, current);
  return values[static_cast<std::size_t>(num_draws - rank)];
}
void over_relax_variable(const DiscreteTarget& target, std::span<Index> state, Index variable,
                         Index num_draws, Chooser& chooser);

// (u, v) = rotation of (x, y) by 45 degrees: independent for a normal distribution of equal variances, where
// Gibbs updates of x and y crawl along the ridge. unrotated() goes back.
struct Pair {
  double first, second;
};
Pair rotated(const Pair& at);
Pair unrotated(const Pair& at);
// kernel(Pair&) acts on the rotated coordinates; a rotation has determinant 1, so no Jacobian.
template <class Kernel>
void step_rotated(Pair& at, Kernel&& kernel) {
  Pair turned = rotated(at);
  kernel(turned);
  at = unrotated(turned);
}

}  // namespace credo::infer::gibbs
