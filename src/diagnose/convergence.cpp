// With W the mean of the chains' variances and B / n the variance of their means [vehtari2021, sec.
// 3]:
//
//   var⁺ = (n - 1) / n W + B / n,   R-hat = sqrt(var⁺ / W)
//   ESS = C n / τ                              τ: diagnose/autocorrelation.hpp, by pairs
#include "diagnose/convergence.hpp"

#include <boost/math/special_functions/beta.hpp>

#include "diagnose/autocorrelation.hpp"

namespace credo::diagnose {
namespace {
ChainsCopy mapped(const Chains& chains, const std::function<double(double)>& function);
}  // namespace

double r_hat(const Chains& chains) {
  if (any_nan(chains.values)) return kNaN;
  const double location = plain_r_hat(rank_normalise(split(chains)));
  const double spread = plain_r_hat(rank_normalise(split(fold(chains))));
  return std::isnan(location) || std::isnan(spread) ? kNaN : std::max(location, spread);
}

double ess_bulk(const Chains& chains) {
  return any_nan(chains.values) ? kNaN : plain_ess(rank_normalise(split(chains)));
}

double ess_tail(const Chains& chains) {
  const double low = ess_quantile(chains, 0.05), high = ess_quantile(chains, 0.95);
  return std::isnan(low) || std::isnan(high) ? kNaN : std::min(low, high);
}

double ess_mean(const Chains& chains) { return plain_ess(split(chains)); }

double ess_sd(const Chains& chains) {
  const double centre = mean(chains.values);
  return plain_ess(split(mapped(chains, [&](double x) { return std::fabs(x - centre); })));
}

double ess_quantile(const Chains& chains, double p) {
  if (is_degenerate(chains.values)) return kNaN;
  const double n = static_cast<double>(chains.values.size());
  const double bound = quantile(chains.values, p == 1.0 ? (n - 0.5) / n : p);
  return plain_ess(split(mapped(chains, [&](double x) { return x <= bound ? 1.0 : 0.0; })));
}

double mcse_mean(const Chains& chains) {
  return std::sqrt(variance(chains.values) / ess_mean(chains));
}

// The delta method for the square root of the mean of squares.
double mcse_sd(const Chains& chains) {
  const double centre = mean(chains.values);
  const ChainsCopy squares = mapped(chains, [&](double x) { return (x - centre) * (x - centre); });
  const double second = mean(squares.values);
  const double fourth = mean(mapped(squares, [](double x) { return x * x; }).values);
  return std::sqrt((fourth - second * second) / ess_mean(squares) / second / 4.0);
}

// Half the distance of the order statistics at ±1 standard deviation of the quantile's rank, which
// is beta distributed [vehtari2021, sec. 4.4].
double mcse_quantile(const Chains& chains, double p) {
  const double ess = ess_quantile(chains, p);
  if (std::isnan(ess)) return kNaN;
  std::vector<double> sorted(chains.values.begin(), chains.values.end());
  std::sort(sorted.begin(), sorted.end());
  const double n = static_cast<double>(sorted.size());
  const double a = ess * p + 1.0, b = ess * (1.0 - p) + 1.0;
  const double lower = std::floor(boost::math::ibeta_inv(a, b, 0.1586553) * n);
  const double upper = std::ceil(boost::math::ibeta_inv(a, b, 0.8413447) * n);
  const auto low = static_cast<std::size_t>(std::max(lower, 1.0)) - 1;
  const auto high = static_cast<std::size_t>(std::min(upper, n)) - 1;
  return (sorted[high] - sorted[low]) / 2.0;
}

double mcse_median(const Chains& chains) { return mcse_quantile(chains, 0.5); }

double plain_r_hat(const Chains& chains) {
  if (is_degenerate(chains.values)) return kNaN;
  double within = 0.0;
  for (Index c = 0; c < chains.num_chains; ++c) within += variance(chains.chain(c));
  within /= static_cast<double>(chains.num_chains);
  const double n = static_cast<double>(chains.num_draws);
  const double between = n * variance_of_means(chains);
  return std::sqrt((between / within + n - 1.0) / n);
}

double plain_ess(const Chains& chains) {
  if (chains.num_draws < 3 || is_degenerate(chains.values)) return kNaN;
  const double tau = integrated_autocorrelation_time(chains).time;
  const double n = static_cast<double>(chains.values.size());
  return n / std::max(tau, 1.0 / std::log10(n));  // antithetic chains: at most n log10 n
}

namespace {
ChainsCopy mapped(const Chains& chains, const std::function<double(double)>& function) {
  ChainsCopy result{
      {chains.values.begin(), chains.values.end()}, chains.num_draws, chains.num_chains};
  for (double& x : result.values) x = function(x);
  return result;
}
}  // namespace

}  // namespace credo::diagnose
