// Conformal prediction: sets that hold the outcome with a stated probability, whatever the predictions are worth. Scores
// s_i of n calibration rows say how far off each outcome is; a set of a new row has the outcomes whose scores are at most
// the k-th smallest, k = ⌈(n + 1) level⌉ [vovk2005; angelopoulos2023]. Rows must be exchangeable, or weighted by the ratio of
// the densities of where predictions are used and where rows come from [tibshirani2019].
#pragma once
#include "score/predictions.hpp"

namespace credo::score {

struct ConformalOptions {
  double level = 0.9;  // probability that a set holds the outcome, at least; in (0, 1)
  // Adaptive sets without the label that crosses the threshold; smaller, and may be empty.
  bool strict = false;
};

// Outcomes that a set holds: classes, or an interval, which may be the whole line, or empty (lower > upper).
struct OutcomeSet {
  std::vector<Index> classes = {};
  double lower = kInfinity, upper = -kInfinity;
};

struct ConformalRow {
  std::string_view name, words, reference;
  // Empty if the method applies; otherwise the missing requirement.
  std::string (*needs)(const Predictions& all, const ConformalOptions& options);
  // How far off an outcome is from the prediction of a row; higher: further.
  double (*score)(const Predictions& all, Index row, double outcome,
                  const ConformalOptions& options);
  // The outcomes whose scores are at most the threshold, which may be +infinity.
  OutcomeSet (*set)(const Predictions& all, Index row, double threshold,
                    const ConformalOptions& options);
};

std::span<const ConformalRow* const> conformal_rows();
const ConformalRow& find_conformal(
    std::string_view name);  // throws Error(usage) with the names there are
std::vector<std::string> names_of_conformal();

// k = ⌈(n + 1) level⌉, where rounding doesn't count: 0.9 of 20 is 18.
Index conformal_rank(Index num_scores, double level);
// The k-th smallest; +infinity for k > n.
double conformal_threshold(std::span<const double> scores, double level);
// The least score up to which the weights, divided by their sum and `own`, the new row's, add up to the level;
// +infinity where they don't. Equal weights: conformal_threshold.
double weighted_threshold(std::span<const double> scores, std::span<const double> weights,
                          double own, double level);
// Thresholds for many new rows: O(n log n) once, O(log n) each.
class WeightedScores {
 public:
  WeightedScores(std::span<const double> scores, std::span<const double> weights);
  double threshold(double own, double level) const;

 private:
  std::vector<double> scores_, masses_;  // ascending, and the weights up to each
};

// A method with the scores of its calibration rows.
class ConformalPredictor {
 public:
  // Throws Error(usage) where the method doesn't apply, Error(data) without an outcome. The row must live as long.
  ConformalPredictor(const ConformalRow& method, const Predictions& calibration,
                     const ConformalOptions& options);
  double threshold(const Predictions& all,
                   Index row) const;  // by the row's weight where there are any
  OutcomeSet set(const Predictions& all, Index row) const;
  Index num_scores() const { return ssize(scores_); }
  // k / (n + 1), over calibration rows and the new one: how probably a set holds the outcome where scores have no ties,
  // and at most so where they have. NaN where rows are weighted.
  double exact_coverage() const;

 private:
  const ConformalRow& method_;
  ConformalOptions options_;
  std::vector<double> scores_;
  double threshold_ = kInfinity;  // threshold of rows without weights
  std::optional<WeightedScores> weighted_;
};

bool holds(const OutcomeSet& set, const Predictions& all, double outcome);
double size_of(const OutcomeSet& set, const Predictions& all);  // classes, or length

struct SetFigures {
  double coverage = kNaN;  // coverage of rows with an outcome; NaN without such rows
  double coverage_lower = kNaN, coverage_upper = kNaN;  // 95 % interval of it
  double mean_size = kNaN;                              // infinity where a set is the whole line
  Index num_empty = 0, num_whole = 0, num_rows = 0;
};
SetFigures figures_of(std::span<const OutcomeSet> sets, const Predictions& all);

}  // namespace credo::score
