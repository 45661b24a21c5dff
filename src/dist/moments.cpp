// Mean, variance and entropy by name, and what follows of a multivariate row from its independent
// outcomes or from the masses of its categories.
#include "dist/entropy.hpp"
#include "dist/formula.hpp"

namespace credo::dist {
namespace {

std::vector<double> numbers_of(Args args) {
  std::vector<double> out;
  for (const Expr& arg : args) out.push_back(arg.value());
  return out;
}

Moments moments_of_number(double mean, double variance, double entropy) {
  return {{mean}, {variance}, entropy};
}

Moments moments_of_categories(std::span<const double> masses) {
  double mean = 0.0, variance = 0.0, entropy = 0.0;
  for (std::size_t k = 0; k < masses.size(); ++k) mean += masses[k] * static_cast<double>(k + 1);
  for (std::size_t k = 0; k < masses.size(); ++k) {
    const double away = static_cast<double>(k + 1) - mean;
    variance += masses[k] * away * away;
    entropy -= x_log_x(masses[k]);
  }
  return moments_of_number(mean, variance, entropy);
}

Moments moments_of_part(const Part& part) {
  const Distribution& d = *part.distribution;
  if (d.kind == Kind::multivariate) return moments(d, part.args);
  const std::vector<double> params = numbers_of(part.args);
  return moments_of_number(mean(d, params), variance(d, params), entropy(d, params));
}

Moments moments_of_parts(std::span<const Part> parts) {
  Moments all;
  const std::size_t n = parts.size();
  all.covariance.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const Moments one = moments_of_part(parts[i]);
    all.mean.push_back(one.mean[0]);
    all.covariance[i + i * n] = one.covariance[0];
    all.entropy += one.entropy;
  }
  return all;
}
}  // namespace

double mean(const Distribution& d, Params args) { return d.mean == nullptr ? kNaN : d.mean(args); }

double variance(const Distribution& d, Params args) {
  return d.variance == nullptr ? kNaN : d.variance(args);
}

double entropy(const Distribution& d, Params args) {
  if (d.entropy != nullptr) return d.entropy(args);
  if (d.kind != Kind::univariate || d.log_cdf == nullptr) return kNaN;
  return d.discrete ? summed_entropy(d, args) : integrated_entropy(d, args);
}

std::vector<double> category_masses(const Distribution& d, Args args) {
  std::vector<double> masses;
  for (Index k = 1; k <= d.num_categories(args); ++k) {
    double log_mass = 0.0;
    for (const Expr& term : d.log_density(static_cast<double>(k), args)) log_mass += term.value();
    masses.push_back(numerics::exp(log_mass));
  }
  return masses;
}

// Both tails as sums of positive masses.
double category_tail(const Distribution& d, Tail which, double k, Args args) {
  const std::vector<double> masses = category_masses(d, args);
  const auto at = static_cast<std::ptrdiff_t>(
      std::clamp(numerics::floor(k), 0.0, static_cast<double>(masses.size())));
  const double below = std::accumulate(masses.begin(), masses.begin() + at, 0.0);
  const double above = std::accumulate(masses.rbegin(), masses.rend() - at, 0.0);
  if (which == Tail::cdf) return below < above ? below : 1.0 - above;
  const double mass = which == Tail::log_cdf ? below : above;
  const double other = which == Tail::log_cdf ? above : below;
  return mass < other ? numerics::log(mass) : numerics::log1p(-other);
}

double category_quantile(const Distribution& d, Tail which, double value, Args args) {
  const Level at = level(which, value);
  if (!(at.p >= 0.0 && at.p <= 1.0)) return kNaN;
  const Index last = d.num_categories(args);
  for (Index k = 1; k < last; ++k) {
    const double tail = category_tail(d, which, static_cast<double>(k), args);
    if (which == Tail::log_ccdf ? tail <= value : tail >= value) return static_cast<double>(k);
  }
  return static_cast<double>(last);
}

Moments moments(const Distribution& d, Args args) {
  if (d.moments != nullptr) return d.moments(args);
  if (d.parts != nullptr) return moments_of_parts(d.parts(args));
  if (d.num_categories != nullptr) return moments_of_categories(category_masses(d, args));
  return {{}, {}, kNaN};
}

}  // namespace credo::dist
