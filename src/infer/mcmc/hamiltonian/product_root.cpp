#include "infer/mcmc/hamiltonian/product_root.hpp"

#include "infer/core/vectors.hpp"

namespace credo::infer {
namespace {
constexpr double kLeastCurvature = 1e-3, kMostCurvature = 1e12;
}  // namespace

ProductRoot::ProductRoot(Index dimension) : scale_(static_cast<std::size_t>(dimension), 1.0) {}

void ProductRoot::restart(std::span<const double> variances) {
  for (std::size_t d = 0; d < scale_.size(); ++d) scale_[d] = std::sqrt(variances[d]);
  p_.clear();
  q_.clear();
  c_.clear();
}

bool ProductRoot::update(std::span<const double> s, std::span<const double> y) {
  std::vector<double> metric_s(s.begin(), s.end());
  solve(metric_s);
  const double norm2 = dot(metric_s, metric_s), curvature = dot(s, y);  // sᵀM s, sᵀy
  const double c2 = curvature / norm2;
  if (!(c2 >= kLeastCurvature && c2 <= kMostCurvature)) return false;
  solve_transposed(metric_s);
  const double c = std::sqrt(c2);
  for (std::size_t d = 0; d < s.size(); ++d) {
    p_.push_back(s[d] / curvature);
    q_.push_back(y[d] - c * metric_s[d]);
  }
  c_.push_back(c);
  return true;
}

void ProductRoot::apply(std::span<double> x) const {
  for (std::size_t d = 0; d < x.size(); ++d) x[d] *= scale_[d];
  for (std::size_t k = 0; k < c_.size(); ++k) add(x, -dot(q(k), x), p(k));
}

void ProductRoot::apply_transposed(std::span<double> x) const {
  for (std::size_t k = c_.size(); k-- > 0;) add(x, -dot(p(k), x), q(k));
  for (std::size_t d = 0; d < x.size(); ++d) x[d] *= scale_[d];
}

void ProductRoot::solve(std::span<double> x) const {
  for (std::size_t k = c_.size(); k-- > 0;) add(x, c_[k] * dot(q(k), x), p(k));
  for (std::size_t d = 0; d < x.size(); ++d) x[d] /= scale_[d];
}

void ProductRoot::solve_transposed(std::span<double> x) const {
  for (std::size_t d = 0; d < x.size(); ++d) x[d] /= scale_[d];
  for (std::size_t k = 0; k < c_.size(); ++k) add(x, c_[k] * dot(p(k), x), q(k));
}

// The columns of S Sᵀ; the mean of both triangles, so that it is symmetric as such.
std::vector<double> ProductRoot::inverse_metric() const {
  const std::size_t n = scale_.size();
  std::vector<double> result(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const std::span<double> column = std::span(result).subspan(j * n, n);
    column[j] = 1.0;
    apply_transposed(column);
    apply(column);
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i)
      result[i + j * n] = result[j + i * n] = 0.5 * (result[i + j * n] + result[j + i * n]);
  return result;
}

}  // namespace credo::infer
