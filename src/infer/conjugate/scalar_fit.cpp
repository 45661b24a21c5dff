// Least squares for the natural parameters of a number's posterior.
#include <fmt/format.h>

#include "infer/conjugate/fits.hpp"
#include "numerics/linear_algebra/decompositions.hpp"
#include "numerics/special.hpp"

namespace credo::infer::conjugate {
namespace {
constexpr std::array kPositive{
    ScalarRow{"gamma", 1.0, "a gamma prior"}, ScalarRow{"inv_gamma", 1.0, "an inv_gamma prior"},
    ScalarRow{"inv_gamma", 2.0,
              "up for its precision: declare real<lower=0> precision, with a gamma prior, and use "
              "inv_sqrt(precision) in its place; or its square, with an inv_gamma prior"},
    ScalarRow{"lognormal", 1.0, "a lognormal prior"},
    ScalarRow{"gamma", 2.0, "up for its square, with a gamma prior"}};
constexpr std::array kUnit{ScalarRow{"beta", 1.0, "a beta prior"}};

double size_of(std::span<const double> values) {
  double size = 0.0;
  for (const double v : values) size = std::max(size, std::abs(v));
  return size;
}

// Statistics of all points, then a column of ones; columns are divided by their size, which is returned.
std::vector<double> columns_of(const dist::ExponentialFamily& family, double power,
                               const Sampled& points, std::vector<double>& sizes) {
  const std::size_t n = points.x.size(), p = family.statistics.size();
  std::vector<double> columns(n * (p + 1), 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<double> t = family.statistic(std::array{std::pow(points.x[i], power)}, {});
    for (std::size_t j = 0; j < p; ++j) columns[j * n + i] = t[j];
  }
  for (std::size_t j = 0; j <= p; ++j) {
    const std::span<double> column(columns.data() + j * n, n);
    sizes.push_back(size_of(column));
    for (double& value : column) value /= sizes.back();
  }
  return columns;
}

// Values of the function less log carrier and the Jacobian of the power, which the statistics don't have.
std::vector<double> less_carrier(const dist::ExponentialFamily& family, double power,
                                 const Sampled& points) {
  std::vector<double> b = points.f;
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] -= family.log_carrier(std::array{std::pow(points.x[i], power)}, {}) +
            (power - 1.0) * std::log(points.x[i]);
  return b;
}

// Mean and variance of the root of y, for y ~ gamma(a, b), or with `inverse` 1 / y ~ gamma(a, b).
void set_root_moments(double a, double b, bool inverse, Marginal& marginal) {
  marginal.mean = marginal.sd = kInfinity;
  if (!inverse)
    marginal.mean = std::exp(numerics::lgamma_delta(a, 0.5) - 0.5 * std::log(b));
  else if (a > 0.5)
    marginal.mean = std::exp(0.5 * std::log(b) - numerics::lgamma_delta(a - 0.5, 0.5));
  if (inverse && a <= 1.0) return;
  const double second = inverse ? b / (a - 1.0) : a / b;
  marginal.sd = std::sqrt(std::max(0.0, second - marginal.mean * marginal.mean));
}
}  // namespace

std::vector<double> least_squares(Index rows, Index cols, std::vector<double> a,
                                  std::span<const double> b) {
  const auto n = static_cast<std::size_t>(rows), m = static_cast<std::size_t>(cols);
  std::vector<double> q(n * m), work(n * m), x(m);
  numerics::qr({.rows = rows, .cols = cols, .q_cols = cols}, a.data(), q.data(), work.data());
  for (std::size_t j = m; j-- > 0;) {
    for (std::size_t i = 0; i < n; ++i) x[j] += q[j * n + i] * b[i];
    for (std::size_t k = j + 1; k < m; ++k) x[j] -= a[k * n + j] * x[k];
    x[j] /= a[j * n + j];
  }
  return x;
}

double largest_residual(std::span<const double> columns, std::span<const double> x,
                        std::span<const double> b) {
  const std::size_t n = b.size();
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double gap = b[i];
    for (std::size_t j = 0; j < x.size(); ++j) gap -= columns[j * n + i] * x[j];
    if (std::isnan(gap)) return kInfinity;
    largest = std::max(largest, std::abs(gap));
  }
  return largest;
}

std::span<const ScalarRow> scalar_rows(Domain domain) {
  if (domain == Domain::positive) return kPositive;
  return domain == Domain::unit ? std::span<const ScalarRow>(kUnit) : std::span<const ScalarRow>{};
}

Sampled sample(Domain domain, double centre, const std::function<double(double x)>& f) {
  Sampled points;
  for (int k = -6; k <= 6; ++k) {
    points.x.push_back(from_free(domain, to_free(domain, centre) + 0.5 * k));
    points.f.push_back(f(points.x.back()));
  }
  return points;
}

ScalarFit fit_scalar(const ScalarRow& row, const Sampled& points) {
  return fit_scalar(row, *dist::find_family(row.family), points);
}

ScalarFit fit_scalar(const ScalarRow& row, const dist::ExponentialFamily& family,
                     const Sampled& points) {
  ScalarFit fit;
  fit.row = &row;
  fit.family = &family;
  std::vector<double> sizes;
  const std::vector<double> columns = columns_of(*fit.family, row.power, points, sizes);
  const std::vector<double> b = less_carrier(*fit.family, row.power, points);
  const Index rows = ssize(b), cols = ssize(sizes);
  fit.natural = least_squares(rows, cols, columns, b);
  const double error = rounding_of(size_of(points.f));
  fit.is_linear = largest_residual(columns, fit.natural, b) <= error;
  fit.natural.pop_back();
  for (std::size_t j = 0; j < fit.natural.size(); ++j)
    fit.natural[j] = std::abs(fit.natural[j]) <= error ? 0.0 : fit.natural[j] / sizes[j];
  fit.is_proper = fit.is_linear && fit.family->is_inside(fit.natural);
  return fit;
}

ScalarFit scalar_of(Domain domain, const BlockState& state) {
  ScalarFit fit;
  for (const ScalarRow& row : scalar_rows(domain))
    if (row.family == state.family && row.power == state.power) fit.row = &row;
  if (fit.row == nullptr) return fit;
  fit.family = dist::find_family(fit.row->family);
  if (state.arguments.size() != dist::find(fit.family->distribution)->args.size()) return fit;
  fit.natural = fit.family->to_natural(state.arguments);
  fit.is_linear = true;
  fit.is_proper = fit.family->is_inside(fit.natural);
  return fit;
}

double log_density_of(const ScalarFit& fit, double x) {
  const double power = fit.row->power;
  return dist::log_density(*fit.family, std::array{std::pow(x, power)}, fit.natural, {}) +
         std::log(power) + (power - 1.0) * std::log(x);
}

Marginal marginal_of(const ScalarFit& fit, Index place) {
  const std::vector<double> args = fit.family->to_args(fit.natural, {});
  const dist::Distribution& d = *dist::find(fit.family->distribution);
  Marginal marginal;
  marginal.place = place;
  marginal.family = std::string(fit.family->distribution);
  if (fit.row->power != 1.0) marginal.family = fmt::format("square_{}", marginal.family);
  static constexpr std::array<std::string_view, 2> kShape{"alpha", "beta"},
      kLocation{"mu", "sigma"};
  const auto& names = fit.row->family == "lognormal" ? kLocation : kShape;
  for (std::size_t i = 0; i < args.size(); ++i)
    marginal.arguments.push_back({std::string(names[i]), args[i]});
  if (fit.row->power != 1.0) {
    set_root_moments(args[0], args[1], fit.row->family == "inv_gamma", marginal);
  } else {
    marginal.mean = dist::mean(d, args);
    marginal.sd = std::sqrt(dist::variance(d, args));
  }
  return marginal;
}

}  // namespace credo::infer::conjugate
