// Thresholds of ordered outcomes: one set for all rows, a stated number (thres(4)), or one set for each level of a column
// (thres(by = g), thres(4, by = g)).
//
// Sets of levels stand one after another in the vector `threshold` of transformed parameters. Those of a row are a segment of it.
#pragma once
#include "models/regression/regression.hpp"

namespace credo::models {

// Before the rows are read: the categories of an outcome of numbers are 1 ... k + 1.
void state_categories(Regression& made);
// After the rows are set: the number of each level, checked.
void take_thresholds(Regression& made, Frame& frame);

Index total_thresholds(const Regression& made);  // all levels together
// ---- texts of the program
std::string number_of_thresholds(
    const Regression& made);  // "K_rating - 1", or that of all levels together
std::string threshold_parameters(const Regression& made);  // declarations
std::string joined_thresholds(
    const Regression& made);  // lines of transformed parameters; empty for one set
std::string threshold_priors(const Regression& made, const std::string& prior);
// The thresholds of row n where `row` is "[n]" and levels have their own, else "threshold"; their number in row n.
std::string threshold_text(const Regression& made, const std::string& row);
std::string thresholds_of_row(const Regression& made);

}  // namespace credo::models
