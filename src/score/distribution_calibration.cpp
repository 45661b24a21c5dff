#include "score/distribution_calibration.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "diagnose/chains.hpp"
#include "diagnose/ecdf_band.hpp"
#include "numerics/special.hpp"
#include "score/poisson_binomial.hpp"
#include "score/predictions.hpp"

namespace credo::score {
namespace {
constexpr std::array<double, 4> kMasses{0.5, 0.8, 0.9, 0.95};
constexpr Index kMostPoints = 100;  // points at which uniformity is tested

std::vector<double> pits_of(const Predictions& all, std::span<const Index> rows,
                            std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = kScoreStream, .chain = 1, .iteration = 0});
  std::vector<double> pits;
  for (const Index i : rows) {
    const std::span<const double> values = all.values[i];
    pits.push_back(all.form == Form::normal
                       ? numerics::phi((all.outcome(i) - values[0]) / values[1])
                       : place_among(values, all.outcome(i), rng.uniform()));
  }
  return pits;
}

std::vector<LevelFigure> levels_of(const Predictions& all, std::span<const Index> rows) {
  std::vector<LevelFigure> figures;
  for (std::size_t k = 0; k < all.levels.size(); ++k) {
    Index below = 0;
    for (const Index i : rows) below += all.outcome(i) <= all.values[i][k] ? 1 : 0;
    const double level = all.levels[k];
    const Index n = ssize(rows);
    const double at_most = binomial_at_most(below, n, level),
                 at_least = below == 0 ? 1.0 : 1.0 - binomial_at_most(below - 1, n, level);
    figures.push_back({level, static_cast<double>(below) / static_cast<double>(n),
                       std::min(1.0, 2.0 * std::min(at_most, at_least))});
  }
  return figures;
}

CoverageFigure coverage_of(const Predictions& all, std::span<const Index> rows, double mass) {
  CoverageFigure figure{.mass = mass, .num_rows = ssize(rows)};
  double width = 0.0;
  for (const Index i : rows) {
    const double lower = quantile_of(all, i, 0.5 * (1.0 - mass)),
                 upper = quantile_of(all, i, 0.5 * (1.0 + mass));
    width += upper - lower;
    figure.covered += all.outcome(i) >= lower && all.outcome(i) <= upper ? 1 : 0;
  }
  const ShareInterval interval = share_interval(figure.covered, figure.num_rows, 0.95);
  figure.lower = interval.lower, figure.upper = interval.upper;
  figure.mean_width = width / static_cast<double>(figure.num_rows);
  return figure;
}
}  // namespace

double place_among(std::span<const double> draws, double outcome, double u) {
  double below = 0.0, equal = 0.0;
  for (const double x : draws) below += x < outcome ? 1.0 : 0.0, equal += x == outcome ? 1.0 : 0.0;
  return (below + u * (equal + 1.0)) / (static_cast<double>(draws.size()) + 1.0);
}

DistributionCalibration distribution_calibration(const Predictions& all, double error_rate,
                                                 std::uint64_t seed) {
  const std::vector<Index> rows = known_rows(all);
  if (rows.empty())
    throw Error(ErrorCode::data, "no row has an outcome", all.source,
                "calibration compares predictions with what happened");
  DistributionCalibration calibration{.error_rate = error_rate};
  if (all.form == Form::quantiles) {
    calibration.levels = levels_of(all, rows);
    double least = 1.0;
    for (const LevelFigure& figure : calibration.levels) least = std::min(least, figure.p_value);
    calibration.p_value = std::min(1.0, least * static_cast<double>(all.levels.size()));
  } else {
    calibration.pits = pits_of(all, rows, seed);
    calibration.pit_mean = diagnose::mean(calibration.pits);
    calibration.pit_sd = std::sqrt(diagnose::variance(calibration.pits));
    const Index points = std::clamp<Index>(ssize(rows), 2, kMostPoints);
    calibration.p_value = diagnose::ecdf_p_value(calibration.pits, points);
  }
  for (const double mass : kMasses)
    if (has_quantile(all, 0.5 * (1.0 - mass)) && has_quantile(all, 0.5 * (1.0 + mass)))
      calibration.coverage.push_back(coverage_of(all, rows, mass));
  return calibration;
}

namespace {
// Description of a fault of the distributions, by the transforms of outcomes.
std::string fault_of(const DistributionCalibration& calibration) {
  if (calibration.levels.empty()) {
    constexpr double kUniformSd = 0.28867513459481288;  // sqrt(1 / 12)
    const double mean_error = kUniformSd / std::sqrt(static_cast<double>(calibration.pits.size()));
    const double shift = (calibration.pit_mean - 0.5) / mean_error;
    if (shift > 3.0) return "outcomes lie above the predictions";
    if (shift < -3.0) return "outcomes lie below the predictions";
    return calibration.pit_sd > kUniformSd ? "the distributions are too narrow"
                                           : "the distributions are too wide";
  }
  const auto worst = std::min_element(
      calibration.levels.begin(), calibration.levels.end(),
      [](const LevelFigure& a, const LevelFigure& b) { return a.p_value < b.p_value; });
  return fmt::format("{:.3g} of the outcomes lie below the {:g}-quantile", worst->share,
                     worst->level);
}
}  // namespace

std::string sentence_of(const DistributionCalibration& calibration) {
  const double percent = 100.0 * calibration.error_rate;
  return calibration.is_refused()
             ? fmt::format("The predictions aren't calibrated (p = {:.2g}, below {:g} %): {}.",
                           calibration.p_value, percent, fault_of(calibration))
             : fmt::format(
                   "Nothing speaks against calibration: outcomes lie within the distributions as "
                   "they "
                   "should (p = {:.2g}; calibrated predictions are refused in {:g} % of cases "
                   "at most).",
                   calibration.p_value, percent);
}

}  // namespace credo::score
