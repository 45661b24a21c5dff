// With W the mean of the chains' variances and B / n the variance of their means [vehtari2021, sec.
// 3]:
//
//   var⁺ = (n - 1) / n W + B / n,   R-hat = sqrt(var⁺ / W)
//   ρ_t = 1 - (W - c_t) / var⁺                 c_t: mean over chains, of n / (n - 1) lag-t autocov.
//   ESS = C n / τ,  τ = -1 + 2 Σ_k P_k,        P_k = ρ_2k + ρ_2k+1, while positive, made decreasing
//
// Pairs, not single lags: only their sums are positive and decreasing, and only for reversible
// chains [geyer1992, thm 3.1].
#include "diagnose/convergence.hpp"

#include <boost/math/special_functions/beta.hpp>

#include "diagnose/autocovariance.hpp"

namespace credo::diagnose {
namespace {
// Autocorrelations of all chains together; `within` is W.
class Autocorrelation {
 public:
  explicit Autocorrelation(const Chains& chains);
  double operator[](Index t) const {
    return 1.0 - (within_ - covariance_[static_cast<std::size_t>(t)]) / total_;
  }

 private:
  std::vector<double> covariance_;
  double within_, total_;
};

// Autocorrelations as far as their pairs are positive; `size` of them are whole pairs.
struct Truncated {
  std::vector<double> rho;
  std::size_t size;
};
Truncated positive_pairs(const Autocorrelation& rho, Index num_draws);
void make_decreasing(Truncated& rho);

double mean_of_means_variance(const Chains& chains);
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
  const double between = n * mean_of_means_variance(chains);
  return std::sqrt((between / within + n - 1.0) / n);
}

double plain_ess(const Chains& chains) {
  if (chains.num_draws < 3 || is_degenerate(chains.values)) return kNaN;
  const Autocorrelation autocorrelation(chains);
  Truncated rho = positive_pairs(autocorrelation, chains.num_draws);
  make_decreasing(rho);
  const auto end =
      rho.rho.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rho.size, 1));
  const double tau = -1.0 + 2.0 * std::accumulate(rho.rho.begin(), end, 0.0) + rho.rho[rho.size];
  const double n = static_cast<double>(chains.values.size());
  return n / std::max(tau, 1.0 / std::log10(n));  // antithetic chains: at most n log10 n
}

namespace {
Autocorrelation::Autocorrelation(const Chains& chains)
    : covariance_(static_cast<std::size_t>(chains.num_draws)) {
  for (Index c = 0; c < chains.num_chains; ++c) {
    const std::vector<double> one = autocovariance(chains.chain(c));
    for (std::size_t t = 0; t < one.size(); ++t)
      covariance_[t] += one[t] / static_cast<double>(chains.num_chains);
  }
  const double n = static_cast<double>(chains.num_draws);
  within_ = covariance_[0] * n / (n - 1.0);
  total_ = covariance_[0];
  if (chains.num_chains > 1) total_ += mean_of_means_variance(chains);
}

Truncated positive_pairs(const Autocorrelation& rho, Index num_draws) {
  Truncated kept{.rho = std::vector<double>(static_cast<std::size_t>(num_draws)), .size = 0};
  double even = 1.0, odd = rho[1];
  kept.rho[0] = even;
  kept.rho[1] = odd;
  Index t = 0;
  while (t < num_draws - 5 && even + odd > 0.0) {
    t += 2;
    even = rho[t];
    odd = rho[t + 1];
    if (!(even + odd >= 0.0)) continue;
    kept.rho[static_cast<std::size_t>(t)] = even;
    kept.rho[static_cast<std::size_t>(t) + 1] = odd;
  }
  kept.size = static_cast<std::size_t>(t);
  if (even > 0.0) kept.rho[kept.size] = even;  // half a pair: less bias for antithetic chains
  return kept;
}

void make_decreasing(Truncated& kept) {
  std::vector<double>& rho = kept.rho;
  for (std::size_t t = 2; t + 2 <= kept.size; t += 2) {
    const double before = rho[t - 2] + rho[t - 1];
    if (rho[t] + rho[t + 1] > before) rho[t] = rho[t + 1] = before / 2.0;
  }
}

double mean_of_means_variance(const Chains& chains) {
  std::vector<double> means;
  for (Index c = 0; c < chains.num_chains; ++c) means.push_back(mean(chains.chain(c)));
  return variance(means);
}

ChainsCopy mapped(const Chains& chains, const std::function<double(double)>& function) {
  ChainsCopy result{
      {chains.values.begin(), chains.values.end()}, chains.num_draws, chains.num_chains};
  for (double& x : result.values) x = function(x);
  return result;
}
}  // namespace

}  // namespace credo::diagnose
