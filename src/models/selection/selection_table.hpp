// The problem of a selection from a formula and a table.
#pragma once
#include "io/data/data_recipe.hpp"
#include "models/formula/faults.hpp"
#include "models/selection/subset_search.hpp"

namespace credo::models {

struct SelectionRequest {
  std::string formula;
  std::vector<std::string> kept = {};  // terms that are always in
  io::DataRecipe data = {};
  std::function<bool(const std::string&)> is_usable = {};  // true for names that programs may use
};

struct SelectionTable {
  std::string formula, outcome;
  SelectionProblem problem;           // without prior and options
  std::vector<std::string> names;     // names of the columns, as in R
  std::vector<double> means, scales;  // of the columns: sds
  double outcome_mean = 0.0, outcome_sd = 0.0;
  Index num_rows = 0, num_dropped = 0;

  double coefficient(Index column, double standard) const {
    return standard / scales[static_cast<std::size_t>(column)];
  }
  // With these coefficients of the standardised columns.
  double intercept(std::span<const double> standard) const;
  std::string text_of(const TermSet& set) const;  // "Ed + Po1", or "1"
};

// `text_of`: contents of the table's files. Faults are added; then the result is not complete.
SelectionTable make_selection(const SelectionRequest& request,
                              const std::function<const std::string&(const std::string&)>& text_of,
                              FormulaFaults& faults);

}  // namespace credo::models
