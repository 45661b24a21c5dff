#include "infer/optimise/curvature.hpp"

#include "infer/core/vectors.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
// S A S = V diag(values) V', S diagonal with 1 / sqrt |A_dd|.
struct Spectrum : numerics::SymmetricEigen {
  std::size_t n = 0;
  std::vector<double> scale;
};

Spectrum spectrum_of(std::span<const double> hessian, Index dimension) {
  const auto n = static_cast<std::size_t>(dimension);
  std::vector<double> scale(n, 1.0), scaled(n * n);
  for (std::size_t d = 0; d < n; ++d)
    if (const double a = std::fabs(hessian[d * n + d]); a > 0.0) scale[d] = 1.0 / std::sqrt(a);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      scaled[j * n + i] = -0.5 * (hessian[j * n + i] + hessian[i * n + j]) * scale[i] * scale[j];
  return {numerics::SymmetricEigen({dimension, dimension, std::move(scaled)}), n, std::move(scale)};
}

// S V diag(1 / values) V' S
std::vector<double> inverse_of(const Spectrum& s, std::span<const double> values) {
  std::vector<double> inverse(s.n * s.n, 0.0);
  for (std::size_t k = 0; k < s.n; ++k)
    for (std::size_t j = 0; j < s.n; ++j)
      add(std::span(inverse).subspan(j * s.n, s.n), s.vector(k)[j] * s.scale[j] / values[k],
          s.vector(k));
  for (std::size_t j = 0; j < s.n; ++j)
    for (std::size_t i = 0; i < s.n; ++i) inverse[j * s.n + i] *= s.scale[i];
  return inverse;
}

std::vector<double> direction_of(const Spectrum& s, std::size_t k) {
  std::vector<double> direction(s.n);
  for (std::size_t d = 0; d < s.n; ++d) direction[d] = s.vector(k)[d] * s.scale[d];
  const double size = largest(direction);
  for (double& x : direction) x /= size;
  return direction;
}
}  // namespace

Curvature curvature_of(std::span<const double> hessian, Index dimension, double precision) {
  for (const double x : hessian)
    if (!std::isfinite(x)) return {};
  const Spectrum s = spectrum_of(hessian, dimension);
  const double small = precision * static_cast<double>(std::max<Index>(dimension, 1));
  if (s.n == 0 || s.values[0] > small)
    return {.shape = Curvature::Shape::peaked, .covariance = inverse_of(s, s.values)};
  Curvature curvature{.shape =
                          s.values[0] < -small ? Curvature::Shape::uphill : Curvature::Shape::flat};
  // Ascending: those that lead uphill come first, and count alone where there are any.
  const double limit = curvature.shape == Curvature::Shape::uphill ? -small : small;
  for (std::size_t k = 0; k < s.n && k < kMostDirections && s.values[k] <= limit; ++k) {
    const std::vector<double> direction = direction_of(s, k);
    curvature.directions.insert(curvature.directions.end(), direction.begin(), direction.end());
  }
  return curvature;
}

std::vector<double> modified_inverse(std::span<const double> hessian, Index dimension) {
  constexpr double kLeast = 1e-10;  // least eigenvalue; all are 1 without correlation
  Spectrum s = spectrum_of(hessian, dimension);
  for (double& value : s.values) value = std::max(std::fabs(value), kLeast);
  return inverse_of(s, s.values);
}

// Rounding of a gradient is some 1e-16 of its terms; divided by a step of 6e-6 it is 2e-11 of them, and
// terms may be much larger than their sum.
double precision_of_hessian(bool exact) { return exact ? 1e-12 : 1e-8; }

Step<bool> find_hessian(const PointState& at, bool exact, std::span<double> hessian) {
  if (exact) {
    const Evaluation answer =
        co_await evaluate_matrix(density::Want::hessian, at.position, hessian);
    co_return answer.status.ok();
  }
  const std::size_t n = at.position.size();
  PointState up = at, down = at;
  for (std::size_t j = 0; j < n; ++j) {
    const double h =
        6e-6 * std::max(1.0, std::fabs(at.position[j]));  // cube root of the unit roundoff
    up.position[j] = at.position[j] + h;
    down.position[j] = at.position[j] - h;
    const Evaluation above = co_await evaluate(up.position, up.gradient);
    const Evaluation below = co_await evaluate(down.position, down.gradient);
    if (!above.status.ok() || !below.status.ok()) co_return false;
    for (std::size_t i = 0; i < n; ++i)
      hessian[j * n + i] = (up.gradient[i] - down.gradient[i]) / (2.0 * h);
    up.position[j] = down.position[j] = at.position[j];
  }
  co_return true;
}

}  // namespace credo::infer
