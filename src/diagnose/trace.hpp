// Agreement of chains: traces, trace ranks, acceptance.
#pragma once
#include "diagnose/chains.hpp"

namespace credo::diagnose {

// Each chain in blocks of successive draws, for plots of any length: block b of chain c is
// [c × num_blocks + b]; the last draws are left out where the number of draws isn't a multiple.
struct Trace {
  Index num_blocks = 0, draws_per_block = 0;
  std::vector<double> low, mean, high;
};
Trace trace(const Chains& chains, Index max_blocks = 200);

// 1 - the largest distance sup |F_a - F_b| between the empirical distributions of two chains: near
// 1 where traces lie upon each other, 0 where they have no value in common; 1 for one chain.
double overlap(const Chains& chains);

// Ranks of the draws of each chain among the draws of all [vehtari2021, sec. 4.3]: bin b of chain c
// counts [c × num_bins + b]. If chains have the same distribution, each histogram is flat.
struct TraceRanks {
  Index num_bins = 0;
  std::vector<Index> counts;
  double expected = 0.0;   // in each bin of each chain
  double distance = kNaN;  // largest total variation distance of a chain's histogram from flat
  // Probability of histograms that are at least as uneven if all chains draw from one distribution:
  // Pearson's statistic of draws one autocorrelation time apart, divided by the mean time that the
  // bins' indicators have left [rao1981], by its chi-square limit. NaN for one chain, for chains of
  // fewer than ten independent draws, and where R-hat isn't defined.
  double p_value = kNaN;
};
// The p-value costs ten times as much as the counts.
TraceRanks trace_ranks(const Chains& chains, Index num_bins = 20, bool with_p_value = true);

// Share of transitions that led to another value: for Metropolis kernels the acceptance. Takes any
// quantity that differs between points, such as the log density; at least two draws a chain.
double move_fraction(const Chains& chains);

}  // namespace credo::diagnose
