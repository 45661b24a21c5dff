// Calibration of distributions of real outcomes: probability integral transforms, and the share of outcomes that central
// intervals contain [dawid1984; gneiting2007calibration].
#pragma once
#include "score/predictions.hpp"

namespace credo::score {

struct CoverageFigure {
  double mass = 0.9;  // said
  Index covered = 0, num_rows = 0;
  double lower = 0.0, upper = 1.0;  // 95 % interval of the share that is covered [clopper1934]
  double mean_width = kNaN;
  double share() const { return static_cast<double>(covered) / static_cast<double>(num_rows); }
};

struct LevelFigure {                 // figures of a quantile
  double level = 0.5, share = kNaN;  // of outcomes at or below it
  double p_value = 1.0;              // exact, of an outcome below with probability `level`
};

struct DistributionCalibration {
  std::vector<double> pits =
      {};  // for a normal distribution and draws: P(below) + u P(at), uniform u
  std::vector<LevelFigure> levels = {};  // for quantiles
  std::vector<CoverageFigure> coverage = {};
  double pit_mean = kNaN, pit_sd = kNaN;  // 1/2 and 0.289 if calibrated
  double p_value = kNaN, error_rate = 0.05;
  bool is_refused() const { return p_value <= error_rate; }
};

// Calibration on rows with an outcome. `seed`: for the place among equal draws. Throws Error(data) without such rows.
DistributionCalibration distribution_calibration(const Predictions& all, double error_rate,
                                                 std::uint64_t seed);
std::string sentence_of(const DistributionCalibration& calibration);

// The place of an outcome among S draws: (number below + u (number equal + 1)) / (S + 1), uniform where it is one more draw.
double place_among(std::span<const double> draws, double outcome, double u);

}  // namespace credo::score
