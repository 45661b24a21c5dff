// The log density of a program whose prior is an earlier posterior.
#include "model/queries/earlier_terms.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/model.hpp"
#include "support/text_model.hpp"

namespace credo::model::earlier_terms_test {
namespace {
constexpr const char* kProgram =
    "data { vector[2] y; } parameters { vector[2] b; real<lower=0> s; } "
    "model { b ~ normal(0, 3); s ~ gamma(2, 1); y ~ normal(b[1] * b[2], s); }";

density::EarlierPosterior full_posterior() {
  return {.names = {"b.1", "b.2", "s"},
          .mean = {0.3, -0.4, 0.2},
          .covariance = {1.2, 0.3, 0.1, 0.3, 0.8, -0.2, 0.1, -0.2, 0.5}};
}

// diag(s²) + B Bᵀ of two directions.
density::EarlierPosterior low_rank_posterior() {
  return {.names = {"s", "b.2", "b.1"},  // in another order than the program has them
          .mean = {0.2, -0.4, 0.3},
          .scales = {0.6, 0.9, 1.1},
          .loadings = {0.2, -0.3, 0.5, 0.4, 0.1, -0.2}};
}

// log N by elimination of a 3 × 3 matrix.
double log_normal_of_three(std::vector<double> a, std::vector<double> off) {
  double log_det = 0.0, square = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    log_det += std::log(a[4 * k]);
    square += off[k] * off[k] / a[4 * k];
    for (std::size_t i = k + 1; i < 3; ++i) {
      const double factor = a[3 * i + k] / a[4 * k];
      for (std::size_t j = k; j < 3; ++j) a[3 * i + j] -= factor * a[3 * k + j];
      off[i] -= factor * off[k];
    }
  }
  return -0.5 * (square + log_det + 3.0 * std::log(2.0 * 3.14159265358979323846));
}

double closed_form(const density::EarlierPosterior& earlier, std::span<const double> x) {
  std::vector<double> covariance = earlier.covariance, off;
  if (covariance.empty()) {
    covariance.assign(9, 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      covariance[4 * i] += earlier.scales[i] * earlier.scales[i];
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = 0; 3 * k < earlier.loadings.size(); ++k)
          covariance[3 * i + j] += earlier.loadings[3 * k + i] * earlier.loadings[3 * k + j];
    }
  }
  const std::map<std::string, double> values{{"b.1", x[0]}, {"b.2", x[1]}, {"s", x[2]}};
  for (std::size_t k = 0; k < 3; ++k) off.push_back(values.at(earlier.names[k]) - earlier.mean[k]);
  return log_normal_of_three(covariance, off);
}

double likelihood(std::span<const double> x) {
  const double s = std::exp(x[2]);
  double sum = 0.0;
  for (const double y : {0.5, 1.5})
    sum += -0.5 * std::pow((y - x[0] * x[1]) / s, 2) - std::log(s) -
           0.5 * std::log(2.0 * 3.14159265358979323846);
  return sum;
}

double value_at(const Model& model, std::span<const double> x, std::span<double> gradient = {}) {
  density::Request request{.position = x, .gradient = gradient, .status = {}};
  density::Request* batch[] = {&request};
  model.make_evaluator()->evaluate(
      gradient.empty() ? density::Want::value : density::Want::gradient, batch);
  EXPECT_TRUE(request.status.ok());
  return request.log_density;
}

std::unique_ptr<Model> model_after(const density::EarlierPosterior& earlier, double weight = 1.0) {
  ModelOptions options;
  options.after = std::make_shared<const density::EarlierPosterior>(earlier);
  options.likelihood_weight = weight;
  return model_from(kProgram, R"({"y": [0.5, 1.5]})", options);
}

// Likelihood and density; as parts; gradients by differences, second derivatives exactly. Planted: the prior once more.
TEST(earlier_terms, are_the_normal_density_of_every_form) {
  density::EarlierPosterior diagonal = low_rank_posterior();
  diagonal.loadings.clear();
  const std::vector<double> x{0.7, -0.2, 0.4};
  for (const auto& earlier : {full_posterior(), low_rank_posterior(), diagonal}) {
    const auto model = model_after(earlier, 2.0);
    const double expected = closed_form(earlier, x) + 2.0 * likelihood(x);
    EXPECT_NEAR(value_at(*model, x), expected, 1e-12);
    EXPECT_NEAR(value_at(*model->with({.terms = density::Terms::prior}), x),
                closed_form(earlier, x), 1e-12);
    EXPECT_NEAR(value_at(*model->with({.terms = density::Terms::likelihood}), x),
                2.0 * likelihood(x), 1e-12);
    std::vector<double> gradient(3);
    value_at(*model, x, gradient);
    for (std::size_t d = 0; d < 3; ++d) {
      constexpr double kStep = 1e-5;
      std::vector<double> up = x, down = x;
      up[d] += kStep, down[d] -= kStep;
      EXPECT_NEAR(gradient[d], (value_at(*model, up) - value_at(*model, down)) / (2.0 * kStep),
                  1e-8);
    }
    const double prior_of_b = -0.5 * (x[0] * x[0] + x[1] * x[1]) / 9.0;
    EXPECT_GT(std::fabs(value_at(*model, x) + prior_of_b - expected), 1e-3);
  }
}

// Rows of the likelihood are those of the program, and a batch adds up with the earlier posterior.
TEST(earlier_terms, leave_the_rows_of_the_likelihood) {
  const auto model = model_after(full_posterior());
  const std::vector<double> x{0.7, -0.2, 0.4};
  std::vector<double> rows(2);
  density::Request request{.position = x, .gradient = {}, .status = {}, .pointwise = rows};
  density::Request* batch[] = {&request};
  model->make_evaluator()->evaluate(density::Want::pointwise, batch);
  ASSERT_TRUE(request.status.ok());
  EXPECT_NEAR(rows[0] + rows[1], likelihood(x), 1e-12);
  const density::Query query{.batch = 1};
  ASSERT_TRUE(model->can(query, x).can);
  const auto in_batches = model->with(query);
  const std::vector<double> second{1.0};
  density::Request one{.position = x, .gradient = {}, .status = {}, .rows = second, .weight = 2.0};
  density::Request* of_one[] = {&one};
  in_batches->make_evaluator()->evaluate(density::Want::value, of_one);
  EXPECT_NEAR(one.log_density, closed_form(full_posterior(), x) + 2.0 * rows[1], 1e-12);
}

TEST(earlier_terms, name_values_that_the_program_lacks) {
  density::EarlierPosterior earlier = full_posterior();
  earlier.names[1] = "c";
  const auto model = model_after(earlier);
  const std::vector<double> x(3, 0.1);
  EXPECT_THROW(value_at(*model, x), Error);
}

}  // namespace
}  // namespace credo::model::earlier_terms_test
