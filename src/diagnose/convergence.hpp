// R-hat, effective sample sizes and Monte Carlo standard errors of one quantity [vehtari2021].
//
// All take S draws of C chains after warm-up, in their order. NaN where the figure isn't defined: a
// draw that isn't finite, draws that are all the same, fewer than three draws in a half chain.
#pragma once
#include "diagnose/chains.hpp"

namespace credo::diagnose {

// The larger of rank-normalised split R-hat of the draws and of the folded draws; at most 1.01
// where chains agree in location and in spread.
double r_hat(const Chains& chains);
double bulk_r_hat(const Chains& chains);    // its first part: location
double folded_r_hat(const Chains& chains);  // its second: spread
double larger_r_hat(double location, double spread);
double split_r_hat(const Chains& chains);  // R-hat of halves, without ranks
// For many short chains: the same number of successive chains makes each group, begun at one point.
// Compares the groups, whose means needn't be exact one by one [margossian2024]. NaN for
// one group or where the number of chains isn't a multiple.
double nested_r_hat(const Chains& chains, Index num_groups);

double ess_bulk(const Chains& chains);  // for the rank-normalised draws: location
double ess_tail(const Chains& chains);  // the smaller of those of the 5 % and the 95 % quantile
std::pair<double, double> ess_tails(
    const Chains& chains);  // those of the 5 % and the 95 % quantile
double ess_mean(const Chains& chains);
double ess_sd(const Chains& chains);
double ess_quantile(const Chains& chains, double p);  // for the indicator of x <= quantile p
double ess_median(const Chains& chains);
// ESS of the indicator of quantile low < x <= quantile high; everything is above quantile 0.
double ess_interval(const Chains& chains, double low, double high);
// ESS of num_intervals intervals of equal probability, in their order: shows where in its range a quantity is
// explored badly [vehtari2021, sec. 4.3].
std::vector<double> local_ess(const Chains& chains, Index num_intervals = 20);

double mcse_mean(const Chains& chains);
double mcse_sd(const Chains& chains);
double mcse_quantile(const Chains& chains, double p);
double mcse_median(const Chains& chains);

// Figures of the mean and the standard deviation.
struct MomentFigures {
  double mean = kNaN, sd = kNaN, mcse_mean = kNaN, mcse_sd = kNaN;
};
MomentFigures moment_figures(const Chains& chains);

// Agreement of chains and effective sizes: r_hat, ess_bulk and ess_tail, from one sorting.
struct Convergence {
  double r_hat = kNaN, ess_bulk = kNaN, ess_tail = kNaN;
};
Convergence convergence(const Chains& chains);

// bulk_r_hat and ess_bulk, from one ranking.
struct BulkFigures {
  double r_hat = kNaN, ess = kNaN;
};
BulkFigures bulk_figures(const Chains& chains);

// A quantile with its effective sample size and Monte Carlo standard error.
struct QuantileFigures {
  double value = kNaN, ess = kNaN, mcse = kNaN;
};
// Quantiles at several probabilities, in their order; value is NaN if any draw is.
std::vector<QuantileFigures> quantile_figures(const Chains& chains,
                                              std::span<const double> probabilities);

// Without splitting or ranks, for chains that are already transformed.
double plain_r_hat(const Chains& chains);
double plain_ess(const Chains& chains);

}  // namespace credo::diagnose
