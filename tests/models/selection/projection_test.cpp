// Projections against least squares, against the equations that a maximum of the likelihood solves, and of a reference onto itself.
#include "models/selection/projection.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "models/selection/swept_products.hpp"
#include "support/test_seed.hpp"

namespace credo::models::projection_test {
namespace {
// 60 rows, terms x1 to x4, of which the third has two columns; the linear predictor of the reference has x2 alone, and a little noise.
ProjectionProblem problem_of(std::string_view family, std::string_view link, Index num_draws) {
  ProjectionProblem problem{.family = find_projected_family(family, link)};
  Rng rng({.seed = credo::testing::test_seed(5)});
  const auto column = [&] {
    std::vector<double> x;
    for (int n = 0; n < 60; ++n) x.push_back(rng.normal());
    return x;
  };
  problem.terms = {
      {"x1", {column()}}, {"x2", {column()}}, {"x3", {column(), column()}}, {"x4", {column()}}};
  const std::vector<double>& x = problem.terms[1].columns[0];
  problem.trials.assign(60, family == "binomial" ? 8.0 : 1.0);
  for (std::size_t n = 0; n < 60; ++n) {
    const double mean = problem.family->mean(0.3 + x[n]);
    problem.y.push_back(family == "binomial" ? std::round(8.0 * mean)
                        : family == "normal" ? mean + 0.5 * rng.normal()
                                             : std::round(mean));
  }
  for (Index s = 0; s < num_draws; ++s) {
    const double level = 0.3 + 0.06 * rng.normal(), slope = 1.0 + 0.06 * rng.normal(),
                 other = 0.06 * rng.normal();
    std::vector<double> means;
    for (std::size_t n = 0; n < 60; ++n)
      means.push_back(
          problem.family->mean(level + slope * x[n] + other * problem.terms[3].columns[0][n]));
    problem.means.push_back(means);
    problem.sigma.push_back(0.5 * std::exp(0.09 * rng.normal()));
  }
  return problem;
}

TEST(projection, of_normal_outcomes_is_least_squares) {
  const ProjectionProblem problem = problem_of("normal", "identity", 3);
  const std::vector<Index> terms{0, 2};
  std::vector<std::vector<double>> columns{problem.terms[0].columns[0], problem.terms[2].columns[0],
                                           problem.terms[2].columns[1],
                                           std::vector<double>(60, 1.0)};
  SweptProducts swept(columns, problem.means[1], 0.0);
  for (Index c = 0; c < 4; ++c) swept.flip(c);
  const Projected made = project_draw(problem, terms, 1);
  EXPECT_NEAR(made.sigma * made.sigma - problem.sigma[1] * problem.sigma[1],
              swept.residual() / 60.0, 1e-12);
  // KL(N(mu, s) | N(m, t)) = log(t / s) + (s^2 + (mu - m)^2) / (2 t^2) - 1/2, mean over rows.
  double divergence = 0.0;
  for (std::size_t n = 0; n < 60; ++n) {
    const double off = problem.means[1][n] - made.mean[n], s = problem.sigma[1], t = made.sigma;
    divergence += (std::log(t / s) + (s * s + off * off) / (2.0 * t * t) - 0.5) / 60.0;
  }
  EXPECT_NEAR(made.divergence, divergence, 1e-12);
}

// At the maximum residuals are orthogonal to the columns, and any other submodel is farther from the reference.
TEST(projection, of_counts_solves_the_equations_of_the_likelihood) {
  for (const auto& [family, link] :
       {std::pair{"binomial", "logit"}, std::pair{"bernoulli", "logit"},
        std::pair{"poisson", "log"}}) {
    const ProjectionProblem problem = problem_of(family, link, 3);
    const std::vector<Index> terms{0, 2};
    const Projected made = project_draw(problem, terms, 2);
    std::vector<std::vector<double>> columns{
        std::vector<double>(60, 1.0), problem.terms[0].columns[0], problem.terms[2].columns[0],
        problem.terms[2].columns[1]};
    for (const std::vector<double>& column : columns) {
      double product = 0.0;
      for (std::size_t n = 0; n < 60; ++n)
        product += problem.trials[n] * column[n] * (problem.means[2][n] - made.mean[n]);
      EXPECT_NEAR(product, 0.0, 1e-4)
          << family;  // steps end where the divergence is known to 1e-12
    }
    double sum = 0.0;
    for (std::size_t n = 0; n < 60; ++n)
      sum += problem.trials[n] * problem.family->divergence(problem.means[2][n], made.mean[n]) / 60;
    EXPECT_NEAR(sum, made.divergence, 1e-12);
  }
}

TEST(projection, of_a_reference_onto_its_own_terms_is_the_reference) {
  for (const auto& [family, link] : {std::pair{"normal", "identity"},
                                     std::pair{"binomial", "logit"}, std::pair{"poisson", "log"}}) {
    const Projection found = project_steps(problem_of(family, link, 100));
    ASSERT_EQ(found.steps.size(), 5u);
    const ProjectionStep& last = found.steps.back();
    EXPECT_NEAR(last.divergence, 0.0, 1e-9) << family;
    EXPECT_NEAR(last.difference, 0.0, 1e-4) << family;
    EXPECT_NEAR(last.elpd, found.elpd, 1e-4);
  }
}

TEST(projection, takes_the_terms_of_the_reference_first_and_suggests_one) {
  for (const auto& [family, link] : {std::pair{"normal", "identity"},
                                     std::pair{"binomial", "logit"}, std::pair{"poisson", "log"}}) {
    const Projection found = project_steps(problem_of(family, link, 200));
    EXPECT_EQ(found.steps[1].term, "x2") << family;
    EXPECT_EQ(found.steps[2].term, "x4") << family;
    EXPECT_EQ(found.num_suggested, 1) << family;
    EXPECT_LT(found.steps[0].difference + 2.0 * found.steps[0].difference_error, 0.0);
    for (std::size_t k = 1; k < found.steps.size(); ++k)
      EXPECT_LE(found.steps[k].divergence, found.steps[k - 1].divergence + 1e-12);
  }
}
}  // namespace
}  // namespace credo::models::projection_test
