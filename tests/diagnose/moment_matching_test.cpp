// Moment matching against R's package loo (tools/make_loo_reference.R) and closed forms.
#include "diagnose/moment_matching.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/rng.hpp"

namespace credo::diagnose::moment_matching_test {
namespace {

std::vector<std::vector<double>> matching_table(const std::string& name, bool has_head) {
  std::ifstream file(std::string(CREDO_SOURCE_DIR) + "/tests/data/loo/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::vector<std::vector<double>> table;
  for (std::string line; std::getline(file, line);) {
    if (std::exchange(has_head, false)) continue;
    std::stringstream cells(line);
    auto& row = table.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
  }
  return table;
}

// y_i ~ normal(m, exp(s)), flat in m and s; rows are left out of its posterior.
struct NormalData {
  std::vector<double> y = {0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 9};
  double log_row(std::span<const double> point, std::size_t i) const {
    const double z = (y[i] - point[0]) * std::exp(-point[1]);
    return -0.5 * std::log(2.0 * M_PI) - point[1] - 0.5 * z * z;
  }
  double log_density(std::span<const double> point) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += log_row(point, i);
    return sum;
  }
  // Of row i given the others: Student's t of n - 2 degrees of freedom.
  double exact(std::size_t i) const {
    const double n = static_cast<double>(y.size()) - 1.0, nu = n - 1.0;
    double mean = 0.0, square = 0.0;
    for (std::size_t j = 0; j < y.size(); ++j) mean += j == i ? 0.0 : y[j] / n;
    for (std::size_t j = 0; j < y.size(); ++j)
      square += j == i ? 0.0 : (y[j] - mean) * (y[j] - mean);
    const double scale = std::sqrt(square / nu * (1.0 + 1.0 / n)), z = (y[i] - mean) / scale;
    return std::lgamma((nu + 1.0) / 2.0) - std::lgamma(nu / 2.0) - 0.5 * std::log(nu * M_PI) -
           std::log(scale) - (nu + 1.0) / 2.0 * std::log1p(z * z / nu);
  }
  std::vector<double> draws(int count) const {
    const double n = static_cast<double>(y.size());
    double mean = 0.0, square = 0.0;
    for (const double x : y) mean += x / n;
    for (const double x : y) square += (x - mean) * (x - mean);
    Rng rng({.seed = 8, .purpose = purpose::kTest});
    std::vector<double> points;
    for (int s = 0; s < count; ++s) {
      double chi_square = 0.0;
      for (std::size_t k = 1; k < y.size(); ++k) {
        const double z = rng.normal();
        chi_square += z * z;
      }
      const double sigma = std::sqrt(square / chi_square);
      points.push_back(mean + sigma / std::sqrt(n) * rng.normal());
      points.push_back(std::log(sigma));
    }
    return points;
  }
};

struct Matched {
  RowFigures before;
  MomentMatch after;
};

// `told`: the log density that the matcher is told at moved points.
Matched match(const NormalData& data, std::span<const double> points, std::size_t row,
              const MatchOptions& options,
              const std::function<double(std::span<const double>)>& told = nullptr) {
  std::vector<double> log_density, log_likelihood;
  for (std::size_t s = 0; s < points.size(); s += 2) {
    log_density.push_back(data.log_density(points.subspan(s, 2)));
    log_likelihood.push_back(data.log_row(points.subspan(s, 2), row));
  }
  Matched matched{row_figures({log_likelihood, ssize(log_likelihood), 1}, options.r_eff), {}};
  const auto at = [&](std::span<const double> moved, std::span<double> density,
                      std::span<double> likelihood) {
    for (std::size_t s = 0; s < density.size(); ++s) {
      const auto point = moved.subspan(2 * s, 2);
      density[s] = told ? told(point) : data.log_density(point);
      likelihood[s] = data.log_row(point, row);
    }
  };
  matched.after = match_moments({.dimension = 2,
                                 .points = points,
                                 .log_density = log_density,
                                 .log_likelihood = log_likelihood,
                                 .at = at},
                                matched.before, options);
  return matched;
}

// Sums of 600 terms in another order.
TEST(moment_matching, gives_the_figures_of_the_package_loo) {
  const NormalData data;
  std::vector<double> points;
  for (const auto& draw : matching_table("moment_match.csv", false))
    points.insert(points.end(), draw.begin(), draw.end());
  Index num_matched = 0;
  for (const auto& expected : matching_table("moment_match_expected.csv", true)) {
    SCOPED_TRACE(expected[0]);
    const Matched matched = match(data, points, static_cast<std::size_t>(expected[0]) - 1,
                                  {.r_eff = expected[1], .k_limit = 0.2, .mixes = false});
    EXPECT_NEAR(matched.before.pareto_k, expected[2], 1e-8);
    EXPECT_NEAR(matched.before.elpd_loo, expected[3], 1e-8);
    EXPECT_NEAR(matched.after.row.pareto_k, expected[4], 1e-8);
    EXPECT_NEAR(matched.after.row.elpd_loo, expected[5], 1e-8);
    num_matched += matched.after.num_maps > 0 ? 1 : 0;
  }
  EXPECT_EQ(num_matched, 10);
}

TEST(moment_matching, finds_the_density_of_an_outlier_that_weights_do_not_reach) {
  const NormalData data;
  const std::vector<double> points = data.draws(4000);
  const Matched matched = match(data, points, 9, {.k_limit = 0.5});
  EXPECT_GT(matched.before.pareto_k, 0.7);
  EXPECT_GT(std::abs(matched.before.elpd_loo - data.exact(9)), 0.5);
  EXPECT_LT(matched.after.row.pareto_k, 0.5);
  EXPECT_NEAR(matched.after.row.elpd_loo, data.exact(9), 4.5 * matched.after.row.mcse);
  EXPECT_LT(matched.after.row.mcse, 0.1);
  EXPECT_EQ(matched.after.row.lpd, matched.before.lpd);
}

TEST(moment_matching, leaves_a_row_that_weights_reach) {
  const NormalData data;
  const Matched matched = match(data, data.draws(4000), 2, {});
  EXPECT_EQ(matched.after.num_maps, 0);
  EXPECT_EQ(matched.after.row.elpd_loo, matched.before.elpd_loo);
  EXPECT_NEAR(matched.before.elpd_loo, data.exact(2), 4.5 * matched.before.mcse);
}

// A mutant whose moved draws are weighed as if the prior were another one.
TEST(moment_matching, would_be_rejected_with_the_density_of_another_model) {
  const NormalData data;
  const std::vector<double> points = data.draws(4000);
  const Matched matched = match(
      data, points, 9, {.k_limit = 0.5},
      [&](std::span<const double> point) { return data.log_density(point) - 2.0 * point[1]; });
  EXPECT_GT(std::abs(matched.after.row.elpd_loo - data.exact(9)), 4.5 * matched.after.row.mcse);
}

// Points that a density refuses have no weight: a half-line, which maps leave.
TEST(moment_matching, gives_no_weight_to_points_that_are_refused) {
  const NormalData data;
  const std::vector<double> points = data.draws(2000);
  const Matched matched =
      match(data, points, 9, {.k_limit = 0.3}, [&](std::span<const double> point) {
        return point[1] < -1.0 ? -kInfinity : data.log_density(point);
      });
  EXPECT_TRUE(std::isfinite(matched.after.row.elpd_loo));
}

}  // namespace
}  // namespace credo::diagnose::moment_matching_test
