// Gamma: the transformation-rejection method of [marsaglia2000], d (1 + c z)^3 with d = shape -
// 1/3, c = 1/sqrt(9 d); a shape below 1 takes a draw of shape + 1 times U^(1/shape). Poisson and
// binomial: transformed rejection with the hat of [hormann1993ptrs, alg. PTRS] and
// [hormann1993btrs, alg. BTRS]; small means by counting.
#include "dist/samplers.hpp"

#include "base/choice.hpp"

#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::dist {
namespace {
namespace nm = numerics;
double poisson_by_products(Rng& rng, double rate);
double poisson_by_rejection(Rng& rng, double rate);
double binomial_by_inversion(Rng& rng, double size, double probability);
double binomial_by_rejection(Rng& rng, double size, double probability);
}  // namespace

double draw_gamma(Rng& rng, double shape) {
  if (shape < 1.0) return nm::exp(draw_log_gamma(rng, shape));
  const double d = shape - 1.0 / 3.0, c = 1.0 / nm::sqrt(9.0 * d);
  for (;;) {
    const double z = rng.normal(), u = rng.uniform(), root = 1.0 + c * z;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (nm::log(u) < 0.5 * z * z + d * (1.0 - v + 3.0 * nm::log(root))) return d * v;
  }
}

double draw_log_gamma(Rng& rng, double shape) {
  if (shape >= 1.0) return nm::log(draw_gamma(rng, shape));
  const double larger = nm::log(draw_gamma(rng, shape + 1.0));
  return larger - rng.exponential() / shape;
}

double draw_poisson(Rng& rng, double rate) {
  if (rate == 0.0 || !(rate < kInfinity)) return rate;  // also what isn't a number
  return rate < 10.0 ? poisson_by_products(rng, rate) : poisson_by_rejection(rng, rate);
}

double draw_binomial(Rng& rng, double size, double probability) {
  if (probability > 0.5) return size - draw_binomial(rng, size, 1.0 - probability);
  if (size == 0.0 || probability == 0.0) return 0.0;
  return size * probability < 10.0 ? binomial_by_inversion(rng, size, probability)
                                   : binomial_by_rejection(rng, size, probability);
}

double draw_neg_binomial(Rng& rng, double shape, double mean) {
  return draw_poisson(rng, draw_gamma(rng, shape) * (mean / shape));
}

Index draw_category(Rng& rng, std::span<const double> weights) {
  return choose_by_weight(weights, rng.uniform());
}

namespace {
// The number of unit exponentials that fit into `rate`.
double poisson_by_products(Rng& rng, double rate) {
  double count = 0.0;
  for (double time = rng.exponential(); time <= rate; time += rng.exponential()) count += 1.0;
  return count;
}

double poisson_by_rejection(Rng& rng, double rate) {
  const double b = 0.931 + 2.53 * nm::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inv_alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2.0);
  const double log_rate = nm::log(rate);
  for (;;) {
    const double u = rng.uniform() - 0.5, v = rng.uniform(), us = 0.5 - std::abs(u);
    const double k = nm::floor((2.0 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= squeeze) return k;
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    const double bound = k * log_rate - rate - nm::lgamma(k + 1.0);
    if (nm::log(v * inv_alpha / (a / (us * us) + b)) <= bound) return k;
  }
}

// Waiting times between successes are geometric.
double binomial_by_inversion(Rng& rng, double size, double probability) {
  const double log_failure = nm::log1p(-probability);
  double count = 0.0, used = 0.0;
  for (;;) {
    used += nm::floor(-rng.exponential() / log_failure) + 1.0;
    if (used > size) return count;
    count += 1.0;
  }
}

double binomial_by_rejection(Rng& rng, double size, double probability) {
  const double odds = probability / (1.0 - probability),
               sd = nm::sqrt(size * probability * (1.0 - probability));
  const double b = 1.15 + 2.53 * sd, a = -0.0873 + 0.0248 * b + 0.01 * probability;
  const double centre = size * probability + 0.5, alpha = (2.83 + 5.1 / b) * sd,
               squeeze = 0.92 - 4.2 / b;
  const double mode = nm::floor((size + 1.0) * probability);
  const double at_mode = nm::lgamma(mode + 1.0) + nm::lgamma(size - mode + 1.0);
  for (;;) {
    const double u = rng.uniform() - 0.5, v = rng.uniform(), us = 0.5 - std::abs(u);
    const double k = nm::floor((2.0 * a / us + b) * u + centre);
    if (us >= 0.07 && v <= squeeze) return k;
    if (k < 0.0 || k > size) continue;
    const double bound =
        at_mode - nm::lgamma(k + 1.0) - nm::lgamma(size - k + 1.0) + (k - mode) * nm::log(odds);
    if (nm::log(v * alpha / (a / (us * us) + b)) <= bound) return k;
  }
}
}  // namespace

std::vector<double> draw_counts(Rng& rng, std::span<const double> probabilities, double total) {
  std::vector<double> counts;
  double left = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (std::size_t k = 0; k + 1 < probabilities.size(); ++k) {
    const double share = left > 0.0 ? std::clamp(probabilities[k] / left, 0.0, 1.0) : 0.0;
    counts.push_back(draw_binomial(rng, total, share));
    total -= counts.back();
    left -= probabilities[k];
  }
  if (!probabilities.empty()) counts.push_back(total);
  return counts;
}

}  // namespace credo::dist
