// How much the parameters of a fit depend on its prior and on its likelihood: each is raised to a power near 1, by
// weights of the draws at hand [kallioinen2024].
#pragma once
#include "diagnose/power_scaling.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// What the two distances of a quantity say together.
enum class Sensitive {
  neither,     // to the prior, at least: what one hopes for is `likelihood`
  likelihood,  // the data decide
  prior,       // strong prior or weak data
  both         // prior and data may be in conflict
};

struct QuantitySensitivity {
  std::string name;
  diagnose::Sensitivity prior, likelihood;
  Sensitive to() const;
};

struct FitSensitivity {
  std::vector<QuantitySensitivity> quantities;
  double prior_k = kNaN, likelihood_k = kNaN;  // Pareto k of the weights
  Index num_draws = 0;
};

inline constexpr double kSensitive = 0.05;  // distance per doubling

// Of the parameters, and of other outputs where `all`. Throws Error(program) where prior and likelihood can't be told
// apart, Error(usage) for weighted draws.
FitSensitivity sensitivity_of_fit(const Fit& fit, const density::Model& model, bool all);

std::string_view words_of(Sensitive to);

}  // namespace credo::results
