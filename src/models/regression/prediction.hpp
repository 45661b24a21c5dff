// Predictions of a regression for the rows of another table: levels by name, constants of the fit.
#pragma once
#include "models/regression/regression.hpp"

namespace credo::models {

enum class NewLevels { draw, mean, refuse };  // new levels of groups

struct Prediction {
  std::string program, data;       // texts; the data are those of the new table with the constants
  std::vector<std::string> notes;  // new levels of groups
  Index num_rows = 0;
};

// `data`: the other table, as it is read. Rows that can't be predicted are faults.
Prediction make_prediction(const Regression& made, const io::DataRecipe& data, NewLevels news,
                           const std::function<const std::string&(const std::string&)>& text_of,
                           FormulaFaults& faults);

}  // namespace credo::models
