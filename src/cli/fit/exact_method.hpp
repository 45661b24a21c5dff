// Methods of exact inference, the rows of `credo exact --method`. A new one is a file in cli/fit with a class and its row, and the
// name of the row in exact_methods.cpp. A method answers with groups of arrays; it may be about any kind of parameter.
//
//   struct Own final : ExactMethod, with Options own = {};    // filters::Method<ExactMethod, Options>
//   extern const ExactMethodRow own_exact = filters::row_of<Own>({.name = "own", .summary = "...", .reference = "key"});
#pragma once
#include "filters/method_row.hpp"
#include "model/model.hpp"
#include "results/arrays/arrays.hpp"
#include "results/estimates/exact_run.hpp"

namespace credo::cli {

// The request of the command. The model outlives it.
struct ExactQuestion {
  const model::Model& model;
  const results::Fit* fit = nullptr;  // average over its draws; null: the values of --at
  // Unconstrained values of the continuous parameters, then the smallest value of each discrete one. Throws Error(usage)
  // if the program has continuous parameters without values, so a method that needs no values doesn't call it.
  std::function<std::vector<double>()> position;
  results::DiscreteNames names;  // discrete parameters, and which are given
  results::ExactOptions options = {};
  std::string sum_is = {};  // name of the sum, such as "log evidence"
  bool has_values = false;  // values are given by --at
  // The program with the data whose outcomes are predicted (--predict); null: the model's own.
  const model::Model* predicted = nullptr;
  std::string after = {};       // file of an earlier posterior (--after); empty: none
  bool has_equal_data = false;  // data that equal earlier ones are new observations
};

struct ExactAnswer {
  results::ArrayList arrays;  // the result file and --json
  std::string text;           // standard output
};

class ExactMethod {
 public:
  virtual ~ExactMethod() = default;
  // True if the method can answer for this model; otherwise the reason and a way out.
  virtual density::Capability applies(const model::Model& model) const = 0;
  // True if it averages over the draws of a fit (--fit).
  virtual density::Capability can_average() const { return {}; }
  // True if it has predictive distributions (--predict) and begins at an earlier posterior (--after).
  virtual density::Capability can_predict() const {
    return {false, "only conjugate posteriors have predictive distributions and successors",
            "--method", "leave out --predict and --after"};
  }
  // True if it sums tables that aren't those of a program's terms: a network's.
  virtual density::Capability can_sum_tables() const {
    return {false, "conjugate posteriors are those of programs", "--method",
            "take elimination or enumeration"};
  }
  // The distribution that the tables state; called if can_sum_tables().
  virtual results::ExactRun sum_tables(const numerics::FactorTables& tables,
                                       results::DiscreteNames names,
                                       results::ExactOptions options) const;
  // Throws Error(usage), Error(program) if the sums are too large, Error(evaluation) if no configuration is possible.
  virtual ExactAnswer answer(const ExactQuestion& question) const = 0;
};
using ExactMethodRow = filters::MethodRow<ExactMethod>;
filters::MethodTable<ExactMethod> exact_methods();  // in alphabetical order

// ---- parts that methods about discrete parameters share

// True if the model has discrete parameters.
density::Capability has_discrete(const model::Model& model);
// The distribution that tables of discrete parameters state.
using DistributionOf =
    std::function<results::ExactRun(const numerics::FactorTables&, results::DiscreteNames)>;
// At the question's position. The density itself is evaluated at the most probable configuration; throws Error(internal) if
// the sum of the tables differs from it.
results::ExactRun distribution_at_point(const ExactQuestion& question,
                                        const DistributionOf& distribution);
// Arrays and text of a run, with the names of program and sum.
ExactAnswer answer_of(results::ExactRun run, const ExactQuestion& question);

}  // namespace credo::cli
