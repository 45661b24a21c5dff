// Decompositions against the equations that define them uniquely, sizes 0 to 300; factors and
// solves against an independent library.
#include "numerics/linear_algebra/decompositions.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "base/aligned.hpp"
#include "numerics/linear_algebra/dense.hpp"
#include "support/share.hpp"
#include "support/ulp.hpp"

namespace credo::numerics::decompositions_test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Sizes at the ends, around the blocks, and the largest promised.
const std::vector<Index> kSizes{0, 1, 2, 3, 7, 24, 65, 300};
constexpr double kRounding = 1e-14;  // errors grow with the dimension; measured factors are below 3

Matrix numbers(Index rows, Index cols, std::uint64_t seed) {
  test::SplitMix random{seed};
  Matrix m(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) m(i, j) = 2.0 * random.uniform() - 1.0;
  return m;
}
double largest(const Matrix& m) { return m.size() == 0 ? 0.0 : m.cwiseAbs().maxCoeff(); }
double bound(Index n) { return kRounding * static_cast<double>(n + 1); }
double departure_from_orthonormal(const Matrix& q) {
  return largest(q.transpose() * q - Matrix::Identity(q.cols(), q.cols()));
}

TEST(decompositions, lu_solves_both_ways_and_gives_the_determinant) {
  for (const Index n : kSizes) {
    const Matrix a = numbers(n, n, 1) + 2.0 * Matrix::Identity(n, n), b = numbers(n, 3, 2);
    Matrix lu = a, x = b, y = b;
    Vector pivots(n);
    double determinant = lu_factor(n, lu.data(), pivots.data());
    lu_solve({n, 3, false}, lu.data(), pivots.data(), x.data());
    lu_solve({n, 3, true}, lu.data(), pivots.data(), y.data());
    const double scale = 1.0 + std::max(largest(x), largest(y));
    EXPECT_LE(largest(a * x - b), bound(n) * scale) << n;
    EXPECT_LE(largest(a.transpose() * y - b), bound(n) * scale) << n;
    if (n != 3) continue;
    for (Index i = 0; i < n; ++i) determinant *= lu(i, i);
    const double expected = a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) -
                            a(0, 1) * (a(1, 0) * a(2, 2) - a(1, 2) * a(2, 0)) +
                            a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0));
    EXPECT_NEAR(determinant, expected, 1e-14 * std::fabs(expected));
  }
}

TEST(decompositions,
     qr_multiplies_back_with_orthonormal_columns_and_a_diagonal_that_is_not_negative) {
  for (const Index n : kSizes) {
    for (const Index rows : {n, n + 5}) {
      for (const Index q_cols : {n, rows}) {
        const Matrix a = numbers(rows, n, 3);
        Matrix r = a, q(rows, q_cols), work(rows, n);
        qr({rows, n, q_cols}, r.data(), q.data(), work.data());
        EXPECT_LE(departure_from_orthonormal(q), bound(rows)) << rows << " x " << n;
        EXPECT_LE(largest(q.leftCols(n) * r.topRows(n) - a), bound(rows)) << rows << " x " << n;
        for (Index j = 0; j < n; ++j) {
          EXPECT_GE(r(j, j), 0.0);
          for (Index i = j + 1; i < rows; ++i) EXPECT_EQ(r(i, j), 0.0);
        }
      }
    }
  }
}

void check_eigen(const Matrix& a) {
  const Index n = a.rows();
  Matrix v = a;
  Vector values(n), work(2 * n);
  symmetric_eigen(n, v.data(), values.data(), work.data());
  const double scale = std::max(largest(a), 1e-300) * bound(n) * 4.0;
  EXPECT_LE(departure_from_orthonormal(v), 4.0 * bound(n)) << n;
  EXPECT_LE(largest(v * values.asDiagonal() * v.transpose() - a), scale) << n;
  EXPECT_TRUE(std::is_sorted(values.data(), values.data() + n)) << n;
}

TEST(decompositions, symmetric_eigenvalues_and_orthonormal_vectors_multiply_back) {
  for (const Index n : kSizes) {
    const Matrix g = numbers(n, n, 4);
    check_eigen(0.5 * (g + g.transpose()));
    check_eigen(Matrix::Identity(n, n));  // all equal
    check_eigen(Matrix::Zero(n, n));
    check_eigen(g.leftCols(n / 2) * g.leftCols(n / 2).transpose());  // half are zero
    if (n > 0) check_eigen(1e-150 * Matrix::Ones(n, n));
  }
}

LONG_TEST(decompositions, singular_values_and_orthonormal_vectors_multiply_back) {
  for (const Index n : kSizes) {
    for (const Index rows : {n, n + 4}) {
      for (const Index rank : {n, n / 2}) {
        const Matrix a =
            rank == n ? numbers(rows, n, 5) : Matrix(numbers(rows, rank, 6) * numbers(rank, n, 7));
        Matrix u = a, v(n, n);
        Vector values(n);
        singular_values(rows, n, u.data(), values.data(), v.data());
        const double scale = 4.0 * bound(rows) * std::max(1.0, n == 0 ? 0.0 : values(0));
        EXPECT_LE(departure_from_orthonormal(u), 4.0 * bound(rows)) << rows << " x " << n;
        EXPECT_LE(departure_from_orthonormal(v), 4.0 * bound(rows)) << rows << " x " << n;
        EXPECT_LE(largest(u * values.asDiagonal() * v.transpose() - a), scale)
            << rows << " x " << n;
        for (Index j = 0; j < n; ++j) {
          EXPECT_GE(values(j), 0.0);
          if (j > 0) {
            EXPECT_GE(values(j - 1), values(j));
          }
        }
      }
    }
  }
}

// exp(A) by its series, halved until the argument is small, in long double.
Matrix series_exp(const Matrix& a) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  constexpr int kHalvings = 10, kTerms = 25;
  const Wide small = a.cast<long double>() / std::ldexp(1.0L, kHalvings);
  Wide term = Wide::Identity(a.rows(), a.cols()), total = term;
  for (int k = 1; k <= kTerms; ++k) {
    term = Wide(term.lazyProduct(small)) / static_cast<long double>(k);
    total += term;
  }
  for (int k = 0; k < kHalvings; ++k) total = Wide(total.lazyProduct(total));
  return total.cast<double>();
}

TEST(decompositions, matrix_exponential_is_that_of_the_series) {
  for (const Index n : {Index{0}, Index{1}, Index{2}, Index{7}, Index{24}}) {
    for (const double size : {1e-3, 1.0, 20.0}) {
      const Matrix a = size / static_cast<double>(n + 1) * numbers(n, n, 8);
      Matrix out(n, n);
      Vector work(matrix_exp_work(n));
      matrix_exp(n, a.data(), out.data(), work.data());
      const Matrix exact = series_exp(a);
      // a few units of rounding times the norm of the argument
      EXPECT_LE(largest(out - exact), 1e-15 * (10.0 + 10.0 * size) * largest(exact))
          << n << " " << size;
    }
  }
}

TEST(decompositions, numbers_that_are_not_finite_come_out_as_nan) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Matrix a = numbers(5, 5, 9);
    a(2, 2) = bad;
    Matrix v = a, u = a, w(5, 5), out(5, 5);
    Vector values(5), work(matrix_exp_work(5));
    symmetric_eigen(5, v.data(), values.data(), work.data());
    EXPECT_TRUE(std::isnan(values(0)));
    singular_values(5, 5, u.data(), values.data(), w.data());
    EXPECT_TRUE(std::isnan(values(4)));
    matrix_exp(5, a.data(), out.data(), work.data());
    EXPECT_TRUE(std::isnan(out(0, 0)));
  }
}

// The fast kernels against the library, where the chains of dense_test.cpp can't be wrong together.
TEST(decompositions, cholesky_and_solves_are_the_librarys_up_to_300) {
  for (const Index n : kSizes) {
    const Matrix g = numbers(n, n, 10);
    const Matrix a = g * g.transpose() + static_cast<double>(n + 1) * Matrix::Identity(n, n);
    const Matrix b = numbers(n, 30, 11);
    AlignedArray in(n * n), l(n * n), right(n * 30), x(n * 30),
        scratch(cholesky_scratch(n) + solve_lower_scratch(n, 30));
    std::copy_n(a.data(), n * n, in.data());
    std::copy_n(b.data(), n * 30, right.data());
    cholesky(1, n, {in.data(), 1, n, false}, l.data(), scratch.data());
    solve_lower(1, {n, 30, true}, {l.data(), 1, n, false}, {right.data(), 1, n, false}, x.data(),
                scratch.data());
    if (n == 0) continue;
    const Matrix factor = a.llt().matrixL();
    EXPECT_LE(largest(Eigen::Map<Matrix>(l.data(), n, n) - factor), bound(n) * largest(factor))
        << n;
    const Matrix peer = factor.transpose().triangularView<Eigen::Upper>().solve(b);
    EXPECT_LE(largest(Eigen::Map<Matrix>(x.data(), n, 30) - peer), bound(n) * largest(peer)) << n;
  }
}

}  // namespace
}  // namespace credo::numerics::decompositions_test
