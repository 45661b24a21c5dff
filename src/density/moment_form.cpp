#include "density/moment_form.hpp"

#include "numerics/linear_algebra/matrix.hpp"

namespace credo::density {
namespace {
using Values = std::vector<double>;

void add_matrix_statistics(const Values& x, bool is_inverse, Values& statistics) {
  const auto n = static_cast<Index>(std::sqrt(static_cast<double>(x.size())) + 0.5);
  numerics::RowMatrix matrix(n, n, x);
  const numerics::RowMatrix factor = numerics::lower_factor(matrix);
  statistics.push_back(numerics::log_determinant_of_factor(factor));
  const numerics::RowMatrix& own = is_inverse ? numerics::inverse_from_factor(factor) : matrix;
  for (const double value : own.values) statistics.push_back(value);
}

void add_products(const Values& x, double scale, Values& statistics) {
  for (const double a : x) statistics.push_back(scale * a);
  for (const double b : x)
    for (const double a : x) statistics.push_back(scale * a * b);
}

// x, then X.
void add_matrix_products(const Values& values, Values& statistics) {
  std::size_t n = 1;
  while (n + n * n < values.size()) ++n;
  const Values x(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)),
      matrix(values.begin() + static_cast<std::ptrdiff_t>(n), values.end());
  add_matrix_statistics(matrix, false, statistics);
  for (std::size_t k = 0; k < n * n; ++k) statistics.push_back(matrix[k] * x[k / n]);
  for (std::size_t k = 0; k < n * n; ++k) statistics.push_back(matrix[k] * x[k / n] * x[k % n]);
}

void add_statistics(const MomentBlock& block, Values x, Values& statistics) {
  switch (block.family) {
    case MomentFamily::normal:
      return add_products(x, 1.0, statistics);
    case MomentFamily::power_gamma:
    case MomentFamily::power_gig:
      statistics.push_back(std::log(x[0]));
      statistics.push_back(std::pow(x[0], block.power));
      if (block.family == MomentFamily::power_gig)
        statistics.push_back(std::pow(x[0], -block.power));
      return;
    case MomentFamily::beta:
      statistics.push_back(std::log(x[0]));
      statistics.push_back(std::log1p(-x[0]));
      return;
    case MomentFamily::dirichlet:
      for (const double p : x) statistics.push_back(std::log(p));
      return;
    case MomentFamily::wishart:
    case MomentFamily::inv_wishart:
      return add_matrix_statistics(x, block.family == MomentFamily::inv_wishart, statistics);
    case MomentFamily::normal_gamma: {
      const double scale = x.back();
      x.pop_back();
      statistics.push_back(std::log(scale));
      statistics.push_back(scale);
      return add_products(x, scale, statistics);
    }
    case MomentFamily::normal_wishart:
      return add_matrix_products(x, statistics);
    case MomentFamily::categorical:
      for (Index k = 0; k < block.num_categories; ++k)
        statistics.push_back(x[0] == static_cast<double>(block.lower + k) ? 1.0 : 0.0);
  }
}

}  // namespace

std::vector<double> statistics_at(std::span<const MomentBlock> blocks,
                                  std::span<const double> values) {
  Values statistics;
  for (const MomentBlock& block : blocks) {
    Values x;
    for (const Index v : block.values) x.push_back(values[static_cast<std::size_t>(v)]);
    add_statistics(block, std::move(x), statistics);
  }
  return statistics;
}

}  // namespace credo::density
