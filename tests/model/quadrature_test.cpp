// Integrals in models: against closed forms, at points of one program and others, with derivatives
// by limits and arguments; what doesn't converge is refused, with its place.
#include <gtest/gtest.h>

#include "graph/core/special.hpp"
#include "support/text_model.hpp"

namespace credo::model::quadrature_test {
namespace {

const char* const kFunctions = R"(
functions {
  real bell(real x, real xc, array[] real theta, data array[] real x_r, data array[] int x_i) {
    return exp(-0.5 * square((x - theta[1]) / theta[2])) / (theta[2] * sqrt(2 * pi()));
  }
  real power(real x, real xc, real p) { return x^p; }
  real edge(real x, real xc, real p, real q) {
    return x > 0.5 ? x^(p - 1) * xc^(q - 1) : x^(p - 1) * (1 - x)^(q - 1);
  }
  real slope(real x, real xc, real p) { return p / x; }
  real fat(real x, real xc, real s) { return 1 / (pi() * s * (1 + square(x / s))); }
  real narrow(real x, real xc, real m) { return exp(-0.5 * square((x - m) / 0.05)); }
}
parameters { real a; real b; real<lower=0> s; }
)";

struct Case {
  const char* name;
  const char *with, *without;
};
const Case kCases[] = {
    {"below_a_parameter",
     "target += log(integrate_1d(bell, negative_infinity(), b, {a, s}, {0.0}, {0}));",
     "target += normal_lcdf(b | a, s);"},
    {"above_a_parameter",
     "target += log(integrate_1d(bell, b, positive_infinity(), {a, s}, {0.0}, {0}));",
     "target += normal_lccdf(b | a, s);"},
    {"everywhere",
     "target += integrate_1d(bell, negative_infinity(), positive_infinity(), {a, s}, {0.0}, {0})"
     " - a^2;",
     "target += 1 - a^2;"},
    {"between_parameters", "target += integrate_1d_gauss_kronrod(power, exp(a), exp(a) + s, b);",
     "target += ((exp(a) + s)^(b + 1) - exp(a)^(b + 1)) / (b + 1);"},
    {"singular_at_both_ends",
     "target += integrate_1d_double_exponential(edge, 0, 1, 0.3 + s, 0.2 + s);",
     "target += exp(lbeta(0.3 + s, 0.2 + s));"},
    {"fat_tails",
     "target += integrate_1d_double_exponential_tol(fat, negative_infinity(),"
     " positive_infinity(), 1e-8, 0, 9, s) * b;",
     "target += b;"},
    {"narrow_peak", "target += integrate_1d_double_exponential(narrow, -10, 10, a) * s;",
     "target += 0.05 * sqrt(2 * pi()) * s;"},
    {"empty_range", "target += integrate_1d_double_exponential(slope, 0, 0, a) + b;",
     "target += b;"},
};

std::unique_ptr<Model> model_of(const std::string& body) {
  return model_from(kFunctions + ("model {" + body + "}"));
}

class quadrature : public ::testing::TestWithParam<Case> {};

// Two sums agree to the tolerance 1.5e-8, so the finer one is right to about its square; 1e-9
// leaves room for slow convergence next to singularities and in fat tails.
TEST_P(quadrature, gives_values_and_gradients_of_the_closed_form) {
  const auto with = model_of(GetParam().with), without = model_of(GetParam().without);
  for (int k = 0; k < 12; ++k) {
    const std::vector<double> point{0.9 * std::sin(1.0 + k), 1.1 * std::sin(2.3 * k),
                                    0.4 * std::sin(3.1 * k)};
    expect_same_density(*with, *without, point, {1e-9, 1e-8});
  }
}

INSTANTIATE_TEST_SUITE_P(integrals, quadrature, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(quadrature_suite, refuses_a_divergent_integral_at_its_line) {
  const auto model = model_of("\n target += integrate_1d_double_exponential(slope, 0, 1, exp(a));");
  const PointEvaluation found = model->evaluate_in_full(std::vector<double>{0.1, 0.2, 0.3});
  EXPECT_FALSE(found.status.ok());
  const std::string said = model->describe(found.status);
  EXPECT_NE(said.find("integrate_1d_double_exponential"), std::string::npos) << said;
  EXPECT_NE(said.find(":16:"), std::string::npos) << said;
}

TEST(quadrature_suite, refuses_limits_in_the_wrong_order) {
  const auto model =
      model_of("target += integrate_1d_double_exponential(power, 1, exp(a) - 5, 1.0);");
  const PointEvaluation found = model->evaluate_in_full(std::vector<double>{0.1, 0.2, 0.3});
  EXPECT_FALSE(found.status.ok());
  EXPECT_NE(model->describe(found.status).find("lower limit"), std::string::npos);
}

// Power: an integral that is off by a millionth is told apart.
TEST(quadrature_suite, rejects_a_millionth) {
  const auto with = model_of(
                 "target += 1.000001 * integrate_1d_double_exponential(power, 0, 1 + s, 2.0);"),
             without = model_of("target += (1 + s)^3 / 3;");
  const std::vector<double> point{0.1, 0.2, 0.3};
  const double found = with->evaluate_in_full(point).log_density,
               exact = without->evaluate_in_full(point).log_density;
  EXPECT_GT(std::abs(found - exact), 1e-9 * (1 + std::abs(exact)));
}

}  // namespace
}  // namespace credo::model::quadrature_test
