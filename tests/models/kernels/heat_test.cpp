// Heat on a graph against a power series, and kernels near the diagonal against what they say of continuity.
#include <gtest/gtest.h>

#include "models/kernels/covariance.hpp"
#include "models/kernels/graph_heat.hpp"

namespace credo::models::heat_test {
namespace {
using numerics::DenseMatrix;

DenseMatrix weights_of_a_graph() {
  DenseMatrix w(5);  // a triangle with a tail, and a node apart
  const auto join = [&](Index a, Index b, double x) { w(a, b) = w(b, a) = x; };
  join(0, 1, 1.0), join(1, 2, 2.0), join(0, 2, 0.5), join(2, 3, 1.5);
  return w;
}
// exp(-t L) as the square of exp(-t L / 2) ten times over, with a series of 12 terms at the start: error below 1e-15.
DenseMatrix heat_by_series(const DenseMatrix& w, double t) {
  const Index n = w.rows;
  DenseMatrix step(n), sum(n), power(n);
  for (Index i = 0; i < n; ++i) {
    sum(i, i) = power(i, i) = 1.0;
    for (Index j = 0; j < n; ++j)
      if (i != j) step(i, j) += t / 1024.0 * w(i, j), step(i, i) -= t / 1024.0 * w(i, j);
  }
  for (int k = 1; k <= 12; ++k) {
    power = (1.0 / k) * (power * step);
    sum = sum + power;
  }
  for (int k = 0; k < 10; ++k) sum = sum * sum;
  return sum;
}
DenseMatrix normalised(const DenseMatrix& g) {
  DenseMatrix k(g.rows);
  for (Index i = 0; i < g.rows; ++i)
    for (Index j = 0; j < g.rows; ++j) k(i, j) = g(i, j) / std::sqrt(g(i, i) * g(j, j));
  return k;
}

TEST(graph_heat, is_the_exponential_of_the_laplace_matrix) {
  const DenseMatrix w = weights_of_a_graph();
  const GraphHeat graph({"a", "b", "c", "d", "e"}, w);
  for (const double t : {0.01, 0.4, 3.0}) {
    const DenseMatrix expected = normalised(heat_by_series(w, t));
    const auto found = graph.at(t);
    const DenseMatrix up = graph.at(t * (1.0 + 1e-5))->value,
                      down = graph.at(t * (1.0 - 1e-5))->value;
    for (Index i = 0; i < 5; ++i)
      for (Index j = 0; j < 5; ++j) {
        EXPECT_NEAR(found->value(i, j), expected(i, j), 1e-12);
        EXPECT_NEAR(found->slope(i, j), (up(i, j) - down(i, j)) / (2e-5 * t), 1e-7);
      }
  }
}
TEST(graph_heat, does_not_reach_a_node_apart_and_fills_a_component) {
  const GraphHeat graph({"a", "b", "c", "d", "e"}, weights_of_a_graph());
  const auto late = graph.at(200.0);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_NEAR(late->value(i, 4), 0.0, 1e-12);
    EXPECT_NEAR(late->value(i, 0), 1.0, 1e-6);
  }
}

// E (f(x + h) - f(x))² = k(x, x) + k(x + h, x + h) - 2 k(x, x + h) goes to 0 with h where the row says continuous, and not where it doesn't.
TEST(kernel_rows, are_continuous_in_the_mean_square_where_they_say_so) {
  for (const KernelRow* row : kernel_rows()) {
    if (row->columns == KernelColumns::factor) continue;
    KernelOptions options{.dimension = std::max<Index>(1, row->least_columns)};
    for (const KernelArgument& argument : row->arguments)
      if (argument.is_order) options.order = static_cast<Index>(argument.standard);
    std::vector<double> theta;
    for (const KernelParameter& p : row->parameters(options))
      theta.push_back(p.transform == KernelTransform::fraction ? 0.3 : 0.8);
    const auto square = [&](double h) {
      std::vector<double> x(static_cast<std::size_t>(options.dimension), 0.7), z = x;
      z[0] += h;
      const auto k = [&](const std::vector<double>& a, const std::vector<double>& b) {
        double value = 0.0;
        row->values(options, theta.data(), a.data(), b.data(), 1, &value);
        return value;
      };
      return k(x, x) + k(z, z) - 2.0 * k(x, z);
    };
    // processes that are continuous without derivatives have a square of order h
    if (row->smoothness(options) >= 0)
      EXPECT_LT(square(1e-8), 1e-6) << row->name;
    else
      EXPECT_GT(square(1e-8), 0.1) << row->name;
  }
}

}  // namespace
}  // namespace credo::models::heat_test
