#include "infer/variational/fits/parameter_filter.hpp"

#include "base/error.hpp"
#include "infer/core/vectors.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
// L of F = L Lᵀ, which may be singular: a row that says nothing of one of its numbers.
numerics::DenseMatrix root_of_information(std::span<const double> information, Index count) {
  const numerics::SymmetricEigen eigen(numerics::DenseMatrix(count, count, information));
  numerics::DenseMatrix root(count);
  for (Index k = 0; k < count; ++k)
    for (Index i = 0; i < count; ++i)
      root(i, k) = eigen.vector(static_cast<std::size_t>(k))[static_cast<std::size_t>(i)] *
                   std::sqrt(std::max(0.0, eigen.values[static_cast<std::size_t>(k)]));
  return root;
}

double inner(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
}  // namespace

ParameterFilter::ParameterFilter(ParameterFilterSetup setup)
    : belief_(std::move(setup.belief)),
      groups_(std::move(setup.groups)),
      noise_(setup.noise),
      process_noise_(setup.process_noise),
      is_later_(setup.is_later) {
  const std::size_t n = belief_.mean.size();
  std::vector<double> blocks(n * n, 0.0);
  for (const std::vector<Index>& group : groups_)
    for (const Index i : group)
      for (const Index j : group) {
        const auto place = static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j);
        blocks[place] = belief_.covariance[place];
      }
  belief_.covariance = std::move(blocks);
}

void ParameterFilter::see(const density::LinearisedRow& row) {
  if (num_seen_ > 0 || is_later_) diffuse();
  ++num_seen_;
  double weight = 1.0;  // for the row's score and information
  if (noise_ > 0.0) {
    if (row.information.size() != 1 || !(row.information[0] > 0.0))
      throw Error(ErrorCode::usage,
                  "a row's noise is given, and the rows depend on more than one number", "noise",
                  "make the location the only argument that depends on parameters, or leave "
                  "--noise out");
    weight = 1.0 / (noise_ * row.information[0]);
  }
  set_gain(row, weight);
  move(row.gradient, weight);
}

void ParameterFilter::diffuse() {
  const std::size_t n = belief_.mean.size();
  for (std::size_t d = 0; d < n; ++d) belief_.covariance[d * n + d] += process_noise_;
}

void ParameterFilter::multiply(std::span<const double> v, std::span<double> into) const {
  const std::size_t n = belief_.mean.size();
  for (std::size_t d = 0; d < n; ++d)
    into[d] = inner(std::span(belief_.covariance).subspan(d * n, n), v);
}

void ParameterFilter::set_gain(const density::LinearisedRow& row, double weight) {
  const std::size_t n = belief_.mean.size(), count = row.slopes.size() / n;
  const numerics::DenseMatrix root =
      root_of_information(row.information, static_cast<Index>(count));
  std::vector<double> bent(count * n, 0.0);  // H L
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t a = 0; a < count; ++a)
      add(std::span(bent).subspan(k * n, n),
          std::sqrt(weight) * root(static_cast<Index>(a), static_cast<Index>(k)),
          std::span(row.slopes).subspan(a * n, n));
  gain_.resize(count * n);
  numerics::RowMatrix spread = numerics::diagonal_matrix(static_cast<Index>(count), 1.0);
  for (std::size_t k = 0; k < count; ++k) {
    const auto column = std::span(gain_).subspan(k * n, n);
    multiply(std::span(bent).subspan(k * n, n), column);
    for (std::size_t a = 0; a < count; ++a)
      spread(static_cast<Index>(a), static_cast<Index>(k)) +=
          inner(std::span(bent).subspan(a * n, n), column);
  }
  const numerics::RowMatrix factor = numerics::lower_factor(spread);
  std::vector<double> at(count);
  for (std::size_t d = 0; d < n; ++d) {
    for (std::size_t k = 0; k < count; ++k) at[k] = gain_[k * n + d];
    numerics::solve_factor(factor, at);
    for (std::size_t k = 0; k < count; ++k) gain_[k * n + d] = at[k];
  }
}

void ParameterFilter::move(std::span<const double> gradient, double weight) {
  const std::size_t n = belief_.mean.size(), count = gain_.size() / n;
  std::vector<double> step(n);
  multiply(gradient, step);
  for (std::size_t k = 0; k < count; ++k) {
    const auto w = std::span(gain_).subspan(k * n, n);
    add(step, -inner(w, gradient), w);
    for (const std::vector<Index>& group : groups_)
      for (const Index i : group)
        for (const Index j : group) {
          const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
          belief_.covariance[row * n + column] -= w[row] * w[column];
        }
  }
  add(belief_.mean, weight, step);
}

}  // namespace credo::infer
