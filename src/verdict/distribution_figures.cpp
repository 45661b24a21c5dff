// Sums over the grid with the density as weights are the trapezium rule, which is exact to many
// digits for a smooth distribution that ends within the grid. Quantiles: the mass between two values of the
// grid is a cubic with the densities as slopes.
#include "verdict/distribution_figures.hpp"

#include <boost/math/special_functions/erf.hpp>

#include "diagnose/convergence.hpp"

namespace credo::verdict {
namespace {
constexpr std::array<double, 3> kProbabilities{0.05, 0.5, 0.95};
constexpr double kLeastGap = 0.03;    // standard deviations
constexpr double kLeastSpread = 0.1;  // of the distribution's standard deviation
constexpr int kHalvings = 50;

// The point at which f, which rises from low to high, is p.
double inverse(const std::function<double(double)>& f, double p, double low, double high) {
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = (low + high) / 2.0;
    (f(middle) < p ? low : high) = middle;
  }
  return (low + high) / 2.0;
}

// A place on the grid, k + a part of the step to k + 1, below which there is this mass.
double place_of(const Marginal& distribution, double p) {
  const auto above =
      std::upper_bound(distribution.mass.begin() + 1, distribution.mass.end() - 1, p);
  const auto k = static_cast<std::size_t>(above - distribution.mass.begin()) - 1;
  const double m = distribution.mass[k], rise = distribution.mass[k + 1] - m;
  const double left = distribution.weight[k], right = distribution.weight[k + 1];
  const auto mass = [&](double t) {
    return m + rise * t * t * (3.0 - 2.0 * t) + left * t * (1.0 - t) * (1.0 - t) -
           right * t * t * (1.0 - t);
  };
  return static_cast<double>(k) + inverse(mass, p, 0.0, 1.0);
}

// Between two values of the output as a cubic through four.
double value_at(std::span<const double> values, double place) {
  const auto last = static_cast<double>(values.size()) - 3.0;
  const double k = std::clamp(std::floor(place), 1.0, std::max(1.0, last));
  const double t = place - k;
  const auto at = [&](double step) { return values[static_cast<std::size_t>(k + step)]; };
  return at(-1.0) * t * (t - 1.0) * (t - 2.0) / -6.0 +
         at(0.0) * (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0 +
         at(1.0) * (t + 1.0) * t * (t - 2.0) / -2.0 + at(2.0) * (t + 1.0) * t * (t - 1.0) / 6.0;
}

double difference(double draws, double distribution, double error, double sd) {
  const double gap = std::fabs(draws - distribution);
  if (gap < kLeastGap * sd) return 0.0;
  return error > 0.0 ? gap / error : kInfinity;
}
}  // namespace

DistributionFigures figures_of(const Marginal& distribution, std::span<const double> values) {
  const auto moment = [&](const std::function<double(double)>& f) {
    double sum = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k) sum += distribution.weight[k] * f(values[k]);
    return sum;
  };
  DistributionFigures figures;
  const double mean = figures.mean = moment([](double x) { return x; });
  figures.sd = std::sqrt(moment([mean](double x) { return (x - mean) * (x - mean); }));
  const bool rises = values.front() < values.back();
  for (std::size_t i = 0; i < kProbabilities.size(); ++i)
    figures.quantiles[i] = value_at(
        values, place_of(distribution, rises ? kProbabilities[i] : 1.0 - kProbabilities[i]));
  return figures;
}

DistributionFigures figures_of_other(const Marginal& distribution, std::size_t d) {
  DistributionFigures figures{.mean = 0.0, .sd = 0.0};
  double low = kInfinity, high = -kInfinity, square = 0.0;
  for (std::size_t k = 0; k < distribution.grid.size(); ++k) {
    const double centre = distribution.points[k][d], sd = std::sqrt(distribution.variances[k][d]);
    figures.mean += distribution.weight[k] * centre;
    square += distribution.weight[k] * (centre * centre + sd * sd);
    low = std::min(low, centre - 6.0 * sd), high = std::max(high, centre + 6.0 * sd);
  }
  figures.sd = std::sqrt(std::max(0.0, square - figures.mean * figures.mean));
  const auto below = [&](double x) {
    double sum = 0.0;
    for (std::size_t k = 0; k < distribution.grid.size(); ++k)
      sum += distribution.weight[k] *
             boost::math::erfc((distribution.points[k][d] - x) /
                               std::sqrt(2.0 * distribution.variances[k][d])) /
             2.0;
    return sum;
  };
  for (std::size_t i = 0; i < kProbabilities.size(); ++i)
    figures.quantiles[i] = inverse(below, kProbabilities[i], low, high);
  return figures;
}

double largest_difference(const diagnose::Chains& draws, const DistributionFigures& distribution) {
  const double sd = std::sqrt(diagnose::variance(draws.values));
  double largest =
      std::max(difference(diagnose::mean(draws.values), distribution.mean,
                          diagnose::mcse_mean(draws), distribution.sd),
               difference(sd, distribution.sd, diagnose::mcse_sd(draws), distribution.sd));
  const auto quantiles = diagnose::quantile_figures(draws, kProbabilities);
  for (std::size_t i = 0; i < kProbabilities.size(); ++i)
    largest = std::max(largest, difference(quantiles[i].value, distribution.quantiles[i],
                                           quantiles[i].mcse, distribution.sd));
  return largest;
}

double missing_spread(const diagnose::Chains& draws, const DistributionFigures& distribution) {
  const double gap = distribution.sd - std::sqrt(diagnose::variance(draws.values));
  const double error = diagnose::mcse_sd(draws);
  return gap > kLeastSpread * distribution.sd && error > 0.0 ? gap / error : 0.0;
}

}  // namespace credo::verdict
