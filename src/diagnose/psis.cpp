#include "diagnose/psis.hpp"

#include "diagnose/convergence.hpp"
#include "diagnose/tail_index.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::diagnose {
namespace {
constexpr std::size_t kFewest = 5;  // fewest weights that a distribution is fitted to
constexpr double kShare = 0.2, kRoot = 3.0;

// exp(terms[s] - from), as numerics::exp, several at a time.
std::vector<double> exps(std::span<const double> terms, double from) {
  std::vector<double> all(terms.begin(), terms.end());
  for (double& x : all) x -= from;
  numerics::function(numerics::Unary::exp).array(all.data(), all.data(), all.size());
  return all;
}

void normalise(std::span<double> log_weights) {
  const double total = numerics::log_sum_exp(log_weights);
  for (double& w : log_weights) w -= total;
}

// Quantile p of the generalised Pareto distribution.
double quantile_of(const ParetoFit& fit, double p) {
  const double u = numerics::log1p(-p);
  return fit.shape == 0.0 ? -fit.scale * u
                          : fit.scale * numerics::expm1(-fit.shape * u) / fit.shape;
}
}  // namespace

namespace {
double num_fitted(double num_draws, double r_eff) {
  return std::ceil(std::min(kShare * num_draws, kRoot * std::sqrt(num_draws / r_eff)));
}
}  // namespace

double smooth_weights(std::span<double> log_weights, double r_eff) {
  const auto size =
      static_cast<std::size_t>(num_fitted(static_cast<double>(log_weights.size()), r_eff));
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  for (double& w : log_weights) w -= largest;
  double shape = kInfinity;
  if (size >= kFewest && size < log_weights.size()) {
    std::vector<std::size_t> order(log_weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto by_weight = [&](std::size_t a, std::size_t b) {
      return log_weights[a] < log_weights[b] || (log_weights[a] == log_weights[b] && a < b);
    };
    const auto first = order.end() - static_cast<std::ptrdiff_t>(size);
    std::nth_element(order.begin(), first - 1, order.end(), by_weight);
    std::sort(first, order.end(), by_weight);
    std::vector<double> excesses;
    for (auto at = first - 1; at != order.end(); ++at) excesses.push_back(log_weights[*at]);
    excesses = exps(excesses, 0.0);
    const double cutoff = excesses[0];
    excesses.erase(excesses.begin());
    for (double& x : excesses) x -= cutoff;
    const double spread = log_weights[order.back()] - log_weights[*first];
    if (spread >= std::numeric_limits<double>::epsilon() / 100.0) {
      const ParetoFit fit = pareto_fit(excesses);
      shape = std::isnan(fit.shape) ? kInfinity : fit.shape;
      for (std::size_t i = 0; std::isfinite(shape) && i < size; ++i) {
        const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(size);
        log_weights[first[static_cast<std::ptrdiff_t>(i)]] =
            std::min(0.0, numerics::log(quantile_of(fit, p) + cutoff));
      }
    }
  }
  normalise(log_weights);
  return shape;
}

double pareto_k_limit(Index num_draws) {
  return std::min(1.0 - 1.0 / std::log10(static_cast<double>(num_draws)), 0.7);
}

double pareto_k_error(double k, Index num_draws, double r_eff) {
  return (1.0 + k) / std::sqrt(num_fitted(static_cast<double>(num_draws), r_eff));
}

namespace {
double relative_efficiency(const Chains& log_likelihood, double largest) {
  const std::vector<double> likelihood = exps(log_likelihood.values, largest);
  const double ess = ess_mean({likelihood, log_likelihood.num_draws, log_likelihood.num_chains});
  return std::isfinite(ess) ? ess / static_cast<double>(likelihood.size()) : 1.0;
}

// Error of the self-normalised estimate, on the scale of logarithms.
double error_of(std::span<const double> log_weights, std::span<const double> log_likelihood,
                double elpd, double r_eff) {
  const std::vector<double> weights = exps(log_weights, 0.0), ratios = exps(log_likelihood, elpd);
  double sum = 0.0;
  for (std::size_t s = 0; s < log_weights.size(); ++s) {
    const double term = weights[s] * (ratios[s] - 1.0);
    sum += term * term;
  }
  return std::sqrt(numerics::log1p(sum / r_eff));
}
}  // namespace

namespace {
// Shares that add up to 1.
std::vector<double> shares_of(std::span<const double> log_weights, std::size_t count) {
  std::vector<double> shares(log_weights.begin(), log_weights.end());
  shares.resize(count, 0.0);
  normalise(shares);
  return shares;
}

double weighted_variance(std::span<const double> values, std::span<const double> log_shares) {
  double mean = 0.0, square = 0.0, sum = 0.0;
  for (std::size_t s = 0; s < values.size(); ++s) mean += numerics::exp(log_shares[s]) * values[s];
  for (std::size_t s = 0; s < values.size(); ++s) {
    const double share = numerics::exp(log_shares[s]);
    sum += share * (values[s] - mean) * (values[s] - mean);
    square += share * share;
  }
  return sum / (1.0 - square);  // equal ones: the divisor n - 1
}

double log_sum_of(std::span<const double> a, std::span<const double> b) {
  std::vector<double> terms;
  for (std::size_t s = 0; s < a.size(); ++s) terms.push_back(a[s] + b[s]);
  return numerics::log_sum_exp(terms);
}
}  // namespace

namespace {
// Draws that normalised weights are worth.
double worth_of(std::span<const double> log_shares) {
  double squares = 0.0;
  for (const double share : log_shares) squares += numerics::exp(2.0 * share);
  return 1.0 / squares;
}
}  // namespace

RowFigures row_figures(const Chains& log_likelihood, double r_eff,
                       std::span<const double> log_weights) {
  const std::span<const double> values = log_likelihood.values;
  if (std::any_of(values.begin(), values.end(), [](double x) { return !std::isfinite(x); }))
    return {};
  const bool is_weighted = !log_weights.empty();
  const std::vector<double> shares =
      is_weighted ? shares_of(log_weights, values.size()) : std::vector<double>{};
  RowFigures row;
  row.lpd = is_weighted
                ? log_sum_of(shares, values)
                : numerics::log_sum_exp(values) - std::log(static_cast<double>(values.size()));
  row.p_waic = is_weighted ? weighted_variance(values, shares) : variance(values);
  row.elpd_waic = row.lpd - row.p_waic;
  row.r_eff = r_eff;
  if (std::isnan(r_eff))
    row.r_eff = is_weighted ? 1.0
                            : relative_efficiency(log_likelihood,
                                                  *std::max_element(values.begin(), values.end()));
  std::vector<double> weights;
  for (std::size_t s = 0; s < values.size(); ++s)
    weights.push_back(is_weighted ? shares[s] - values[s] : -values[s]);
  row.pareto_k = smooth_weights(weights, row.r_eff);
  row.effective = worth_of(weights);
  row.elpd_loo = log_sum_of(weights, values);
  row.mcse = error_of(weights, values, row.elpd_loo, row.r_eff);
  return row;
}

LogMean log_mean(const Chains& log_terms, std::span<const double> log_weights, double r_eff) {
  const std::span<const double> values = log_terms.values;
  const double largest = *std::max_element(values.begin(), values.end());
  if (std::isnan(largest)) return {};
  if (largest == -kInfinity) return {.value = -kInfinity, .mcse = kNaN};
  if (std::isnan(r_eff))
    r_eff = log_weights.empty() ? relative_efficiency(log_terms, largest) : 1.0;
  const std::vector<double> shares = shares_of(log_weights, values.size());
  LogMean mean{.value = log_sum_of(shares, values)};
  mean.mcse = error_of(shares, values, mean.value, r_eff);
  return mean;
}

}  // namespace credo::diagnose
