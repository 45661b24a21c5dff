// With W the mean of the chains' variances and B / n the variance of their means [vehtari2021, sec.
// 3]:
//
//   var⁺ = (n - 1) / n W + B / n,   R-hat = sqrt(var⁺ / W)
//   ESS = C n / τ                              τ: diagnose/autocorrelation.hpp, by pairs
#include "diagnose/convergence.hpp"

#include <boost/math/special_functions/beta.hpp>

#include "diagnose/autocorrelation.hpp"
#include "numerics/order_statistics.hpp"
#include "numerics/radix_sort.hpp"

namespace credo::diagnose {
namespace {
template <class Function>
ChainsCopy mapped(const Chains& chains, const Function& function) {
  ChainsCopy result{
      {chains.values.begin(), chains.values.end()}, chains.num_draws, chains.num_chains};
  for (double& x : result.values) x = function(x);
  return result;
}
double mean_of_variances(std::span<const double> variances);
double mcse_sd_around(double centre, const Chains& chains);
double quantile_bound(std::span<const double> sorted, double p);
double ess_below(const Chains& chains, double bound);
double ess_between(const Chains& chains, double low, double high);
double mcse_of_quantile(std::span<const double> sorted, double p, double ess);
}  // namespace

double r_hat(const Chains& chains) {
  return larger_r_hat(bulk_r_hat(chains), folded_r_hat(chains));
}

double larger_r_hat(double location, double spread) {
  return std::isnan(location) || std::isnan(spread) ? kNaN : std::max(location, spread);
}

double bulk_r_hat(const Chains& chains) {
  return any_nan(chains.values) ? kNaN : plain_r_hat(rank_normalised_halves(chains));
}

BulkFigures bulk_figures(const Chains& chains) {
  if (any_nan(chains.values)) return {};
  const ChainsCopy scores = rank_normalised_halves(chains);
  return {.r_hat = plain_r_hat(scores), .ess = plain_ess(scores)};
}

Convergence convergence(const Chains& chains) {
  if (chains.order.empty() && !chains.values.empty()) {
    const std::vector<std::uint32_t> order = numerics::order_of(chains.values);
    return convergence({chains.values, chains.num_draws, chains.num_chains, order});
  }
  const BulkFigures bulk = bulk_figures(chains);
  return {.r_hat = larger_r_hat(bulk.r_hat, folded_r_hat(chains)),
          .ess_bulk = bulk.ess,
          .ess_tail = ess_tail(chains)};
}

double folded_r_hat(const Chains& chains) {
  if (any_nan(chains.values)) return kNaN;
  return plain_r_hat(rank_normalised_folded_halves(chains));
}

double split_r_hat(const Chains& chains) { return plain_r_hat(split(chains)); }

// sqrt(1 + B / W): B the variance of the groups' means, W the mean over groups of the variance of
// its chains' means plus the mean of its chains' variances [margossian2024].
double nested_r_hat(const Chains& chains, Index num_groups) {
  if (num_groups < 2 || chains.num_chains % num_groups != 0) return kNaN;
  if (is_degenerate(chains.values)) return kNaN;
  const Index size = chains.num_chains / num_groups;
  const auto length = static_cast<std::size_t>(size * chains.num_draws);
  std::vector<double> group_means;
  double within = 0.0;
  for (Index g = 0; g < num_groups; ++g) {
    const Chains group{chains.values.subspan(static_cast<std::size_t>(g) * length, length),
                       chains.num_draws, size};
    group_means.push_back(mean(group.values));
    if (size > 1) within += variance_of_means(group);
    if (chains.num_draws > 1) within += mean_of_variances(variances(group));
  }
  return std::sqrt(1.0 + variance(group_means) / (within / static_cast<double>(num_groups)));
}

double ess_bulk(const Chains& chains) {
  return any_nan(chains.values) ? kNaN : plain_ess(rank_normalised_halves(chains));
}

double ess_tail(const Chains& chains) {
  const auto [low, high] = ess_tails(chains);
  return std::isnan(low) || std::isnan(high) ? kNaN : std::min(low, high);
}

std::pair<double, double> ess_tails(const Chains& chains) {
  if (is_degenerate(chains.values)) return {kNaN, kNaN};
  const std::vector<double> sorted = sorted_values(chains);
  return {ess_below(chains, quantile_bound(sorted, 0.05)),
          ess_below(chains, quantile_bound(sorted, 0.95))};
}

double ess_mean(const Chains& chains) { return plain_ess(split(chains)); }

double ess_sd(const Chains& chains) {
  const double centre = mean(chains.values);
  return plain_ess(split(mapped(chains, [&](double x) { return std::fabs(x - centre); })));
}

double ess_quantile(const Chains& chains, double p) {
  if (is_degenerate(chains.values)) return kNaN;
  return ess_below(chains, quantile_bound(sorted_values(chains), p));
}

double ess_median(const Chains& chains) { return ess_quantile(chains, 0.5); }

double ess_interval(const Chains& chains, double low, double high) {
  if (is_degenerate(chains.values)) return kNaN;
  const std::vector<double> sorted = sorted_values(chains);
  return ess_between(chains, low <= 0.0 ? -kInfinity : numerics::quantile_of_sorted(sorted, low),
                     numerics::quantile_of_sorted(sorted, high));
}

std::vector<double> local_ess(const Chains& chains, Index num_intervals) {
  std::vector<double> result(static_cast<std::size_t>(num_intervals), kNaN);
  if (is_degenerate(chains.values)) return result;
  const std::vector<double> sorted = sorted_values(chains);
  const double n = static_cast<double>(num_intervals);
  double below = -kInfinity;
  for (Index k = 0; k < num_intervals; ++k) {
    const double above = numerics::quantile_of_sorted(sorted, static_cast<double>(k + 1) / n);
    result[static_cast<std::size_t>(k)] = ess_between(chains, below, above);
    below = above;
  }
  return result;
}

double mcse_mean(const Chains& chains) { return moment_figures(chains).mcse_mean; }

double mcse_sd(const Chains& chains) { return mcse_sd_around(mean(chains.values), chains); }

MomentFigures moment_figures(const Chains& chains) {
  MomentFigures figures{.mean = mean(chains.values)};
  const double variance = variance_around(figures.mean, chains.values);
  figures.sd = std::sqrt(variance);
  figures.mcse_mean = std::sqrt(variance / ess_mean(chains));
  figures.mcse_sd = mcse_sd_around(figures.mean, chains);
  return figures;
}

namespace {
// The delta method for the square root of the mean of squares.
double mcse_sd_around(double centre, const Chains& chains) {
  const ChainsCopy squares = mapped(chains, [&](double x) { return (x - centre) * (x - centre); });
  const double second = mean(squares.values);
  const double fourth = mean(mapped(squares, [](double x) { return x * x; }).values);
  return std::sqrt((fourth - second * second) / ess_mean(squares) / second / 4.0);
}
}  // namespace

double mcse_quantile(const Chains& chains, double p) {
  return quantile_figures(chains, std::span(&p, 1))[0].mcse;
}

double mcse_median(const Chains& chains) { return mcse_quantile(chains, 0.5); }

std::vector<QuantileFigures> quantile_figures(const Chains& chains,
                                              std::span<const double> probabilities) {
  std::vector<QuantileFigures> result(probabilities.size());
  if (any_nan(chains.values)) return result;
  const std::vector<double> sorted = sorted_values(chains);
  const bool defined = !is_degenerate(chains.values);
  for (std::size_t k = 0; k < result.size(); ++k) {
    const double p = probabilities[k];
    QuantileFigures& figures = result[k];
    figures.value = numerics::quantile_of_sorted(sorted, p);
    if (!defined) continue;
    figures.ess = ess_below(chains, quantile_bound(sorted, p));
    figures.mcse = mcse_of_quantile(sorted, p, figures.ess);
  }
  return result;
}

double plain_r_hat(const Chains& chains) {
  if (is_degenerate(chains.values)) return kNaN;
  const std::vector<double> centres = means(chains);
  const double within = mean_of_variances(variances(chains, centres));
  const double n = static_cast<double>(chains.num_draws);
  const double between = n * variance(centres);
  return std::sqrt((between / within + n - 1.0) / n);
}

double plain_ess(const Chains& chains) {
  if (chains.num_draws < 3) return kNaN;
  const double tau = integrated_autocorrelation_time(chains).time;
  if (std::isnan(tau)) return kNaN;  // degenerate
  const double n = static_cast<double>(chains.values.size());
  return n / std::max(tau, 1.0 / std::log10(n));  // antithetic chains: at most n log10 n
}

namespace {
double mean_of_variances(std::span<const double> variances) {
  return std::accumulate(variances.begin(), variances.end(), 0.0) /
         static_cast<double>(variances.size());
}

// Between the two largest draws for p = 1: below the largest is everything.
double quantile_bound(std::span<const double> sorted, double p) {
  const double n = static_cast<double>(sorted.size());
  return numerics::quantile_of_sorted(sorted, p == 1.0 ? (n - 0.5) / n : p);
}

double ess_below(const Chains& chains, double bound) {
  return ess_between(chains, -kInfinity, bound);
}

double ess_between(const Chains& chains, double low, double high) {
  return plain_ess(
      split(mapped(chains, [&](double x) { return x > low && x <= high ? 1.0 : 0.0; })));
}

// Half the distance of the order statistics at ±1 standard deviation of the quantile's rank, which
// is beta distributed [vehtari2021, sec. 4.4].
double mcse_of_quantile(std::span<const double> sorted, double p, double ess) {
  if (std::isnan(ess)) return kNaN;
  const double n = static_cast<double>(sorted.size());
  const double a = ess * p + 1.0, b = ess * (1.0 - p) + 1.0;
  const double lower = std::floor(boost::math::ibeta_inv(a, b, 0.1586553) * n);
  const double upper = std::ceil(boost::math::ibeta_inv(a, b, 0.8413447) * n);
  const auto low = static_cast<std::size_t>(std::max(lower, 1.0)) - 1;
  const auto high = static_cast<std::size_t>(std::min(upper, n)) - 1;
  return (sorted[high] - sorted[low]) / 2.0;
}
}  // namespace

}  // namespace credo::diagnose
