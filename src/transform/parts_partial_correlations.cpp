#include "transform/parts_partial_correlations.hpp"

namespace credo::transform {
namespace {
constexpr double kLn2 = 0.69314718055994530942;

std::vector<std::int32_t> flat(Index n, std::span<const Place> places) {
  std::vector<std::int32_t> index;
  for (const Place& place : places) {
    index.push_back(static_cast<std::int32_t>(place.row + place.col * n));
  }
  return index;
}

// Ones on the diagonal, or above it.
Expr ones(Index n, bool above) {
  std::vector<double> values(static_cast<std::size_t>(n * n), 0.0);
  for (Index j = 0; j < n; ++j) {
    if (!above) values[static_cast<std::size_t>(j + j * n)] = 1.0;
    for (Index i = 0; above && i < j; ++i) values[static_cast<std::size_t>(i + j * n)] = 1.0;
  }
  return graph::constant(graph::matrix_shape(n, n), values);
}
}  // namespace

std::vector<Place> places_by_row(Index n) {
  std::vector<Place> places;
  for (Index i = 1; i < n; ++i) {
    for (Index j = 0; j < i; ++j) places.push_back({i, j});
  }
  return places;
}

std::vector<Place> places_by_column(Index n) {
  std::vector<Place> places;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j + 1; i < n; ++i) places.push_back({i, j});
  }
  return places;
}

CorrelationFactor correlation_factor(const Expr& free, Index n, std::span<const Place> places) {
  const Shape square = graph::matrix_shape(n, n);
  const Expr y = free.reshaped(graph::vector_shape(ssize(places)));
  if (n < 2) return {graph::fill(square, 1.0), y};
  const Expr l = kLn2 - y - graph::log1p_exp(-2.0 * y);
  const Expr before = graph::matmul(graph::scatter_add(square, l, flat(n, places)), ones(n, true));
  const Expr z = graph::scatter_add(square, graph::tanh(y), flat(n, places)) + ones(n, false);
  return {z * graph::exp(before), l};
}

Expr weighted_sum(const Expr& log_complement, std::span<const Place> places,
                  const std::function<double(const Place&)>& weight) {
  if (places.empty()) return 0.0;
  std::vector<double> weights;
  for (const Place& place : places) weights.push_back(weight(place));
  return graph::dot(log_complement, graph::constant(graph::vector_shape(ssize(places)), weights));
}

std::vector<double> free_partial_correlations(std::span<const double> factor, Index n,
                                              std::span<const Place> places) {
  const auto at = [&](Index i, Index j) { return factor[static_cast<std::size_t>(i + j * n)]; };
  std::vector<double> free;
  for (const Place& place : places) {
    double rest = 0.0;
    for (Index m = place.col + 1; m <= place.row; ++m) rest += at(place.row, m) * at(place.row, m);
    free.push_back(std::asinh(at(place.row, place.col) / std::sqrt(rest)));
  }
  return free;
}

}  // namespace credo::transform
