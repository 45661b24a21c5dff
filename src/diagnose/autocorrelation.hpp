// Autocorrelations of one quantity and the time they take: how many draws are worth one
// independent draw. Chains as in diagnose/chains.hpp; NaN or nothing where convergence.hpp says so.
#pragma once
#include "diagnose/chains.hpp"

namespace credo::diagnose {

// ρ(t) = c_t / c_0 of one chain for the lags 0 … n - 1; empty if it isn't defined. O(n log n).
std::vector<double> autocorrelation(std::span<const double> x);
// For the lags 0 … num_lags - 1, at most n, by their sums: O(n num_lags).
std::vector<double> autocorrelation(std::span<const double> x, Index num_lags);

// Autocorrelation of several chains together, 1 - (W - c_t) / var⁺ [vehtari2021, eq. 10]: chains that disagree are
// correlated for ever. ρ(0) = 1 - W / (n var⁺) is nearly 1.
std::vector<double> combined_autocorrelation(const Chains& chains);
std::vector<double> combined_autocorrelation(const Chains& chains, Index num_lags);  // likewise
// The first lags of both: autocorrelations of all chains together, and of each by itself, from the same sums.
struct ChainAutocorrelations {
  std::vector<double> combined;
  std::vector<std::vector<double>> chains;  // empty for one that never moves
};
ChainAutocorrelations chain_autocorrelations(const Chains& chains, Index num_lags);

// V(t) = mean of (x_s - x_{s-t})², over all pairs of all chains: an unbiased estimate of
// 2 σ² (1 - ρ(t)) that needs no mean [gelman2013, sec. 11.5].
std::vector<double> variogram(const Chains& chains);
// ρ(t) = 1 - V(t) / (2 var⁺); ρ(0) = 1.
std::vector<double> variogram_autocorrelation(const Chains& chains);

enum class WindowRule {
  monotone_pairs,  // Geyer's initial monotone sequence, for reversible chains: what ESS uses
  self_consistent  // Sokal's: `factor` times the time itself
};

struct TimeOptions {
  WindowRule rule = WindowRule::monotone_pairs;
  double factor =
      5.0;  // factor of the self-consistent window, in 4 to 10: larger, less bias, more noise
};

struct AutocorrelationTime {
  double time = kNaN;  // 1 + 2 Σ ρ(t) over the window; below 1 for antithetic chains
  Index window = 0;    // the last lag in the sum
};

// Var(mean of N draws) = time · σ² / N. From combined_autocorrelation; at least three draws.
AutocorrelationTime integrated_autocorrelation_time(const Chains& chains,
                                                    const TimeOptions& options = {});
// Integrated time from known autocorrelations: ρ(0), ρ(1), ….
AutocorrelationTime integrated_time(std::span<const double> rho, const TimeOptions& options = {});

}  // namespace credo::diagnose
