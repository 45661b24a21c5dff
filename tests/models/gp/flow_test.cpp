// Training by gradient flow against the steps of a differential equation, and marginals of the process against its joint distribution.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "models/gp/gp_check.hpp"
#include "models/gp/gp_flow.hpp"
#include "support/test_seed.hpp"
#include "table_problem.hpp"

namespace credo::models::gp_flow_test {
namespace {
using gp_tables::table_of;
using gp_tables::theta_of;

gp_tables::NamedColumns curve(Index n, std::uint64_t seed) {
  gp_tables::NamedColumns made;
  Rng rng({.seed = testing::test_seed(seed)});
  for (Index i = 0; i < n; ++i) {
    made["x"].push_back(0.4 * static_cast<double>(i) + 0.1 * rng.uniform());
    made["y"].push_back(std::sin(made["x"].back()) + 0.1 * rng.normal());
  }
  return made;
}
GpPoints points_at(const std::vector<double>& x, Index q) {
  GpPoints made{.columns = {x}, .mean_columns = numerics::DenseMatrix(ssize(x), q)};
  std::ranges::fill(made.mean_columns.values, 1.0);
  return made;
}
double kernel(const GpTable& t, std::span<const double> theta, double a, double b) {
  Covariance::Work work;
  const auto& k = t.problem.covariance;
  const CovariancePoints p = k.points(std::vector<std::vector<double>>{{a}}),
                         q = k.points(std::vector<std::vector<double>>{{b}});
  double value = 0.0;
  k.values(k.root(), theta, p, 0, q, 0, 1, &value, work);
  return value;
}

// df/dt = T(x, X) (y - f(X)) by Runge and Kutta's steps of order 4, whose error at 4,000 steps is below 1e-9.
TEST(gp_flow, follows_its_differential_equation) {
  const GpTable t = table_of("y ~ 0 | ntk(x, 2)", curve(8, 101));
  const std::vector<double> theta = theta_of(t);
  std::vector<double> x = t.columns[0];
  x.push_back(1.1), x.push_back(5.0);
  const std::size_t n = 8, all = x.size();
  std::vector<double> gram(all * n), f(all, 0.0);
  for (std::size_t i = 0; i < all; ++i)
    for (std::size_t j = 0; j < n; ++j) gram[i * n + j] = kernel(t, theta, x[i], x[j]);
  const auto speed = [&](const std::vector<double>& at) {
    std::vector<double> made(all, 0.0);
    for (std::size_t i = 0; i < all; ++i)
      for (std::size_t j = 0; j < n; ++j) made[i] += gram[i * n + j] * (t.problem.y[j] - at[j]);
    return made;
  };
  const double time = 0.7;
  constexpr int kSteps = 4000;
  const double h = time / kSteps;
  for (int step = 0; step < kSteps; ++step) {
    const auto moved = [&](const std::vector<double>& by, double share) {
      std::vector<double> made = f;
      for (std::size_t i = 0; i < all; ++i) made[i] += share * by[i];
      return made;
    };
    const auto a = speed(f), b = speed(moved(a, 0.5 * h)), c = speed(moved(b, 0.5 * h)),
               d = speed(moved(c, h));
    for (std::size_t i = 0; i < all; ++i) f[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
  }
  const GpFlow found = flow_of(t, theta, points_at(x, 0), std::vector<double>{0.0, time});
  double loss = 0.0;
  for (std::size_t i = 0; i < all; ++i) {
    EXPECT_EQ(found.mean(static_cast<Index>(i), 0), 0.0);
    EXPECT_NEAR(found.mean(static_cast<Index>(i), 1), f[i], 1e-7) << i;
    if (i < n) loss += std::pow(t.problem.y[i] - f[i], 2);
  }
  EXPECT_NEAR(found.loss[1], loss, 1e-7);
}
TEST(gp_flow, ends_at_the_process_without_noise) {
  const GpTable t = table_of("y ~ 0 | matern32(x, length = 0.8)", curve(10, 102), 0.0);
  const std::vector<double> theta = theta_of(t);
  const std::vector<double> x{0.3, 1.7, 6.0};
  const GpFlow found = flow_of(t, theta, points_at(x, 0), std::vector<double>{kInfinity});
  const auto solver = make_exact_solver(t.problem);
  const GpMoments exact = solver->posterior(theta)->moments(
      t.problem.covariance.root(), t.problem.covariance.points(std::vector<std::vector<double>>{x}),
      nullptr);
  for (std::size_t j = 0; j < x.size(); ++j)
    EXPECT_NEAR(found.mean(static_cast<Index>(j), 0), exact.mean[j], 1e-10);
  EXPECT_NEAR(found.loss[0], 0.0, 1e-16);
}
TEST(gp_flow, refuses_times_before_the_start) {
  const GpTable t = table_of("y ~ 0 | se(x, length = 0.8)", curve(6, 103));
  EXPECT_THROW(flow_of(t, theta_of(t), points_at({1.0}, 0), std::vector<double>{-1.0}), Error);
}

// Sizes of 1 lose 16 digits in sums of 20 rows: 1e-12 allows for the factor's condition of about 100.
TEST(gp_check, marginals_are_those_of_the_joint_distribution) {
  const GpTable t = table_of("y ~ 1 | se(x, length = 0.8)", curve(20, 104));
  std::vector<double> x;
  for (int k = 0; k < 15; ++k) x.push_back(0.5 * k);
  const GpCheck check = check_gp(t, theta_of(t), points_at(x, 1), 0);
  EXPECT_EQ(check.num_joint, 12);
  EXPECT_EQ(check.num_marginal, 6);
  EXPECT_LT(check.marginal_error, 1e-12);
}

}  // namespace
}  // namespace credo::models::gp_flow_test
