// A column with missing cells, which are parameters: mi(x), with a part x | mi() ~ z that says how the column varies.
#pragma once
#include "models/formula/frame.hpp"
#include "models/regression/coefficient.hpp"

namespace credo::models {

struct MissingColumn {
  UsedColumn column;
  std::size_t predictor = 0;      // predictor of its own part
  Index number = 0;               // missing cells
  std::vector<double> seen = {};  // values that are there
  // Names in the program: the column with 0 in its gaps, the rows of gaps, their values, and the column with these.
  std::string given = {}, rows = {}, values = {}, full = {}, sigma = {};

  bool is_constant(const std::string& name) const { return name == given || name == rows; }
};

// x of the left side x | mi(); null if it is another one.
const Expression* missing_column_of(const Expression& left);

struct Regression;
// After the rows are set: gaps, constants and names. Faults are added.
void take_missing_columns(Regression& made, Frame& frame);
// Declarations of parameters; lines of the model block that make the full columns; statements of these.
std::string missing_parameters(const Regression& made);
std::string full_columns(const Regression& made);
std::string missing_statements(const Regression& made);
// Data of predictions, and lines that draw the gaps of their rows.
std::string predicted_gaps(const Regression& made);
std::string drawn_column(const MissingColumn& missing, const std::string& mean);

}  // namespace credo::models
