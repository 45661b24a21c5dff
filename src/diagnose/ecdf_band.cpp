#include "diagnose/ecdf_band.hpp"

#include "base/error.hpp"
#include "numerics/special.hpp"

namespace credo::diagnose {
namespace {
constexpr double kNothing = 1e-25;  // a mass; all below it, of a million numbers, aren't 1e-13

// log C(n, k) for k = 0 ... n.
class Binomial {
 public:
  explicit Binomial(Index n) : log_factorial_(static_cast<std::size_t>(n) + 1) {
    for (std::size_t k = 1; k < log_factorial_.size(); ++k)
      log_factorial_[k] = log_factorial_[k - 1] + std::log(static_cast<double>(k));
  }
  double mass(Index n, Index k, double log_p, double log_q) const {
    const auto at = [&](Index i) { return log_factorial_[static_cast<std::size_t>(i)]; };
    const double log_choose = at(n) - at(k) - at(n - k);
    const double successes = k == 0 ? 0.0 : static_cast<double>(k) * log_p;
    const double failures = n == k ? 0.0 : static_cast<double>(n - k) * log_q;
    return std::exp(log_choose + successes + failures);
  }
  // The smaller of P(X <= k) and P(X >= k) for n numbers, for k = 0 ... n.
  std::vector<double> tails(Index n, double p) const {
    const double log_p = std::log(p), log_q = std::log1p(-p);
    std::vector<double> below(static_cast<std::size_t>(n) + 1), above(below.size());
    double sum = 0.0;
    for (Index k = 0; k <= n; ++k)
      below[static_cast<std::size_t>(k)] = sum += mass(n, k, log_p, log_q);
    sum = 0.0;
    for (Index k = n; k >= 0; --k)
      above[static_cast<std::size_t>(k)] = sum += mass(n, k, log_p, log_q);
    for (std::size_t k = 0; k < below.size(); ++k) below[k] = std::min(below[k], above[k]);
    return below;
  }

 private:
  std::vector<double> log_factorial_;
};

// The tails of each point, made once for all bands.
class Points {
 public:
  Points(Index n, Index num_points) : n_(n), num_points_(num_points), binomial_(n) {
    for (Index k = 1; k < num_points; ++k) tails_.push_back(binomial_.tails(n, at(k)));
  }
  double at(Index k) const { return static_cast<double>(k) / static_cast<double>(num_points_); }

  // Counts whose tail is above a limit.
  EcdfBand band(double limit) const {
    EcdfBand band;
    for (const std::vector<double>& tail : tails_) {
      const auto inside = [&](double t) { return t > limit; };
      const auto first = std::find_if(tail.begin(), tail.end(), inside);
      const auto last = std::find_if(tail.rbegin(), tail.rend(), inside);
      band.lower.push_back(first - tail.begin());
      band.upper.push_back(static_cast<Index>(tail.size()) - 1 - (last - tail.rbegin()));
    }
    return band;
  }

  // The probability that all counts are within: the counts at the points are a Markov chain, and those that
  // lie above a point are spread over the rest.
  double probability_within(const EcdfBand& band) const {
    std::vector<double> distribution{1.0};
    Index first = 0;  // count of distribution[0]
    for (Index k = 1; k < num_points_; ++k) {
      const auto j = static_cast<std::size_t>(k - 1);
      const Index lower = band.lower[j], upper = band.upper[j];
      if (upper < lower) return 0.0;
      const double share = (at(k) - at(k - 1)) / (1.0 - at(k - 1));
      const double log_p = std::log(share), log_q = std::log1p(-share);
      std::vector<double> next(static_cast<std::size_t>(upper - lower + 1));
      for (std::size_t i = 0; i < distribution.size(); ++i) {
        if (distribution[i] < kNothing) continue;
        const Index count = first + static_cast<Index>(i), left = n_ - count;
        const auto likeliest = count + static_cast<Index>(share * static_cast<double>(left));
        for (Index to = std::max(count, lower); to <= upper; ++to) {
          const double mass = binomial_.mass(left, to - count, log_p, log_q);
          if (mass < kNothing && to > likeliest) break;
          next[static_cast<std::size_t>(to - lower)] += distribution[i] * mass;
        }
      }
      distribution = std::move(next);
      first = lower;
    }
    return std::accumulate(distribution.begin(), distribution.end(), 0.0);
  }

  double tail(Index k, Index count) const {
    return tails_[static_cast<std::size_t>(k - 1)][static_cast<std::size_t>(count)];
  }

 private:
  Index n_, num_points_;
  Binomial binomial_;
  std::vector<std::vector<double>> tails_;
};
}  // namespace

std::vector<Index> ecdf_counts(std::span<const double> values, Index num_points) {
  std::vector<Index> counts;
  for (Index k = 1; k < num_points; ++k) {
    const double at = static_cast<double>(k) / static_cast<double>(num_points);
    counts.push_back(
        std::count_if(values.begin(), values.end(), [&](double x) { return x <= at; }));
  }
  return counts;
}

double ecdf_p_value(std::span<const double> values, Index num_points) {
  if (values.empty()) return kNaN;
  const Points points(ssize(values), num_points);
  const std::vector<Index> counts = ecdf_counts(values, num_points);
  double least = 1.0;
  for (Index k = 1; k < num_points; ++k)
    least = std::min(least, points.tail(k, counts[static_cast<std::size_t>(k - 1)]));
  constexpr double kRounding = 1e-9;  // rounding of sums of masses: a tail isn't above itself
  return std::clamp(1.0 - points.probability_within(points.band(least * (1.0 + kRounding))), 0.0,
                    1.0);
}

EcdfBand ecdf_band(Index n, Index num_points, double probability) {
  CREDO_ASSERT(n >= 1 && num_points >= 2 && probability > 0.0 && probability < 1.0,
               "a band is of numbers and a probability");
  const Points points(n, num_points);
  double low = 0.0, high = 1.0;  // limits: within with more, with less than the probability
  EcdfBand kept = points.band(low), refused = points.band(high);
  for (int k = 0; k < 40 && !(kept == refused); ++k) {
    const double middle = 0.5 * (low + high);
    EcdfBand band = points.band(middle);
    const bool is_within = points.probability_within(band) >= probability;
    (is_within ? low : high) = middle;
    (is_within ? kept : refused) = std::move(band);
  }
  return kept;
}

}  // namespace credo::diagnose
