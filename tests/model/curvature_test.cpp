// Second and third derivatives of Stan programs: against closed forms, against differences of the
// gradient, and what is said where a program has none.
#include "model/queries/curvature.hpp"
#include "support/text_model.hpp"

namespace credo::model::curvature_test {
namespace {
using density::Request;
using density::Want;

struct Answers {
  std::vector<double> gradient, hessian, slope;
  density::Status status;
};

void ask(density::Evaluator& evaluator, Want want, Request& request) {
  Request* const batch[] = {&request};
  evaluator.evaluate(want, batch);
}

Answers answers_at(density::Evaluator& evaluator, const std::vector<double>& x,
                   const std::vector<double>& weights) {
  const std::size_t d = x.size();
  Answers result{std::vector<double>(d), std::vector<double>(d * d), std::vector<double>(d), {}};
  Request plain{.position = x, .gradient = result.gradient, .status = {}};
  ask(evaluator, Want::gradient, plain);
  Request matrix{.position = x, .gradient = {}, .status = {}, .matrix = result.hessian};
  ask(evaluator, Want::hessian, matrix);
  Request slope{.position = x, .gradient = result.slope, .status = {}, .weights = weights};
  ask(evaluator, Want::hessian_slope, slope);
  result.status = matrix.status.ok() ? slope.status : matrix.status;
  return result;
}

std::vector<double> some_weights(std::size_t d) {
  std::vector<double> weights(d * d);
  for (std::size_t a = 0; a < d; ++a)
    for (std::size_t b = 0; b < d; ++b)
      weights[a + b * d] = 0.3 * double((a * b) % 5) - 0.4 * double((a + b) % 3) + 0.5;
  return weights;
}

// Central differences of step 1e-5 of gradients and of Σ W_jk H_jk: 1e-10 times fifth derivatives,
// and rounding over the step, 1e-11 times sizes up to 1e3.
void expect_derivatives(const Model& model, std::vector<double> x) {
  const std::size_t d = x.size();
  const auto evaluator = model.make_evaluator();
  const std::vector<double> weights = some_weights(d);
  const Answers at = answers_at(*evaluator, x, weights);
  ASSERT_TRUE(at.status.ok()) << model.describe(at.status);
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < d; ++i) {
    const double centre = x[i];
    x[i] = centre + kStep;
    const Answers above = answers_at(*evaluator, x, weights);
    x[i] = centre - kStep;
    const Answers below = answers_at(*evaluator, x, weights);
    x[i] = centre;
    double difference = 0.0;
    for (std::size_t k = 0; k < d; ++k) {
      const double second = (above.gradient[k] - below.gradient[k]) / (2.0 * kStep);
      EXPECT_NEAR(at.hessian[k + i * d], second, 1e-6 * (1.0 + std::fabs(second))) << k << i;
      EXPECT_NEAR(at.hessian[k + i * d], at.hessian[i + k * d], 1e-11 * (1.0 + std::fabs(second)));
    }
    for (std::size_t k = 0; k < d * d; ++k)
      difference += weights[k] * (above.hessian[k] - below.hessian[k]) / (2.0 * kStep);
    EXPECT_NEAR(at.slope[i], difference, 2e-6 * (1.0 + std::fabs(difference))) << i;
  }
}

// Its gradient is a row that can't be differentiated again; second derivatives are those of the steps written out, and differences of
// that gradient.
TEST(curvature, of_a_linear_state_space_model_is_that_of_its_steps) {
  for (const char* noise : {"[[v, 0.1], [0.1, 1.0]]", "[v, 1.0]'"}) {
    const auto model = model_from(
        std::string(
            "data { int T; matrix[2, T] y; } parameters { real<lower=0.2> v; real a; real w; }"
            "model { target += gaussian_dlm_obs_lpdf(y | [[1, a], [0.5, w]], [[a, 0.2], [0.1, "
            "0.4]],") +
            noise + ", [[exp(w), 0], [0, 1]], [w, 0]', [[1, 0.2 * a], [0.2 * a, 2]]); }",
        R"({"T": 4, "y": [[1, 0.3, -1, 2], [0.1, 1, -0.4, 0.5]]})");
    expect_derivatives(*model, {0.3, 0.4, -0.2});
  }
}

const std::string kFunnel =
    "data { int N; } parameters { real v; vector[N] x; }"
    "model { v ~ normal(0, 3); x ~ normal(0, exp(v / 2)); }";

// With e = exp(-v) and q = e Σ x²: H_vv = -1/9 - q/2, H_vx = x e, H_xx = -e.
TEST(curvature, of_the_funnel_is_its_closed_form) {
  constexpr std::size_t kX = 11;  // more columns than lanes
  const auto model = model_from(kFunnel, R"({"N": 11})");
  std::vector<double> x(kX + 1);
  for (std::size_t k = 0; k <= kX; ++k) x[k] = 0.3 * double(k) - 1.1;
  const std::vector<double> w = some_weights(kX + 1);
  const Answers at = answers_at(*model->make_evaluator(), x, w);
  const double e = std::exp(-x[0]);
  double q = 0.0, slope = 0.0;
  for (std::size_t k = 1; k <= kX; ++k) q += e * x[k] * x[k];
  EXPECT_NEAR(at.hessian[0], -1.0 / 9.0 - 0.5 * q, 1e-13 * q);
  for (std::size_t k = 1; k <= kX; ++k) {
    EXPECT_NEAR(at.hessian[k], x[k] * e, 1e-13 * q);
    EXPECT_NEAR(at.hessian[k * (kX + 2)], -e, 1e-13 * q);
    EXPECT_NEAR(at.slope[k], e * (-x[k] * w[0] + 2.0 * w[k]), 1e-12 * q);
    slope += e * (0.5 * x[k] * x[k] * w[0] - 2.0 * x[k] * w[k] + w[k * (kX + 2)]);
  }
  EXPECT_NEAR(at.slope[0], slope, 1e-12 * q);
}

TEST(curvature, is_that_of_differences) {
  expect_derivatives(*model_from(kFunnel, R"({"N": 3})"), {-0.7, 0.4, -1.2, 0.1});
  expect_derivatives(
      *model_from(
          "data { int N; array[N] int y; matrix[N, 2] X; }"
          "parameters { real a; vector[2] b; real<lower=0> s; }"
          "model { b ~ normal(0, s); s ~ cauchy(0, 1); a ~ student_t(4, 0, 2);"
          "  y ~ bernoulli_logit(a + X * b); }",
          R"({"N": 4, "y": [0, 1, 1, 0], "X": [[1, 0.5], [-0.3, 2], [0.1, -1], [2, 0.2]]})"),
      {0.2, -0.5, 0.9, 0.3});
  expect_derivatives(
      *model_from("data { int N; vector[N] y; }"
                  "parameters { real<lower=-1, upper=1> r; real<lower=0> s; simplex[3] w; }"
                  "transformed parameters { real m = 0; }"
                  "model { real z = 0; for (n in 2:N) { z = tanh(r * z + s * y[n - 1]);"
                  "  target += normal_lpdf(y[n] | z, s); } w ~ dirichlet([2, 3, 4]'); }",
                  R"({"N": 5, "y": [0.3, -0.2, 1.1, 0.7, -0.5]})"),
      {0.4, -0.2, 0.3, -0.6});
  expect_derivatives(*model_from("parameters { cholesky_factor_corr[3] L; vector[3] z; }"
                                 "model { L ~ lkj_corr_cholesky(2); z ~ multi_normal_cholesky("
                                 "rep_vector(0, 3), L); }"),
                     {0.2, -0.4, 0.6, 1.0, -0.3, 0.5});
}

TEST(curvature, does_not_depend_on_lanes_or_passes_beyond_rounding) {
  const std::vector<double> x = {-0.7, 0.4, -1.2, 0.1}, w = some_weights(4);
  const Answers wide = answers_at(*model_from(kFunnel, R"({"N": 3})")->make_evaluator(), x, w);
  ModelOptions single;
  single.max_lanes = 1;
  const Answers narrow =
      answers_at(*model_from(kFunnel, R"({"N": 3})", single)->make_evaluator(), x, w);
  EXPECT_EQ(wide.hessian, narrow.hessian);
  EXPECT_EQ(wide.slope, narrow.slope);
  ModelOptions none;
  none.passes = "none";
  const Answers plain =
      answers_at(*model_from(kFunnel, R"({"N": 3})", none)->make_evaluator(), x, w);
  for (std::size_t k = 0; k < 16; ++k) EXPECT_NEAR(wide.hessian[k], plain.hessian[k], 1e-13);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(wide.slope[k], plain.slope[k], 1e-12);
}

// A guard on each side of 0: the curvature is that of the branch taken.
TEST(curvature, follows_decisions_on_parameters) {
  const auto model = model_from(
      "parameters { real x; } model { int n = 0; while (n < x && n < 3) n += 1;"
      "  target += -(n + 1.0) * x ^ 4; }");
  const auto evaluator = model->make_evaluator();
  for (const double x : {-0.5, 0.5, 1.5, -0.3, 0.7}) {
    const Answers at = answers_at(*evaluator, {x}, {1.0});
    const double factor = -(x < 0.0 ? 1.0 : std::ceil(x) + 1.0);
    EXPECT_NEAR(at.hessian[0], 12.0 * factor * x * x, 1e-12) << x;
    EXPECT_NEAR(at.slope[0], 24.0 * factor * x, 1e-12) << x;
  }
}

// Discrete parameters are summed out first: a mixture 0.3 N(-2, 1) + 0.7 N(2, 1) by hand.
TEST(curvature, is_that_of_the_density_with_discrete_parameters_summed_out) {
  const auto model = model_from(
      "parameters { real x; int<lower=0, upper=1> k; }"
      "model { k ~ bernoulli(0.7); x ~ normal(k == 1 ? 2 : -2, 1); }");
  const Answers at = answers_at(*model->make_evaluator(), {0.3}, {1.0});
  ASSERT_TRUE(at.status.ok());
  const double r = 1.0 / (1.0 + 0.3 / 0.7 * std::exp(-4.0 * 0.3));
  EXPECT_NEAR(at.hessian[0], -1.0 + 16.0 * r * (1.0 - r), 1e-12);
  EXPECT_NEAR(at.slope[0], 64.0 * r * (1.0 - r) * (1.0 - 2.0 * r), 1e-11);
}

TEST(curvature, says_which_function_can_not_be_differentiated_that_often) {
  const auto model = model_from(
      "parameters { real<lower=0> a; } model { a ~ gamma(2, 1); target += gamma_lccdf(1.5 | a, 2); "
      "}");
  std::vector<double> x = {0.2}, out(1);
  Request request{.position = x, .gradient = {}, .status = {}, .matrix = out};
  const auto evaluator = model->make_evaluator();
  try {
    ask(*evaluator, Want::hessian, request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("can't be differentiated twice"), std::string::npos)
        << error.what();
  }
}

TEST(curvature, refuses_points_as_the_density_does) {
  const auto model = model_from("parameters { real x; } model { x ~ normal(0, sqrt(x)); }");
  std::vector<double> x = {-1.0}, out(1);
  Request request{.position = x, .gradient = {}, .status = {}, .matrix = out};
  const auto evaluator = model->make_evaluator();
  ask(*evaluator, Want::hessian, request);
  EXPECT_FALSE(request.status.ok());
  EXPECT_FALSE(model->describe(request.status).empty());
}

}  // namespace
}  // namespace credo::model::curvature_test
