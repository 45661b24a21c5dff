// A regression with ard() as data of type-II maximum likelihood: columns and outcome with sd 1.
#pragma once
#include "models/ard/type_two.hpp"
#include "models/regression/regression.hpp"

namespace credo::models {

struct ArdColumn {
  std::string name;                // "x1"
  double mean = 0.0, scale = 1.0;  // of the column at the rows
  Index row = -1;                  // of kernel(): the first row, from 0, whose value it belongs to
};

struct ArdTable {
  ArdData data;
  std::vector<ArdColumn> columns;
  double outcome_mean = 0.0, outcome_sd = 1.0;
  bool has_intercept = true;
  Index num_rows = 0;

  // Coefficient or sd of a column in the table's units.
  double coefficient(std::size_t column, double standardised) const {
    return standardised * outcome_sd / columns[column].scale;
  }
  double intercept(std::span<const double> standardised) const;
  // Log density of the outcome itself, not of the standardised one.
  double log_evidence(double standardised) const {
    return standardised - static_cast<double>(num_rows) * std::log(outcome_sd);
  }
};

bool has_ard(const Regression& made);
// Throws Error(usage) for a regression that isn't y ~ ard(...) with normal outcomes, and for stated priors.
ArdTable make_ard_table(const Regression& made, const RegressionRequest& request,
                        std::string_view method);

}  // namespace credo::models
