// Stored predictions and the figures that scikit-learn has of them (tools/make_score_reference.py), and predictions made by a
// seed.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/rng.hpp"
#include "io/file.hpp"
#include "score/read_predictions.hpp"
#include "support/test_seed.hpp"

namespace credo::score {

inline std::string score_file(const std::string& name) {
  return std::string(CREDO_SOURCE_DIR) + "/tests/data/score/" + name;
}
inline CsvColumns stored_table(const std::string& name) {
  return CsvColumns(io::read_file(score_file(name)), name);
}
inline Predictions stored(const std::string& name) { return read_predictions(stored_table(name)); }

inline std::vector<double> expected(const std::string& name) {
  std::ifstream file(score_file("expected.csv"));
  std::vector<double> values;
  for (std::string line; std::getline(file, line);) {
    std::stringstream cells(line);
    std::string own, place, value;
    std::getline(cells, own, ','), std::getline(cells, place, ','), std::getline(cells, value, ',');
    if (own == name) values.push_back(std::stod(value));
  }
  EXPECT_FALSE(values.empty()) << name;
  return values;
}

// The first and the last rows.
inline Predictions part_of_rows(const Predictions& all, Index first, Index end) {
  std::vector<Index> rows;
  for (Index i = first; i < end; ++i) rows.push_back(i);
  return rows_of(all, rows);
}

inline Predictions of_classes(std::size_t num_classes) {
  Predictions all;
  for (std::size_t k = 0; k < num_classes; ++k) all.classes.push_back(std::to_string(k));
  return all;
}
inline Index draw_class(std::span<const double> p, Rng& rng) {
  double u = rng.uniform();
  for (std::size_t k = 0; k + 1 < p.size(); ++k)
    if ((u -= p[k]) < 0.0) return static_cast<Index>(k);
  return ssize(p) - 1;
}
// Logits are normal numbers; the outcome has the probabilities softmax(shrink · logits).
inline void add_drawn_row(Predictions& all, double shrink, Rng& rng) {
  std::vector<double> logits, truth;
  for (std::size_t k = 0; k < all.classes.size(); ++k) {
    logits.push_back(1.5 * rng.normal());
    truth.push_back(shrink * logits.back());
  }
  add_distribution(all, distribution_of_logits(logits));
  all.outcomes.push_back(
      static_cast<double>(draw_class(distribution_of_logits(truth).probabilities, rng)));
}

}  // namespace credo::score
