// Selection and moves of inducing points.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "models/gp/inducing_points.hpp"
#include "support/test_seed.hpp"
#include "table_problem.hpp"

namespace credo::models::gp_inducing_test {
namespace {
using gp_tables::NamedColumns;
using gp_tables::table_of;
using gp_tables::theta_of;

// Rows in `groups` tight groups of unequal size.
NamedColumns in_groups(Index groups, Index n, std::uint64_t seed) {
  NamedColumns made;
  Rng rng({.seed = testing::test_seed(seed)});
  for (Index i = 0; i < n; ++i) {
    const auto g = static_cast<double>(i < groups ? i : i % 3 == 0 ? i % groups : 0);
    made["x"].push_back(10.0 * g + 0.01 * rng.normal());
    made["y"].push_back(std::sin(3.0 * g) + 0.1 * rng.normal());
  }
  return made;
}
NamedColumns curve(Index n, std::uint64_t seed) {
  NamedColumns made;
  Rng rng({.seed = testing::test_seed(seed)});
  for (Index i = 0; i < n; ++i) {
    const double x = rng.uniform(0.0, 6.0), z = rng.uniform(-1.0, 1.0);
    made["x"].push_back(x), made["z"].push_back(z);
    made["y"].push_back(std::sin(2.0 * x) + z * z + 0.2 * rng.normal());
  }
  return made;
}

TEST(gp_inducing, rows_by_kmeans_are_one_of_each_group) {
  const GpTable t = table_of("y ~ se(x)", in_groups(7, 200, 81));
  const std::vector<Index> rows = kmeans_rows(t.problem, 7, 3);
  std::set<Index> groups;
  for (const Index row : rows)
    groups.insert(std::lround(t.columns[0][static_cast<std::size_t>(row)] / 10.0));
  EXPECT_EQ(groups.size(), 7u);
}
// 20 random rows of 200 lie in the large group, two thirds of all, and miss others; k-means++ doesn't.
TEST(gp_inducing, rows_by_kmeans_have_a_higher_bound_than_random_rows) {
  const GpTable t = table_of("y ~ matern32(x, length = 4)", in_groups(20, 200, 82));
  const std::vector<double> theta = theta_of(t, 1.0, 0.1);
  const auto bound = [&](InducingBy by) {
    GpSolverOptions options{.num_inducing = 20, .inducing_by = by};
    return make_low_rank_solver(t.problem, LowRank::sgpr, inducing_rows(t.problem, options))
        ->evidence(theta, false)
        .value;
  };
  const double exact = make_exact_solver(t.problem)->evidence(theta, false).value;
  EXPECT_GT(bound(InducingBy::kmeans), bound(InducingBy::random) + 10.0);
  EXPECT_NEAR(bound(InducingBy::kmeans), exact, 0.05 * std::abs(exact));
  EXPECT_LE(bound(InducingBy::kmeans), exact + 1e-6);
}
TEST(gp_inducing, rows_are_chosen_once_each_if_inputs_are_equal) {
  NamedColumns columns = in_groups(3, 30, 83);
  for (double& x : columns["x"]) x = std::round(x);
  const GpTable t = table_of("y ~ se(x)", columns);
  const std::vector<Index> rows = kmeans_rows(t.problem, 10, 3);
  EXPECT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), rows.size());
  EXPECT_LE(rows.size(), 3u);
}

TEST(gp_inducing, bound_has_the_derivatives_of_its_points) {
  const GpTable t = table_of(
      "y ~ se_ard(x, z, length.1 = 1, length.2 = 0.8) + linear(z) * matern52(x, length = 2)",
      curve(60, 84));
  const std::vector<double> theta = theta_of(t);
  const std::vector<Index> rows{3, 11, 20, 33, 47};
  for (const LowRank kind : {LowRank::dtc, LowRank::fitc, LowRank::sgpr}) {
    const auto solver = make_low_rank_solver(t.problem, kind, rows);
    std::vector<std::vector<double>> points(t.columns.size());
    for (std::size_t c = 0; c < points.size(); ++c)
      for (const Index row : rows)
        points[c].push_back(t.columns[c][static_cast<std::size_t>(row)] + 0.05);
    solver->place_points(points);
    numerics::DenseMatrix slopes(5, ssize(points));
    const GpEvidence found = solver->evidence_by_points(theta, slopes);
    EXPECT_EQ(found.value, solver->evidence(theta, false).value);
    for (std::size_t c = 0; c < points.size(); ++c)
      for (std::size_t k = 0; k < 5; ++k) {
        const auto at = [&](double z) {
          std::vector<std::vector<double>> moved = points;
          moved[c][k] = z;
          solver->place_points(moved);
          return solver->evidence(theta, false).value;
        };
        constexpr double kStep = 1e-5;
        const double expected =
            (at(points[c][k] + kStep) - at(points[c][k] - kStep)) / (2.0 * kStep);
        // the jitter of the points isn't differentiated: 1e-9 of a variance, beside slopes of order 1
        EXPECT_NEAR(slopes(static_cast<Index>(k), static_cast<Index>(c)), expected,
                    1e-4 * (1.0 + std::abs(expected)))
            << static_cast<int>(kind);
      }
  }
}

TEST(gp_inducing, moved_points_raise_the_bound_which_stays_below_the_evidence) {
  GpTable t = table_of("y ~ se(x) + se(z)", curve(150, 85));
  t.problem.num_threads = 1;
  const std::vector<Index> rows = random_rows(150, 8, 2);
  const auto solver = make_low_rank_solver(t.problem, LowRank::sgpr, rows);
  const std::vector<GpOptimum> optima =
      find_optima(t.problem, *solver, {.num_starts = 2, .seed = 1});
  ASSERT_FALSE(optima.empty());
  const MovedPoints moved = move_inducing(t.problem, *solver, rows, optima[0]);
  EXPECT_GT(moved.optimum.evidence, moved.before + 1.0);
  const double exact = make_exact_solver(t.problem)->evidence(moved.optimum.theta, false).value;
  EXPECT_LE(moved.optimum.evidence, exact + 1e-6);
  // the solver keeps the points
  EXPECT_NEAR(solver->evidence(moved.optimum.theta, false).value, moved.optimum.evidence, 1e-9);
}

}  // namespace
}  // namespace credo::models::gp_inducing_test
