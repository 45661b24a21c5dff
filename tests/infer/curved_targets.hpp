// The targets of the invariance suite with matrices: their Hessians, and for each a metric that is
// positive definite everywhere, in the place of a Fisher metric.
#pragma once
#include "density/matrix_field.hpp"
#include "support/targets.hpp"

namespace credo::testing {

using Weights = std::span<const double>;

// Rows of a matrix field that isn't symmetric yet: what is written below the diagonal counts.
struct Field {
  std::function<void(Point, Slope)> value;
  std::function<void(Point, Weights, Slope)> slope;
};

inline Field constant_field(std::vector<double> matrix) {
  return {[matrix](Point, Slope out) { std::copy(matrix.begin(), matrix.end(), out.begin()); },
          [](Point, Weights, Slope slope) { std::fill(slope.begin(), slope.end(), 0.0); }};
}

inline std::vector<double> diagonal(std::size_t n, double value) {
  std::vector<double> matrix(n * n, 0.0);
  for (std::size_t d = 0; d < n; ++d) matrix[d * (n + 1)] = value;
  return matrix;
}

inline std::vector<double> correlated_hessian(double rho) {
  const double scale = 1.0 / (1.0 - rho * rho);
  return {-scale, scale * rho / 3.0, scale * rho / 3.0, -scale / 9.0};
}

// With e = exp(-x0) and q = e Σ x_d².
inline Field funnel_hessian() {
  return {[](Point x, Slope b) {
            std::fill(b.begin(), b.end(), 0.0);
            const double e = std::exp(-x[0]);
            b[0] = -1.0;
            for (std::size_t d = 1; d < 4; ++d) {
              b[0] -= 0.5 * e * x[d] * x[d];
              b[d] = b[4 * d] = e * x[d];
              b[5 * d] = -e;
            }
          },
          [](Point x, Weights w, Slope slope) {
            const double e = std::exp(-x[0]);
            slope[0] = 0.0;
            for (std::size_t d = 1; d < 4; ++d) {
              slope[0] += e * (0.5 * x[d] * x[d] * w[0] - 2.0 * x[d] * w[d] + w[5 * d]);
              slope[d] = e * (-x[d] * w[0] + 2.0 * w[d]);
            }
          }};
}

// The expectation over x1 … x3 of minus that.
inline Field funnel_information() {
  return {[](Point x, Slope b) {
            std::fill(b.begin(), b.end(), 0.0);
            b[0] = 2.5;
            for (std::size_t d = 1; d < 4; ++d) b[5 * d] = std::exp(-x[0]);
          },
          [](Point x, Weights w, Slope slope) {
            std::fill(slope.begin(), slope.end(), 0.0);
            for (std::size_t d = 1; d < 4; ++d) slope[0] -= std::exp(-x[0]) * w[5 * d];
          }};
}

inline Field banana_hessian() {
  return {[](Point x, Slope b) {
            b[0] = -1.0 + 4.0 * x[1] - 6.0 * x[0] * x[0];
            b[1] = b[2] = 4.0 * x[0];
            b[3] = -4.0;
          },
          [](Point x, Weights w, Slope slope) {
            slope[0] = -12.0 * x[0] * w[0] + 8.0 * w[1];
            slope[1] = 4.0 * w[0];
          }};
}

// Squared derivatives of the residuals: determinant 4.
inline Field banana_information() {
  return {[](Point x, Slope b) {
            b[0] = 1.0 + 4.0 * x[0] * x[0];
            b[1] = b[2] = -4.0 * x[0];
            b[3] = 4.0;
          },
          [](Point x, Weights w, Slope slope) {
            slope[0] = 8.0 * x[0] * w[0] - 8.0 * w[1];
            slope[1] = 0.0;
          }};
}

inline Field half_normal_hessian() {
  return {[](Point x, Slope b) { b[0] = -2.0 * std::exp(2.0 * x[0]); },
          [](Point x, Weights w, Slope slope) { slope[0] = -4.0 * std::exp(2.0 * x[0]) * w[0]; }};
}

// factor · p (1 - p) + extra.
inline Field beta_field(double factor, double extra) {
  const auto share = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  return {[=](Point x, Slope b) {
            const double p = share(x[0]);
            b[0] = factor * p * (1.0 - p) + extra;
          },
          [=](Point x, Weights w, Slope slope) {
            const double p = share(x[0]);
            slope[0] = factor * p * (1.0 - p) * (1.0 - 2.0 * p) * w[0];
          }};
}

inline Field two_modes_hessian() {
  const auto share = [](double x) { return 1.0 / (1.0 + 0.3 / 0.7 * std::exp(-4.0 * x)); };
  return {[=](Point x, Slope b) {
            const double r = share(x[0]);
            b[0] = -1.0 + 16.0 * r * (1.0 - r);
            b[1] = b[2] = 0.0;
            b[3] = -1.0;
          },
          [=](Point x, Weights w, Slope slope) {
            const double r = share(x[0]);
            slope[0] = 64.0 * r * (1.0 - r) * (1.0 - 2.0 * r) * w[0];
            slope[1] = 0.0;
          }};
}

inline Target curved(Target target, const Field& hessian, const Field& information) {
  target.density = density::with_hessian(target.density, {hessian.value, hessian.slope});
  target.density =
      density::with_information(target.density, {information.value, information.slope});
  return target;
}

inline std::vector<Target> curved_targets() {
  std::vector<double> precision = correlated_hessian(0.8);
  for (double& x : precision) x = -x;
  return {curved(standard_normal(3), constant_field(diagonal(3, -1.0)),
                 constant_field(diagonal(3, 2.0))),
          curved(correlated_normal(0.8), constant_field(correlated_hessian(0.8)),
                 constant_field(precision)),
          curved(funnel(1.0), funnel_hessian(), funnel_information()),
          curved(banana(), banana_hessian(), banana_information()),
          curved(half_normal_on_log_scale(), half_normal_hessian(), constant_field({2.0})),
          curved(beta_on_logit_scale(), beta_field(-5.0, 0.0), beta_field(5.0, 0.2)),
          curved(two_modes(), two_modes_hessian(), constant_field(diagonal(2, 1.0)))};
}

}  // namespace credo::testing
