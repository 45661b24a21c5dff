// Conditioned normal distributions against the other form of the same: by the inverse of the covariance.
#include "credo/gaussian.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "credo/error.hpp"

namespace credo::gaussian_test {
namespace {
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Eigen::Index;

// Of the first n elements given the others: with P the inverse of the covariance, covariance P_11^-1 and mean
// mean_1 - P_11^-1 P_12 (x_2 - mean_2).
TEST(gaussian, conditioned_is_that_of_its_precision) {
  std::mt19937 engine(3);
  std::normal_distribution<double> distribution;
  for (const Index d : {2, 3, 6}) {
    for (Index n = 1; n < d; ++n) {
      Matrix a(d, d);
      Vector mean(d), x(d - n);
      for (Index k = 0; k < d * d; ++k) a.data()[k] = distribution(engine);
      for (Index k = 0; k < d; ++k) mean[k] = distribution(engine);
      for (Index k = 0; k < d - n; ++k) x[k] = distribution(engine);
      const Matrix c = a * a.transpose() + 0.1 * Matrix::Identity(d, d), p = c.inverse();
      // Places from the last to the first: the order of the values is that of the places.
      std::vector<std::size_t> places;
      std::vector<double> values;
      for (Index k = d; k-- > n;) {
        places.push_back(static_cast<std::size_t>(k));
        values.push_back(x[k - n]);
      }
      const Gaussian found = condition(
          {.mean = {mean.data(), mean.data() + d}, .covariance = {c.data(), c.data() + d * d}},
          places, values);
      const Matrix covariance = p.topLeftCorner(n, n).inverse();
      const Vector expected =
          mean.head(n) - covariance * p.topRightCorner(n, d - n) * (x - mean.tail(d - n));
      // Inverses lose the condition number of c, at most 1e4 here, times 1e-16.
      for (Index i = 0; i < n; ++i) {
        EXPECT_NEAR(found.mean[static_cast<std::size_t>(i)], expected[i], 1e-9);
        for (Index j = 0; j < n; ++j)
          EXPECT_NEAR(found.covariance[static_cast<std::size_t>(i + j * n)], covariance(i, j),
                      1e-9);
      }
    }
  }
}

TEST(gaussian, of_two_elements_is_the_textbook_one) {
  const Gaussian found = condition({.mean = {1, 2}, .covariance = {4, 1.2, 1.2, 1}}, {1}, {3});
  EXPECT_NEAR(found.mean[0], 1 + 1.2, 1e-14);
  EXPECT_NEAR(found.covariance[0], 4 - 1.44, 1e-14);
}

TEST(gaussian, given_nothing_stays_and_given_all_has_nothing_left) {
  const Gaussian distribution{.mean = {1, 2}, .covariance = {4, 1.2, 1.2, 1}};
  const Gaussian same = condition(distribution, {}, {});
  EXPECT_EQ(same.mean, distribution.mean);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(same.covariance[k], distribution.covariance[k], 1e-14);
  EXPECT_TRUE(condition(distribution, {0, 1}, {0.0, 0.0}).mean.empty());
}

TEST(gaussian, says_what_does_not_fit) {
  const auto message = [](const Gaussian& distribution, const std::vector<std::size_t>& places,
                          const std::vector<double>& values) -> std::string {
    try {
      (void)condition(distribution, places, values);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::data);
      return e.what();
    }
    return "";
  };
  const Gaussian distribution{.mean = {0, 0}, .covariance = {1, 0, 0, 1}};
  EXPECT_NE(message(distribution, {2}, {0}).find("place 2 is beyond"), std::string::npos);
  EXPECT_NE(message(distribution, {1, 1}, {0, 0}).find("twice"), std::string::npos);
  EXPECT_NE(message(distribution, {1}, {}).find("0 values for 1 places"), std::string::npos);
  EXPECT_NE(message({{0, 0}, {1, 0, 0}}, {1}, {0}).find("must have 4"), std::string::npos);
  EXPECT_NE(message({{0, 0}, {1, 0.5, 0, 1}}, {1}, {0}).find("must be equal"), std::string::npos);
  EXPECT_NE(message({{0, 0}, {1, 2, 2, 1}}, {1}, {0}).find("least eigenvalue"), std::string::npos);
  EXPECT_NE(message({{0, 0}, {1, 1, 1, 1}}, {0, 1}, {0, 0}).find("singular"), std::string::npos);
  // Beside a variance of 1e13 a negative one isn't rounding.
  EXPECT_NE(message({{0, 0}, {1e13, 0, 0, -1}}, {0}, {0}).find("variance of element 1"),
            std::string::npos);
  EXPECT_NE(message({{0, 0}, {0, 1, 1, 1}}, {1}, {0}).find("variance of element 0"),
            std::string::npos);
}

// Given elements whose units differ by 3e6: one with correlation 0.5 to what is left, one with none.
TEST(gaussian, is_conditioned_in_any_units) {
  const Gaussian found =
      condition({{0, 0, 0}, {1e13, 0, 0, 0, 1, 0.5, 0, 0.5, 1}}, {0, 1}, {5e6, 2.0});
  EXPECT_NEAR(found.mean[0], 1.0, 1e-14);
  EXPECT_NEAR(found.covariance[0], 0.75, 1e-14);
}

}  // namespace
}  // namespace credo::gaussian_test
