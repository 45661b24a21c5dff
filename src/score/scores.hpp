// Scores of predictions: a number for each row, and their mean with its standard error. One row of a table each.
#pragma once
#include "score/predictions.hpp"

namespace credo::score {

struct ScoreOptions {
  double mass = 0.9;  // mass of the central interval of `interval`; in (0, 1)
};

struct ScoreRow {
  std::string_view name, words;
  bool higher_is_better = false;
  bool is_proper =
      true;  // its expectation is best for the distribution that made the outcomes [gneiting2007]
  bool root = false;  // the root of the mean is reported
  bool needs_outcome = true;
  std::string_view reference;  // in docs/references.bib
  bool (*applies)(const Predictions& all, const ScoreOptions& options);
  double (*of_row)(const Predictions& all, Index row, const ScoreOptions& options);
};

std::span<const ScoreRow* const> score_rows();
const ScoreRow& find_score(std::string_view name);  // throws Error(usage) with the names there are
std::vector<std::string> names_of_scores();
std::vector<const ScoreRow*> scores_that_apply(const Predictions& all,
                                               const ScoreOptions& options = {});

// Scores of rows with an outcome, in their order, or of all rows if the score needs no outcome.
std::vector<double> row_scores(const ScoreRow& score, const Predictions& all,
                               const ScoreOptions& options = {});

struct Figure {
  double value = kNaN, error = kNaN;  // its standard error; NaN for one row
  Index num_rows = 0;
};
// The mean of scores, or its root.
Figure figure_of(const ScoreRow& score, std::span<const double> scores);
Figure mean_figure(std::span<const double> values);

// --- What rows are made of ---------------------------------------------------------------------------
// The continuous ranked probability score of the empirical distribution of draws, ∫ (F(t) - 1[t >= y])² dt, in
// O(S log S): mean |x - y| - Σ_i (2 i - S - 1) x_(i) / S² [gneiting2007, eq. 21]. Changes the order of the draws.
double crps_of_draws(std::span<double> draws, double outcome);
double crps_of_normal(double mean, double sd, double outcome);  // [gneiting2007, sec. 4.2]
// mean |x - y| - 1/2 mean |x - x'| of vectors of D numbers, one after another; O(S² D) [gneiting2007, eq. 22].
double energy_score(std::span<const double> draws, std::span<const double> outcome);
// γ (y - t) above the prediction t of the γ-quantile, (1 - γ) (t - y) below [koenker1978].
double pinball_loss(double level, double prediction, double outcome);
// Width plus 2 / α times the distance of an outcome outside, 1 - α the mass [gneiting2007, eq. 43].
double interval_score(double lower, double upper, double mass, double outcome);
// Weights of the classes for a label: its own 1 - ε + ε / K, each other one ε / K [szegedy2016].
std::vector<double> smoothed_target(std::size_t num_classes, std::size_t label, double smoothing);

}  // namespace credo::score
