// One quantity in several chains, and the transformations that diagnostics start with.
#pragma once
#include "base/types.hpp"
#include "density/draws.hpp"

namespace credo::diagnose {

// S draws of C chains: S × C, column-major. A view; the values outlive it.
struct Chains {
  std::span<const double> values;
  Index num_draws = 0, num_chains = 0;
  // Places of the values in ascending order (numerics::order_of), if they are known: ranks and order
  // statistics then need no sorting. Empty: not known. A view, too.
  std::span<const std::uint32_t> order = {};

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

// All values in ascending order.
std::vector<double> sorted_values(const Chains& chains);

// Each chain as two: 2 C chains of floor(S / 2) draws; the middle draw of an odd S is left out.
ChainsCopy split(const Chains& chains);
// The distances from the median of all draws.
ChainsCopy fold(const Chains& chains);
// From 1, among all draws of all chains; the mean rank for equal ones.
ChainsCopy ranks(const Chains& chains);
// Normal scores of the ranks r among all n draws, ties averaged: inv_phi((r - 3/8) / (n + 1/4)).
ChainsCopy rank_normalise(const Chains& chains);
// rank_normalise(split(chains)), and of the folded draws, with the order of the chains where it is known. The folded draws
// themselves where one of them is NaN.
ChainsCopy rank_normalised_halves(const Chains& chains);
ChainsCopy rank_normalised_folded_halves(const Chains& chains);

bool any_nan(std::span<const double> values);
// Diagnostics of these are not defined: a value that isn't finite, or all the same to 2^-52.
bool is_degenerate(std::span<const double> values);

double mean(std::span<const double> values);
double variance(std::span<const double> values);  // with n - 1; NaN for fewer than two values
double variance_around(double mean,
                       std::span<const double> values);  // variance around a known mean
double variance_of_means(const Chains& chains);  // variance of the chains' means; NaN for one chain
// Means and variances of each chain: side by side, because the next addition of a sum waits for the last.
std::vector<double> means(const Chains& chains);
std::vector<double> variances(const Chains& chains);
std::vector<double> variances(const Chains& chains, std::span<const double> means);
// Linear between order statistics (numerics/order_statistics.hpp); NaN without values. 0 <= p <= 1.
double quantile(std::span<const double> values, double p);
double quantile(const Chains& chains, double p);  // quantile of all chains

}  // namespace credo::diagnose
