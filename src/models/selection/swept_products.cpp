#include "models/selection/swept_products.hpp"

namespace credo::models {
namespace {
constexpr double kCollinear = 1e-10;  // share of a column's sum of squares
}

SweptProducts::SweptProducts(std::span<const std::vector<double>> columns,
                             std::span<const double> y, double ridge)
    : size_(ssize(columns) + 1),
      products_(static_cast<std::size_t>(size_ * size_)),
      in_(columns.size(), 0) {
  const auto column = [&](Index k) {
    return k + 1 == size_ ? y : std::span<const double>(columns[static_cast<std::size_t>(k)]);
  };
  for (Index i = 0; i < size_; ++i)
    for (Index j = 0; j <= i; ++j) {
      const auto a = column(i), b = column(j);
      double sum = i == j && i + 1 < size_ ? ridge : 0.0;
      for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
      at(i, j) = at(j, i) = sum;
    }
  for (Index k = 0; k < size_; ++k) diagonal_.push_back(at(k, k));
}

bool SweptProducts::flip(Index k) {
  const bool was_in = is_in(k);
  const double pivot = at(k, k);
  if (!was_in && !(pivot > kCollinear * diagonal_[static_cast<std::size_t>(k)])) return false;
  const double sign = was_in ? -1.0 : 1.0;
  double* const row = &products_[static_cast<std::size_t>(k * size_)];
  for (Index i = 0; i < size_; ++i) {
    if (i == k) continue;
    double* const other = &products_[static_cast<std::size_t>(i * size_)];
    const double factor = row[i] / pivot;  // symmetric: the element (i, k)
    for (Index j = 0; j < size_; ++j)
      if (j != k) other[j] -= factor * row[j];
  }
  for (Index i = 0; i < size_; ++i)
    if (i != k) at(i, k) = at(k, i) = sign * row[i] / pivot;
  at(k, k) = -1.0 / pivot;
  log_determinant_ += was_in ? -std::log(-1.0 / pivot) : std::log(pivot);
  in_[static_cast<std::size_t>(k)] = was_in ? 0 : 1;
  return true;
}

std::optional<SweptProducts::Fit> SweptProducts::after_flip(std::span<const Index> columns) const {
  const auto q = columns.size();
  const double sign = q > 0 && is_in(columns[0]) ? -1.0 : 1.0;
  std::vector<double> l(q * q), solved(q);
  double change = 0.0, log_sum = 0.0;
  for (std::size_t i = 0; i < q; ++i) {
    double moment = at(columns[i], size_ - 1);
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = sign * at(columns[i], columns[j]);
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * q + k] * l[j * q + k];
      if (i == j) {
        const double least =
            sign > 0.0 ? kCollinear * diagonal_[static_cast<std::size_t>(columns[i])] : 0.0;
        if (!(sum > least)) return {};
        l[i * q + i] = std::sqrt(sum);
      } else {
        l[i * q + j] = sum / l[j * q + j];
      }
    }
    for (std::size_t k = 0; k < i; ++k) moment -= l[i * q + k] * solved[k];
    solved[i] = moment / l[i * q + i];
    change += solved[i] * solved[i];
    log_sum += 2.0 * std::log(l[i * q + i]);
  }
  // Taken out, M_JJ = -V with V a block of A^-1, and log |A| gains log |V|.
  return Fit{residual() - sign * change, log_determinant_ + log_sum};
}

}  // namespace credo::models
