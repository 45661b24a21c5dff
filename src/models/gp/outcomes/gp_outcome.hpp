// Gaussian processes with outcomes that aren't normal, by a normal approximation of the posterior at the rows, or by draws of it: a table.
//
// Coefficients of the mean have normal priors: the intercept, at the mean of the columns, of standard deviation 5 around the centre of the
// outcomes; others of standard deviation 5 for each standard deviation of their column. Both are times the unit of f. They are part of the
// covariance of f at the rows.
#pragma once
#include "models/gp/gp_problem.hpp"
#include "models/gp/hyper.hpp"
#include "models/gp/outcomes/outcome_family.hpp"

namespace credo::models {

// Outcomes of the rows. `family` is null for normal outcomes that are solved exactly.
struct GpOutcome {
  const OutcomeFamily* family = nullptr;
  std::vector<OutcomeSite> sites = {};    // one for each row; a class is y = 0, 1, ...
  std::vector<std::string> classes = {};  // names of the classes of categorical outcomes
  Index first_parameter =
      0;                // the family's parameters are those of the covariance from this one on
  double centre = 0.0;  // added to f
  double scale = 1.0;   // unit of f: the size of the outcomes for families that are scaled
  bool has_intercept = false;

  // The family's parameters, among all.
  const double* phi(std::span<const double> theta) const { return theta.data() + first_parameter; }
  Index num_outputs() const { return classes.empty() ? 1 : ssize(classes); }
};

struct OutcomeMethodRow {
  std::string_view name, summary;
  // Why outcomes of this family can't be treated this way; empty: they can.
  std::string (*refusal)(const OutcomeFamily&) = nullptr;
  // Both must outlive the solver. Null: hyperparameters are drawn together with f (sampled.hpp), and there is no evidence.
  std::unique_ptr<GpSolver> (*make)(const GpProblem&, const GpOutcome&) = nullptr;
  bool is_bound = false;  // its evidence is a lower bound
};
std::span<const OutcomeMethodRow> outcome_method_rows();
const OutcomeMethodRow& find_outcome_method(std::string_view name);
// ep for bernoulli and binomial outcomes, sample for those that aren't log-concave, else laplace.
const OutcomeMethodRow& default_outcome_method(const OutcomeFamily& family);

std::unique_ptr<GpSolver> make_laplace_solver(const GpProblem& problem, const GpOutcome& outcome);
std::unique_ptr<GpSolver> make_ep_solver(const GpProblem& problem, const GpOutcome& outcome);
std::unique_ptr<GpSolver> make_cvi_solver(const GpProblem& problem, const GpOutcome& outcome);
std::unique_ptr<GpSolver> make_classes_solver(const GpProblem& problem, const GpOutcome& outcome);

}  // namespace credo::models
