// Fisher metrics of Stan programs: the expected information of observed outcomes, against mean
// curvatures, closed forms, differences, and what is said where it isn't known.
#include "model/queries/information.hpp"
#include "support/text_model.hpp"

#include <fmt/core.h>

namespace credo::model::information_test {
namespace {
using density::Request;
using density::Want;
using Vector = std::vector<double>;

Vector matrix_at(density::Evaluator& evaluator, const Vector& x, Want want) {
  Vector out(x.size() * x.size());
  Request request{.position = x, .gradient = {}, .status = {}, .matrix = out};
  Request* const batch[] = {&request};
  evaluator.evaluate(want, batch);
  EXPECT_TRUE(request.status.ok());
  return out;
}

Vector slope_at(density::Evaluator& evaluator, const Vector& x, const Vector& weights) {
  Vector out(x.size());
  Request request{.position = x, .gradient = out, .status = {}, .weights = weights};
  Request* const batch[] = {&request};
  evaluator.evaluate(Want::information_slope, batch);
  EXPECT_TRUE(request.status.ok());
  return out;
}

// Each row with arguments for it in the free values a, b, c, and numbers for those.
struct Case {
  const char* row;
  const char* arguments;
  Vector free, values;
  bool discrete = false;
  const char* quantiles = nullptr;  // another row with the same distribution, of the values
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"normal", "a, exp(b)", {0.3, -0.4}, {0.3, std::exp(-0.4)}},
      {"lognormal", "a, exp(b)", {0.3, -0.4}, {0.3, std::exp(-0.4)}},
      {"cauchy", "a, exp(b)", {0.3, 0.2}, {0.3, std::exp(0.2)}},
      {"student_t", "exp(a), b, exp(c)", {1.2, 0.3, 0.1}, {std::exp(1.2), 0.3, std::exp(0.1)}},
      {"exponential", "exp(a)", {0.4}, {std::exp(0.4)}},
      {"gamma", "exp(a), exp(b)", {0.7, 0.4}, {std::exp(0.7), std::exp(0.4)}},
      {"bernoulli", "inv_logit(a)", {0.4}, {1.0 / (1.0 + std::exp(-0.4))}, true},
      {"bernoulli_logit", "a", {0.4}, {0.4}, true},
      {"binomial", "7, inv_logit(a)", {0.4}, {7.0, 1.0 / (1.0 + std::exp(-0.4))}, true},
      {"binomial_logit", "7, a", {0.4}, {7.0, 1.0 / (1.0 + std::exp(-0.4))}, true, "binomial"},
      {"poisson", "exp(a)", {1.1}, {std::exp(1.1)}, true},
      {"poisson_log", "a", {1.1}, {std::exp(1.1)}, true, "poisson"},
      {"neg_binomial_2", "exp(a), 2.5", {1.1}, {std::exp(1.1), 2.5}, true},
      {"neg_binomial_2_log", "a, 2.5", {1.1}, {std::exp(1.1), 2.5}, true, "neg_binomial_2"}};
  return all;
}

constexpr int kOutcomes = 4000;

// Outcomes at the quantiles of (i + 1/2) / K: their mean is an expectation up to 1/K and tails.
std::unique_ptr<Model> model_at_quantiles(const Case& c) {
  std::string y, parameters;
  for (int i = 0; i < kOutcomes; ++i) {
    const double q = dist::quantile(*dist::find(c.quantiles ? c.quantiles : c.row),
                                    (i + 0.5) / kOutcomes, c.values);
    y += fmt::format("{}{:.17g}", i == 0 ? "" : ", ", q);
  }
  for (std::size_t d = 0; d < c.free.size(); ++d) parameters += fmt::format("real {};", "abc"[d]);
  return model_from(fmt::format("data {{ {} y; }} parameters {{ {} }} model {{ y ~ {}({}); }}",
                                c.discrete ? fmt::format("array[{}] int", kOutcomes)
                                           : fmt::format("vector[{}]", kOutcomes),
                                parameters, c.row, c.arguments),
                    "{\"y\": [" + y + "]}");
}

TEST(information, is_the_mean_curvature_of_the_log_density_of_every_row_that_has_one) {
  std::vector<std::string_view> tried;
  for (const Case& c : cases()) {
    tried.push_back(c.row);
    const auto model = model_at_quantiles(c);
    const auto evaluator = model->make_evaluator();
    const Vector expected = matrix_at(*evaluator, c.free, Want::information);
    const Vector observed = matrix_at(*evaluator, c.free, Want::hessian);
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(expected[k], -observed[k], 0.005 * kOutcomes) << c.row << ' ' << k;
  }
  for (const dist::Distribution* row : dist::table())
    EXPECT_EQ(row->information != nullptr,
              std::find(tried.begin(), tried.end(), row->name) != tried.end())
        << row->name;
}

const std::string kRegression =
    "data { int N; array[N] int y; matrix[N, 2] X; vector[N] z; }"
    "parameters { real a; vector[2] b; real<lower=0> s; }"
    "model { a ~ normal(0, 2); b ~ normal(0, s); s ~ gamma(2, 1);"
    "  y ~ bernoulli_logit(a + X * b);"
    "  for (n in 1:N) target += normal_lpdf(z[n] | a * X[n, 1], s); }";
const std::string kRegressionData =
    R"({"N": 4, "y": [0, 1, 1, 0], "X": [[1, 0.5], [-0.3, 2], [0.1, -1], [2, 0.2]],
        "z": [0.3, -1, 0.4, 2]})";

// Central differences of step 1e-5.
TEST(information, has_the_slope_that_differences_have) {
  const auto model = model_from(kRegression, kRegressionData);
  const auto evaluator = model->make_evaluator();
  Vector x = {0.2, -0.5, 0.9, 0.3}, weights(16);
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 4; ++b)
      weights[a + 4 * b] = 0.3 * double(a * b % 5) - 0.4 * double((a + b) % 3) + 0.5;
  const Vector slope = slope_at(*evaluator, x, weights);
  for (std::size_t d = 0; d < 4; ++d) {
    constexpr double kStep = 1e-5;
    const double at = x[d];
    x[d] = at + kStep;
    const Vector above = matrix_at(*evaluator, x, Want::information);
    x[d] = at - kStep;
    const Vector below = matrix_at(*evaluator, x, Want::information);
    x[d] = at;
    double difference = 0.0;
    for (std::size_t k = 0; k < 16; ++k)
      difference += weights[k] * (above[k] - below[k]) / (2.0 * kStep);
    EXPECT_NEAR(slope[d], difference, 1e-6 * (1.0 + std::fabs(difference))) << d;
  }
}

// The information of outcomes less the second derivatives of the priors and Jacobians, by hand.
TEST(information, of_outcomes_is_joined_with_the_curvature_of_the_priors) {
  const auto model = model_from(
      "data { vector[3] y; } parameters { real mu; real<lower=0> sigma; }"
      "model { mu ~ normal(0, 0.5); sigma ~ exponential(2); y ~ normal(mu, sigma); }",
      R"({"y": [9, -3, 100]})");  // whatever the outcomes are
  const double sigma = std::exp(0.4);
  const Vector g = matrix_at(*model->make_evaluator(), {0.7, 0.4}, Want::information);
  EXPECT_NEAR(g[0], 3.0 / (sigma * sigma) + 4.0, 1e-13);
  EXPECT_NEAR(g[1], 0.0, 1e-13);
  EXPECT_NEAR(g[3], 2.0 * 3.0 + 2.0 * sigma, 1e-13);
}

// A regression as one statement, and the same with a statement for its rows.
TEST(information, of_a_regression_as_one_statement_is_that_of_its_rows) {
  const std::string data =
      R"({"N": 3, "X": [[1, 0.5], [-0.3, 2], [0.1, -1]], "y": [0, 1, 1], "z": [0.3, -1, 0.4], "m": [2, 3, 4]})";
  const auto of = [&](const std::string& statement) {
    const auto model = model_from(
        "data { int N; matrix[N, 2] X; array[N] int y; vector[N] z; array[N] int m; } parameters { "
        "real a; "
        "vector[2] b; real<lower=0> s; } model { a ~ normal(0, 2); b ~ normal(0, 1); s ~ gamma(2, "
        "1); " +
            statement + " }",
        data);
    return matrix_at(*model->make_evaluator(), {0.2, -0.5, 0.9, 0.3}, Want::information);
  };
  const std::pair<const char*, const char*> pairs[] = {
      {"y ~ bernoulli_logit_glm(X, a, b);", "y ~ bernoulli_logit(a + X * b);"},
      {"z ~ normal_id_glm(X, a, b, s);", "z ~ normal(a + X * b, s);"},
      {"y ~ poisson_log_glm(X, a, b);", "y ~ poisson_log(a + X * b);"},
      {"y ~ binomial_logit_glm(m, X, a, b);", "y ~ binomial_logit(m, a + X * b);"}};
  for (const auto& [whole, rows] : pairs) {
    const Vector expected = of(rows), found = of(whole), without = of("");
    double largest = 0.0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k], expected[k], 1e-12 * (1.0 + std::fabs(expected[k]))) << whole << k;
      largest = std::max(largest, std::fabs(found[k] - without[k]));
    }
    EXPECT_GT(largest, 0.1) << whole;
  }
}

void expect_refusal(const std::string& text, const std::string& data, const std::string& word) {
  const auto model = model_from(text, data);
  Vector x(static_cast<std::size_t>(model->dimension()), 0.1), out(x.size() * x.size());
  Request request{.position = x, .gradient = {}, .status = {}, .matrix = out};
  Request* const batch[] = {&request};
  const auto evaluator = model->make_evaluator();
  try {
    evaluator->evaluate(Want::information, batch);
    FAIL() << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(information, is_refused_where_it_is_not_known) {
  expect_refusal("parameters { real a; } model { 1.5 ~ weibull(exp(a), 1); }", "{}", "weibull");
  expect_refusal("parameters { real a; } model { 3 ~ neg_binomial_2(2, exp(a)); }", "{}",
                 "neg_binomial_2");
  expect_refusal(
      "parameters { real a; } model { target += log_mix(0.3, normal_lpdf(1.0 | a, 1),"
      " normal_lpdf(1.0 | -a, 1)); }",
      "{}", "more than a density");
  expect_refusal("parameters { real a; } model { 1.5 ~ normal(a, 1) T[0, ]; }", "{}",
                 "more than a density");
  expect_refusal(
      "parameters { real x; int<lower=0, upper=1> k; } model { k ~ bernoulli(0.7);"
      " x ~ normal(k == 1 ? 2 : -2, 1); }",
      "{}", "discrete");
}

}  // namespace
}  // namespace credo::model::information_test
