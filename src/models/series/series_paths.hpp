// Paths of a series at the draws of a fit: components, outcomes behind the fit, predictions of each outcome from those before it.
#pragma once
#include "base/rng.hpp"
#include "models/series/series.hpp"

namespace credo::models {

// The generated quantities of series_system_text() at one draw.
struct SeriesMatrices {
  std::vector<double> a, q, m, p;  // empty without states
  // Variance of outcomes: one; for student's distribution those of the times of the fit, and behind them sigma^2.
  std::vector<double> variance;
  double nu = kNaN;                        // degrees of freedom; NaN: normal outcomes
  double parameter = kNaN;                 // SeriesFamily::argument of counts
  std::vector<std::vector<double>> parts;  // by component, at all times; empty for one with states
  std::vector<double> change_scale;        // by component; 0: its slope doesn't change
};

// At one draw, at all times.
struct SeriesPath {
  std::vector<std::vector<double>> parts;  // by component
  std::vector<double> mean;                // their sum; for counts the mean at the sum
  std::vector<double> outcome;             // mean and noise
  // Predictions at the times of the fit, given the outcomes before; NaN without an outcome.
  std::vector<double> one_step_mean, one_step_sd;
};
// Throws Error(evaluation) if the outcomes have no density.
SeriesPath series_path(const Series& made, const SeriesMatrices& at, Rng& rng);

// Mean and limits of values, one for each draw.
struct SeriesBand {
  double mean = kNaN, sd = kNaN, q5 = kNaN, q50 = kNaN, q95 = kNaN;
};
// NaN throughout if a value is NaN.
SeriesBand band_of(std::vector<double> values, double outer = 0.9);

struct ComponentSummary {
  std::string label;
  double share = kNaN;            // share of the variance over the fit's times
  std::vector<SeriesBand> bands;  // at all times
};
struct OneStepSummary {
  double mean = kNaN, sd = kNaN, z = kNaN;
};
struct SeriesSummary {
  std::vector<ComponentSummary> components;
  double noise_share = kNaN;
  std::vector<SeriesBand> forecast;      // outcomes at the times behind the fit
  std::vector<OneStepSummary> one_step;  // at the times of the fit
};
// `outer`: probability within the bands. Shares are those of variances over time: means of components, and the noise.
SeriesSummary summarise_paths(const Series& made, std::span<const SeriesPath> paths,
                              std::span<const SeriesMatrices> at, double outer = 0.9);
inline constexpr double kUnusual = 3.0;  // |z| above it

}  // namespace credo::models
