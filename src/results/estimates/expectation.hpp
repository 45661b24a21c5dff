// Expectations under the prior of a model, and under its posterior by weighing the prior with the likelihood, from points
// of the unit cube [owen2013; murphy2023, 11.6].
#pragma once
#include "density/model.hpp"
#include "numerics/points/point_rule.hpp"
#include "results/arrays/arrays.hpp"
#include "results/draws/work.hpp"

namespace credo::results {

struct ExpectationOptions {
  const numerics::PointRule* rule = nullptr;
  Index num_points = 1024;    // points of each replicate
  Index num_replicates = 32;  // randomised independently; at least 2
  bool of_posterior = false;
  std::uint64_t seed = 1;
  Index num_threads = 1;
  Work* work = nullptr;  // does and keeps the replicates; null: they aren't kept
};

// Computes the functions, a row of values for each row of Model::outputs(). `first`: number of the first row among
// those of all replicates. Called from several threads at once.
using Functions = std::function<std::vector<std::vector<double>>(
    const std::vector<std::vector<double>>& outputs, std::uint32_t first)>;

struct Expectation {
  double mean = kNaN;
  double error = kNaN;  // standard error, from how much the replicates differ
  double sd = kNaN;     // of the function under the distribution
  // Number of points at which the function is NaN or infinite, and the value at one of them. The mean doesn't exist
  // then.
  Index num_not_finite = 0;
  double not_finite = kNaN;
  // So many independent draws of the distribution itself would have the same error: sd² / error².
  double num_equivalent() const { return sd * sd / (error * error); }
};

struct Expectations {
  std::vector<Expectation> of;  // in the order of the functions
  Index num_refused =
      0;  // points outside of the support, where the distribution was drawn anew or has no density
  // For the posterior only: the evidence, which is the mean weight, and the quality of the weights.
  double log_evidence = kNaN, log_evidence_error = kNaN, pareto_k = kNaN, weight_ess = kNaN;
};

// A mean is the ratio of sums over all replicates; its error is that of a ratio, to first order, with replicates as the
// independent pieces. The same options give the same numbers for any number of threads. Throws Error(program) where the
// prior has no map from the unit cube or can't be split from the likelihood, Error(usage) where the rule has no such points.
Expectations expectations(const density::Model& model, const ExpectationOptions& options,
                          const Functions& functions);

// Group expectations, by expression: mean, error, sd, equivalent_draws.
ArrayList arrays_of(const Expectations& found, const ExpectationOptions& options,
                    std::vector<std::string> expressions);

}  // namespace credo::results
