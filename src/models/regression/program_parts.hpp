// Texts that the program of a fit and that of predictions share.
#pragma once
#include "models/regression/group_texts.hpp"
#include "models/regression/regression.hpp"
#include "models/regression/thresholds.hpp"

namespace credo::models {

// Lines of a block in braces; nothing without lines.
std::string block_of(const std::string& name, const std::string& lines);
std::string functions_block(const Regression& made);
// Declarations of the parameters.
std::string parameter_lines(const Regression& made);
// Declarations of transformed parameters: effects of groups, and what special terms make of their parameters.
std::string effect_lines(const Regression& made);
// Parts of the sum of a linear predictor at the rows of a fit, or at those that are predicted.
std::vector<std::string> predictor_parts(const Regression& made, std::size_t predictor,
                                         bool is_prediction);
// "vector[N] eta = ...;", a part a line, with the inverse of the link for parameters of the family.
std::string predictor_lines(const Regression& made, std::size_t predictor, bool is_prediction);
// A distribution as the call of one of its functions: "normal_lccdf(y[n] | mu, sigma)".
std::string call_of(const std::string& distribution, const std::string& suffix,
                    const std::string& outcome);
// Operators of elements as those of numbers.
std::string of_numbers(std::string text);
// Texts for the family, for all rows or for row n.
FamilyText family_text(const Regression& made, const std::string& eta, bool of_row);
// Texts for the rows of an index: "[n]", "[seen]", or nothing for all rows.
FamilyText family_text_of(const Regression& made, const std::string& eta, const std::string& row);

}  // namespace credo::models
