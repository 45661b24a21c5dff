// A normal posterior from differences of its log density.
#include "infer/conjugate/fits.hpp"
#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::infer::conjugate {
namespace {
constexpr double kLogTwoPi = 1.8378770664093454836;

// Values of a function at mean + width A z.
class Along {
 public:
  Along(const std::function<double(std::span<const double>)>& f, const NormalFit& fit, double width)
      : f_(f), fit_(fit), width_(width) {}
  // z: +-1 at one or two places.
  double at(std::initializer_list<std::pair<std::size_t, double>> z) const {
    std::vector<double> x = fit_.mean;
    const std::size_t n = x.size();
    for (const auto& [k, sign] : z)
      for (std::size_t i = 0; i < n; ++i) x[i] += sign * width_ * fit_.axes[k * n + i];
    return f_(x);
  }

 private:
  const std::function<double(std::span<const double>)>& f_;
  const NormalFit& fit_;
  double width_;
};

struct Differences {
  std::vector<double> gradient, precision;  // by z
};
Differences differences(const Along& along, std::size_t n, double width) {
  const double here = along.at({});
  std::vector<double> above(n);
  Differences d{std::vector<double>(n), std::vector<double>(n * n)};
  for (std::size_t k = 0; k < n; ++k) {
    above[k] = along.at({{k, 1.0}});
    const double below = along.at({{k, -1.0}});
    d.gradient[k] = 0.5 * (above[k] - below) / width;
    d.precision[k * n + k] = -((above[k] - here) + (below - here)) / (width * width);
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < j; ++k)
      d.precision[j * n + k] = d.precision[k * n + j] =
          -((along.at({{j, 1.0}, {k, 1.0}}) - above[j]) - (above[k] - here)) / (width * width);
  return d;
}

// New axes A V / sqrt(values), and the mean where the gradient vanishes.
bool refine(NormalFit& fit, Differences d) {
  const std::size_t n = fit.mean.size();
  std::vector<double> values(n), work(2 * n), axes(n * n);
  numerics::symmetric_eigen(static_cast<Index>(n), d.precision.data(), values.data(), work.data());
  if (!(values.front() > kRounding * static_cast<double>(n) * values.back())) return false;
  for (std::size_t k = 0; k < n; ++k) {
    const double* v = d.precision.data() + k * n;
    double slope = 0.0;
    for (std::size_t i = 0; i < n; ++i) slope += v[i] * d.gradient[i];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) axes[k * n + i] += fit.axes[j * n + i] * v[j];
      axes[k * n + i] /= std::sqrt(values[k]);
      fit.mean[i] += axes[k * n + i] * slope / std::sqrt(values[k]);
    }
    fit.log_det -= 0.5 * std::log(values[k]);
  }
  fit.axes = std::move(axes);
  return true;
}
}  // namespace

double NormalFit::variance(Index i, Index j) const {
  double sum = 0.0;
  for (Index k = 0; k < size(); ++k)
    sum += axes[static_cast<std::size_t>(k * size() + i)] *
           axes[static_cast<std::size_t>(k * size() + j)];
  return sum;
}

std::vector<double> NormalFit::covariance() const {
  std::vector<double> all;
  for (Index j = 0; j < size(); ++j)
    for (Index i = 0; i < size(); ++i) all.push_back(variance(i, j));
  return all;
}

std::vector<double> NormalFit::standardised(std::span<const double> x) const {
  std::vector<double> z(x.begin(), x.end()), lu = axes, pivots(mean.size());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] -= mean[i];
  numerics::lu_factor(size(), lu.data(), pivots.data());
  numerics::lu_solve({.n = size(), .cols = 1}, lu.data(), pivots.data(), z.data());
  return z;
}

double NormalFit::log_density(std::span<const double> x) const {
  double sum = 0.0;
  for (const double z : standardised(x)) sum += z * z;
  return -0.5 * (sum + static_cast<double>(size()) * kLogTwoPi) - log_det;
}

NormalFit normal_of(std::vector<double> mean, std::vector<double> covariance) {
  const std::size_t n = mean.size();
  NormalFit fit{.mean = std::move(mean), .axes = std::vector<double>(n * n)};
  if (covariance.size() != n * n) return fit;
  std::vector<double>& l = fit.axes;  // the Cholesky factor
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      double rest = covariance[j * n + i];
      for (std::size_t k = 0; k < j; ++k) rest -= l[k * n + i] * l[k * n + j];
      if (i == j && !(rest > 0.0)) return fit;
      l[j * n + i] = i == j ? std::sqrt(rest) : rest / l[j * n + j];
      if (i == j) fit.log_det += 0.5 * std::log(rest);
    }
  fit.is_proper = true;
  return fit;
}

NormalFit fit_normal(const std::function<double(std::span<const double> x)>& f,
                     std::vector<double> start, std::span<const double> scales) {
  const std::size_t n = start.size();
  NormalFit fit{.mean = std::move(start), .axes = std::vector<double>(n * n)};
  for (std::size_t k = 0; k < n; ++k) {
    fit.axes[k * n + k] = scales[k];
    fit.log_det += std::log(scales[k]);
  }
  double width = 1.0;
  for (int round = 0; round < 3; ++round) {
    if (!refine(fit, differences(Along(f, fit, width), n, width))) return fit;
    // The curvature then changes the density by as much as its size, so that rounding counts least.
    width = std::clamp(std::sqrt(1.0 + std::abs(f(fit.mean))), 1.0, 1e4);
  }
  fit.is_proper = true;
  return fit;
}

}  // namespace credo::infer::conjugate
