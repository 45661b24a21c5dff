#include "diagnose/chains.hpp"

#include "base/rng_inv_phi.hpp"
#include "numerics/order_statistics.hpp"
#include "numerics/radix_sort.hpp"

namespace credo::diagnose {
namespace {
// Ranks from 1 of the values, the mean rank for equal ones.
std::vector<double> average_ranks(std::span<const double> values,
                                  std::span<const std::uint32_t> order) {
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

// Scores of the ranks 1 ... n, kept for the next quantity, which has as many draws.
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

namespace {
ChainsCopy distances_from(double centre, const Chains& chains) {
  ChainsCopy result{
      {chains.values.begin(), chains.values.end()}, chains.num_draws, chains.num_chains};
  for (double& x : result.values) x = std::fabs(x - centre);
  return result;
}
}  // namespace

ChainsCopy fold(const Chains& chains) { return distances_from(quantile(chains, 0.5), chains); }

ChainsCopy ranks(const Chains& chains) {
  if (!chains.order.empty())
    return {average_ranks(chains.values, chains.order), chains.num_draws, chains.num_chains};
  return {average_ranks(chains.values, numerics::order_of(chains.values)), chains.num_draws,
          chains.num_chains};
}

ChainsCopy rank_normalise(const Chains& chains) {
  ChainsCopy result = ranks(chains);
  const std::size_t n = result.values.size();
  const std::span<const double> whole = whole_scores(n);
  for (double& x : result.values) {
    const auto below = static_cast<std::size_t>(x);
    x = static_cast<double>(below) == x ? whole[below - 1] : normal_score(x, n);
  }
  return result;
}

// Halves have the same values at the same places, unless a middle draw is left out.
ChainsCopy rank_normalised_halves(const Chains& chains) {
  const ChainsCopy halves = split(chains);
  Chains view = halves;
  if (halves.values.size() == chains.values.size()) view.order = chains.order;
  return rank_normalise(view);
}

namespace {
// Distances from the median grow to both sides: two lists in order are merged.
std::vector<std::uint32_t> folded_order(std::span<const double> folded, const Chains& chains,
                                        double median) {
  const auto first_above =
      std::partition_point(chains.order.begin(), chains.order.end(),
                           [&](std::uint32_t place) { return chains.values[place] < median; });
  std::vector<std::uint32_t> order(folded.size());
  auto below = first_above - chains.order.begin(), above = below;
  const auto end = ssize(chains.order);
  auto to = order.begin();
  while (below > 0 && above < end) {  // without a branch, which couldn't be predicted
    const auto low = chains.order[static_cast<std::size_t>(below) - 1],
               high = chains.order[static_cast<std::size_t>(above)];
    const bool is_high = folded[high] < folded[low];
    *to++ = is_high ? high : low;
    above += is_high ? 1 : 0, below -= is_high ? 0 : 1;
  }
  while (below > 0) *to++ = chains.order[static_cast<std::size_t>(--below)];
  std::copy(chains.order.begin() + above, chains.order.end(), to);
  return order;
}
}  // namespace

ChainsCopy rank_normalised_folded_halves(const Chains& chains) {
  const double median = quantile(chains, 0.5);
  const ChainsCopy folded = distances_from(median, chains);
  if (any_nan(folded.values)) return folded;
  std::vector<std::uint32_t> order;
  if (!chains.order.empty()) order = folded_order(folded.values, chains, median);
  return rank_normalised_halves({folded.values, folded.num_draws, folded.num_chains, order});
}

std::vector<double> sorted_values(const Chains& chains) {
  std::vector<double> sorted(chains.values.begin(), chains.values.end());
  if (chains.order.empty())
    numerics::sort(sorted);
  else
    for (std::size_t k = 0; k < sorted.size(); ++k) sorted[k] = chains.values[chains.order[k]];
  return sorted;
}

bool any_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}

bool is_degenerate(std::span<const double> values) {
  if (values.empty()) return true;
  constexpr std::size_t kSideBySide = 4;
  std::array<double, kSideBySide> lowest{}, highest{};
  lowest.fill(values.front()), highest.fill(values.front());
  const auto look = [&](std::size_t k, double x) {
    lowest[k] = std::min(x, lowest[k]), highest[k] = std::max(x, highest[k]);
  };
  bool are_finite = true;
  std::size_t i = 0;
  for (; i + kSideBySide <= values.size(); i += kSideBySide) {
    double zero = 0.0;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kSideBySide; ++k)
      look(k, values[i + k]), zero += 0.0 * values[i + k];
    if (!(zero == 0.0)) return true;
  }
  for (; i < values.size(); ++i) look(0, values[i]), are_finite &= std::isfinite(values[i]);
  return !are_finite || *std::ranges::max_element(highest) - *std::ranges::min_element(lowest) <
                            std::numeric_limits<double>::epsilon();
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

double variance_of_means(const Chains& chains) { return variance(means(chains)); }

namespace {
// Sums over each chain of what `term` makes of a chain's number and a draw, several chains at a time.
template <class Term>
std::vector<double> chain_sums(const Chains& chains, const Term& term) {
  constexpr std::size_t kSideBySide = 4;
  const auto n = static_cast<std::size_t>(chains.num_draws),
             count = static_cast<std::size_t>(chains.num_chains);
  std::vector<double> all(count, 0.0);
  const double* x = chains.values.data();
  std::size_t c = 0;
  for (; c + kSideBySide <= count; c += kSideBySide) {
    std::array<double, kSideBySide> sums{};
    for (std::size_t s = 0; s < n; ++s)
#pragma GCC unroll 4
      for (std::size_t k = 0; k < kSideBySide; ++k) sums[k] += term(c + k, x[(c + k) * n + s]);
    std::copy(sums.begin(), sums.end(), all.begin() + static_cast<std::ptrdiff_t>(c));
  }
  for (; c < count; ++c)
    for (std::size_t s = 0; s < n; ++s) all[c] += term(c, x[c * n + s]);
  return all;
}
}  // namespace

std::vector<double> means(const Chains& chains) {
  const double n = static_cast<double>(chains.num_draws);
  std::vector<double> first = chain_sums(chains, [](std::size_t, double x) { return x; });
  for (double& sum : first) sum /= n;
  const std::vector<double> rest =
      chain_sums(chains, [&](std::size_t c, double x) { return x - first[c]; });
  for (std::size_t c = 0; c < first.size(); ++c)
    if (std::isfinite(first[c])) first[c] += rest[c] / n;
  return first;
}

std::vector<double> variances(const Chains& chains) { return variances(chains, means(chains)); }

std::vector<double> variances(const Chains& chains, std::span<const double> means) {
  if (chains.num_draws < 2) return std::vector<double>(means.size(), kNaN);
  std::vector<double> all =
      chain_sums(chains, [&](std::size_t c, double x) { return (x - means[c]) * (x - means[c]); });
  for (double& sum : all) sum /= static_cast<double>(chains.num_draws - 1);
  return all;
}

double variance(std::span<const double> values) {
  if (values.size() < 2) return kNaN;
  return variance_around(mean(values), values);
}

double variance_around(double centre, std::span<const double> values) {
  if (values.size() < 2) return kNaN;
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

double quantile(const Chains& chains, double p) {
  if (chains.order.empty()) return quantile(chains.values, p);
  return numerics::quantile_of_sorted(sorted_values(chains), p);
}

}  // namespace credo::diagnose
