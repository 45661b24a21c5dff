// How much the parameters of a fit depend on its prior and on its likelihood: each is raised to a power near 1, by
// weights of the draws at hand [kallioinen2024].
#pragma once
#include "diagnose/power_scaling.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// Conclusion from the two distances of a quantity.
enum class Sensitive {
  neither,     // insensitive, to the prior at least: `likelihood` is the ideal
  likelihood,  // the data decide
  prior,       // strong prior or weak data
  both         // prior and data may be in conflict
};

struct QuantitySensitivity {
  std::string name;
  diagnose::Sensitivity prior, likelihood;
  Sensitive to() const;
};

struct SensitivityOptions {
  bool all_outputs = false;  // transformed parameters and generated quantities, too
  bool all_priors = false;  // distributions of effects (density::StatedDensity::is_of_effects), too
};

struct FitSensitivity {
  std::vector<QuantitySensitivity> quantities;
  double prior_k = kNaN, likelihood_k = kNaN;  // Pareto k of the weights
  Index num_draws = 0;
  bool by_log_lik =
      false;  // the likelihood is the sum of the program's log_lik, the prior the rest
  std::vector<std::string> effects;  // their distributions weren't scaled with the priors
};

inline constexpr double kSensitive = 0.05;  // distance per doubling

// Throws Error(program) if prior and likelihood can't be separated, Error(usage) for weighted draws, Error(data) if
// there are fewer than two draws.
FitSensitivity sensitivity_of_fit(const Fit& fit, const density::Model& model,
                                  const SensitivityOptions& options = {});

std::string_view words_of(Sensitive to);

}  // namespace credo::results
