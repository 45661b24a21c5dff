// Natural parameters from values of a log density: those for a positive number or a probability, and of real numbers as a normal.
#pragma once
#include "dist/families/family.hpp"
#include "infer/conjugate/centre.hpp"

namespace credo::infer::conjugate {

// A family of y = x^power for a number x.
struct ScalarRow {
  std::string_view family;
  double power = 1.0;
  std::string_view prior;  // the prior that would be conjugate, as the end of "give NAME "
};
std::span<const ScalarRow> scalar_rows(Domain domain);

// Coefficients of the columns (rows x cols, column-major) that fit `b` best, and the largest residual.
std::vector<double> least_squares(Index rows, Index cols, std::vector<double> a,
                                  std::span<const double> b);
double largest_residual(std::span<const double> columns, std::span<const double> x,
                        std::span<const double> b);

// Points of a number and values of a function there.
struct Sampled {
  std::vector<double> x, f;
};
Sampled sample(Domain domain, double centre, const std::function<double(double x)>& f);

struct ScalarFit {
  const ScalarRow* row = nullptr;
  const dist::ExponentialFamily* family = nullptr;
  std::vector<double> natural;
  bool is_linear = false;  // the values are linear in the statistics, up to rounding
  bool is_proper = false;  // the natural parameters have a finite integral
};
// From the arguments of the family. `is_proper` is false outside of it, and for a row that isn't there.
ScalarFit scalar_of(Domain domain, const BlockState& state);
// By the row's family, or another one in its place.
ScalarFit fit_scalar(const ScalarRow& row, const Sampled& points);
ScalarFit fit_scalar(const ScalarRow& row, const dist::ExponentialFamily& family,
                     const Sampled& points);
double log_density_of(const ScalarFit& fit, double x);
Marginal marginal_of(const ScalarFit& fit, Index place);

// Normal with this mean, and covariance A A' for the axes A (column-major).
struct NormalFit {
  std::vector<double> mean, axes;
  double log_det = 0.0;  // log |det A|
  bool is_proper = false;

  Index size() const { return ssize(mean); }
  double variance(Index i, Index j) const;
  std::vector<double> covariance() const;  // by columns
  // The coordinates z of x = mean + A z: their squares sum to the quadratic form.
  std::vector<double> standardised(std::span<const double> x) const;
  double log_density(std::span<const double> x) const;
};
// From a mean and a covariance matrix by columns; `is_proper` is false if it isn't positive definite.
NormalFit normal_of(std::vector<double> mean, std::vector<double> covariance);
// Second differences along axes, which are those of the fit before in three rounds. The caller proves that `f` is quadratic.
NormalFit fit_normal(const std::function<double(std::span<const double> x)>& f,
                     std::vector<double> start, std::span<const double> scales);

}  // namespace credo::infer::conjugate
