// Selection of inducing points, and their move by the gradient of the bound [murphy2023, section 18.5.3.4; titsias2009].
#pragma once
#include "models/gp/gp_solver_table.hpp"
#include "models/gp/optima.hpp"

namespace credo::models {

// Rows by k-means++ and Lloyd's steps on the inputs divided by their ranges [arthur2007]: for each centre the row nearest to it, each row once.
std::vector<Index> kmeans_rows(const GpProblem& problem, Index count, std::uint64_t seed);
// Rows as the options say; fewer where others add nothing.
std::vector<Index> inducing_rows(const GpProblem& problem, const GpSolverOptions& options);
std::string_view inducing_words(InducingBy by);

// Points may be moved along all inputs: none is restricted by a kernel, a level or projected. `factor_inputs`: those that are levels.
bool may_move_points(const GpProblem& problem, std::span<const Index> factor_inputs);

// The inputs of rows as columns.
std::vector<std::vector<double>> input_columns(const GpProblem& problem);

struct MovedPoints {
  GpOptimum optimum = {};
  std::vector<std::vector<double>> columns = {};  // inputs of the points, M numbers each
  double before = 0.0;                            // the bound before the move
};
// Climbs the bound over the estimated hyperparameters and the points' inputs at once, from an optimum at the given rows. The solver keeps the
// points. For sgpr, whose bound doesn't exceed the evidence wherever the points are.
MovedPoints move_inducing(const GpProblem& problem, InducingSolver& solver,
                          std::span<const Index> rows, const GpOptimum& from);

}  // namespace credo::models
