// The installed headers of sparse matrices and optimiser steps, against dense algebra of an independent library.
#include "credo/sparse.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "credo/error.hpp"
#include "credo/generators.hpp"
#include "credo/optimiser.hpp"

namespace credo::sparse_test {
namespace {
using numerics::SparseElement;
using numerics::SparseFactor;
using numerics::SparseSymmetric;
constexpr double kRounding = 1e-11;  // condition numbers are below 100

SparseSymmetric random_matrix(Index n, RandomStream& random) {
  std::vector<SparseElement> elements;
  for (Index k = 0; k < n; ++k) elements.push_back({k, k, 6.0 + draw_exponential(random, 1.0)});
  for (Index k = 1; k < n; ++k)
    elements.push_back({k, k / 2, 0.5 * draw_exponential(random, 1.0) - 0.5});
  return {n, elements};
}

Eigen::MatrixXd dense_of(const SparseSymmetric& matrix) {
  Eigen::MatrixXd a(matrix.size(), matrix.size());
  for (Index j = 0; j < matrix.size(); ++j)
    for (Index i = 0; i < matrix.size(); ++i) a(i, j) = matrix(i, j);
  return a;
}

TEST(sparse_header, solves_and_determinants_are_those_of_dense_algebra) {
  RandomStream random(1);
  for (const Index n : {Index{1}, Index{7}, Index{40}}) {
    const SparseSymmetric matrix = random_matrix(n, random);
    const Eigen::MatrixXd a = dense_of(matrix), inverse = a.inverse();
    SparseFactor factor(matrix);
    ASSERT_FALSE(factor.refactor(matrix).has_value());
    EXPECT_NEAR(factor.log_determinant(), std::log(a.determinant()), kRounding);
    EXPECT_EQ(factor.num_negative(), 0);

    std::vector<double> b(static_cast<std::size_t>(n));
    for (double& value : b) value = draw_exponential(random, 1.0) - 1.0;
    const Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXd>(b.data(), n),
                          solution = inverse * right;
    std::vector<double> x = b, half = b, by_products(b.size(), 0.0);
    factor.solve(x);
    factor.half_solve(half);
    const auto end = numerics::conjugate_gradients(
        [&](std::span<const double> from, std::span<double> to) { matrix.multiply(from, to); }, b,
        by_products, {.tolerance = 1e-13});
    EXPECT_EQ(end.reason, numerics::ConjugateGradientEnd::Reason::converged);
    double form = 0.0;
    for (Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_NEAR(x[k], solution[i], kRounding);
      EXPECT_NEAR(by_products[k], solution[i], kRounding);
      form += half[k] * half[k];
    }
    EXPECT_NEAR(form, right.dot(solution), kRounding);
    const std::vector<double> elements = factor.inverse_on_pattern();
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) {
        const Index place = matrix.pattern().place(i, j);
        if (place < 0) continue;
        EXPECT_NEAR(elements[static_cast<std::size_t>(place)], inverse(i, j), kRounding);
      }
    }
  }
}

TEST(sparse_header, derivatives_of_the_log_determinant_are_finite_differences) {
  RandomStream random(2);
  SparseSymmetric matrix = random_matrix(9, random);
  SparseFactor factor(matrix);
  ASSERT_FALSE(factor.refactor(matrix).has_value());
  const std::vector<double> gradient = factor.log_determinant_gradient();
  constexpr double kStep = 1e-5;  // errors: step² and rounding / step, below 1e-9
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    double difference = 0.0;
    for (const double side : {1.0, -1.0}) {
      SparseSymmetric moved = matrix;
      moved.values()[k] += side * kStep;
      ASSERT_FALSE(factor.refactor(moved).has_value());
      difference += side * factor.log_determinant() / (2.0 * kStep);
    }
    EXPECT_NEAR(gradient[k], difference, 1e-8);
  }
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "";
}

TEST(sparse_header, says_what_does_not_fit) {
  const SparseSymmetric matrix(2, std::vector<SparseElement>{{0, 0, 1.0}, {1, 1, -1.0}});
  SparseFactor factor(matrix);
  std::vector<double> two(2, 1.0), three(3, 1.0);
  const auto has = [](const std::string& message, const char* part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  has(message_of([&] {
        SparseSymmetric(2, std::vector<SparseElement>{{2, 0, 1.0}});
      }),
      "element (2, 0) lies outside of a 2 x 2 matrix");
  has(message_of([&] { factor.solve(two); }), "isn't factored");
  has(message_of([&] { factor.half_solve(two); }), "half_solve:");
  has(message_of([&] { factor.half_solve(three); }), "half_solve");
  const auto failed = factor.refactor(matrix);
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->row, 1);
  has(message_of([&] { (void)factor.log_determinant(); }), "isn't factored");
  ASSERT_FALSE(factor.refactor(matrix, numerics::Definiteness::any).has_value());
  EXPECT_EQ(factor.num_negative(), 1);
  has(message_of([&] { factor.solve(three); }), "b has 3 numbers, must have 2");
  has(message_of([&] { factor.half_solve(two); }), "must be positive definite");
  has(message_of([&] { factor.half_solve_transposed(two); }), "half_solve_transposed");
  const SparseSymmetric other(2, std::vector<SparseElement>{{1, 0, 1.0}});
  has(message_of([&] { (void)factor.refactor(other); }), "pattern");
}

// -(x - 3)² / 2 - (y + 1)² by every row: the top is the answer whatever the row.
TEST(optimiser_header, every_step_climbs_a_parabola) {
  for (const numerics::StepRow& row : numerics::optimiser_steps()) {
    numerics::Optimiser optimiser(row, 2);
    const numerics::StepSize size(numerics::rate_rule("polynomial"), 0.1, 20000);
    std::vector<double> x{0.0, 0.0}, information{1.0, 2.0};
    for (int t = 0; t < 20000; ++t) {
      const std::array gradient{3.0 - x[0], -2.0 * (x[1] + 1.0)};
      ASSERT_TRUE(optimiser.climb(x, gradient, size.at(t + 1), information)) << row.name;
    }
    // weight_decay of `adamw` and `lion` pulls to 0; 0.01 of it moves the top by less than 0.04.
    EXPECT_NEAR(x[0], 3.0, 0.05) << row.name;
    EXPECT_NEAR(x[1], -1.0, 0.05) << row.name;
  }
  numerics::Optimiser adam(numerics::optimiser_step("adam"), 2);
  std::vector<double> three(3, 0.0), two(2, 0.0);
  EXPECT_NE(message_of([&] { adam.climb(three, two, 0.1); }).find("position has 3 numbers"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)numerics::optimiser_step("adamm"); }).find("did you mean adam"),
            std::string::npos);
}

}  // namespace
}  // namespace credo::sparse_test
