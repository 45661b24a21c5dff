// Parts of the families whose outcome has several columns.
#pragma once
#include "models/regression/families/family_parts.hpp"

namespace credo::models {

// Reasons why the numbers of a row can't be an outcome; empty if they can.
std::string only_sums_of_trials(const std::vector<double>& row, double trials);
std::string only_shares(const std::vector<double>& row, double trials);

// Weights of a Dirichlet distribution with precision phi.
std::string weights(const FamilyText& t);
// Expected counts.
std::string counts_of_shares(const FamilyText& t);

// Several numbers with a normal distribution together: a location and a sigma for each column, and correlations of the residuals.
std::shared_ptr<const FamilyRow> multi_normal_family(const std::vector<std::string>& columns,
                                                     ProgramNames& names);

// A mixture of families of one location. Nullptr, with a fault, if they can't be mixed.
std::shared_ptr<const FamilyRow> mixture_family(const std::vector<std::string>& components,
                                                const std::string& wanted_link, ProgramNames& names,
                                                FormulaFaults& faults);

}  // namespace credo::models
