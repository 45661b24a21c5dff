// Predictive distributions against ratios of evidences: the density of a new outcome is the evidence with it over the evidence without it.
#include "infer/conjugate/predictive.hpp"

#include <gtest/gtest.h>

#include "dist/at.hpp"
#include "numerics/special.hpp"

namespace credo::infer::conjugate::predictive_test {
namespace {
using Values = std::span<const double>;
using Numbers = std::vector<double>;

double log_density(std::string_view name, double y, Numbers args) {
  return dist::At(*dist::find(name), {name, std::move(args)}).log_density(y);
}

// A model of outcomes of one distribution: the prior's log density, and the arguments of the outcome in row k.
struct Case {
  std::string_view name, outcome, family;
  std::vector<Unit> units;
  std::function<double(Values)> log_prior;
  std::function<Numbers(Values, std::size_t row)> arguments;
  Numbers outcomes;  // the last one is new
};

const Unit kReal{"mu", Domain::real, {0}}, kSlope{"b", Domain::real, {1}};
double normal(double x, double mu, double sigma) { return log_density("normal", x, {mu, sigma}); }

std::vector<Case> cases() {
  const auto x = [](std::size_t row) { return 0.5 * static_cast<double>(row) - 1.0; };
  return {
      {"normal mean",
       "normal",
       "normal",
       {kReal},
       [](Values v) { return normal(v[0], 1.0, 2.0); },
       [](Values v, std::size_t) {
         return Numbers{v[0], 0.7};
       },
       {1.2, 0.4, 2.2, 3.0}},
      {"regression of known scale",
       "normal",
       "normal",
       {kReal, kSlope},
       [](Values v) { return normal(v[0], 0.0, 3.0) + normal(v[1], 1.0, 0.5); },
       [x](Values v, std::size_t row) {
         return Numbers{v[0] + x(row) * v[1], 1.5};
       },
       {1.2, 0.4, 2.2, 3.0}},
      {"logarithms",
       "lognormal",
       "lognormal",
       {kReal},
       [](Values v) { return normal(v[0], 1.0, 2.0); },
       [](Values v, std::size_t) {
         return Numbers{v[0] - 1.0, 0.7};
       },
       {1.2, 0.4, 2.2, 3.0}},
      {"regression with a precision",
       "normal",
       "student_t",
       {kReal, kSlope, {"tau", Domain::positive, {2}}},
       [](Values v) {
         return log_density("gamma", v[2], {2.0, 3.0}) + normal(v[0], 0.0, 3.0 / std::sqrt(v[2])) +
                normal(v[1], 1.0, 0.5 / std::sqrt(v[2]));
       },
       [x](Values v, std::size_t row) {
         return Numbers{v[0] + x(row) * v[1], 1.5 / std::sqrt(v[2])};
       },
       {1.2, 0.4, 2.2, 3.0}},
      {"known mean, variance",
       "normal",
       "student_t",
       {{"v", Domain::positive, {0}}},
       [](Values v) {
         return log_density("inv_gamma", v[0], {2.5, 3.0});
       },
       [](Values v, std::size_t) {
         return Numbers{0.5, 2.0 * std::sqrt(v[0])};
       },
       {1.2, 0.4, 2.2, -3.0}},
      {"known mean, standard deviation",
       "normal",
       "student_t",
       {{"s", Domain::positive, {0}}},
       [](Values v) {  // its square has an inverse gamma distribution
         return log_density("inv_gamma", v[0] * v[0], {2.5, 3.0}) + std::log(2.0 * v[0]);
       },
       [](Values v, std::size_t) {
         return Numbers{0.5, v[0]};
       },
       {1.2, 0.4, 2.2, -3.0}},
      {"counts",
       "poisson",
       "neg_binomial",
       {{"rate", Domain::positive, {0}}},
       [](Values v) {
         return log_density("gamma", v[0], {2.0, 0.5});
       },
       [](Values v, std::size_t row) { return Numbers{(1.0 + static_cast<double>(row)) * v[0]}; },
       {3.0, 5.0, 4.0, 9.0}},
      {"times",
       "exponential",
       "pareto_type_2",
       {{"mean", Domain::positive, {0}}},
       [](Values v) {
         return log_density("inv_gamma", v[0], {3.0, 2.0});
       },
       [](Values v, std::size_t) { return Numbers{0.5 / v[0]}; },
       {3.0, 5.0, 4.0, 9.0}},
      {"trials",
       "binomial",
       "beta_binomial",
       {{"theta", Domain::unit, {0}}},
       [](Values v) {
         return log_density("beta", v[0], {2.0, 3.0});
       },
       [](Values v, std::size_t row) {
         return Numbers{10.0 + static_cast<double>(row), v[0]};
       },
       {3.0, 5.0, 4.0, 9.0}},
      {"failures",
       "bernoulli",
       "bernoulli",
       {{"theta", Domain::unit, {0}}},
       [](Values v) {
         return log_density("beta", v[0], {2.0, 3.0});
       },
       [](Values v, std::size_t) { return Numbers{1.0 - v[0]}; },
       {1.0, 0.0, 1.0, 1.0}},
      {"element of a simplex",
       "bernoulli",
       "bernoulli",
       {{"p", Domain::simplex, {0, 1, 2}}},
       [](Values v) { return std::log(v[0]) + 2.0 * std::log(v[1]) + std::log(v[2]); },
       [](Values v, std::size_t) { return Numbers{v[1]}; },
       {1.0, 1.0, 1.0, 1.0}}};
}

// Log density of the first `count` outcomes and the parameters.
LogDensityAt joint(const Case& c, std::size_t count) {
  return [&c, count](Values v) {
    double sum = c.log_prior(v);
    for (std::size_t k = 0; k < count; ++k)
      sum += log_density(c.outcome, c.outcomes[k], c.arguments(v, k));
    return sum;
  };
}
Problem problem(const Case& c, std::size_t count) {
  Index size = 0;
  for (const Unit& unit : c.units) size += ssize(unit.places);
  return {.units = c.units,
          .num_values = size,
          .log_density = joint(c, count),
          .statements = {{joint(c, count), true}}};
}

// The new outcome's log density by the predictive distribution less that by evidences; `fault` multiplies the last argument.
double error_of(const Case& c, double fault = 1.0) {
  const std::size_t last = c.outcomes.size() - 1;
  const Problem before = problem(c, last), all = problem(c, last + 1);
  const Answer posterior = solve(before), with_it = solve(all);
  if (posterior.refusal || with_it.refusal) return kInfinity;
  const auto found = predictives(before, posterior, [&](Values v) {
    Outcome outcome{.distribution = c.outcome, .arguments = {}};
    for (const double argument : c.arguments(v, last)) outcome.arguments.push_back({argument});
    outcome.arguments.back().front() *= fault;
    return std::vector{outcome};
  });
  const Predictive& predictive = found.at(0);
  EXPECT_EQ(predictive.family, fault == 1.0 ? c.family : predictive.family) << c.name;
  if (predictive.family.empty()) return kInfinity;
  Numbers arguments;
  for (const Argument& argument : predictive.arguments) arguments.push_back(argument.value);
  return log_density(predictive.family, c.outcomes[last], arguments) -
         (with_it.log_evidence - posterior.log_evidence);
}

// Tolerance: evidences have the rounding of least squares for natural parameters.
TEST(Predictive, density_of_a_new_outcome_is_the_ratio_of_evidences) {
  for (const Case& c : cases()) EXPECT_LT(std::abs(error_of(c)), 1e-7) << c.name;
}

TEST(Predictive, a_wrong_scale_or_probability_is_detected) {
  for (const Case& c : cases()) EXPECT_GT(std::abs(error_of(c, 1.01)), 1e-4) << c.name;
}

// Outcomes and posterior that have no rule: no distribution is named.
TEST(Predictive, an_argument_of_another_form_has_no_closed_form) {
  const Case c = cases().front();
  const Problem asked = problem(c, 3);
  const Answer posterior = solve(asked);
  for (const int which : {0, 1, 2}) {
    const auto found = predictives(asked, posterior, [&](Values v) {
      Outcome outcome{.distribution = "normal", .arguments = {{v[0]}, {0.7}}};
      if (which == 0) outcome.arguments[0][0] = v[0] + 1e-6 * v[0] * v[0];
      if (which == 1) outcome.arguments[1][0] = std::exp(0.1 * v[0]);
      if (which == 2) outcome.is_truncated = true;
      return std::vector{outcome};
    });
    EXPECT_TRUE(found.at(0).family.empty()) << which;
    EXPECT_TRUE(std::isnan(quantile(found.at(0), 0.5))) << which;
  }
}

TEST(Predictive, vectors_have_the_marginals_of_their_joint_distribution) {
  Problem asked{.units = {{"p", Domain::simplex, {0, 1, 2}}},
                .num_values = 3,
                .log_density = [](Values v) { return std::log(v[0]) + 3.0 * std::log(v[2]); }};
  const auto found = predictives(asked, solve(asked), [](Values v) {
    return std::vector<Outcome>{
        {.distribution = "multinomial", .arguments = {{v[0], v[1], v[2]}}, .size = 3, .total = 5.0},
        {.distribution = "categorical", .arguments = {{v[0], v[1], v[2]}}}};
  });
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[2].joint, "dirichlet_multinomial");
  EXPECT_EQ(found[2].family, "beta_binomial");  // alpha 2, 1, 4
  EXPECT_NEAR(found[2].mean, 5.0 * 4.0 / 7.0, 1e-9);
  EXPECT_NEAR(found[3].arguments[0].value, 2.0 / 7.0, 1e-9);
  EXPECT_EQ(quantile(found[3], 0.5), 3.0);
  EXPECT_NEAR(found[3].mean, (2.0 + 2.0 + 12.0) / 7.0, 1e-9);
}

}  // namespace
}  // namespace credo::infer::conjugate::predictive_test
