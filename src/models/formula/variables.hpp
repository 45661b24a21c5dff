// One variable of a formula (a column, a factor, a numeric call) at the rows of a table: its columns, their names as in R, and how a
// program computes them.
#pragma once
#include "models/formula/arithmetic.hpp"
#include "models/formula/bases.hpp"

namespace credo::models {

struct FormulaVariable {
  std::string text;  // text in R's form
  std::string name;  // for the names of parameters: log_x
  bool is_factor = false;

  // a factor
  std::string codes_name;                // array of codes in the program
  std::vector<std::int32_t> codes = {};  // from 1
  std::vector<std::string> levels = {};
  std::string contrast_kind = "treatment";
  std::size_t reference = 0;
  Contrasts contrasts = {};

  // numbers
  Columns columns = {};
  std::vector<std::string> column_names = {};  // behind the text: "1", "2"; "" for a single column
  std::string stan = {};                       // a vector, or a matrix
  bool is_matrix = false;
  std::optional<std::pair<double, double>> range = {};  // values that a spline is known for
  std::vector<double> inside = {};                      // the numbers that this range is of

  bool may_be_collinear = false;  // more columns than the rows can tell apart: their prior decides

  bool is_treatment() const { return is_factor && contrast_kind == "treatment"; }
};

// Registers the columns of the variable. False, with faults, if it isn't one.
bool use_variable(const Expression& e, Frame& frame);
// After the rows are set and use_variable() was true. `parts`: gets functions, constants and statements that the variable needs.
FormulaVariable make_variable(const Expression& e, Frame& frame, StanParts& parts);

}  // namespace credo::models
