// Predictive checks: data that the model draws at the draws of a fit, beside the data that were observed
// [gelman2013, ch. 6].
#pragma once
#include "density/model.hpp"
#include "results/checks/test_statistics.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// Replicates of one variable of the data.
struct Replicated {
  std::string name, source;  // "y"; "y_rep", or empty: statements of the likelihood
  bool is_whole = false;
  Index num_censored = 0;
  std::vector<double> observed;            // the elements that are drawn
  std::vector<std::string> elements;       // their names
  std::vector<std::vector<double>> draws;  // each with all elements
};

struct StatisticCheck {
  std::string statistic;
  double observed = kNaN;
  double mean = kNaN, q5 = kNaN, q95 = kNaN;  // statistic of the replicates
  double tail = kNaN,
         error =
             kNaN;  // P(T(y_rep) > T(y)), of equal ones half, and its Monte Carlo standard error
  double p_value =
      kNaN;  // two-sided: rank of T(y) among as many T(y_rep) as there are independent draws
  bool is_far_out = false;  // extreme for the number of statistics in the same check
  bool is_extreme() const { return is_far_out; }
};

// Frequency of a whole number among the data and among the replicates.
struct ValueCheck {
  double value = kNaN;
  Index observed = 0;
  double mean = kNaN, q5 = kNaN, q95 = kNaN;  // frequency among the replicates
};

struct PredictiveCheck {
  std::string name, source;
  Index num_draws = 0;
  bool is_binary = false;  // all observed and replicated values are 0 or 1
  std::vector<StatisticCheck> statistics;
  // For each element the probability of a replicate below it, of an equal one half.
  std::vector<double> places;
  std::vector<std::string> elements;
  std::vector<ValueCheck> bars = {};  // values of whole numbers; empty if there are too many
  Index num_censored = 0;  // censored elements; their replicates are censored in the same way
  double share_within(double probability) const;  // share of elements in their central interval
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

// Draws of the fit that replicate_fit() takes, at most `most`: numbers of a chain's draws, one chain after another, S each.
std::vector<Index> draws_of_replicates(const Fit& fit, Index most);

// Statistics that the program computes itself, of replicated and of observed data: two outputs of the same shape, "T_rep=T_obs",
// compared draw by draw, so that they may depend on parameters. `source` is empty. Throws Error(usage) where the fit has no such
// outputs.
PredictiveCheck check_pairs(const Fit& fit, std::span<const std::string> pairs);

// Marks statistics that are extreme, corrected for their number (Bonferroni): a right model has one with a
// probability of at most kAccusedTogether.
inline constexpr double kAccusedTogether = 0.05;
void mark_extremes(std::span<PredictiveCheck> checks);
// Smallest number of replicates with which one of these statistics could be marked.
Index replicates_needed(std::span<const PredictiveCheck> checks);

// Splits the elements by group, with the group in the name: "y[g = 3]". Throws Error(usage) if there isn't a group
// for each element. `label_of` names a group by its value: a level of a factor.
std::vector<Replicated> by_groups(const Replicated& replicated,
                                  const density::ObservedVariable& groups,
                                  const std::function<std::string(double value)>& label_of);

// `num_chains`: chains of the draws, one after another, for errors. Empty `statistics`: all that apply.
PredictiveCheck check_replicated(const Replicated& replicated, Index num_chains,
                                 std::span<const std::string> statistics);

}  // namespace credo::results
