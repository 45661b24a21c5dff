#include "graph/simplify_qr.hpp"

namespace credo::graph {
namespace {

// Reflects the columns of a (rows x k, column-major) so that it is upper triangular.
void triangularise(std::vector<double>& a, std::size_t rows, std::size_t k) {
  const auto dot_below = [&](std::size_t i, std::size_t j, std::size_t from) {
    double total = 0.0;
    for (std::size_t r = from; r < rows; ++r) total += a[r + i * rows] * a[r + j * rows];
    return total;
  };
  for (std::size_t j = 0; j < k; ++j) {
    const double norm = std::sqrt(dot_below(j, j, j));
    if (norm == 0.0) continue;
    double& head = a[j + j * rows];
    const double diagonal = head > 0.0 ? -norm : norm;
    head -= diagonal;  // v, the direction of the reflection, takes the column's place
    const double half_square = -diagonal * head;  // v'v / 2
    for (std::size_t c = j + 1; c < k; ++c) {
      const double factor = dot_below(j, c, j) / half_square;
      for (std::size_t r = j; r < rows; ++r) a[r + c * rows] -= factor * a[r + j * rows];
    }
    head = diagonal;
    std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(j + 1 + j * rows), rows - j - 1, 0.0);
  }
}
}  // namespace

std::vector<double> triangular_factor(std::span<const std::vector<double>* const> columns) {
  const std::size_t k = columns.size(), n = columns[0]->size();
  const std::size_t block = std::max<std::size_t>(256, 4 * k);
  std::vector<double> factor(k * k, 0.0);
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t count = std::min(block, n - begin), rows = k + count;
    std::vector<double> stacked(rows * k);
    for (std::size_t j = 0; j < k; ++j) {
      std::copy_n(&factor[j * k], k, &stacked[j * rows]);
      std::copy_n(columns[j]->data() + begin, count, &stacked[k + j * rows]);
    }
    triangularise(stacked, rows, k);
    for (std::size_t j = 0; j < k; ++j) std::copy_n(&stacked[j * rows], k, &factor[j * k]);
  }
  return factor;
}

}  // namespace credo::graph
