// Estimators of an entropy from counts: a table.
#pragma once
#include "base/types.hpp"

namespace credo::models {

struct EntropyEstimate {
  double value = 0.0, sd = 0.0;  // nats
};

struct EntropyOptions {
  double concentration = 0.5;  // the Dirichlet prior's parameter for each state
};

// One question to an estimator. `counts` are those of the states that were seen; there are `num_states` in all.
struct CountSample {
  std::vector<double> counts;  // > 0, whole numbers
  Index num_states = 0;        // >= counts.size()

  double total() const;
  // Different counts, each with the number of states that have it: sums over states are sums over these.
  std::vector<std::pair<double, double>> grouped() const;
  Index num_seen() const { return ssize(counts); }
  Index num_single() const;  // states that were seen once
};
// Leaves out counts of 0; there are as many states as counts, or `num_states` if that is more.
CountSample count_sample(std::span<const double> counts, Index num_states = 0);

struct EntropyEstimator {
  std::string_view name, summary;
  // Why the counts can't be asked; empty: they can.
  std::string (*refusal)(const CountSample&) = nullptr;
  EntropyEstimate (*estimate)(const CountSample&, const EntropyOptions&) = nullptr;
};

std::span<const EntropyEstimator* const> entropy_estimators();
const EntropyEstimator& find_entropy_estimator(std::string_view name);  // throws Error(usage)

// Variance of the plug-in estimate: its first term, (sum p log^2 p - H^2) / N, which is 0 for equal probabilities, and the
// second one, (K - 1) / (2 N^2), which chi-squared counts have then [harris1975].
double plug_in_variance(const CountSample& sample);

// Entropy of a distribution with the posterior Dirichlet(count + a) over all states: its mean and standard deviation, exactly
// [wolpert1995, theorems 4 to 9].
EntropyEstimate dirichlet_entropy(const CountSample& sample, double a);
// Mean and standard deviation from counts that are grouped, of `total` rows and `num_states` states.
EntropyEstimate dirichlet_entropy(std::span<const std::pair<double, double>> grouped, double total,
                                  Index num_states, double a);

}  // namespace credo::models
