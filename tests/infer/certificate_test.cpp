// Grades by weights: of the best normal distributions for posteriors that are known.
#include "infer/variational/certificate/certificate.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "diagnose/weights.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/variational/climbs/bound.hpp"

namespace credo::infer::certificate_test {
namespace {
using namespace credo::testing;

// log p of one value, and its derivative.
using Line = std::function<double(double x, double& slope)>;

std::unique_ptr<density::LogDensity> independent(Index dimension, Line line) {
  return density::make_density(dimension, [line](Values x, std::span<double> gradient) {
    double sum = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) {
      double slope = 0.0;
      sum += line(x[d], slope);
      if (!gradient.empty()) gradient[d] = slope;
    }
    return sum;
  });
}

Line student(double nu) {
  return [nu](double x, double& slope) {
    slope = -(nu + 1.0) * x / (nu + x * x);
    return -0.5 * (nu + 1.0) * std::log1p(x * x / nu);
  };
}

// The logarithm of a gamma variate: skewed.
Line log_gamma(double shape) {
  return [shape](double x, double& slope) {
    slope = shape - std::exp(x);
    return shape * x - std::exp(x);
  };
}

// A coefficient of a logistic regression of n rows, four fifths of which are 1.
Line logistic(double n) {
  return [n](double x, double& slope) {
    const double p = 1.0 / (1.0 + std::exp(-x));
    slope = -x / 6.25 + n * (0.8 - p);
    return -x * x / 12.5 + n * (0.8 * std::log(p) + 0.2 * std::log1p(-p));
  };
}

std::vector<Grade> grades_of(const density::LogDensity& density) {
  constexpr std::size_t kDraws = 4000;
  std::vector<Grade> grades;
  const BestNormal best = maximise_bound(density, {.seed = test_seed(1)});
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    Rng rng({.seed = test_seed(2), .purpose = purpose::kTest, .chain = seed, .iteration = 0});
    const auto n = static_cast<std::size_t>(density.dimension());
    std::vector<double> z(n), x(n), log_weights;
    const auto evaluator = density.make_evaluator();
    while (log_weights.size() < kDraws) {
      for (double& v : z) v = rng.normal();
      best.family->place(z, x);
      density::Request request{.position = x, .gradient = {}, .status = {}};
      density::Request* batch[] = {&request};
      evaluator->evaluate(density::Want::value, batch);
      log_weights.push_back(request.log_density - best.family->log_density(x));
    }
    grades.push_back(weight_figures(log_weights).grade);
  }
  return grades;
}

Index count_of(const std::vector<Grade>& grades, Grade grade) {
  return std::ranges::count(grades, grade);
}

// Weighted standard deviations of these are off by 15 % or more. Tails of a single coordinate are for reach_test.cpp: their weights
// vary by little unless a draw happens to be far out.
TEST(weight_figures, of_heavy_tails_and_skewness_are_poor_for_every_seed) {
  const std::pair<Index, Line> wrong[] = {
      {3, student(1.0)}, {3, student(2.0)}, {3, student(3.0)}, {1, log_gamma(0.5)}};
  for (std::size_t k = 0; k < std::size(wrong); ++k)
    EXPECT_EQ(count_of(grades_of(*independent(wrong[k].first, wrong[k].second)), Grade::poor), 8)
        << k;
}

// Their weighted means and standard deviations are right to two digits, though Pareto k is 0.5 to 4.7.
TEST(weight_figures, of_nearly_normal_posteriors_are_never_poor) {
  const std::pair<Index, Line> right[] = {{1, student(30.0)},   {3, student(15.0)},
                                          {1, logistic(40.0)},  {3, logistic(40.0)},
                                          {1, log_gamma(16.0)}, {3, log_gamma(16.0)}};
  for (std::size_t k = 0; k < std::size(right); ++k)
    EXPECT_EQ(count_of(grades_of(*independent(right[k].first, right[k].second)), Grade::poor), 0)
        << k;
  EXPECT_EQ(count_of(grades_of(*independent(1, student(30.0))), Grade::good), 8);
}

TEST(weight_figures, of_few_draws_or_none_are_poor) {
  EXPECT_EQ(weight_figures({}).grade, Grade::poor);
  EXPECT_EQ(weight_figures(std::vector<double>(99, 0.0)).grade, Grade::poor);
  EXPECT_EQ(weight_figures(std::vector<double>(101, 0.0)).grade, Grade::good);
  std::vector<double> one(1000, -100.0);
  one[0] = 0.0;
  EXPECT_EQ(weight_figures(one).grade, Grade::poor);
}

}  // namespace
}  // namespace credo::infer::certificate_test
