// Conjugate gradients with every preconditioner of the table.
#include "credo/sparse.hpp"

#include <gtest/gtest.h>

#include "base/types.hpp"
#include "support/ulp.hpp"

namespace credo::numerics::conjugate_gradients_test {
namespace {
using Numbers = std::vector<double>;

// The Laplacian of a grid whose rows and columns are scaled by up to 100.
SparseSymmetric scaled_grid(Index side) {
  test::SplitMix random{1};
  Numbers scale(static_cast<std::size_t>(side * side));
  for (double& s : scale) s = std::exp(4.6 * random.uniform());
  auto element = [&](Index i, Index j, double value) {
    return SparseElement{
        i, j, value * scale[static_cast<std::size_t>(i)] * scale[static_cast<std::size_t>(j)]};
  };
  std::vector<SparseElement> elements;
  for (Index k = 0; k < side * side; ++k) {
    elements.push_back(element(k, k, 4.01));
    if (k % side > 0) elements.push_back(element(k, k - 1, -1.0));
    if (k >= side) elements.push_back(element(k, k - side, -1.0));
  }
  return {side * side, elements};
}

LinearMap map_of(const SparseSymmetric& matrix) {
  return [&matrix](std::span<const double> x, std::span<double> out) { matrix.multiply(x, out); };
}

ConjugateGradientEnd solve(const SparseSymmetric& a, Numbers& x, const Preconditioner& row,
                           const ConjugateGradientOptions& options) {
  const std::optional<LinearMap> preconditioner = row.make(a);
  EXPECT_TRUE(preconditioner.has_value()) << row.name;
  Numbers b(x.size());
  a.multiply(Numbers(x.size(), 1.0), b);
  return conjugate_gradients(map_of(a), b, x, options, *preconditioner);
}

TEST(conjugate_gradients, every_preconditioner_ends_at_the_solution) {
  const SparseSymmetric a = scaled_grid(20);
  std::vector<Index> iterations;
  for (const Preconditioner& row : preconditioners()) {
    Numbers x(400, 0.0);
    const ConjugateGradientEnd end =
        solve(a, x, row, {.tolerance = 1e-12, .max_iterations = 20'000});
    EXPECT_EQ(end.reason, ConjugateGradientEnd::Reason::converged) << row.name;
    EXPECT_LE(end.residual, 1e-11) << row.name;  // the recursion's residual drifts from that of x
    // |x - 1| <= |A^-1| |b| residual: the least eigenvalue is above 0.05, |b| below 1e5
    for (const double value : x) EXPECT_NEAR(value, 1.0, 2e-5) << row.name;
    iterations.push_back(end.num_iterations);
  }
  // The diagonal undoes the scaling, and the incomplete factor knows the neighbours, too.
  ASSERT_EQ(iterations.size(), 3u);
  EXPECT_LT(2 * iterations[1], iterations[0]);
  EXPECT_LT(2 * iterations[2], iterations[1]);
}

TEST(conjugate_gradients, three_eigenvalues_take_three_iterations) {
  std::vector<SparseElement> elements;
  for (Index k = 0; k < 12; ++k)
    elements.push_back({k, k, std::array{1.0, 2.0, 5.0}[static_cast<std::size_t>(k % 3)]});
  const SparseSymmetric a(12, elements);
  Numbers x(12, 0.0);
  const ConjugateGradientEnd end =
      conjugate_gradients(map_of(a), Numbers(12, 1.0), x, {.tolerance = 1e-13});
  EXPECT_EQ(end.num_iterations, 3);
  EXPECT_NEAR(x[2], 0.2, 1e-14);
}

TEST(conjugate_gradients, stops_where_the_rule_says) {
  const SparseSymmetric a = scaled_grid(20);
  Numbers x(400, 0.0);
  const ConjugateGradientEnd cut =
      solve(a, x, preconditioners()[1], {.tolerance = 1e-12, .max_iterations = 5});
  EXPECT_EQ(cut.reason, ConjugateGradientEnd::Reason::max_iterations);
  EXPECT_EQ(cut.num_iterations, 5);
  EXPECT_GT(cut.residual, 1e-12);
  Numbers solution(400, 1.0);  // a start that needs no step
  EXPECT_EQ(solve(a, solution, preconditioners()[1], {}).num_iterations, 0);
  Numbers nothing(400, 0.0);
  const ConjugateGradientEnd none = conjugate_gradients(map_of(a), nothing, nothing);
  EXPECT_EQ(none.num_iterations, 0);
  EXPECT_EQ(none.residual, 0.0);
}

TEST(conjugate_gradients, a_matrix_that_is_not_positive_definite_is_reported) {
  const SparseSymmetric a(2, std::vector<SparseElement>{{0, 0, 1.0}, {1, 1, -2.0}});
  Numbers x(2, 0.0);
  const ConjugateGradientEnd end = conjugate_gradients(map_of(a), Numbers{1.0, 1.0}, x);
  EXPECT_EQ(end.reason, ConjugateGradientEnd::Reason::not_positive);
  for (const Preconditioner& row : preconditioners())
    EXPECT_EQ(row.make(a).has_value(), row.name == "none") << row.name;
}

}  // namespace
}  // namespace credo::numerics::conjugate_gradients_test
