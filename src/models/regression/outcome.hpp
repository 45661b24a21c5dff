// The left side of a formula: y, log(y), y | trials(n).
#pragma once
#include "models/regression/regression.hpp"

namespace credo::models {

// Registers the columns of the left side and chooses the family. False, with faults, if it can't be fitted.
bool use_outcome(Regression& made, const RegressionRequest& request, const Expression& left,
                 Frame& frame);
// After the rows are set: the values, checked row by row.
void take_outcome(Regression& made, const Expression& left, Frame& frame);
// The outcome without its modifiers.
const Expression& outcome_in(const Expression& left);
// Names of the columns on the left side.
std::vector<std::string> columns_of(const Expression& e);

}  // namespace credo::models
