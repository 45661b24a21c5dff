// Parts that several families share: rules of outcomes, parameters with their priors.
#pragma once
#include "models/regression/family.hpp"

namespace credo::models {

// Reasons why a number can't be an outcome; empty if it can.
std::string any_number(double y, double trials);
std::string only_positive(double y, double trials);
std::string only_at_least_0(double y, double trials);
std::string only_counts(double y, double trials);
std::string only_counts_of_trials(double y, double trials);

std::string mean_of(const FamilyText& text);

// A standard deviation, or another scale of the outcome.
FamilyParameter scale_parameter(std::string name);
// A shape or a precision.
FamilyParameter shape_parameter(std::string name, std::string prior);
// The phi of counts: variance mu + mu^2 / phi.
FamilyParameter overdispersion_parameter();
// The shape of com_poisson: 1 is Poisson.
FamilyParameter com_poisson_shape();
// A probability, as that of extra zeros.
FamilyParameter share_parameter(std::string name);

}  // namespace credo::models
