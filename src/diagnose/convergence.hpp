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

double ess_bulk(const Chains& chains);  // of the rank-normalised draws: location
double ess_tail(const Chains& chains);  // the smaller of those of the 5 % and the 95 % quantile
double ess_mean(const Chains& chains);
double ess_sd(const Chains& chains);
double ess_quantile(const Chains& chains, double p);  // of the indicator of x <= quantile p

double mcse_mean(const Chains& chains);
double mcse_sd(const Chains& chains);
double mcse_quantile(const Chains& chains, double p);
double mcse_median(const Chains& chains);

// Without splitting or ranks, for chains that are already transformed.
double plain_r_hat(const Chains& chains);
double plain_ess(const Chains& chains);

}  // namespace credo::diagnose
