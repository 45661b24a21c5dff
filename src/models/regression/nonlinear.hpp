// Nonlinear formulas: y ~ a * exp(-b * x); a ~ 1; b ~ 1 + (1 | g). The location is an expression of columns and of parameters, each of
// which is a linear predictor of its own.
#pragma once
#include "models/formula/arithmetic.hpp"
#include "models/regression/regression.hpp"

namespace credo::models {

// Registers the columns of the expression, and gives a name of the program to each parameter, which is a name that has a formula and
// isn't the family's. False, with faults, for other names. The family is known.
bool use_expression(Regression& made, const Formula& formula, Frame& frame, VectorNames& vectors);

// Bounds, centre and size of the numbers of a prior, those that are known.
struct PriorFacts {
  std::optional<double> lower = {}, upper = {}, centre = {}, size = {};
};
PriorFacts facts_of(const std::string& prior);
// Bounds of an intercept by its prior, as in declarations: "<lower=0>". Without bounds the intercept is stated in units of a prior that
// has a centre, so that random starts lie where the prior does.
std::string bounds_of(const Predictor& own);

// Gives a parameter of the expression its unit, by the prior that the request states for it; a fault if it states no prior.
bool set_unit(Predictor& own, const RegressionRequest& request, FormulaFaults& faults);

}  // namespace credo::models
