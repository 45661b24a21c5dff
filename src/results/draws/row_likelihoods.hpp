// The log likelihood of rows of the data at the draws of a fit.
#pragma once
#include "results/draws/fit_points.hpp"

namespace credo::results {

// Log likelihoods of some rows: S of all chains, one chain after another, for each row.
class RowBlock {
 public:
  RowBlock(Index num_rows, Index num_draws)
      : num_rows_(num_rows),
        num_draws_(num_draws),
        values_(std::make_unique_for_overwrite<double[]>(
            static_cast<std::size_t>(num_rows * num_draws))) {}
  Index num_rows() const { return num_rows_; }
  void put(Index row, Index draw, double value) {
    values_[static_cast<std::size_t>(row * num_draws_ + draw)] = value;
  }
  std::span<const double> row(Index i) const {
    return {values_.get() + i * num_draws_, static_cast<std::size_t>(num_draws_)};
  }

 private:
  Index num_rows_, num_draws_;
  std::unique_ptr<double[]> values_;  // undefined until put
};

// Values to compute at each draw.
struct RowsOfDraws {
  const density::LogDensity& log_density;
  Index num_values;                // values that the model computes at a draw
  std::vector<Index> places;       // of these, those that go into the block, in its order
  std::vector<double> asked = {};  // rows of a model of batches; empty for all rows
  Index num_threads = 0;           // 0: as many as there are processors
};

// Fills in draws after warm-up. Throws Error(evaluation) where a draw is refused.
void fill(RowBlock& block, const Fit& fit, const RowsOfDraws& rows, const FitPoints& points);

// The same model with other rows; `model` must outlive it. Null if it has these rows already, or other rows are
// unknown.
std::unique_ptr<density::Model> with_rows_by(const density::Model& model, density::RowsBy rows_by);

// first, first + 1, ..., count of them.
std::vector<Index> counted_from(Index first, Index count);

}  // namespace credo::results
