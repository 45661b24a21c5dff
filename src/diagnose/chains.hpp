// One quantity in several chains, and the transformations that diagnostics start with.
#pragma once
#include "base/types.hpp"
#include "density/draws.hpp"

namespace credo::diagnose {

// S draws of C chains: S × C, column-major. A view; the values outlive it.
struct Chains {
  std::span<const double> values;
  Index num_draws = 0, num_chains = 0;

  std::span<const double> chain(Index c) const {
    return values.subspan(static_cast<std::size_t>(c * num_draws),
                          static_cast<std::size_t>(num_draws));
  }
};

// A copy of its own.
struct ChainsCopy {
  std::vector<double> values;
  Index num_draws = 0, num_chains = 0;
  operator Chains() const { return {values, num_draws, num_chains}; }
};

Chains quantity(const density::Draws& draws, Index quantity);

// Each chain as two: 2 C chains of floor(S / 2) draws; the middle draw of an odd S is left out.
ChainsCopy split(const Chains& chains);
// The distances from the median of all draws.
ChainsCopy fold(const Chains& chains);
// From 1, among all draws of all chains; the mean rank for equal ones.
ChainsCopy ranks(const Chains& chains);
// Normal scores of the ranks r among all n draws, ties averaged: inv_phi((r - 3/8) / (n + 1/4)).
ChainsCopy rank_normalise(const Chains& chains);

bool any_nan(std::span<const double> values);
// Diagnostics of these are not defined: a value that isn't finite, or all the same to 2^-52.
bool is_degenerate(std::span<const double> values);

double mean(std::span<const double> values);
double variance(std::span<const double> values);  // with n - 1; NaN for fewer than two values
double variance_of_means(const Chains& chains);   // of the chains' means; NaN for one chain
// Linear between order statistics (numerics/order_statistics.hpp); NaN without values. 0 <= p <= 1.
double quantile(std::span<const double> values, double p);

}  // namespace credo::diagnose
