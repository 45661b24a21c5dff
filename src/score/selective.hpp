// Predicting only where one is sure: error against coverage, and a threshold whose error is bounded [geifman2017].
#pragma once
#include "score/predictions.hpp"

namespace credo::score {

// How sure a row is: its own `confidence`, or the largest probability.
double confidence_of(const Predictions& all, Index row);

struct SelectivePoint {
  double threshold = kNaN;  // rows with at least this confidence are predicted
  double coverage = kNaN;   // their share
  double accuracy = kNaN;
  Index num_predicted = 0;
};
// A point for each confidence that occurs, from the highest on. For classes, rows with an outcome.
std::vector<SelectivePoint> selective_curve(const Predictions& all);
// ∫ of the error over the coverage, by the points.
double area_under_risk(std::span<const SelectivePoint> curve);
// The point of the curve with the largest coverage that is at most this one; the most confident one without such a point.
SelectivePoint at_coverage(std::span<const SelectivePoint> curve, double coverage);

struct SelectiveRule {
  double threshold = kInfinity;     // infinity: nothing may be predicted
  SelectivePoint calibration = {};  // on the rows that it was found with
};
// The lowest threshold t such that, with probability `certainty` over the calibration rows, the error of new rows with at least
// this confidence is at most `max_error`: thresholds 1, 0.999, ... are tested from the strictest on, each by the
// binomial distribution of its errors at level 1 - certainty, until one fails (a fixed sequence needs no correction)
// [angelopoulos2022].
SelectiveRule selective_rule(const Predictions& calibration, double max_error, double certainty);

}  // namespace credo::score
