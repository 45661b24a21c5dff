// Draws by the onion method [lewandowski2009, sec. 3.2]: row k+1 of the factor is a uniform
// direction of length sqrt(B), B ~ Beta(k/2, eta + (K-1-k)/2).
#include "dist/lkj.hpp"

#include "base/error.hpp"
#include "dist/samplers.hpp"
#include "graph/core/special.hpp"

namespace credo::dist {

Expr lkj_log_normaliser(Index size, const Expr& eta) {
  const auto last = static_cast<double>(size - 1);
  Expr total = last * lgamma(eta + 0.5 * last);
  for (Index k = 1; k < size; ++k) {
    const auto order = static_cast<double>(k);
    total = total - (0.5 * order * kLogPi + lgamma(eta + 0.5 * (last - order)));
  }
  return total;
}

std::vector<double> draw_lkj_factor(Rng& rng, Args args) {
  constexpr double kMostRows = 10'000.0;
  if (args[0].value() > kMostRows)
    throw Error(ErrorCode::evaluation, "a random correlation matrix has at most 10000 rows");
  const auto size = static_cast<std::size_t>(args[0].value());
  const double eta = args[1].value();
  std::vector<double> factor(size * size, 0.0), direction(size);
  for (std::size_t row = 0; row < size; ++row) {
    double norm = 0.0;
    for (std::size_t j = 0; j < row; ++j) {
      direction[j] = rng.normal();
      norm += direction[j] * direction[j];
    }
    const double rest = static_cast<double>(size - 1 - row);
    const double log_a =
        row == 0 ? -kInfinity : draw_log_gamma(rng, 0.5 * static_cast<double>(row));
    const double log_b = row == 0 ? 0.0 : draw_log_gamma(rng, eta + 0.5 * rest);
    const double radius =
        row == 0 ? 0.0 : numerics::sqrt(numerics::inv_logit(log_a - log_b) / norm);
    for (std::size_t j = 0; j < row; ++j) factor[row + j * size] = radius * direction[j];
    factor[row + row * size] = numerics::sqrt(numerics::inv_logit(log_b - log_a));
  }
  return factor;
}

namespace {
// Row `row` of the factor, from 0: the square of its diagonal element is beta(rest, row/2).
struct Row {
  double rest, half;
  double mean_log_square() const { return -numerics::digamma_delta(rest, half); }
  double mean_square() const { return rest / (rest + half); }
  double mean() const {
    return numerics::exp(numerics::lgamma_delta(rest, 0.5) -
                         numerics::lgamma_delta(rest + half, 0.5));
  }
};
Row row_of(std::size_t row, std::size_t size, double eta) {
  return {eta + 0.5 * static_cast<double>(size - 1 - row), 0.5 * static_cast<double>(row)};
}
double entropy(std::size_t size, double eta, bool of_factor) {
  if (size < 2) return 0.0;
  double entropy = -lkj_log_normaliser(static_cast<Index>(size), eta).value();
  for (std::size_t k = 1; k < size; ++k) {
    const double of_row = of_factor ? 0.5 * static_cast<double>(size - 1 - k) : 0.0;
    entropy -= (of_row + eta - 1.0) * row_of(k, size, eta).mean_log_square();
  }
  return entropy;
}
}  // namespace

// A correlation is 2 beta(b, b) - 1 with b = eta + (K - 2)/2; different ones are uncorrelated,
// because the sign of a component may be changed.
Moments lkj_moments(Args args) {
  const auto n = static_cast<std::size_t>(args[0].value());
  const double eta = args[1].value(), variance = 1.0 / (2.0 * eta + static_cast<double>(n) - 1.0);
  Moments m{std::vector<double>(n * n, 0.0), std::vector<double>(n * n * n * n, 0.0),
            entropy(n, eta, false)};
  for (std::size_t i = 0; i < n; ++i) {
    m.mean[i + i * n] = 1.0;
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      m.covariance[i + j * n + (i + j * n) * n * n] = variance;
      m.covariance[i + j * n + (j + i * n) * n * n] = variance;
    }
  }
  return m;
}

// The elements are uncorrelated for the same reason; beside the diagonal a row's are alike.
Moments lkj_factor_moments(Args args) {
  const auto n = static_cast<std::size_t>(args[0].value());
  const double eta = args[1].value();
  Moments m{std::vector<double>(n * n, 0.0), std::vector<double>(n * n * n * n, 0.0),
            entropy(n, eta, true)};
  m.mean[0] = 1.0;
  for (std::size_t i = 1; i < n; ++i) {
    const Row row = row_of(i, n, eta);
    const double square = row.mean_square();
    m.mean[i + i * n] = row.mean();
    for (std::size_t j = 0; j <= i; ++j) {
      const std::size_t at = i + j * n;
      m.covariance[at + at * n * n] =
          i == j ? square - row.mean() * row.mean() : (1.0 - square) / static_cast<double>(i);
    }
  }
  return m;
}

}  // namespace credo::dist
