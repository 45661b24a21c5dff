#include "dist/batch.hpp"

namespace credo::dist {

Index num_joined(std::initializer_list<Batch> all) {
  Index count = 0;
  for (const Batch& batch : all) count = std::max(count, batch.count);
  return count;
}

Expr repeat(const Expr& x, const Batch& from, const Batch& to) {
  if (from.count >= to.count) return x.reshaped(graph::vector_shape(x.size()));
  std::vector<std::int32_t> index(static_cast<std::size_t>(to.count * from.length));
  for (std::size_t i = 0; i < index.size(); ++i) {
    index[i] = static_cast<std::int32_t>(i % static_cast<std::size_t>(from.length));
  }
  const auto shape = graph::vector_shape(ssize(index));
  return gather(shape, x, std::move(index));
}

Expr differences(const Expr& y, const Expr& mu) {
  const Batch outcome(y), location(mu);
  const Expr flat = repeat(y, outcome, location) - repeat(mu, location, outcome);
  return flat.reshaped(graph::matrix_shape(outcome.length, num_joined({outcome, location})));
}

void check_sizes(const Expr& y, const Expr& mu, const Expr& square, std::string_view function,
                 Checks& checks) {
  const double rows = square.shape().rows;
  const double cols = square.shape().cols;
  const auto equal_to = [&](double size, double wanted, std::string_view what,
                            std::string_view rule) {
    checks.greater_equal(size, wanted, {function, what, rule});
    checks.less_equal(size, wanted, {function, what, rule});
  };
  equal_to(cols, rows, "number of columns of the matrix parameter", "the number of its rows");
  equal_to(static_cast<double>(Batch(mu).length), rows, "size of the location parameter",
           "the rows of the matrix");
  if (y.empty()) return;
  equal_to(static_cast<double>(Batch(y).length), rows, "size of the random variable",
           "the rows of the matrix");
}

void check_covariance(const Expr& sigma, const Expr& factor, std::string_view function,
                      Checks& checks) {
  constexpr double kTolerance = 1e-8;
  checks.less_equal(abs(sigma - transpose(sigma)), kTolerance,
                    {function, "covariance matrix", "symmetric"});
  checks.greater(diagonal(factor), 0.0, {function, "covariance matrix", "positive definite"});
}

Expr diagonal(const Expr& square) {
  const Index n = square.shape().rows;
  std::vector<std::int32_t> index(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    index[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i + i * n);
  return gather(graph::vector_shape(n), square, std::move(index));
}

Expr lower_triangle(const Expr& square) {
  const Index n = square.shape().rows;
  std::vector<double> mask(static_cast<std::size_t>(n * n), 0.0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) mask[static_cast<std::size_t>(i + j * n)] = 1.0;
  }
  return select(graph::constant(square.shape(), mask), square, 0.0);
}

std::vector<double> draw_with_factor(Rng& rng, std::span<const double> mu,
                                     std::span<const double> factor) {
  const std::size_t n = mu.size();
  std::vector<double> out(mu.begin(), mu.end());
  for (std::size_t j = 0; j < n; ++j) {
    const double z = rng.normal();
    for (std::size_t i = j; i < n; ++i) out[i] += factor[i + j * n] * z;
  }
  return out;
}

}  // namespace credo::dist
