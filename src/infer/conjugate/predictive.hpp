// Predictive distributions of outcomes in closed form: the outcome's distribution averaged over a conjugate posterior.
#pragma once
#include "infer/conjugate/conjugate.hpp"

namespace credo::infer::conjugate {

// One outcome as its distribution (a row of dist/table.cpp) with the arguments that it has at one point. A matrix is by columns.
struct Outcome {
  std::string_view distribution;
  std::vector<std::vector<double>> arguments;
  Index size = 1;      // elements of the outcome
  double total = 0.0;  // their sum, which a multinomial distribution takes as given
  bool is_truncated = false;
};
// The same outcomes at any values of the parameters.
using OutcomesAt = std::function<std::vector<Outcome>(std::span<const double> values)>;

// The predictive distribution of one element of an outcome.
struct Predictive {
  Index outcome = 0, element = 0;
  // A row of dist/table.cpp with its arguments in order; empty if no rule has a closed form.
  std::string family = {};
  std::vector<Argument> arguments = {};
  // Distribution of all elements of a vector; empty for a number.
  std::string joint = {};
  double mean = kNaN, sd = kNaN;  // moments that don't exist are NaN, those that diverge infinite
};
double quantile(const Predictive& predictive, double p);  // NaN without a closed form

// The predictive distributions of all elements. An argument of an outcome is read as a function of the parameters from its values at about as many points as
// there are parameters, and the function is compared with it at further points. Outcomes with a form that no rule has are returned without a family.
std::vector<Predictive> predictives(const Problem& problem, const Answer& answer,
                                    const OutcomesAt& outcomes);

}  // namespace credo::infer::conjugate
