// Times of an irreducible chain: until it hits, until it returns, until a mean of it is known.
#pragma once
#include "infer/finite/chain_distributions.hpp"

namespace credo::infer::finite {

// Z = (I - P + 1 distribution)^-1; exists for periodic chains, too. O(n^3). Its relative error grows like
// the relaxation time times rounding.
RowMatrix fundamental_matrix(const FiniteChain& chain, std::span<const double> distribution);

// Expected number of steps from x to y, 0 for y = x: (Z(y, y) - Z(x, y)) / distribution[y].
RowMatrix mean_first_passage_times(const RowMatrix& fundamental,
                                   std::span<const double> distribution);

// Expected number of steps to a state drawn from the stationary distribution, the same from every start:
// trace Z - 1 = sum of 1 / (1 - lambda) over the other eigenvalues.
double kemeny_constant(const RowMatrix& fundamental);

// Expected number of steps until one of `targets` is reached, for each start; infinite where it may
// never be. Without subtractions, so right to about n roundings however long it takes.
std::vector<double> hitting_times(const FiniteChain& chain, std::span<const Index> targets);

// Cov(f(X_0), f(X_lag)) in the stationary chain.
double autocovariance(const FiniteChain& chain, std::span<const double> distribution,
                      std::span<const double> f, Index lag);

// tau = 1 + 2 sum of the autocorrelations of f over lags 1, 2, ...: a mean of N states has the
// variance Var(f) tau / N for large N. From 2 <f, Z f> / <f, f> - 1 with f centred; for a periodic
// chain the sum is Abel's. 0 for a constant f.
double integrated_autocorrelation_time(const RowMatrix& fundamental,
                                       std::span<const double> distribution,
                                       std::span<const double> f);

}  // namespace credo::infer::finite
