// Importance weights: how many equal ones they are worth, and figures of weighted draws.
#pragma once
#include "diagnose/convergence.hpp"
#include "diagnose/summary.hpp"

namespace credo::diagnose {

// Kish's effective sample size of weights w_i = exp(log_weights[i]), known up to a common factor:
//   ESS = (Σ w_i)² / Σ w_i²,   1 to N, k if k equal ones are above 0 [kish1965; murphy2023].
// It says nothing of autocorrelation: that of chains is another number (diagnose/convergence.hpp).
// NaN without a weight above zero, or if a log weight is NaN or +infinity.
double weight_ess(std::span<const double> log_weights);

// Shape k of the generalised Pareto distribution of the largest weights, min(N / 5, 3 sqrt(N)) of them: moments of
// order 1 / k and above don't exist. Beyond 0.7 figures of weighted draws aren't reliable, whatever their number
// [vehtari2024psis]. NaN for fewer than 25 weights, and where the largest ones are equal.
double weight_pareto_k(std::span<const double> log_weights);

// Self-normalised estimates [owen2013, 9.2] with W_i = w_i / Σ w:
//   mean m = Σ W x, variance v = Σ W (x - m)², mcse(m)² = Σ W² (x - m)²; other figures likewise
//   (of a standard deviation and quantiles to first order); ess_bulk = v / mcse(m)²,
//   ess_tail: the smaller of those of the shares below the 5 % and the 95 % quantile.
// R-hat isn't defined. NaN if a value with weight above zero is NaN, or weight_ess is.
Summary weighted_summary(std::span<const double> values, std::span<const double> log_weights);
// Quantiles at these probabilities, in the same order, by the same rules.
std::vector<QuantileFigures> weighted_quantiles(std::span<const double> values,
                                                std::span<const double> log_weights,
                                                std::span<const double> probabilities);

}  // namespace credo::diagnose
