// Pareto smoothed importance sampling, and leave-one-out figures by it [vehtari2024psis; vehtari2017].
#pragma once
#include "diagnose/chains.hpp"

namespace credo::diagnose {

// Replaces the largest of S weights, min(S / 5, 3 sqrt(S / r_eff)) of them, by the expected order statistics of
// the generalised Pareto distribution that is fitted to them, none above the largest raw weight; then makes all add up
// to 1. Natural logarithms, in and out. `r_eff`: effective draws over draws, of the weights. Returns the shape
// k of the distribution; +infinity where fewer than five weights are to be fitted, or they are the same: then they
// stay.
double smooth_weights(std::span<double> log_weights, double r_eff = 1.0);

// k below this is reliable with S draws: min(1 - 1 / log10(S), 0.7) [vehtari2024psis].
double pareto_k_limit(Index num_draws);

// The standard error of such a k: (1 + k) / sqrt(M) with M weights that the distribution was fitted to, that of the
// estimate of maximum likelihood [hosking1987]. If the draws don't reach a tail, k is too small by several of
// them, and no error of a mean that rests on the same weights shows it.
double pareto_k_error(double k, Index num_draws, double r_eff);

// Figures of one row of the likelihood, from its log likelihood in each draw. Natural logarithms.
struct RowFigures {
  double elpd_loo = kNaN;  // log predictive density of the row given all others
  double lpd = kNaN;       // given all rows: log of the mean likelihood
  double mcse = kNaN;      // Monte Carlo standard error of elpd_loo
  double pareto_k = kNaN;
  double elpd_waic = kNaN,
         p_waic = kNaN;  // [watanabe2010]: p is the variance of the log likelihood
  double r_eff = kNaN;
  double effective = kNaN;  // draws that the row's weights are worth
  double p_loo() const { return lpd - elpd_loo; }
};

// `r_eff`: NaN: that of the likelihood, by its autocorrelation; 1 where that isn't defined, and for draws that have weights.
// `log_weights`: those of the draws, up to a common constant; empty: all the same. All NaN if a log likelihood is NaN or
// infinite.
RowFigures row_figures(const Chains& log_likelihood, double r_eff = kNaN,
                       std::span<const double> log_weights = {});

// The logarithm of a mean over draws, from the logarithms of its terms, and its Monte Carlo standard error, to first order.
// Terms may be -infinity. `log_weights` and `r_eff` as in row_figures.
struct LogMean {
  double value = kNaN, mcse = kNaN;
};
LogMean log_mean(const Chains& log_terms, std::span<const double> log_weights = {},
                 double r_eff = kNaN);

}  // namespace credo::diagnose
