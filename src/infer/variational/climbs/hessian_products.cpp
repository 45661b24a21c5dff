#include "infer/variational/climbs/hessian_products.hpp"

#include "base/error.hpp"

namespace credo::infer {

HessianProducts::HessianProducts(const density::LogDensity& of)
    : evaluator_(of.make_evaluator()),
      has_matrix_(of.has_hessian()),
      point_(static_cast<std::size_t>(of.dimension())),
      slope_(point_.size()) {}

bool HessianProducts::multiply(std::span<const double> x, std::span<const double> v,
                               std::span<double> into) {
  try {
    if (has_matrix_) return by_matrix(x, v, into);
  } catch (const Error& error) {  // a row of the program has no second derivative
    if (error.code() != ErrorCode::program) throw;
    has_matrix_ = false;
  }
  return by_differences(x, v, into);
}

bool HessianProducts::by_matrix(std::span<const double> x, std::span<const double> v,
                                std::span<double> into) {
  matrix_.assign(v.size() * v.size(), 0.0);
  density::Request request{.position = x, .gradient = {}, .status = {}, .matrix = matrix_};
  density::Request* batch[] = {&request};
  evaluator_->evaluate(density::Want::hessian, batch);
  for (std::size_t i = 0; i < v.size(); ++i)
    into[i] = std::inner_product(v.begin(), v.end(), matrix_.data() + i * v.size(), 0.0);
  return request.status.ok();
}

bool HessianProducts::gradient_at(std::span<const double> x, std::span<double> into) {
  density::Request request{.position = x, .gradient = into, .status = {}};
  density::Request* batch[] = {&request};
  evaluator_->evaluate(density::Want::gradient, batch);
  return request.status.ok();
}

// (∇log p(x + h v) - ∇log p(x - h v)) / 2h, with the cube root of the rounding as the length of h v, relative to 1 + |x|.
bool HessianProducts::by_differences(std::span<const double> x, std::span<const double> v,
                                     std::span<double> into) {
  constexpr double kLength = 6e-6;
  double size = 1.0, length = 0.0;
  for (std::size_t d = 0; d < x.size(); ++d) {
    size = std::max(size, 1.0 + std::fabs(x[d]));
    length = std::max(length, std::fabs(v[d]));
  }
  std::fill(into.begin(), into.end(), 0.0);
  if (length == 0.0) return true;
  const double h = kLength * size / length;
  for (std::size_t d = 0; d < x.size(); ++d) point_[d] = x[d] + h * v[d];
  if (!gradient_at(point_, into)) return false;
  for (std::size_t d = 0; d < x.size(); ++d) point_[d] = x[d] - h * v[d];
  if (!gradient_at(point_, slope_)) return false;
  for (std::size_t d = 0; d < x.size(); ++d) into[d] = (into[d] - slope_[d]) / (2.0 * h);
  return true;
}

}  // namespace credo::infer
