// The columns of a formula's terms at the rows of a table, named as R's model.matrix names them.
#pragma once
#include "models/formula/terms.hpp"
#include "models/formula/variables.hpp"

namespace credo::models {

struct DesignTerm {
  std::string text;  // "a:b"
  Term variables;    // numbers in Design::variables
  std::vector<bool>
      contrasts;  // by variable: coded by contrasts; false: a factor by its levels, or numbers
  Columns columns;
  std::vector<std::string> names;  // names of the columns
  FormulaPlace place = {};

  bool is_numeric(const std::vector<FormulaVariable>& all) const;  // no factor among its variables
};

struct Design {
  bool has_intercept = true;
  std::vector<FormulaVariable> variables;
  std::vector<DesignTerm> terms;

  // With the column of ones, if there is an intercept, or as asked.
  Columns all_columns(Index num_rows) const { return all_columns(num_rows, has_intercept); }
  Columns all_columns(Index num_rows, bool with_intercept) const;
  std::vector<std::string> all_names() const { return all_names(has_intercept); }
  std::vector<std::string> all_names(bool with_intercept) const;
};

// False, with faults, if a variable isn't one. Registers all columns in the frame.
bool use_terms(const TermList& terms, Frame& frame);
// After the rows are set and use_terms() was true.
Design make_design(const TermList& terms, Frame& frame, StanParts& parts);

// Columns that are sums of multiples of columns before them, as sentences: "x3 = 2 * x1 - x2".
std::vector<std::string> collinear_columns(const Columns& columns,
                                           const std::vector<std::string>& names);

}  // namespace credo::models
