// The driver's own rules: which terms `~` drops, empty containers, counting of scalar terms,
// supports, messages; and samplers of the multivariate distributions against their moments.
#include "dist/distribution.hpp"
#include "dist/examples.hpp"
#include "dist/samplers.hpp"
#include "support/reference.hpp"

namespace credo::dist::driver_test {
namespace {
using testing::Numbers;
using testing::ThrowingChecks;

Expr column(const Numbers& values) {
  return graph::constant(graph::vector_shape(ssize(values)), values);
}

Density density_of(std::string_view name, const Expr& y, std::vector<Expr> args,
                   std::uint32_t autodiff) {
  ThrowingChecks checks;
  return log_density(*find(name), y, args, {name, true, autodiff}, checks);
}

std::string message_of(std::string_view name, const Expr& y, std::vector<Expr> args) {
  ThrowingChecks checks;
  try {
    log_density(*find(name), y, args, {.function = name}, checks);
  } catch (const ThrowingChecks::Broken& broken) {
    return broken.text;
  }
  return "";
}

TEST(Dropping, keeps_the_log_scale_exactly_if_the_scale_has_autodiff_type) {
  const double z = (0.5 - 0.1) / 2.0, constant = -0.91893853320467274178;
  const Density mu_only = density_of("normal", 0.5, {0.1, 2.0}, 0b010);
  EXPECT_DOUBLE_EQ(mu_only.value.value(), -0.5 * z * z);
  EXPECT_DOUBLE_EQ(mu_only.dropped, constant - std::log(2.0));
  const Density sigma = density_of("normal", 0.5, {0.1, 2.0}, 0b100);
  EXPECT_DOUBLE_EQ(sigma.value.value(), -0.5 * z * z - std::log(2.0));
  EXPECT_DOUBLE_EQ(sigma.dropped, constant);
}

TEST(Dropping, leaves_nothing_if_everything_is_data) {
  for (const Example& e : examples()) {
    const Distribution* d = find(e.name);
    const std::vector<Expr> args(e.params.begin(), e.params.end());
    const Expr y = d->cdf == nullptr ? 1.0 : quantile(*d, 0.5, e.params);
    const Density density = density_of(d->name, y, args, 0);
    EXPECT_EQ(density.value.value(), 0.0) << d->name;
    ThrowingChecks checks;
    const double whole = log_density(*d, y, args, {.function = d->name}, checks).value.value();
    EXPECT_NEAR(density.dropped, whole, 1e-14 * (1.0 + std::abs(whole))) << d->name;
  }
}

TEST(Driver, counts_scalar_terms_once_per_element) {
  ThrowingChecks checks;
  const Distribution& normal = *find("normal");
  const std::vector<Expr> args{0.1, 2.0};
  double one_by_one = 0.0;
  for (const double y : {1.0, 2.0, 3.5})
    one_by_one += log_density(normal, y, args, {.function = "f"}, checks).value.value();
  EXPECT_NEAR(
      log_density(normal, column({1.0, 2.0, 3.5}), args, {.function = "f"}, checks).value.value(),
      one_by_one, 1e-14);
}

TEST(Driver, gives_0_for_an_empty_outcome_after_the_checks) {
  ThrowingChecks checks;
  const std::vector<Expr> good{0.0, 1.0};
  EXPECT_EQ(log_density(*find("normal"), column({}), good, {.function = "f"}, checks).value.value(),
            0.0);
  EXPECT_EQ(tail(*find("normal"), Tail::cdf, column({}), good, "f", checks).value(), 1.0);
  EXPECT_NE(message_of("normal", column({}), {0.0, -1.0}), "");
}

TEST(Driver, takes_a_regression_without_predictors_as_its_intercept) {
  ThrowingChecks checks;
  const Expr y = column({0.3, -1.0}), none = graph::constant(graph::matrix_shape(2, 0), Numbers{});
  const std::vector<Expr> glm{none, 0.5, column({}), 2.0}, plain{0.5, 2.0};
  EXPECT_DOUBLE_EQ(
      log_density(*find("normal_id_glm"), y, glm, {.function = "f"}, checks).value.value(),
      log_density(*find("normal"), y, plain, {.function = "f"}, checks).value.value());
}

TEST(Driver, names_function_argument_value_and_rule) {
  EXPECT_EQ(message_of("normal", 0.0, {0.0, -1.5}),
            "normal: scale parameter is -1.500000, but must be positive finite");
  EXPECT_EQ(
      message_of("binomial", 5.0, {3.0, 0.5}),
      "binomial: successes variable is 5.000000, but must be between 0 and the population size");
  EXPECT_EQ(message_of("exponential", -1.0, {1.0}),
            "exponential: random variable is -1.000000, but must be nonnegative");
}

TEST(Driver, gives_minus_infinity_or_an_error_outside_as_the_language_does) {
  ThrowingChecks checks;
  const auto value = [&](std::string_view name, double y, std::vector<Expr> args) {
    return log_density(*find(name), y, args, {.function = name}, checks).value.value();
  };
  EXPECT_EQ(value("uniform", 3.0, {0.0, 1.0}), -kInfinity);
  EXPECT_EQ(value("gamma", -1.0, {2.0, 1.0}), -kInfinity);
  EXPECT_EQ(value("inv_gamma", 0.0, {2.0, 1.0}), -kInfinity);
  EXPECT_EQ(value("lognormal", 0.0, {0.0, 1.0}), -kInfinity);
  EXPECT_NE(message_of("beta", 1.5, {2.0, 1.0}), "");
  EXPECT_NE(message_of("poisson", -1.0, {2.0}), "");
}

// 4 standard errors of a mean of n draws with the given standard deviation: 6e-5 false alarms each.
double error_bar(double sd, int n) { return 4.0 * sd / std::sqrt(n); }

TEST(Samplers, dirichlet_draws_have_the_moments_of_the_distribution) {
  ThrowingChecks checks;
  Rng rng({.seed = 5, .purpose = purpose::kTest + 8});
  const std::vector<Expr> alpha{column({0.5, 2.0, 3.5})};
  constexpr int kDraws = 20000;
  double first = 0.0;
  for (int i = 0; i < kDraws; ++i)
    first += draw_all(*find("dirichlet"), rng, alpha, "dirichlet_rng", checks)[1] / kDraws;
  EXPECT_NEAR(first, 1.0 / 3.0, error_bar(std::sqrt(1.0 / 3 * 2 / 3 / 7), kDraws));
}

TEST(Samplers, multi_normal_draws_have_the_covariance) {
  ThrowingChecks checks;
  Rng rng({.seed = 6, .purpose = purpose::kTest + 8});
  const std::vector<Expr> args{
      column({1.0, -1.0}), graph::constant(graph::matrix_shape(2, 2), Numbers{4.0, 1.2, 1.2, 1.0})};
  constexpr int kDraws = 20000;
  double cross = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const Numbers y = draw_all(*find("multi_normal"), rng, args, "multi_normal_rng", checks);
    cross += (y[0] - 1.0) * (y[1] + 1.0) / kDraws;
  }
  EXPECT_NEAR(cross, 1.2, error_bar(std::sqrt(4.0 * 1.0 + 1.2 * 1.2), kDraws));
}

// Each correlation is 2 Beta(b, b) - 1 with b = eta + (K - 2)/2: variance 1/(2 b + 1).
TEST(Samplers, lkj_factors_have_unit_rows_and_correlations_of_the_known_variance) {
  ThrowingChecks checks;
  Rng rng({.seed = 7, .purpose = purpose::kTest + 8});
  constexpr int kDraws = 20000;
  const double b = 1.7 + 0.5;
  double second = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<Expr> args{3.0, 1.7};
    const Numbers l =
        draw_all(*find("lkj_corr_cholesky"), rng, args, "lkj_corr_cholesky_rng", checks);
    EXPECT_NEAR(l[2] * l[2] + l[5] * l[5] + l[8] * l[8], 1.0, 1e-14);
    const double r = l[1] * l[2] + l[4] * l[5];  // of components 2 and 3
    second += r * r / kDraws;
  }
  const double variance = 1.0 / (2.0 * b + 1.0);
  EXPECT_NEAR(second, variance, error_bar(std::sqrt(2.0) * variance, kDraws));
}

// Small, large and skewed cases take every branch of the two discrete samplers.
TEST(Samplers, poisson_and_binomial_draws_have_mean_and_variance_in_every_branch) {
  Rng rng({.seed = 8, .purpose = purpose::kTest + 8});
  constexpr int kDraws = 20000;
  for (const double rate : {0.1, 9.9, 10.1, 300.0, 1e6}) {
    double mean = 0.0, second = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      const double y = draw_poisson(rng, rate) - rate;
      mean += y / kDraws;
      second += y * y / kDraws;
    }
    EXPECT_NEAR(mean, 0.0, error_bar(std::sqrt(rate), kDraws)) << rate;
    EXPECT_NEAR(second, rate, error_bar(std::sqrt(2.0 * rate * rate + rate), kDraws)) << rate;
  }
  for (const auto& [size, p] : {std::pair(20.0, 0.3), {200.0, 0.4}, {1e6, 0.93}, {5.0, 0.99}}) {
    double mean = 0.0, second = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      const double y = draw_binomial(rng, size, p) - size * p;
      mean += y / kDraws;
      second += y * y / kDraws;
    }
    const double variance = size * p * (1.0 - p);
    EXPECT_NEAR(mean, 0.0, error_bar(std::sqrt(variance), kDraws)) << size;
    EXPECT_NEAR(second, variance,
                error_bar(std::sqrt(2.0 * variance * variance + variance), kDraws))
        << size;
  }
}

}  // namespace
}  // namespace credo::dist::driver_test
