#include "models/regression/nonlinear.hpp"

#include <gtest/gtest.h>

#include "made_regression.hpp"

namespace credo::models {
namespace {
using testing::has;
using testing::made;

constexpr const char* kCurve = "y ~ a * exp(-b * x); a ~ 1 + (1 | g); b ~ z";

TEST(nonlinear_regression, computes_the_location_from_other_predictors) {
  const auto one = made(
      kCurve,
      {.formula = {}, .priors = {"a ~ normal(5, 2)", "b ~ lognormal(-1, 0.5)"}, .nonlinear = true});
  ASSERT_EQ(one.faults, "");
  const std::string& text = one.regression.program;
  EXPECT_TRUE(has(text, "real<offset=5, multiplier=2> intercept_a;")) << text;
  EXPECT_TRUE(has(text, "real<lower=0> intercept_b;")) << text;
  EXPECT_TRUE(has(text, "vector[N] eta = a .* exp(-b .* x);")) << text;
  EXPECT_LT(text.find("vector[N] b = "), text.find("vector[N] eta = "));
  EXPECT_TRUE(has(text, "sd_a_g ~ exponential(0.5);")) << text;  // 1 / 2
  // The sd of lognormal(-1, 0.5) is 0.2222, that of z is 1.059.
  EXPECT_TRUE(has(text, "b_b_z ~ normal(0, 0.21);")) << text;
}

TEST(nonlinear_regression, bounds_parameters_by_their_priors) {
  EXPECT_EQ(*facts_of("beta(2, 3)").upper, 1.0);
  EXPECT_NEAR(*facts_of("beta(2, 3)").size, 0.2, 1e-15);
  EXPECT_EQ(*facts_of("uniform(-1, 5)").lower, -1.0);
  EXPECT_EQ(*facts_of("gamma(4, 2)").size, 1.0);
  EXPECT_EQ(*facts_of("student_t(3, 1, 2)").centre, 1.0);
  EXPECT_FALSE(facts_of("normal(log(2), 1)").centre.has_value());
  EXPECT_EQ(*facts_of("inv_gamma(2, 1)").lower, 0.0);
}

TEST(nonlinear_regression, refuses_unknown_names_and_missing_priors) {
  const auto fault = [](const char* formula, std::vector<std::string> priors = {}) {
    return made(formula, {.formula = {}, .priors = std::move(priors), .nonlinear = true}).faults;
  };
  EXPECT_TRUE(has(fault("y ~ a * xx; a ~ 1"), "xx is neither a column nor a parameter"));
  EXPECT_TRUE(has(fault("y ~ alph * x; alpha ~ 1"),
                  "alpha has a formula and doesn't stand in the expression"));
  EXPECT_TRUE(has(fault("y ~ alph * x; alpha ~ 1"), "did you mean alph"));
  EXPECT_TRUE(has(fault("y ~ x * z"), "no name of the expression has a formula"));
  EXPECT_TRUE(has(fault("y ~ z * x; z ~ 1"), "z is a column of the table, and has a formula"));
  EXPECT_TRUE(has(fault("y ~ sigma * x; sigma ~ 1"), "sigma is a parameter of the family normal"));
  EXPECT_TRUE(has(fault("y ~ a * x; a ~ 1"), "the parameter a needs a prior"));
  EXPECT_TRUE(has(fault("y ~ a * x; a ~ z", {"a ~ inv_gamma(2, 1)"}), "doesn't give the size"));
  EXPECT_EQ(fault("y ~ a * x; a ~ 1", {"a ~ inv_gamma(2, 1)"}), "");
}
}  // namespace
}  // namespace credo::models
