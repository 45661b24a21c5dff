// A Gaussian process from a formula and a table: y ~ [mean |] kernels.
#pragma once
#include "io/data/data_recipe.hpp"
#include "models/gp/gp_problem.hpp"
#include "models/gp/kernel_reader.hpp"
#include "models/gp/outcomes/gp_outcome.hpp"

namespace credo::models {

struct GpRequest {
  std::string formula;
  io::DataRecipe data = {};
  std::function<bool(const std::string&)> is_usable = {};  // true for names that programs may use
  double noise = -1.0;                                     // sd of the noise; negative: estimated
  const OutcomeFamily* family = nullptr;                   // null: normal, solved exactly
};

struct GpTable {
  std::string formula, outcome;
  GpProblem problem;
  GpOutcome outcomes;  // without a family: normal outcomes
  std::vector<GpInput> inputs;
  std::vector<std::vector<double>> columns;  // inputs at the rows
  std::vector<Expression> mean_terms;        // functions of the mean behind the intercept
  bool has_intercept = true;
  std::vector<Index> rows;  // numbers of the table's rows, from 0
  Index num_dropped = 0;
  double outcome_mean = 0.0, outcome_sd = 0.0;
  // Subtracted from problem.y: the mean of the outcome with an intercept, whose flat prior makes the evidence independent of it; else 0.
  double centre = 0.0;

  Index num_rows() const { return problem.num_rows(); }
  std::vector<std::string> mean_names() const;
  // A covariance parameter's name with the term that it is of: "length of se(x)".
  std::string parameter_name(Index p) const;
};

// Points at which the process is computed.
struct GpPoints {
  std::vector<std::vector<double>> columns;  // inputs
  numerics::DenseMatrix mean_columns;
  std::vector<Index> rows = {};  // rows of the table that they are from
  Index num_dropped = 0;
  Index count() const { return mean_columns.rows; }
};

using GpTextOf = std::function<const std::string&(const std::string&)>;
// `text_of`: contents of the table's files. Faults are added; then the result is not complete.
GpTable make_gp_table(const GpRequest& request, const GpTextOf& text_of, FormulaFaults& faults);
// The inputs of other rows, without outcomes. Inputs outside the domain of a kernel are faults.
GpPoints read_gp_points(const GpTable& table, const GpRequest& request, const GpTextOf& text_of,
                        FormulaFaults& faults);
// Adds the names in an expression, without back quotes: those of columns.
void collect_names(const Expression& e, std::set<std::string>& names);
// `count` points behind the last input, in steps of the median distance. Throws Error(usage) unless there is one input, a number.
GpPoints points_ahead(const GpTable& table, Index count);

}  // namespace credo::models
