// Small processes with outcomes of a family, for tests.
#pragma once
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "models/gp/outcomes/gp_outcome.hpp"
#include "support/test_seed.hpp"

namespace credo::models::gp_outcomes_test {

struct OutcomeCase {
  GpProblem problem;
  GpOutcome outcome;
  std::vector<std::vector<double>> columns;
  std::vector<double> theta;  // length, sd, parameters of the family
};

// Squared-exponential kernel of one input; `q`: functions of the mean, an intercept and the input.
inline OutcomeCase outcome_case(const OutcomeFamily& family, std::vector<double> x,
                                std::vector<OutcomeSite> sites, Index q = 0) {
  OutcomeCase made;
  made.columns = {std::move(x)};
  KernelNode node;
  node.row = find_kernel("se");
  node.columns = {0};
  node.text = "se(x)";
  std::vector<CovarianceParameter> parameters;
  parameters.push_back({.name = "length", .of = "se(x)", .kind = node.row->parameters({})[0]});
  made.theta.push_back(0.8);
  node.sd = 1;
  parameters.push_back({.name = "sd", .of = "se(x)", .kind = {.name = "sd"}});
  made.theta.push_back(1.3);
  made.outcome.first_parameter = 2;
  const std::array<double, 2> values{0.7, 4.5};
  for (std::size_t p = 0; p < family.parameters.size(); ++p) {
    parameters.push_back({.name = family.parameters[p].name,
                          .of = "outcome",
                          .kind = {.name = family.parameters[p].name}});
    made.theta.push_back(values[p]);
  }
  if (family.name == "normal") made.problem.noise = 2;
  for (std::size_t p = 0; p < parameters.size(); ++p) parameters[p].value = made.theta[p];
  made.problem.covariance = Covariance(node, parameters);
  made.problem.x = made.problem.covariance.points(made.columns);
  made.problem.num_threads = 2;
  const Index n = ssize(made.columns[0]);
  made.problem.mean_columns = numerics::DenseMatrix(n, q);
  for (Index i = 0; i < n && q > 0; ++i) {
    made.problem.mean_columns(i, 0) = 1.0;
    if (q > 1) made.problem.mean_columns(i, 1) = made.columns[0][static_cast<std::size_t>(i)];
  }
  made.outcome.has_intercept = q > 0;
  made.outcome.family = &family;
  made.outcome.sites = std::move(sites);
  for (const OutcomeSite& site : made.outcome.sites) made.problem.y.push_back(site.y);
  return made;
}

// Sites of a family for a smooth function.
inline OutcomeCase drawn_case(const OutcomeFamily& family, Index n, Index q, std::uint64_t seed) {
  Rng rng({.seed = testing::test_seed(seed)});
  std::vector<double> x;
  std::vector<OutcomeSite> sites;
  for (Index i = 0; i < n; ++i) {
    x.push_back(rng.uniform(0.0, 4.0));
    const double f = 1.5 * std::sin(2.0 * x.back());
    OutcomeSite site;
    if (family.name == "binomial") site.trials = static_cast<double>(1 + i % 4);
    if (family.takes_rate) site.offset = i % 3 == 0 ? 0.7 : 0.0;
    if (family.is_scaled)
      site.y = f + 0.5 * rng.normal();
    else if (family.takes_rate)
      site.y = std::floor(std::exp(f + site.offset) + rng.uniform(0.0, 1.5));
    else
      for (int k = 0; k < static_cast<int>(site.trials); ++k)
        site.y += rng.uniform() < family.mean_at(f) ? 1.0 : 0.0;
    sites.push_back(site);
  }
  return outcome_case(family, std::move(x), std::move(sites), q);
}

// All families with one process.
inline std::vector<const OutcomeFamily*> single_families() {
  std::vector<const OutcomeFamily*> all;
  for (const OutcomeFamily* family : outcome_families())
    if (!family->is_categorical) all.push_back(family);
  return all;
}

inline double difference(GpSolver& solver, std::vector<double> theta, std::size_t p,
                         double share = 1e-4) {
  const double h = share * theta[p];
  theta[p] += h;
  const double up = solver.evidence(theta, false).value;
  theta[p] -= 2 * h;
  return (up - solver.evidence(theta, false).value) / (2 * h);
}

}  // namespace credo::models::gp_outcomes_test
