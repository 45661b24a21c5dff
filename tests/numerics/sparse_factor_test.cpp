// Sparse factors against dense routines of an independent library, closed forms and finite differences.
#include "credo/sparse.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <numbers>

#include "base/types.hpp"
#include "support/ulp.hpp"

namespace credo::numerics::sparse_factor_test {
namespace {
using Dense = Eigen::MatrixXd;
using Numbers = std::vector<double>;
constexpr double kRounding = 1e-12;  // matrices below have condition numbers up to 1e3

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Dense dense_of(const SparseSymmetric& matrix) {
  Dense a(matrix.size(), matrix.size());
  for (Index j = 0; j < matrix.size(); ++j)
    for (Index i = 0; i < matrix.size(); ++i) a(i, j) = matrix(i, j);
  return a;
}

// About three elements a row, a diagonal that dominates; elements named by either half.
SparseSymmetric random_matrix(Index n, std::uint64_t seed) {
  test::SplitMix random{seed};
  std::vector<SparseElement> elements;
  for (Index k = 0; k < n; ++k) elements.push_back({k, k, 8.0 + random.uniform()});
  for (Index k = 0; k < 3 * n; ++k) {
    const auto row = static_cast<Index>(random.uniform() * static_cast<double>(n)),
               col = static_cast<Index>(random.uniform() * static_cast<double>(n));
    if (row != col) elements.push_back({row, col, random.uniform() - 0.5});
  }
  return {n, elements};
}

// kappa + the Laplacian of a grid with walls of 0.
SparseSymmetric grid(Index rows, Index cols, double kappa) {
  std::vector<SparseElement> elements;
  for (Index c = 0; c < cols; ++c) {
    for (Index r = 0; r < rows; ++r) {
      const Index k = r + c * rows;
      elements.push_back({k, k, 4.0 + kappa});
      if (r > 0) elements.push_back({k, k - 1, -1.0});
      if (c > 0) elements.push_back({k, k - rows, -1.0});
    }
  }
  return {rows * cols, elements};
}

SparseFactor factor_of(const SparseSymmetric& matrix) {
  SparseFactor factor(matrix);
  EXPECT_FALSE(factor.refactor(matrix).has_value());
  return factor;
}

Numbers numbers(Index n, std::uint64_t seed) {
  test::SplitMix random{seed};
  Numbers x(at(n));
  for (double& v : x) v = 2.0 * random.uniform() - 1.0;
  return x;
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double most = a.size() == b.size() ? 0.0 : kInfinity;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    most = std::max(most, std::fabs(a[k] - b[k]));
  return most;
}

const std::vector<Index> kSizes{0, 1, 2, 5, 40, 150};

TEST(sparse, elements_of_a_place_are_added_whichever_half_they_name) {
  const SparseSymmetric a(3, std::vector<SparseElement>{{2, 0, 1.5}, {0, 2, 2.0}, {1, 1, 4.0}});
  EXPECT_EQ(a(0, 2), 3.5);
  EXPECT_EQ(a(2, 0), 3.5);
  EXPECT_EQ(a(1, 1), 4.0);
  EXPECT_EQ(a(0, 1), 0.0);
  EXPECT_EQ(a.pattern().num_values(), 4);  // the diagonal is stored
  EXPECT_EQ(a.pattern().place(0, 1), -1);
}

TEST(sparse, products_are_those_of_the_dense_matrix) {
  for (const Index n : kSizes) {
    const SparseSymmetric a = random_matrix(n, 3);
    const Numbers x = numbers(n, 4);
    Numbers y(x.size());
    a.multiply(x, y);
    const Eigen::VectorXd expected = dense_of(a) * Eigen::Map<const Eigen::VectorXd>(x.data(), n);
    EXPECT_LE(largest_difference(y, {expected.data(), at(n)}), kRounding) << n;
  }
}

TEST(sparse_factor, solves_and_determinant_are_those_of_the_dense_matrix) {
  for (const Index n : kSizes) {
    const SparseSymmetric a = random_matrix(n, 5);
    const SparseFactor factor = factor_of(a);
    const Eigen::LLT<Dense> dense(dense_of(a));
    double log_determinant = 0.0;
    for (Index k = 0; k < n; ++k) log_determinant += 2.0 * std::log(dense.matrixLLT()(k, k));
    EXPECT_NEAR(factor.log_determinant(), log_determinant, kRounding * static_cast<double>(n + 1));
    Numbers b = numbers(3 * n, 6);
    const Dense expected = dense.solve(Eigen::Map<const Dense>(b.data(), n, 3));
    factor.solve(b, 3);
    EXPECT_LE(largest_difference(b, {expected.data(), at(3 * n)}), kRounding) << n;
  }
}

TEST(sparse_factor, determinant_of_a_grid_is_the_product_of_its_eigenvalues) {
  const Index rows = 40, cols = 31;
  const double kappa = 0.01;
  auto sine = [](Index k, Index n) {
    const double s =
        std::sin(std::numbers::pi * static_cast<double>(k) / static_cast<double>(2 * (n + 1)));
    return 4.0 * s * s;
  };
  double expected = 0.0;
  for (Index r = 1; r <= rows; ++r)
    for (Index c = 1; c <= cols; ++c) expected += std::log(kappa + sine(r, rows) + sine(c, cols));
  EXPECT_NEAR(factor_of(grid(rows, cols, kappa)).log_determinant(), expected, 1e-11 * expected);
}

TEST(sparse_factor, elements_of_the_inverse_are_those_of_the_dense_inverse) {
  for (const Index n : kSizes) {
    const SparseSymmetric a = random_matrix(n, 7);
    const Dense inverse = dense_of(a).inverse();
    const Numbers found = factor_of(a).inverse_on_pattern();
    for (Index j = 0; j < n; ++j) {
      for (Index k = a.pattern().starts[at(j)]; k < a.pattern().starts[at(j + 1)]; ++k)
        EXPECT_NEAR(found[at(k)], inverse(a.pattern().rows[at(k)], j), kRounding) << n << ": " << k;
    }
  }
}

// Central differences with a step of 1e-5: an error of 1e-10 from the third derivative and of 1e-11 from rounding, both times
// derivatives below 100.
// The same bits with working memory that other matrices have used.
TEST(sparse_factor, answers_with_working_memory_are_those_without) {
  SparseWorkspace workspace;
  for (const Index n : {40, 7, 25}) {
    for (const Definiteness required : {Definiteness::positive, Definiteness::any}) {
      const SparseSymmetric matrix = random_matrix(n, 5);
      SparseFactor factor(matrix);
      ASSERT_FALSE(factor.refactor(matrix, required).has_value());
      Numbers b(at(n)), gradient(matrix.values().size());
      for (Index k = 0; k < n; ++k) b[at(k)] = 1.0 + 0.1 * static_cast<double>(k);
      Numbers again = b;
      factor.solve(b);
      factor.solve(again, workspace);
      EXPECT_EQ(b, again);
      factor.log_determinant_gradient(gradient, workspace);
      EXPECT_EQ(gradient, factor.log_determinant_gradient());
    }
  }
}

TEST(sparse_factor, gradients_are_the_differences_of_values) {
  SparseSymmetric a = grid(6, 5, 0.3);
  const Numbers x = numbers(a.size(), 8), y = numbers(a.size(), 9);
  const SparseFactor at_a = factor_of(a);
  const Numbers determinant = at_a.log_determinant_gradient(),
                inverse_form = at_a.inverse_form_gradient(x, y),
                form = bilinear_gradient(a.pattern(), x, y);
  SparseFactor factor(a);
  auto values = [&] {
    EXPECT_FALSE(factor.refactor(a).has_value());
    Numbers solved = y, product(y.size());
    factor.solve(solved);
    a.multiply(y, product);
    return std::array{factor.log_determinant(),
                      std::inner_product(x.begin(), x.end(), solved.begin(), 0.0),
                      std::inner_product(x.begin(), x.end(), product.begin(), 0.0)};
  };
  constexpr double kStep = 1e-5, kError = 1e-8;
  for (std::size_t k = 0; k < determinant.size(); ++k) {
    const double value = a.values()[k];
    a.values()[k] = value + kStep;
    const auto above = values();
    a.values()[k] = value - kStep;
    const auto below = values();
    a.values()[k] = value;
    EXPECT_NEAR(determinant[k], (above[0] - below[0]) / (2.0 * kStep), kError) << k;
    EXPECT_NEAR(inverse_form[k], (above[1] - below[1]) / (2.0 * kStep), kError) << k;
    EXPECT_NEAR(form[k], (above[2] - below[2]) / (2.0 * kStep), kError) << k;
  }
}

// The covariance of C'^-1 z for z ~ N(0, 1) is the sum over unit vectors z, without any draw.
Dense covariance_by(const SparseFactor& factor,
                    void (SparseFactor::*half)(std::span<double>, Index) const) {
  Dense columns = Dense::Identity(factor.size(), factor.size());
  (factor.*half)({columns.data(), at(columns.size())}, factor.size());
  return columns * columns.transpose();
}

TEST(sparse_factor, draws_of_the_transposed_half_have_the_inverse_as_covariance) {
  const SparseSymmetric a = random_matrix(60, 10);
  const SparseFactor factor = factor_of(a);
  const Dense inverse = dense_of(a).inverse();
  auto error = [&](auto half) {
    return (covariance_by(factor, half) - inverse).cwiseAbs().maxCoeff();
  };
  EXPECT_LE(error(&SparseFactor::half_solve_transposed), kRounding);
  EXPECT_GE(error(&SparseFactor::half_solve), 1e-3);  // the other half is another distribution
}

TEST(sparse_factor, the_halves_one_after_the_other_solve) {
  const SparseSymmetric a = random_matrix(50, 11);
  const SparseFactor factor = factor_of(a);
  Numbers whole = numbers(100, 12), halves = whole;
  factor.solve(whole, 2);
  factor.half_solve(halves, 2);
  factor.half_solve_transposed(halves, 2);
  EXPECT_LE(largest_difference(whole, halves), kRounding);
}

TEST(sparse_factor, numbers_that_change_give_the_bits_of_a_new_factor) {
  SparseSymmetric a = grid(9, 7, 0.5);
  SparseFactor factor = factor_of(a);
  for (double& v : a.values()) v *= 1.25;
  ASSERT_FALSE(factor.refactor(a).has_value());
  EXPECT_EQ(factor.log_determinant(), factor_of(a).log_determinant());
  EXPECT_EQ(factor.inverse_on_pattern(), factor_of(a).inverse_on_pattern());
}

TEST(sparse_factor, a_matrix_that_is_not_positive_definite_is_refused_with_its_row) {
  SparseSymmetric a = grid(5, 4, 1.0);
  const Index diagonal = a.pattern().place(7, 7);
  SparseFactor factor = factor_of(a);
  for (const double bad : {-2.0, 0.0, kNaN, kInfinity}) {
    std::vector<SparseElement> elements{
        {0, 0, 1.0}, {1, 1, 1.0}, {2, 2, bad}, {3, 1, 0.5}, {3, 3, 1.0}};
    const SparseSymmetric alone(4, elements);
    const std::optional<FailedPivot> failed = SparseFactor(alone).refactor(alone);
    ASSERT_TRUE(failed.has_value()) << bad;
    EXPECT_EQ(failed->row, 2);
    EXPECT_TRUE(failed->value == bad || std::isnan(bad));
  }
  const double value = a.values()[at(diagonal)];
  a.values()[at(diagonal)] = -1.0;
  EXPECT_TRUE(factor.refactor(a).has_value());
  a.values()[at(diagonal)] = value;
  EXPECT_FALSE(factor.refactor(a).has_value());
  EXPECT_EQ(factor.log_determinant(), factor_of(a).log_determinant());
}

// [H B'; B -G]: as many negative eigenvalues as -G has rows.
TEST(sparse_factor, a_quasi_definite_matrix_is_factored_and_its_signs_are_counted) {
  SparseSymmetric a = random_matrix(30, 13);
  for (const Index k : {3, 11, 12, 29}) a.values()[at(a.pattern().place(k, k))] *= -1.0;
  SparseFactor factor(a);
  EXPECT_TRUE(factor.refactor(a).has_value());
  ASSERT_FALSE(factor.refactor(a, Definiteness::any).has_value());
  const Dense dense = dense_of(a);
  const Eigen::VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<Dense>(dense).eigenvalues();
  EXPECT_EQ(factor.num_negative(), (eigenvalues.array() < 0.0).count());
  EXPECT_EQ(factor.num_negative(), 4);
  EXPECT_NEAR(factor.log_determinant(), eigenvalues.array().abs().log().sum(), 1e-11);
  Numbers b = numbers(30, 14);
  const Eigen::VectorXd expected = dense.lu().solve(Eigen::Map<Eigen::VectorXd>(b.data(), 30));
  factor.solve(b);
  EXPECT_LE(largest_difference(b, {expected.data(), 30}), kRounding);
}

// ---- a dense tail

// Two crossed factors with `levels` levels each, which fill the last columns of L.
SparseSymmetric crossed(Index levels, Index rows, std::uint64_t seed) {
  test::SplitMix random{seed};
  std::vector<SparseElement> elements;
  const auto level = [&] {
    return static_cast<Index>(random.uniform() * static_cast<double>(levels));
  };
  for (Index k = 0; k < 2 * levels; ++k) elements.push_back({k, k, 0.5});
  for (Index k = 0; k < rows; ++k) {
    const Index a = level(), b = levels + level();
    const double weight = 0.5 + random.uniform();
    elements.push_back({a, a, weight});
    elements.push_back({b, b, weight});
    elements.push_back({a, b, weight});
  }
  return {2 * levels, elements};
}

// Condition numbers below 1e3, and sums of 300 terms: 1e-11.
TEST(sparse_factor, a_factor_with_a_dense_tail_is_that_of_the_dense_matrix) {
  for (const auto& [levels, rows] :
       {std::pair<Index, Index>{150, 2000}, {260, 2500}, {100, 9000}}) {
    const SparseSymmetric a = crossed(levels, rows, 17);
    const Dense dense = dense_of(a), inverse = dense.inverse();
    const SparseFactor factor = factor_of(a);
    EXPECT_GT(factor.num_values(), levels * (levels - 1) / 8);
    EXPECT_NEAR(factor.log_determinant(),
                2.0 * dense.llt().matrixL().toDenseMatrix().diagonal().array().log().sum(), 1e-9);
    const Numbers b = numbers(2 * a.size(), 18);
    Numbers x = b;
    factor.solve(x, 2);
    const Dense right = Eigen::Map<const Dense>(b.data(), a.size(), 2), exact = inverse * right;
    EXPECT_LT((Eigen::Map<const Dense>(x.data(), a.size(), 2) - exact).cwiseAbs().maxCoeff(),
              1e-11);
    Numbers half = b, other = b;
    factor.half_solve(half, 2);
    const Dense halves = Eigen::Map<const Dense>(half.data(), a.size(), 2);
    EXPECT_LT((halves.transpose() * halves - right.transpose() * exact).cwiseAbs().maxCoeff(),
              1e-10);
    // C'^-1 C^-1 is the inverse.
    factor.half_solve_transposed(half, 2);
    EXPECT_LT((Eigen::Map<const Dense>(half.data(), a.size(), 2) - exact).cwiseAbs().maxCoeff(),
              1e-11);
    const Numbers found = factor.inverse_on_pattern();
    const SparsePattern& pattern = a.pattern();
    for (Index j = 0; j < pattern.size; ++j)
      for (Index k = pattern.starts[at(j)]; k < pattern.starts[at(j + 1)]; ++k)
        EXPECT_NEAR(found[at(k)], inverse(pattern.rows[at(k)], j), 1e-12);
  }
}

TEST(sparse_factor, a_dense_tail_that_isnt_positive_definite_names_its_row) {
  SparseSymmetric a = crossed(150, 2000, 19);
  SparseFactor factor(a);
  a.values()[at(a.pattern().starts[at(a.size() - 3)])] = -40.0;
  const auto failed = factor.refactor(a);
  ASSERT_TRUE(failed.has_value());
  EXPECT_FALSE(failed->value > 0.0);
  EXPECT_FALSE(factor.refactor(a, Definiteness::any).has_value());
  EXPECT_GE(factor.num_negative(), 1);
}

}  // namespace
}  // namespace credo::numerics::sparse_factor_test
