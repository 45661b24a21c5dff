// Means by independent draws, for your own distributions: importance sampling, and the expected information of a
// planned experiment.
//
//   credo::RandomStream random(1);
//   const credo::ImportanceMean tail = credo::importance_mean(
//       random, log_normal, {.dimension = 1, .draw = draw_t, .log_density = log_t},
//       [](std::span<const double> x) { return x[0] > 4.0 ? 1.0 : 0.0; }, 10'000);
//
// Callables are called one after another, by the calling thread. The same stream gives the same figures. For Stan programs:
// `credo expect`, `credo sample --sampler importance` (docs/expectations.md).
#pragma once
#include "credo/generators.hpp"

namespace credo {

// A distribution of D numbers, normalised.
struct VectorDistribution {
  Index dimension = 1;
  std::function<void(std::span<double> x, Random& random)> draw;
  std::function<double(std::span<const double> x)> log_density;
};

struct ImportanceMean {
  double mean = 0.0, error = 0.0;  // mean of w f, and its standard error
  // Mean of the weights w = target / proposal, whose expectation is 1 if the target is normalised and the proposal reaches all
  // of it: a mean that is off by more than its error allows says that one of both isn't so.
  double mean_weight = 0.0, mean_weight_error = 0.0;
  double effective_draws = 0.0;  // (sum w)^2 / sum w^2
};

// The expectation of f under a target whose log density is known with its constant, from N draws of a proposal [murphy2023,
// 11.5.1]: mean w f, without bias whatever N, where the proposal has density wherever the target has. Throws Error(usage) for
// an empty callable, N < 2 or a dimension below 1; Error(evaluation) where a weight or a value of f is no finite number.
CREDO_API ImportanceMean
importance_mean(Random& random, const std::function<double(std::span<const double> x)>& log_target,
                const VectorDistribution& proposal,
                const std::function<double(std::span<const double> x)>& f, Index num_draws);

// A planned experiment: parameters from the prior, an outcome given the parameters, and its log likelihood, constants that
// depend on neither may lack.
struct Experiment {
  Index num_parameters = 1, num_outcomes = 1;
  std::function<void(std::span<double> parameters, Random& random)> draw_parameters;
  std::function<void(std::span<const double> parameters, std::span<double> outcome, Random& random)>
      simulate;
  std::function<double(std::span<const double> parameters, std::span<const double> outcome)>
      log_likelihood;
};

struct InformationGain {
  double mean = 0.0, error = 0.0;  // nats
  // By how much the mean is too large because the inner mean is one of finitely many draws, to first order; not taken off.
  double bias = 0.0;
};

// The information that an outcome gives about the parameters on average, I(parameters, outcome) = E KL(posterior | prior)
// [lindley1956]: the mean over `num_outer` simulated outcomes of log p(y | theta) - log p(y), with p(y) the mean of p(y | theta')
// over `num_inner` other draws of the prior [rainforth2018]. The best of several designs has the largest. Throws Error(usage)
// for empty callables and numbers below 2, Error(evaluation) for a log likelihood that is NaN or +infinity, or
// -infinity at the parameters that the outcome was simulated from.
CREDO_API InformationGain expected_information_gain(Random& random, const Experiment& experiment,
                                                    Index num_outer = 1000, Index num_inner = 1000);

}  // namespace credo
