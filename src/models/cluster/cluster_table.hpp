// The points of a clustering from columns of a table: standardised.
#pragma once
#include "io/data/data_recipe.hpp"
#include "models/formula/faults.hpp"

namespace credo::models {

struct ClusterTable {
  std::string formula = {};                       // "rows ~ COLUMNS", of which faults have places
  std::vector<std::string> names = {};            // names of the columns
  std::vector<std::vector<double>> columns = {};  // in their own units
  std::vector<double> means = {}, sds = {}, points = {};  // points: N x D, standardised
  std::vector<Index> rows = {};  // numbers of the rows in the table, from 0
  Index num_rows = 0, num_dropped = 0;

  Index dimension() const { return ssize(names); }
};

// `columns`: "eruptions + log(waiting)". Faults are added; then the result is not complete.
ClusterTable make_points(const std::string& columns, const io::DataRecipe& data,
                         const std::function<bool(const std::string&)>& is_usable,
                         const std::function<const std::string&(const std::string&)>& text_of,
                         FormulaFaults& faults);

}  // namespace credo::models
