// The extended Kalman filter of parameters against closed forms.
#include "infer/variational/fits/parameter_filter.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "infer/core/vectors.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer::parameter_filter_test {
namespace {
constexpr double kExact = 1e-10;  // thirty rank-one updates of numbers about 1

// Row y ~ N(h'x, variance), at x.
density::LinearisedRow linear_row(const std::vector<double>& h, double y, double variance,
                                  std::span<const double> x) {
  density::LinearisedRow row{.slopes = h, .information = {1.0 / variance}};
  const double residual = y - dot(h, x);
  for (const double slope : h) row.gradient.push_back(slope * residual / variance);
  return row;
}

struct Regression {
  std::vector<std::vector<double>> h;
  std::vector<double> y;
};

Regression thirty_rows() {
  Regression all;
  for (int n = 0; n < 30; ++n) {
    const double t = 0.37 * n;
    all.h.push_back({1.0, std::sin(t), std::cos(1.7 * t)});
    all.y.push_back(0.5 - 1.2 * std::sin(t) + 0.3 * std::cos(1.7 * t) + 0.2 * std::sin(11.0 * t));
  }
  return all;
}

const NormalBelief kPrior{{0.1, -0.2, 0.3}, {2.0, 0.3, 0.0, 0.3, 1.0, -0.2, 0.0, -0.2, 1.5}};
const std::vector<std::vector<Index>> kOneGroup{{0, 1, 2}};

ParameterFilter filtered(const ParameterFilterSetup& setup, double variance) {
  ParameterFilter filter(setup);
  const Regression rows = thirty_rows();
  for (std::size_t n = 0; n < rows.y.size(); ++n)
    filter.see(linear_row(rows.h[n], rows.y[n], variance, filter.mean()));
  return filter;
}

numerics::RowMatrix inverse_of(const numerics::RowMatrix& a) {
  return numerics::inverse_from_factor(numerics::lower_factor(a));
}

// (P⁻¹ + Σ h h'/R)⁻¹ and its product with P⁻¹ m + Σ h y / R.
NormalBelief least_squares(double variance) {
  numerics::RowMatrix precision = inverse_of(numerics::RowMatrix(3, 3, kPrior.covariance));
  std::vector<double> sum = numerics::multiply(precision, kPrior.mean);
  const Regression rows = thirty_rows();
  for (std::size_t n = 0; n < rows.y.size(); ++n) {
    add(sum, rows.y[n] / variance, rows.h[n]);
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j)
        precision(i, j) += rows.h[n][static_cast<std::size_t>(i)] *
                           rows.h[n][static_cast<std::size_t>(j)] / variance;
  }
  const numerics::RowMatrix covariance = inverse_of(precision);
  return {numerics::multiply(covariance, sum), covariance.values};
}

double distance(const ParameterFilter& filter, const NormalBelief& to) {
  double most = 0.0;
  for (std::size_t k = 0; k < 3; ++k)
    most = std::max(most, std::fabs(filter.mean()[k] - to.mean[k]));
  for (std::size_t k = 0; k < 9; ++k)
    most = std::max(most, std::fabs(filter.covariance()[k] - to.covariance[k]));
  return most;
}

// Planted: another prior, and process noise where there is none.
TEST(parameter_filter, of_linear_rows_is_recursive_least_squares) {
  const NormalBelief right = least_squares(0.5);
  const ParameterFilterSetup setup{.belief = kPrior, .groups = kOneGroup};
  EXPECT_LT(distance(filtered(setup, 0.5), right), kExact);
  ParameterFilterSetup wide = setup, noisy = setup;
  wide.belief.covariance[0] = 3.0;
  noisy.process_noise = 1e-3;
  EXPECT_GT(distance(filtered(wide, 0.5), right), 1e-4);
  EXPECT_GT(distance(filtered(noisy, 0.5), right), 1e-4);
}

// The noise that is given takes the place of that of the rows.
TEST(parameter_filter, takes_a_given_noise_for_that_of_the_rows) {
  const ParameterFilterSetup setup{.belief = kPrior, .groups = kOneGroup, .noise = 2.0};
  EXPECT_LT(distance(filtered(setup, 0.5), least_squares(2.0)), kExact);
  EXPECT_GT(distance(filtered(setup, 0.5), least_squares(0.5)), 1e-3);
  density::LinearisedRow two{.gradient = {0.0, 0.0, 0.0},
                             .slopes = std::vector<double>(6, 1.0),
                             .information = {1.0, 0.0, 0.0, 1.0}};
  ParameterFilter filter(setup);
  EXPECT_THROW(filter.see(two), Error);
}

// A local level: p ← p + q between rows, k = p / (p + R). Planted: noise before the first row as well, or after the last.
TEST(parameter_filter, adds_process_noise_between_rows) {
  constexpr double kQ = 0.3, kR = 0.8;
  const std::vector<double> y{1.0, 0.4, 2.0, 1.5, -0.5};
  const auto level = [&](bool at_first, bool at_last) {
    double m = 0.5, p = 1.2;
    for (std::size_t n = 0; n < y.size(); ++n) {
      if (n > 0 || at_first) p += kQ;
      const double k = p / (p + kR);
      m += k * (y[n] - m), p *= 1.0 - k;
    }
    return std::array{m, at_last ? p + kQ : p};
  };
  const auto off = [&](bool is_later, const std::array<double, 2>& right) {
    ParameterFilter filter(
        {.belief = {{0.5}, {1.2}}, .groups = {{0}}, .process_noise = kQ, .is_later = is_later});
    for (const double v : y) filter.see(linear_row({1.0}, v, kR, filter.mean()));
    return std::max(std::fabs(filter.mean()[0] - right[0]),
                    std::fabs(filter.covariance()[0] - right[1]));
  };
  EXPECT_LT(off(false, level(false, false)), kExact);
  EXPECT_LT(off(true, level(true, false)), kExact);
  EXPECT_GT(off(false, level(true, false)), 1e-4);
  EXPECT_GT(off(false, level(false, true)), 1e-2);
}

// A = (R + Σ h_g' P_g h_g)⁻¹, K_g = P_g h_g A, w_g += K_g (y - ŷ), P_g -= K_g h_g' P_g, with A that of all groups.
TEST(parameter_filter, of_groups_is_the_decoupled_filter) {
  const std::vector<std::vector<Index>> groups{{0, 2}, {1}};
  const ParameterFilter filter = filtered({.belief = kPrior, .groups = groups}, 0.5);
  NormalBelief right = kPrior;
  right.covariance = {2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.5};
  const Regression rows = thirty_rows();
  for (std::size_t n = 0; n < rows.y.size(); ++n) {
    const std::vector<double>& h = rows.h[n];
    const std::vector<double> ph =
        numerics::multiply(numerics::RowMatrix(3, 3, right.covariance), h);
    const double a = 1.0 / (0.5 + dot(h, ph)), residual = rows.y[n] - dot(h, right.mean);
    add(right.mean, a * residual, ph);
    for (const auto& group : groups)
      for (const Index i : group)
        for (const Index j : group)
          right.covariance[static_cast<std::size_t>(3 * i + j)] -=
              a * ph[static_cast<std::size_t>(i)] * ph[static_cast<std::size_t>(j)];
  }
  EXPECT_LT(distance(filter, right), kExact);
  EXPECT_EQ(filter.covariance()[1], 0.0);
  EXPECT_GT(distance(filter, least_squares(0.5)), 1e-3);
}

// Two numbers a row, of which one may say nothing: precisions add up, P⁻¹ + H F H', and the mean moves by P g.
TEST(parameter_filter, of_rows_with_two_numbers_adds_their_information) {
  for (const double second : {0.7, 0.0}) {
    const double between = second > 0.0 ? 0.2 : 0.0;
    const density::LinearisedRow row{.gradient = {0.4, -0.3, 1.1},
                                     .slopes = {1.0, 0.5, -0.2, 0.3, 2.0, 0.4},
                                     .information = {1.3, between, between, second}};
    ParameterFilter filter({.belief = kPrior, .groups = kOneGroup});
    filter.see(row);
    numerics::RowMatrix precision = inverse_of(numerics::RowMatrix(3, 3, kPrior.covariance));
    for (std::size_t a = 0; a < 2; ++a)
      for (std::size_t b = 0; b < 2; ++b)
        for (Index i = 0; i < 3; ++i)
          for (Index j = 0; j < 3; ++j)
            precision(i, j) += row.information[2 * a + b] *
                               row.slopes[3 * a + static_cast<std::size_t>(i)] *
                               row.slopes[3 * b + static_cast<std::size_t>(j)];
    const numerics::RowMatrix covariance = inverse_of(precision);
    std::vector<double> mean = kPrior.mean;
    add(mean, 1.0, numerics::multiply(covariance, row.gradient));
    EXPECT_LT(distance(filter, {mean, covariance.values}), kExact) << second;
  }
}

}  // namespace
}  // namespace credo::infer::parameter_filter_test
