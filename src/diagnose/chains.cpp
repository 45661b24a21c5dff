#include "diagnose/chains.hpp"

#include "base/rng_inv_phi.hpp"
#include "numerics/order_statistics.hpp"
#include "numerics/radix_sort.hpp"

namespace credo::diagnose {
namespace {
// Ranks from 1 of the values, the mean rank for equal ones.
std::vector<double> average_ranks(std::span<const double> values) {
  const std::vector<std::uint32_t> order = numerics::order_of(values);
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double rank = 0.5 * static_cast<double>(first + 1 + last);
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = rank;
  }
  return ranks;
}

double normal_score(double rank, std::size_t n) {
  return inv_phi((rank - 0.375) / (static_cast<double>(n) + 0.25));
}

// Of the ranks 1 ... n, kept for the next quantity, which has as many draws.
std::span<const double> whole_scores(std::size_t n) {
  thread_local std::vector<double> scores;
  if (scores.size() != n) {
    scores.resize(n);
    for (std::size_t k = 0; k < n; ++k) scores[k] = normal_score(static_cast<double>(k + 1), n);
  }
  return scores;
}
}  // namespace

Chains quantity(const density::Draws& draws, Index quantity) {
  return {draws.quantity(quantity), draws.num_draws(), draws.num_chains()};
}

ChainsCopy split(const Chains& chains) {
  const Index half = chains.num_draws / 2;
  ChainsCopy result{.values = {}, .num_draws = half, .num_chains = 2 * chains.num_chains};
  result.values.reserve(static_cast<std::size_t>(half * result.num_chains));
  for (Index c = 0; c < chains.num_chains; ++c) {
    const std::span<const double> chain = chains.chain(c);
    for (const auto part :
         {chain.first(static_cast<std::size_t>(half)), chain.last(static_cast<std::size_t>(half))})
      result.values.insert(result.values.end(), part.begin(), part.end());
  }
  return result;
}

ChainsCopy fold(const Chains& chains) {
  const double median = quantile(chains.values, 0.5);
  ChainsCopy result{
      {chains.values.begin(), chains.values.end()}, chains.num_draws, chains.num_chains};
  for (double& x : result.values) x = std::fabs(x - median);
  return result;
}

ChainsCopy ranks(const Chains& chains) {
  return {average_ranks(chains.values), chains.num_draws, chains.num_chains};
}

ChainsCopy rank_normalise(const Chains& chains) {
  ChainsCopy result = ranks(chains);
  const std::size_t n = result.values.size();
  const std::span<const double> whole = whole_scores(n);
  for (double& x : result.values)
    x = x == std::floor(x) ? whole[static_cast<std::size_t>(x) - 1] : normal_score(x, n);
  return result;
}

bool any_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}

bool is_degenerate(std::span<const double> values) {
  if (values.empty()) return true;
  double lowest = values.front(), highest = values.front();
  for (double x : values) {
    if (!std::isfinite(x)) return true;
    lowest = std::min(lowest, x), highest = std::max(highest, x);
  }
  return highest - lowest < std::numeric_limits<double>::epsilon();
}

// Twice over: the second pass takes the rounding error of the first away.
double mean(std::span<const double> values) {
  const double n = static_cast<double>(values.size());
  const double first = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (!std::isfinite(first)) return first;
  double rest = 0.0;
  for (double x : values) rest += x - first;
  return first + rest / n;
}

double variance_of_means(const Chains& chains) {
  std::vector<double> means;
  for (Index c = 0; c < chains.num_chains; ++c) means.push_back(mean(chains.chain(c)));
  return variance(means);
}

double variance(std::span<const double> values) {
  if (values.size() < 2) return kNaN;
  const double centre = mean(values);
  double sum = 0.0;
  for (double x : values) sum += (x - centre) * (x - centre);
  return sum / static_cast<double>(values.size() - 1);
}

// Only the two values between which it lies have to be in their places.
double quantile(std::span<const double> values, double p) {
  if (values.empty()) return kNaN;
  std::vector<double> sorted(values.begin(), values.end());
  const double place = std::floor(1.0 + static_cast<double>(values.size() - 1) * p);
  const auto lower = sorted.begin() + static_cast<std::ptrdiff_t>(place) - 1;
  std::nth_element(sorted.begin(), lower, sorted.end());
  if (lower + 1 < sorted.end())
    std::iter_swap(lower + 1, std::min_element(lower + 1, sorted.end()));
  return numerics::quantile_of_sorted(sorted, p);
}

}  // namespace credo::diagnose
