// Result of exact inference about discrete parameters, and its arrays.
//
//   group marginals      x [..., x_value]: the probability of each value of each element; x_value: the values. With a
//                        fit x_error, x_frequency, x_frequency_error beside it
//   group most_probable  x [...]
//   group posterior      chain, draw: x, if draws are requested
//   attributes           of the file: program, method, width, num_entries, log_sum, log_given, log_most_probable
#pragma once
#include "density/layout.hpp"
#include "numerics/factor_product.hpp"
#include "results/arrays/arrays.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

struct ExactOptions {
  // Entries of all tables of an elimination, or configurations of an enumeration.
  std::int64_t most_entries = std::int64_t{1} << 26;
  bool pairs = false;                        // joint probabilities of those that meet in a term
  std::vector<numerics::Scope> joints = {};  // and of these
  Index num_draws = 0;
  std::uint64_t seed = 1;
  // True if the tables without given values sum to 1, so that the sum with them is their probability.
  bool is_normalised = false;
  // Called with the plan of an elimination before memory is taken.
  std::function<void(const numerics::EliminationPlan&)> on_plan = {};
};

// The parameters, and which are given: a value that counts from 0; -1: it isn't.
struct DiscreteNames {
  density::Layout layout;
  std::vector<std::int32_t> lower, upper;
  std::vector<std::int32_t> given;
  // Names by parameter and by its values, for people; empty: those of the layout, and numbers.
  std::vector<std::string> titles = {};
  std::vector<std::vector<std::string>> states = {};

  std::string title(std::size_t m) const {
    return titles.empty() ? layout.element_name(static_cast<Index>(m)) : titles[m];
  }
  // Name of the value that counts from 0.
  std::string state(std::size_t m, std::int32_t value) const {
    return states.empty() ? std::to_string(lower[m] + value)
                          : states[m][static_cast<std::size_t>(value)];
  }
};

struct JointDistribution {
  numerics::Scope parameters;
  std::vector<double> probabilities;  // the last one's values fastest
};

// Errors and frequencies in the shape of the marginals, from the draws of a fit.
struct MarginalsOfFit {
  Index num_draws = 0, num_chains = 0;
  std::vector<std::vector<double>> errors = {};  // Monte Carlo standard errors of the marginals
  std::vector<std::vector<double>> frequencies = {},
                                   frequency_errors = {};  // those of the values that were drawn
};

struct ExactRun {
  std::string program;
  std::string method = "elimination";
  std::string sum_is = {};  // name of log_sum, as "log evidence"
  DiscreteNames names;
  Index width = 0;
  std::int64_t largest_table = 0, num_entries = 0;
  std::vector<std::vector<double>> marginals =
      {};  // by parameter, the probabilities of lower .. upper
  // At one point:
  double log_sum = kNaN;    // log sum of the density over configurations with the given values
  double log_given = kNaN;  // log probability of the given values; NaN without given values
  std::vector<std::int32_t> most_probable = {};
  double log_most_probable = kNaN;  // its log density
  std::vector<JointDistribution> pairs = {}, joints = {};
  std::vector<std::vector<std::int32_t>> draws = {};  // values of all parameters
  // Instead: averaged over the draws of a fit.
  std::optional<MarginalsOfFit> of_fit = {};
};

// The distribution that the tables state. Throws Error(program) where a sum needs more entries than there may be, or no
// configuration is possible.
ExactRun exact_distribution(const numerics::FactorTables& tables, DiscreteNames names,
                            const ExactOptions& options);

// The same distribution by a visit of each configuration of the parameters that aren't given. Throws Error(program) if there are more than
// options.most_entries of them, with and without the condition; otherwise as exact_distribution.
ExactRun enumerated_distribution(const numerics::FactorTables& tables, DiscreteNames names,
                                 const ExactOptions& options);

// The tables at a position.
using TablesAt = std::function<numerics::FactorTables(std::span<const double> position)>;
// The conditional probabilities of all parameters, of which none is given, averaged over the draws after warm-up: less error than counting drawn values has (Rao and
// Blackwell [gelfand1990]). Throws as exact_distribution, Error(usage) for weighted draws, Error(data) for a fit
// without draws or of another program.
ExactRun exact_marginals(const Fit& fit, const density::Model& model, const TablesAt& tables_at,
                         DiscreteNames names, const ExactOptions& options);

ArrayList arrays_of(const ExactRun& run);

}  // namespace credo::results
