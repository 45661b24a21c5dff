// FiniteChain: the exact transition matrix of a Markov chain on finitely many states.
//
//   const FiniteChain walk({2, {0.9, 0.1, 0.4, 0.6}}, {"dry", "wet"});
//   stationary_distribution(walk);   // {0.8, 0.2}                        infer/finite/chain_distributions.hpp
//   analyse(walk);          // everything at once                infer/finite/analysis.hpp
//
// States are indices from 0; messages call them by their names, without names by their place
// counted from 1. A distribution is a row vector: one step takes distribution to distribution P. Matrices are dense: a
// few thousand states at most. Functions of a chain throw Error(data) for arguments that can't be a chain or a
// distribution.
#pragma once
#include "infer/compose/chooser.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer::finite {
using numerics::RowMatrix;

inline constexpr double kSumTolerance = 1e-9;  // for the sum of a row or a distribution
inline constexpr Index kMaxStates = Index{1} << 13;

class FiniteChain {
 public:
  // Entries at least 0, rows sum to 1 within `tolerance`; they are kept as they are. names: none,
  // or one for each state, all different.
  explicit FiniteChain(RowMatrix matrix, std::vector<std::string> names = {},
                       double tolerance = kSumTolerance);

  Index num_states() const { return matrix_.rows; }
  double operator()(Index from, Index to) const { return matrix_(from, to); }
  std::span<const double> row(Index from) const { return matrix_.row(from); }
  const RowMatrix& matrix() const { return matrix_; }
  const std::vector<std::string>& names() const { return names_; }  // empty if unnamed
  std::string name(Index state) const;

 private:
  RowMatrix matrix_;
  std::vector<std::string> names_;
};

// Rows divided by their sums, for matrices that were written with few digits. Throws Error(data)
// where a sum isn't positive and finite.
RowMatrix with_rows_divided_by_sums(RowMatrix matrix);

// weights / sum, for weights at least 0 that are not all 0; from logarithms, of which some are
// finite.
std::vector<double> distribution_from_weights(std::span<const double> weights);
std::vector<double> distribution_from_log_weights(std::span<const double> log_weights);

// All at `state`.
std::vector<double> point_distribution(Index num_states, Index state);

// ---- compositions; all chains have the same states, the names are the first one's ----

FiniteChain cycle(std::span<const FiniteChain> chains);  // the first one's step comes first
FiniteChain mixture(std::span<const FiniteChain> chains,
                    std::span<const double> weights = {});    // empty: equal ones
FiniteChain palindrome(std::span<const FiniteChain> chains);  // there and back: 1 2 ... K K ... 2 1
FiniteChain lazy(const FiniteChain& chain, double stay = 0.5);  // stays with this probability first
FiniteChain power(const FiniteChain& chain, Index num_steps);   // Chapman-Kolmogorov

// The chain seen backwards in time, when it runs in its stationary `distribution` (positive everywhere):
// distribution[y] P(y, x) / distribution[x].
FiniteChain time_reversal(const FiniteChain& chain, std::span<const double> distribution);

// ---- running it ----

Index draw_step(const FiniteChain& chain, Index from, Chooser& chooser);
// The states after 0, 1, ..., num_steps steps.
std::vector<Index> simulate(const FiniteChain& chain, Index start, Index num_steps,
                            Chooser& chooser);

}  // namespace credo::infer::finite
