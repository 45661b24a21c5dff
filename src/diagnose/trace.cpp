#include "diagnose/trace.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include "diagnose/autocorrelation.hpp"

namespace credo::diagnose {
namespace {
std::vector<double> sorted_chain(const Chains& chains, Index c);
// sup |F_a - F_b| of two sorted samples.
double distance_of(std::span<const double> a, std::span<const double> b);

// Ranks as bins from 0, counted by chain.
ChainsCopy binned(const ChainsCopy& ranks, Index num_bins);
std::vector<Index> counts_of(const ChainsCopy& bins, Index num_bins);
double largest_distance(const TraceRanks& ranks);
double p_value_of(const ChainsCopy& ranks, Index num_bins);
}  // namespace

Trace trace(const Chains& chains, Index max_blocks) {
  Trace result;
  if (chains.num_draws == 0 || max_blocks < 1) return result;
  result.draws_per_block = (chains.num_draws + max_blocks - 1) / max_blocks;
  result.num_blocks = chains.num_draws / result.draws_per_block;
  for (Index c = 0; c < chains.num_chains; ++c) {
    for (Index b = 0; b < result.num_blocks; ++b) {
      const auto block =
          chains.chain(c).subspan(static_cast<std::size_t>(b * result.draws_per_block),
                                  static_cast<std::size_t>(result.draws_per_block));
      const auto [low, high] = std::minmax_element(block.begin(), block.end());
      result.low.push_back(*low);
      result.mean.push_back(mean(block));
      result.high.push_back(*high);
    }
  }
  return result;
}

double overlap(const Chains& chains) {
  if (chains.num_draws == 0 || any_nan(chains.values)) return kNaN;
  std::vector<std::vector<double>> sorted;
  for (Index c = 0; c < chains.num_chains; ++c) sorted.push_back(sorted_chain(chains, c));
  double largest = 0.0;
  for (std::size_t a = 0; a < sorted.size(); ++a)
    for (std::size_t b = a + 1; b < sorted.size(); ++b)
      largest = std::max(largest, distance_of(sorted[a], sorted[b]));
  return 1.0 - largest;
}

TraceRanks trace_ranks(const Chains& chains, Index num_bins, bool with_p_value) {
  TraceRanks result{.num_bins = num_bins, .counts = {}};
  if (num_bins < 2 || is_degenerate(chains.values)) return result;
  const ChainsCopy of_draws = ranks(chains);
  result.counts = counts_of(binned(of_draws, num_bins), num_bins);
  result.expected = static_cast<double>(chains.num_draws) / static_cast<double>(num_bins);
  result.distance = largest_distance(result);
  if (with_p_value && chains.num_chains > 1) result.p_value = p_value_of(of_draws, num_bins);
  return result;
}

double move_fraction(const Chains& chains) {
  Index moves = 0;
  for (Index c = 0; c < chains.num_chains; ++c) {
    const std::span<const double> x = chains.chain(c);
    for (std::size_t s = 1; s < x.size(); ++s) moves += x[s] != x[s - 1] ? 1 : 0;
  }
  return static_cast<double>(moves) /
         static_cast<double>((chains.num_draws - 1) * chains.num_chains);
}

namespace {
std::vector<double> sorted_chain(const Chains& chains, Index c) {
  const std::span<const double> x = chains.chain(c);
  std::vector<double> sorted(x.begin(), x.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double distance_of(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double at = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == at) ++i;
    while (j < b.size() && b[j] == at) ++j;
    const double difference = static_cast<double>(i) / static_cast<double>(a.size()) -
                              static_cast<double>(j) / static_cast<double>(b.size());
    largest = std::max(largest, std::fabs(difference));
  }
  return largest;
}

ChainsCopy binned(const ChainsCopy& ranks, Index num_bins) {
  const double highest = *std::max_element(ranks.values.begin(), ranks.values.end());
  ChainsCopy bins = ranks;
  for (double& rank : bins.values) {
    const double place = (rank - 0.5) / highest * static_cast<double>(num_bins);
    rank = std::min(std::floor(place), static_cast<double>(num_bins - 1));
  }
  return bins;
}

std::vector<Index> counts_of(const ChainsCopy& bins, Index num_bins) {
  std::vector<Index> counts(static_cast<std::size_t>(bins.num_chains * num_bins));
  for (Index c = 0; c < bins.num_chains; ++c)
    for (const double bin : Chains(bins).chain(c))
      ++counts[static_cast<std::size_t>(c * num_bins + static_cast<Index>(bin))];
  return counts;
}

double largest_distance(const TraceRanks& ranks) {
  const auto num_bins = static_cast<std::size_t>(ranks.num_bins);
  double largest = 0.0;
  for (std::size_t first = 0; first < ranks.counts.size(); first += num_bins) {
    double sum = 0.0;
    for (std::size_t b = first; b < first + num_bins; ++b)
      sum += std::fabs(static_cast<double>(ranks.counts[b]) - ranks.expected);
    largest = std::max(largest, 0.5 * sum / (ranks.expected * static_cast<double>(num_bins)));
  }
  return largest;
}

// Against the counts of a bin over all chains: with ties bins aren't equally full.
double pearson(std::span<const Index> counts, std::size_t num_bins) {
  const std::size_t num_chains = counts.size() / num_bins;
  double sum = 0.0;
  for (std::size_t b = 0; b < num_bins; ++b) {
    double all = 0.0;
    for (std::size_t c = 0; c < num_chains; ++c)
      all += static_cast<double>(counts[c * num_bins + b]);
    if (all == 0.0) continue;
    const double expected = all / static_cast<double>(num_chains);
    for (std::size_t c = 0; c < num_chains; ++c) {
      const double excess = static_cast<double>(counts[c * num_bins + b]) - expected;
      sum += excess * excess / expected;
    }
  }
  return sum;
}

// Mean over single chains, because chains that disagree would seem slow together. 1 where no chain
// moves at all.
double mean_time(const ChainsCopy& series) {
  double sum = 0.0, count = 0.0;
  for (Index c = 0; c < series.num_chains; ++c) {
    const Chains one{Chains(series).chain(c), series.num_draws, 1};
    const double time = integrated_autocorrelation_time(one).time;
    if (std::isfinite(time)) sum += time, count += 1.0;
  }
  return count > 0.0 ? sum / count : 1.0;
}

double mean_time_of_bins(const ChainsCopy& bins, Index num_bins) {
  double sum = 0.0;
  ChainsCopy indicator = bins;
  for (Index b = 0; b < num_bins; ++b) {
    for (std::size_t i = 0; i < bins.values.size(); ++i)
      indicator.values[i] = bins.values[i] == static_cast<double>(b) ? 1.0 : 0.0;
    sum += mean_time(indicator);
  }
  return sum / static_cast<double>(num_bins);
}

ChainsCopy every(Index step, const ChainsCopy& ranks) {
  ChainsCopy thinned{{}, (ranks.num_draws + step - 1) / step, ranks.num_chains};
  for (Index c = 0; c < ranks.num_chains; ++c)
    for (Index s = 0; s < ranks.num_draws; s += step)
      thinned.values.push_back(Chains(ranks).chain(c)[static_cast<std::size_t>(s)]);
  return thinned;
}

// P-value from draws one autocorrelation time apart, at least five a bin: whole series are correlated to
// different degrees in different directions, and one factor doesn't make up for that.
double p_value_of(const ChainsCopy& ranks, Index num_bins) {
  const auto step = static_cast<Index>(std::ceil(std::max(mean_time(ranks), 1.0)));
  const ChainsCopy thinned = every(step, ranks);
  num_bins = std::min(num_bins, thinned.num_draws / 5);
  if (num_bins < 2) return kNaN;
  const ChainsCopy bins = binned(thinned, num_bins);
  const double freedom = static_cast<double>((ranks.num_chains - 1) * (num_bins - 1));
  const double statistic = pearson(counts_of(bins, num_bins), static_cast<std::size_t>(num_bins)) /
                           std::max(mean_time_of_bins(bins, num_bins), 1.0);
  return boost::math::gamma_q(freedom / 2.0, statistic / 2.0);
}
}  // namespace

}  // namespace credo::diagnose
