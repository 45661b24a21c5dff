#include "infer/evidence/shrinkage.hpp"

#include "infer/smc/resampling.hpp"
#include "infer/smc/resampling_schemes.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {
namespace {
constexpr double kLogHalf = -0.69314718055994530942;

// log(1 - exp(-x)), x > 0.
double log_one_less_exp(double x) { return numerics::log(-numerics::expm1(-x)); }

// log of L_i w_i, w_i = ½ (ξ_{i-1} - ξ_{i+1}), the last one ½ (ξ_{i-1} + ξ_i): above it everything is
// taken to have its likelihood. `shrinks`: -log t_i.
double log_term(const DeadPoints& dead, std::size_t i, std::span<const double> shrinks,
                double log_mass_before) {
  const bool is_last = i + 1 == shrinks.size();
  const double log_width = is_last ? numerics::log1p(numerics::exp(-shrinks[i]))
                                   : log_one_less_exp(shrinks[i] + shrinks[i + 1]);
  return dead.log_likelihoods[i] + log_mass_before + kLogHalf + log_width;
}

std::vector<double> mean_shrinks(const DeadPoints& dead) {
  std::vector<double> shrinks;
  for (const double n : dead.num_live) shrinks.push_back(1.0 / n);
  return shrinks;
}

std::vector<double> log_terms(const DeadPoints& dead, std::span<const double> shrinks,
                              double log_start) {
  std::vector<double> terms;
  double log_mass = log_start;
  for (std::size_t i = 0; i < shrinks.size(); ++i) {
    terms.push_back(log_term(dead, i, shrinks, log_mass));
    log_mass -= shrinks[i];
  }
  return terms;
}

// Probability P(D >= d) for n values, by the limit distribution with Stephens' correction for small n.
double kolmogorov_tail(double d, double n) {
  const double root = std::sqrt(n), x = (root + 0.12 + 0.11 / root) * d;
  if (x < 0.2) return 1.0;  // the series doesn't converge; the tail is 1 to 12 digits
  double sum = 0.0;
  for (int k = 1; k <= 100; ++k)
    sum += (k % 2 == 1 ? 2.0 : -2.0) * numerics::exp(-2.0 * k * k * x * x);
  return std::clamp(sum, 0.0, 1.0);
}
}  // namespace

void DeadPoints::add(double log_likelihood, Index num_live_then) {
  log_likelihoods.push_back(log_likelihood);
  num_live.push_back(static_cast<double>(num_live_then));
}

void DeadPoints::begin_with(Index num_points, Index num_drawn) {
  log_start = start_variance = 0.0;
  for (Index j = num_points; j < num_drawn; ++j) {
    const double share = 1.0 / static_cast<double>(j);
    log_start -= share;
    start_variance += share * share;
  }
}

void NestedSum::add(double log_likelihood, double num_live) {
  const double shrink = 1.0 / num_live;
  const double log_mean = kLogHalf + numerics::log_sum_exp(last_, log_likelihood);
  log_evidence_ =
      numerics::log_sum_exp(log_evidence_, log_mean + log_mass_ + log_one_less_exp(shrink));
  log_mass_ -= shrink;
  last_ = log_likelihood;
}

NestedEvidence nested_evidence(const DeadPoints& dead) {
  NestedEvidence found;
  found.log_weights = log_terms(dead, mean_shrinks(dead), dead.log_start);
  found.log_evidence = normalise_log_weights(found.log_weights);
  for (std::size_t i = 0; i < found.log_weights.size(); ++i)
    found.information +=
        numerics::exp(found.log_weights[i]) * (dead.log_likelihoods[i] - found.log_evidence);
  return found;
}

double simulated_error(const DeadPoints& dead, Index num_simulations, Rng& rng) {
  std::vector<double> shrinks(dead.num_live.size());
  double mean = 0.0, squares = 0.0;
  for (Index s = 1; s <= num_simulations; ++s) {
    for (std::size_t i = 0; i < shrinks.size(); ++i)
      shrinks[i] = rng.exponential() / dead.num_live[i];
    const double start = dead.log_start + std::sqrt(dead.start_variance) * rng.normal();
    const double value = numerics::log_sum_exp(log_terms(dead, shrinks, start));
    const double step = value - mean;
    mean += step / static_cast<double>(s);
    squares += step * (value - mean);
  }
  return std::sqrt(squares / static_cast<double>(num_simulations - 1));
}

double first_order_error(const DeadPoints& dead) {
  const NestedEvidence found = nested_evidence(dead);
  double above = 0.0, variance = dead.start_variance;
  for (std::size_t i = found.log_weights.size(); i-- > 0;) {
    above += numerics::exp(found.log_weights[i]);
    variance += above * above / (dead.num_live[i] * dead.num_live[i]);
  }
  return std::sqrt(variance);
}

void InsertionRanks::add(Index below, Index equal, Index others, Rng& rng) {
  const double rank = static_cast<double>(below + rng.index_below(equal + 1));
  const double place = (rank + rng.uniform()) / static_cast<double>(others + 1);
  const auto bin = static_cast<std::size_t>(place * static_cast<double>(kNumBins));
  counts_[std::min(bin, kNumBins - 1)] += 1.0;
}

double InsertionRanks::p_value() const {
  const double total = std::accumulate(counts_.begin(), counts_.end(), 0.0);
  if (total < 100.0) return kNaN;
  double sum = 0.0, furthest = 0.0;
  for (std::size_t k = 0; k < kNumBins; ++k) {
    sum += counts_[k];
    const double expected = static_cast<double>(k + 1) / static_cast<double>(kNumBins);
    furthest = std::max(furthest, std::abs(sum / total - expected));
  }
  return kolmogorov_tail(furthest, total);
}

// Points that rounding leaves out, or that have no weight, are filled up with the first one and no weight.
ChosenPoints choose_weighted(std::span<const double> log_weights, Index count, double u) {
  std::vector<double> weights;
  for (const double w : log_weights) weights.push_back(numerics::exp(w));
  ChosenPoints chosen;
  if (ssize(log_weights) <= count) {
    const double spacing =
        std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(count);
    chosen.points.resize(static_cast<std::size_t>(count));
    invert_cumulated(
        {weights, spacing}, [&](std::size_t k) { return u + static_cast<double>(k); },
        std::span(chosen.points));
    chosen.log_weights.assign(chosen.points.size(), numerics::log(spacing));
    return chosen;
  }
  for (const KeptCandidate& kept : optimal_resampling(weights, count, u)) {
    chosen.points.push_back(kept.candidate);
    chosen.log_weights.push_back(kept.is_heavy
                                     ? log_weights[static_cast<std::size_t>(kept.candidate)]
                                     : numerics::log(kept.weight));
  }
  chosen.points.resize(static_cast<std::size_t>(count), 0);
  chosen.log_weights.resize(chosen.points.size(), -kInfinity);
  return chosen;
}

}  // namespace credo::infer
