#include "diagnose/weights.hpp"

#include "diagnose/tail_index.hpp"
#include "numerics/elementary.hpp"

namespace credo::diagnose {

// Relative to the largest weight, so that the sums neither overflow nor vanish.
double weight_ess(std::span<const double> log_weights) {
  double largest = -kInfinity;
  for (const double w : log_weights) {
    if (std::isnan(w)) return kNaN;
    largest = std::max(largest, w);
  }
  if (!std::isfinite(largest)) return kNaN;
  double sum = 0.0, squares = 0.0;
  for (const double w : log_weights) {
    const double relative = numerics::exp(w - largest);
    sum += relative, squares += relative * relative;
  }
  return sum * sum / squares;
}

double weight_pareto_k(std::span<const double> log_weights) {
  constexpr double kShare = 0.2, kRoot = 3.0;
  const double n = static_cast<double>(log_weights.size());
  const auto num_largest = static_cast<std::size_t>(std::min(kShare * n, kRoot * std::sqrt(n)));
  constexpr std::size_t kFewest = 5;
  if (num_largest < kFewest || std::isnan(weight_ess(log_weights))) return kNaN;
  std::vector<double> sorted(log_weights.begin(), log_weights.end());
  std::sort(sorted.begin(), sorted.end());
  const double largest = sorted.back();
  const double threshold = numerics::exp(sorted[sorted.size() - num_largest - 1] - largest);
  std::vector<double> excesses;
  for (std::size_t i = sorted.size() - num_largest; i < sorted.size(); ++i)
    excesses.push_back(numerics::exp(sorted[i] - largest) - threshold);
  if (!(excesses[num_largest / 4] > 0.0)) return kNaN;
  std::erase_if(excesses, [](double x) { return x <= 0.0; });
  return pareto_shape(excesses);
}

namespace {
// Values of weights above zero, ascending, and their weights, which add up to 1.
struct Weighted {
  std::vector<double> values, weights;
  double figure(const auto& of) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * of(values[i]);
    return sum;
  }
  // Standard error of the mean of f, whose mean is known.
  double error(const auto& f, double mean) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double term = weights[i] * (f(values[i]) - mean);
      sum += term * term;
    }
    return std::sqrt(sum);
  }
  double quantile(double p) const {
    constexpr double kRounding = 1e-12;  // rounding of sums
    double reached = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if ((reached += weights[i]) >= p - kRounding) return values[i];
    return values.back();
  }
};

Weighted weighted(std::span<const double> values, std::span<const double> log_weights) {
  double largest = -kInfinity;
  for (const double w : log_weights) largest = std::max(largest, w);
  std::vector<std::pair<double, double>> pairs;
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = numerics::exp(log_weights[i] - largest);
    if (weight > 0.0) pairs.emplace_back(values[i], weight), sum += weight;
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Weighted all;
  for (const auto& [value, weight] : pairs) {
    all.values.push_back(value);
    all.weights.push_back(weight / sum);
  }
  return all;
}

// A quantile, its error, and the effective number of the share below it.
struct Quantile {
  double value, mcse, ess;
};
Quantile quantile_of(const Weighted& all, double p) {
  const double value = all.quantile(p);
  const auto below = [&](double x) { return x <= value ? 1.0 : 0.0; };
  const double share = all.figure(below), error = all.error(below, share);
  constexpr double kRounding = 1e-12;  // rounding of sums
  if (share >= 1.0 - kRounding || error < kRounding) return {value, kNaN, kNaN};
  const double low = all.quantile(std::max(p - error, 0.0)),
               high = all.quantile(std::min(p + error, 1.0));
  return {value, 0.5 * (high - low), share * (1.0 - share) / (error * error)};
}
}  // namespace

namespace {
// True if a value with a positive weight is missing.
bool has_missing(std::span<const double> values, std::span<const double> log_weights) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i]) && log_weights[i] > -kInfinity) return true;
  return false;
}
}  // namespace

std::vector<QuantileFigures> weighted_quantiles(std::span<const double> values,
                                                std::span<const double> log_weights,
                                                std::span<const double> probabilities) {
  std::vector<QuantileFigures> figures(probabilities.size());
  if (std::isnan(weight_ess(log_weights)) || has_missing(values, log_weights)) return figures;
  const Weighted all = weighted(values, log_weights);
  for (std::size_t k = 0; k < figures.size(); ++k) {
    const Quantile quantile = quantile_of(all, probabilities[k]);
    figures[k] = {.value = quantile.value, .ess = quantile.ess, .mcse = quantile.mcse};
  }
  return figures;
}

Summary weighted_summary(std::span<const double> values, std::span<const double> log_weights) {
  Summary s{.mean = kNaN,
            .sd = kNaN,
            .q5 = kNaN,
            .median = kNaN,
            .q95 = kNaN,
            .mcse_mean = kNaN,
            .mcse_sd = kNaN,
            .mcse_q5 = kNaN,
            .mcse_median = kNaN,
            .mcse_q95 = kNaN,
            .ess_bulk = kNaN,
            .ess_tail = kNaN,
            .r_hat = kNaN};
  if (std::isnan(weight_ess(log_weights))) return s;
  if (has_missing(values, log_weights)) return s;
  const Weighted all = weighted(values, log_weights);
  if (all.values.front() == all.values.back()) {
    s.mean = s.q5 = s.median = s.q95 = all.values.front();
    s.sd = 0.0;
    return s;
  }
  s.mean = all.figure([](double x) { return x; });
  const auto square = [&](double x) { return (x - s.mean) * (x - s.mean); };
  const double variance = all.figure(square);
  s.sd = std::sqrt(variance);
  s.mcse_mean = all.error([](double x) { return x; }, s.mean);
  s.mcse_sd = all.error(square, variance) / (2.0 * s.sd);
  s.ess_bulk = variance / (s.mcse_mean * s.mcse_mean);
  const Quantile low = quantile_of(all, 0.05), middle = quantile_of(all, 0.5),
                 high = quantile_of(all, 0.95);
  s.q5 = low.value, s.median = middle.value, s.q95 = high.value;
  s.mcse_q5 = low.mcse, s.mcse_median = middle.mcse, s.mcse_q95 = high.mcse;
  s.ess_tail = std::fmin(low.ess, high.ess);
  return s;
}

}  // namespace credo::diagnose
