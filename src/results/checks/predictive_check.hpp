// Predictive checks: data that the model draws at the draws of a fit, beside the data that were observed
// [gelman2013, ch. 6].
#pragma once
#include "density/model.hpp"
#include "results/checks/test_statistics.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// Replicates of one variable of the data.
struct Replicated {
  std::string name, source;  // "y"; "y_rep", or empty: of the statements of the likelihood
  bool is_whole = false;
  std::vector<double> observed;            // the elements that are drawn
  std::vector<std::string> elements;       // their names
  std::vector<std::vector<double>> draws;  // each with all elements
};

struct StatisticCheck {
  std::string statistic;
  double observed = kNaN;
  double mean = kNaN, q5 = kNaN, q95 = kNaN;  // of the replicates
  double tail = kNaN,
         error =
             kNaN;  // P(T(y_rep) > T(y)), of equal ones half, and its Monte Carlo standard error
  bool is_extreme() const { return std::min(tail, 1.0 - tail) + 2.0 * error < 0.025; }
};

struct PredictiveCheck {
  std::string name, source;
  Index num_draws = 0;
  std::vector<StatisticCheck> statistics;
  // For each element the probability of a replicate below it, of an equal one half.
  std::vector<double> places;
  std::vector<std::string> elements;
  double share_within(double probability) const;  // of elements within their central interval
};

struct CheckOptions {
  Index num_draws = 1000;  // at most, spread over all
  std::uint64_t seed = 1;
  std::vector<std::string> pairs =
      {};  // "y=y_rep": a generated quantity that replicates a variable of the data
};

// Replicates come from generated quantities where there is one of the data's name and shape with _rep, _sim, _tilde
// or _pred behind it, from the likelihood's statements otherwise. Throws Error(program) where there is neither.
std::vector<Replicated> replicate_fit(const Fit& fit, const density::Model& model,
                                      const CheckOptions& options);
// At draws from the prior.
std::vector<Replicated> replicate_prior(const density::Model& model, const CheckOptions& options);

// Which draws of the fit replicate_fit() takes, at most so many: numbers of a chain's draws, one chain after another, S each.
std::vector<Index> draws_of_replicates(const Fit& fit, Index most);

// Statistics that the program computes itself, of replicated and of observed data: two outputs of the same shape, "T_rep=T_obs",
// compared draw by draw, so that they may depend on parameters. `source` is empty. Throws Error(usage) where the fit has no such
// outputs.
PredictiveCheck check_pairs(const Fit& fit, std::span<const std::string> pairs);

// `num_chains`: of the draws, one chain after another, for errors. Empty `statistics`: all that apply.
PredictiveCheck check_replicated(const Replicated& replicated, Index num_chains,
                                 std::span<const std::string> statistics);

}  // namespace credo::results
