// Predictions of any program from a CSV file with names in its first line (docs/score.md, "Tables").
#pragma once
#include "score/csv_columns.hpp"
#include "score/predictions.hpp"

namespace credo::score {

struct ReadOptions {
  std::string outcome = "y";      // the column of the outcome
  std::optional<Form> form = {};  // where the table has several
  bool normalise = false;         // probabilities are divided by their sums
  std::vector<double> class_prior =
      {};  // prior for a table of log densities given the class; empty: all classes the same
};

// Meaning of columns by their names:
//   p | p1 … pK | p_NAME …     probabilities of classes; p alone: class 1 against 0
//   logit | logit1 … | logit_NAME …    logits; logit alone: class 1 against 0
//   log_given1 … | log_given_NAME …    log density of a row's observation given the class; probabilities by Bayes' rule
//   mean, sd                   a normal distribution; mean alone: a number
//   q0.05 …                    quantiles
//   draw1 … | draw.1 … | y_rep.1 …    draws; draw.S.D with outcomes y.1 … y.D are vectors
//   loglik1 … | log_lik.1 …    log likelihood of the outcome at draws of the parameters
//   weight, log_density, log_true, confidence, block
// Other columns are ignored. Throws Error(data) for an invalid number, and if no form is found;
// Error(usage) if there are several and none is chosen.
Predictions read_predictions(const CsvColumns& table, const ReadOptions& options = {});

// Predictions of two tables are of the same kind: their forms, classes, levels and sizes. Throws Error(data).
void require_same_kind(const Predictions& a, const Predictions& b);

}  // namespace credo::score
