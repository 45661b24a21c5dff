// A field of labels as a text and as arrays, the file of its fit, and its predictions as a table.
#pragma once
#include "models/fields/label_scores.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

// A table that was labelled or scored.
struct LabelledTable {
  std::string name, path;  // "test", "predictions"
  const models::LabelData* data = nullptr;
  models::LabelPredictions made;
  models::UnknownFeatures unknown;
  std::optional<models::LabelScores> scores;
};

struct LabelReport {
  const models::LabelModel& model;
  const models::LabelFit& fit;
  models::WeightPrior prior;
  Index num_rows = 0, num_sequences = 0, num_shown = 10;  // the training table's; number of weights
  bool is_loaded = false;                                 // the fit comes from a file
  std::vector<LabelledTable> tables = {};
  std::vector<std::string> remarks = {};

  std::string text() const;
  results::ArrayList answer() const;
  // The rows of a labelled table as CSV: sequence, row, and for each set of labels the best one and all probabilities.
  std::string csv(const LabelledTable& table) const;
};

// A fit of a file that LabelReport::answer() wrote.
struct LoadedLabels {
  models::LabelModel model;
  models::LabelFit fit;
  models::WeightPrior prior;
  Index num_rows = 0, num_sequences = 0;
};
// Throws Error(io) and Error(data) for other files.
LoadedLabels load_labels(const std::string& path);

}  // namespace credo::cli
