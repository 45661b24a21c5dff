// Solutions of equations and Laplace approximations in models: against closed forms, with their
// derivatives; what isn't solved is refused, with its place.
#include <gtest/gtest.h>

#include "model/writer.hpp"
#include "support/text_model.hpp"

namespace credo::model::algebra_test {
namespace {

const char* const kFunctions = R"(
functions {
  vector pair(vector x, vector y, data array[] real r, data array[] int i) {
    return [x[1] + x[2] - y[1], x[1] - x[2] - r[1] * y[2]]';
  }
  vector root(vector x, real c) { return [x[1]^3 - c]'; }
  vector branch(vector x, real c) {
    real slope = x[1] > 0 ? 2 : 3;
    return [slope * x[1] - c]';
  }
  vector flat(vector x, real c) { return [square(x[1]) + 1 + square(c)]'; }
  vector positive(vector x, real c) { return [log(x[1]) - c]'; }
  real gaussian(vector theta, vector y, real s) { return normal_lpdf(y | theta, s); }
  real counts(vector theta, array[] int y, real shift) {
    return poisson_log_lpmf(y | theta + shift);
  }
  real pairs(vector theta, vector y, matrix p) { return multi_normal_prec_lpdf(y | theta, p); }
  matrix covariance(data array[] real x, real alpha, real rho) {
    return add_diag(gp_exp_quad_cov(x, alpha, rho), 0.1);
  }
}
data { array[4] real x; vector[4] y; array[4] int n; }
parameters { real a; real b; real<lower=0> s; }
)";
const char* const kData =
    R"({"x": [0, 0.7, 1.1, 2.5], "y": [0.3, -0.4, 1.2, 0.5], "n": [2, 0, 5, 1]})";

struct Case {
  const char* name;
  const char *with, *without;
};
const Case kCases[] = {
    {"linear", "target += dot_self(algebra_solver(pair, [0, 0]', [a, b]', {2.0}, {0}));",
     "target += square(0.5 * a + b) + square(0.5 * a - b);"},
    {"linear_by_newton",
     "target += algebra_solver_newton(pair, [a, s]', [a, b]', {2.0}, {0}, 1e-8, 1e-8, 50)[1];",
     "target += 0.5 * a + b;"},
    {"cube_root", "target += solve_newton(root, [2]', exp(a) + s)[1] * b;",
     "target += cbrt(exp(a) + s) * b;"},
    {"from_far", "target += solve_powell(root, [1e4]', exp(a))[1];", "target += exp(a / 3);"},
    {"with_branches", "target += solve_powell_tol(branch, [5]', 1e-8, 1e-8, 100, a)[1];",
     "target += a > 0 ? a / 2 : a / 3;"},
    {"with_a_domain", "target += solve_newton(positive, [3]', a)[1];", "target += exp(a);"},
    {"laplace_of_a_gaussian",
     "target += laplace_marginal(gaussian, (y, s), 1, covariance, (x, exp(a), exp(b)));",
     "target += multi_normal_lpdf(y | rep_vector(0, 4),"
     " add_diag(covariance(x, exp(a), exp(b)), square(s)));"},
    {"laplace_with_blocks",
     "matrix[4, 4] p = diag_matrix([2, 3, 2, 3]'); p[1, 2] = s / 2; p[2, 1] = s / 2;"
     " target += laplace_marginal(pairs, (y, p), 2, covariance, (x, exp(a), exp(b)));",
     "matrix[4, 4] p = diag_matrix([2, 3, 2, 3]'); p[1, 2] = s / 2; p[2, 1] = s / 2;"
     " target += multi_normal_lpdf(y | rep_vector(0, 4),"
     " covariance(x, exp(a), exp(b)) + inverse_spd(p));"},
    {"laplace_by_name",
     "target += laplace_marginal_poisson_log_lpmf(n | {1, 2, 3, 4}, rep_vector(0, 4), 1,"
     " covariance, (x, exp(a), exp(b)));",
     "target += laplace_marginal_tol(counts, (n, 0), 1, covariance, (x, exp(a), exp(b)),"
     " ([1, 0, -1, s]', 1e-9, 100, 1, 10, 1));"},
};

std::unique_ptr<Model> model_of(const std::string& body) {
  return model_from(kFunctions + body, kData);
}
std::string in_model(const std::string& body) { return "model {" + body + "}"; }

class solutions : public ::testing::TestWithParam<Case> {};

// Solved until no step is left: errors are rounding times a condition of at most 1e4 here.
TEST_P(solutions, have_the_values_and_gradients_of_the_closed_form) {
  const auto with = model_of(in_model(GetParam().with)),
             without = model_of(in_model(GetParam().without));
  for (int k = 0; k < 8; ++k) {
    const std::vector<double> point{0.9 * std::sin(1.0 + k), 0.7 * std::sin(2.3 * k),
                                    0.4 * std::sin(3.1 * k)};
    expect_same_density(*with, *without, point, {1e-10, 1e-9});
  }
}

INSTANTIATE_TEST_SUITE_P(calls, solutions, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(solutions_suite, that_do_not_exist_are_refused_at_their_line) {
  const auto model = model_of("model {\n target += solve_newton(flat, [0.5]', a)[1];\n}");
  const PointEvaluation found = model->evaluate_in_full(std::vector<double>{0.1, 0.2, 0.3});
  EXPECT_FALSE(found.status.ok());
  const std::string said = model->describe(found.status);
  EXPECT_NE(said.find("solve_newton: norm of the equations"), std::string::npos) << said;
  EXPECT_NE(said.find("test.stan:25:2"), std::string::npos) << said;
}

TEST(solutions_suite, are_the_same_with_numbers) {
  const auto model = model_of(R"(generated quantities {
    real root_found = solve_newton(root, [2]', exp(a) + s)[1];
    real marginal = laplace_marginal(gaussian, (y, s), 1, covariance, (x, exp(a), exp(b)));
    real root_exact = cbrt(exp(a) + s);
    real exact = multi_normal_lpdf(y | rep_vector(0, 4),
      add_diag(covariance(x, exp(a), exp(b)), square(s)));
  })");
  Rng rng({.seed = 5, .purpose = 1, .chain = 0, .iteration = 0});
  for (const double shift : {0.0, 0.6}) {
    const std::vector<double> row =
        model->draw_outputs().write(std::vector<double>{0.2 + shift, -0.3, 0.1}, rng);
    const double* last = row.data() + row.size() - 4;
    EXPECT_NEAR(last[0], last[2], 1e-13);
    EXPECT_NEAR(last[1], last[3], 1e-10);
  }
}

// The posterior of a Gaussian likelihood is Gaussian: the draws have its mean and covariance,
// to 4.5 standard errors (false alarm 7e-6 for each of 8 figures).
TEST(solutions_suite, latent_draws_have_the_moments_of_the_posterior) {
  const auto model = model_of(R"(generated quantities {
    vector[4] theta = laplace_latent_rng(gaussian, (y, s), 1, covariance, (x, exp(a), exp(b)));
    matrix[4, 4] K = covariance(x, exp(a), exp(b));
    vector[4] mean_theta = K * mdivide_left_spd(add_diag(K, square(s)), y);
    vector[4] variance_theta = diagonal(K - K * mdivide_left_spd(add_diag(K, square(s)), K));
  })");
  const std::vector<double> point{0.2, -0.3, -0.5};
  constexpr int kDraws = 1500;
  std::vector<double> sum(4, 0.0), squares(4, 0.0), row;
  for (int i = 0; i < kDraws; ++i) {
    Rng rng({.seed = 5, .purpose = 1, .chain = 0, .iteration = static_cast<std::uint32_t>(i)});
    row = model->draw_outputs().write(point, rng);
    const double* theta = row.data() + row.size() - 28;
    for (std::size_t k = 0; k < 4; ++k) {
      const double z = (theta[k] - theta[20 + k]) / std::sqrt(theta[24 + k]);
      sum[k] += z;
      squares[k] += z * z;
    }
  }
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(sum[k] / kDraws, 0.0, 4.5 / std::sqrt(double(kDraws)));
    EXPECT_NEAR(squares[k] / kDraws, 1.0, 4.5 * std::sqrt(2.0 / kDraws));
  }
}

}  // namespace
}  // namespace credo::model::algebra_test
