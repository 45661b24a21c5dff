// Solvers by products: conjugate gradients against the dense factor, with rates; log determinants within their reported errors; grids against the
// dense matrix of the same interpolation, with the third power of the step.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "models/gp/gp_solver_table.hpp"
#include "models/gp/solvers/iterative.hpp"
#include "support/test_seed.hpp"
#include "table_problem.hpp"

namespace credo::models::gp_products_test {
namespace {
using gp_tables::NamedColumns;
using gp_tables::table_of;
using gp_tables::theta_of;

NamedColumns scattered(Index n, std::uint64_t seed) {
  NamedColumns made;
  Rng rng({.seed = testing::test_seed(seed)});
  for (Index i = 0; i < n; ++i) {
    const double x = rng.uniform(0.0, 6.0), z = rng.uniform(-1.0, 1.0), w = rng.uniform();
    made["x"].push_back(x), made["z"].push_back(z), made["w"].push_back(w);
    made["y"].push_back(std::sin(x) + z * z + 0.3 * rng.normal());
  }
  return made;
}
std::vector<double> solved_mean(GpSolver& solver, const GpTable& t, std::span<const double> theta,
                                const CovariancePoints& at) {
  return solver.posterior(theta)->moments(t.problem.covariance.root(), at, nullptr).mean;
}
double largest_difference(std::span<const double> a, std::span<const double> b) {
  double most = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}
std::unique_ptr<GpSolver> by_products(const GpTable& t, GpSolverOptions options) {
  return make_iterative_solver(t.problem, make_dense_operator(t.problem), options);
}

TEST(gp_krylov, logarithm_of_a_tridiagonal_matrix_is_that_of_its_eigenvalues) {
  Rng rng({.seed = testing::test_seed(51)});
  for (const std::size_t n : {1u, 2u, 3u, 12u, 40u}) {
    std::vector<double> alpha, beta;
    for (std::size_t j = 0; j < n; ++j)
      alpha.push_back(std::exp(rng.normal())), beta.push_back(std::exp(rng.normal() - 1.0));
    const auto size = static_cast<Index>(n);
    numerics::DenseMatrix t(size);
    for (Index j = 0; j < size; ++j) {
      const auto k = static_cast<std::size_t>(j);
      t(j, j) = 1.0 / alpha[k] + (j > 0 ? beta[k - 1] / alpha[k - 1] : 0.0);
      if (j + 1 < size) t(j, j + 1) = t(j + 1, j) = std::sqrt(beta[k]) / alpha[k];
    }
    const double expected =
        numerics::SymmetricEigen(t).function([](double x) { return std::log(x); })(0, 0);
    EXPECT_NEAR(tridiagonal_log(alpha, beta), expected, 1e-12 * (1.0 + std::abs(expected))) << n;
  }
}

// Errors of the mean are those of solves, so they fall in proportion to the tolerance: the slope of their logarithms is 1. Residuals fall in
// steps, hence the width of 0.3.
TEST(gp_cg, converges_to_the_exact_process_as_the_tolerance_falls) {
  const GpTable t =
      table_of("y ~ matern32(x, length = 0.7) + se(z, length = 0.8)", scattered(300, 52));
  const std::vector<double> theta = theta_of(t);
  const CovariancePoints at = t.problem.covariance.points(
      std::vector<std::vector<double>>{{0.2, 1.7, 3.3, 5.0}, {0.5, -0.5, 0.0, 0.9}});
  const std::vector<double> exact = solved_mean(*make_exact_solver(t.problem), t, theta, at);
  std::vector<double> errors;
  for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8}) {
    const auto solver = by_products(t, {.tolerance = tolerance, .rank = 5});
    errors.push_back(largest_difference(solved_mean(*solver, t, theta, at), exact));
    EXPECT_LT(errors.back(), 20.0 * tolerance) << tolerance;
  }
  const double slope = (std::log(errors.front()) - std::log(errors.back())) / std::log(1e6);
  EXPECT_NEAR(slope, 1.0, 0.3);
}

TEST(gp_cg, has_the_moments_of_the_exact_process) {
  for (const char* mean : {"0", "1 + x"}) {
    const GpTable t =
        table_of(std::string("y ~ ") + mean + " | matern32(x, length = 0.7) + se(z, length = 0.8)",
                 scattered(200, 53));
    const std::vector<double> theta = theta_of(t);
    const CovariancePoints at = t.problem.covariance.points(
        std::vector<std::vector<double>>{{0.2, 1.7, 9.0}, {0.5, -0.5, 0.0}});
    const Index q = t.problem.mean_columns.cols;
    numerics::DenseMatrix h(3, q);
    for (Index i = 0; i < 3 && q > 0; ++i) h(i, 0) = 1.0, h(i, 1) = 0.3 * static_cast<double>(i);
    const auto one = by_products(t, {.tolerance = 1e-11})->posterior(theta);
    const auto other = make_exact_solver(t.problem)->posterior(theta);
    const auto solver = by_products(t, {.tolerance = 1e-11});
    const auto own = solver->posterior(theta);
    const auto exact_solver = make_exact_solver(t.problem);
    const auto exact = exact_solver->posterior(theta);
    for (const KernelNode* node : t.problem.covariance.terms()) {
      const GpMoments a = own->moments(*node, at, nullptr), b = exact->moments(*node, at, nullptr);
      EXPECT_LT(largest_difference(a.mean, b.mean), 1e-8);
      EXPECT_LT(largest_difference(a.variance, b.variance), 1e-8);
    }
    const auto a = own->covariance(at, &h), b = exact->covariance(at, &h);
    EXPECT_LT(largest_difference(a.values, b.values), 1e-8);
    EXPECT_LT(largest_difference(own->coefficients(), exact->coefficients()), 1e-7);
    EXPECT_LT(largest_difference(own->coefficient_sds(), exact->coefficient_sds()), 1e-7);
  }
}

// With a preconditioner of full rank, nothing is left to the probes.
TEST(gp_cg, is_exact_with_a_preconditioner_of_full_rank) {
  const GpTable t = table_of(
      "y ~ 1 + x | matern32(x, length = 0.7) * rq(z, length = 0.8, alpha = 1)", scattered(150, 54));
  const std::vector<double> theta = theta_of(t);
  const GpEvidence a = by_products(t, {.tolerance = 1e-12, .rank = 150})->evidence(theta, true),
                   b = make_exact_solver(t.problem)->evidence(theta, true);
  EXPECT_NEAR(a.value, b.value, 1e-7 * std::abs(b.value));
}

struct EvidenceErrors {
  double mean = 0.0, standard_error = 0.0;  // of estimates over seeds, less the exact evidence
  std::vector<double> slope_mean, slope_error;
};
EvidenceErrors errors_over_seeds(const GpTable& t, std::span<const double> theta, Index num_probes,
                                 Index num_seeds) {
  const GpEvidence exact = make_exact_solver(t.problem)->evidence(theta, true);
  const std::size_t d = theta.size();
  std::vector<double> sum(d + 1, 0.0), square(d + 1, 0.0);
  for (Index seed = 1; seed <= num_seeds; ++seed) {
    const GpEvidence found = by_products(t, {.seed = static_cast<std::uint64_t>(seed),
                                             .tolerance = 1e-8,
                                             .num_probes = num_probes,
                                             .rank = 10})
                                 ->evidence(theta, true);
    for (std::size_t k = 0; k <= d; ++k) {
      const double off = k < d ? found.slopes[k] - exact.slopes[k] : found.value - exact.value;
      sum[k] += off, square[k] += off * off;
    }
  }
  const auto n = static_cast<double>(num_seeds);
  EvidenceErrors made;
  for (std::size_t k = 0; k <= d; ++k) {
    const double mean = sum[k] / n, error = std::sqrt((square[k] / n - mean * mean) / (n - 1.0));
    if (k < d)
      made.slope_mean.push_back(mean), made.slope_error.push_back(error);
    else
      made.mean = mean, made.standard_error = error;
  }
  return made;
}

// Estimates are unbiased: the mean over 40 seeds is within 4 standard errors, false alarms of 6e-5 each; a log determinant without that of the
// preconditioner would be hundreds of them away.
TEST(gp_cg, evidence_and_derivatives_are_unbiased_over_probes) {
  GpTable t = table_of("y ~ matern32(x, length = 0.5)", scattered(200, 55));
  t.problem.num_threads = 1;
  const std::vector<double> theta = theta_of(t);
  const EvidenceErrors few = errors_over_seeds(t, theta, 10, 40);
  EXPECT_LT(std::abs(few.mean), 4.0 * few.standard_error + 1e-6);
  EXPECT_GT(few.standard_error, 1e-4);
  for (std::size_t k = 0; k < few.slope_mean.size(); ++k)
    EXPECT_LT(std::abs(few.slope_mean[k]), 4.0 * few.slope_error[k] + 1e-5) << k;
  // 16 times as many probes: a quarter of the error; an estimate of an sd from 40 numbers has a relative error of 11 %
  const EvidenceErrors many = errors_over_seeds(t, theta, 160, 40);
  EXPECT_NEAR(std::log(few.standard_error / many.standard_error), std::log(4.0), 4.0 * 0.16);
}

TEST(gp_cg, reports_the_error_of_its_evidence) {
  const GpTable t = table_of("y ~ matern32(x, length = 0.5)", scattered(200, 56));
  const std::vector<double> theta = theta_of(t);
  const auto solver = by_products(t, {.seed = 3, .rank = 10});
  const GpEvidence found = solver->evidence(theta, false);
  const std::vector<std::string> remarks = solver->remarks(theta);
  ASSERT_FALSE(remarks.empty());
  const std::size_t place = remarks[0].find("standard error of ");
  ASSERT_NE(place, std::string::npos) << remarks[0];
  const double error = std::stod(remarks[0].substr(place + 18));
  const double exact = make_exact_solver(t.problem)->evidence(theta, false).value;
  // an error from 10 probes has Student's distribution with 9 degrees of freedom: beyond 6.6 for 1e-4 of seeds
  EXPECT_LT(std::abs(found.value - exact), 6.6 * error);
}

TEST(gp_cg, bits_do_not_depend_on_the_number_of_threads) {
  GpTable t = table_of("y ~ 1 | matern32(x, length = 0.5) + se(z, length = 1)", scattered(400, 57));
  const std::vector<double> theta = theta_of(t);
  for (const char* name : {"cg", "ski"}) {
    std::vector<GpEvidence> found;
    for (const Index num_threads : {1, 2, 3}) {
      t.problem.num_threads = num_threads;
      std::vector<std::string> notes;
      GpSolverOptions options{.seed = 2};
      options.grid_points = 32;
      found.push_back(find_gp_solver(name).make(t.problem, options, notes)->evidence(theta, true));
    }
    ASSERT_TRUE(std::isfinite(found[0].value)) << name;
    for (const std::size_t k : {1u, 2u}) {
      EXPECT_EQ(found[0].value, found[k].value) << name;
      EXPECT_EQ(found[0].slopes, found[k].slopes) << name;
    }
  }
}

RowMatrix whole(KrylovMatrix& k) {
  RowMatrix made(k.size(), k.size());
  for (Index i = 0; i < k.size(); ++i) k.row(i, made.row(i));
  return made;
}
std::vector<GpTable> grid_tables() {
  std::vector<GpTable> made;
  made.push_back(table_of("y ~ se(x, length = 0.8)", scattered(60, 58)));
  made.push_back(
      table_of("y ~ se_ard(x, z, length.1 = 1.5, length.2 = 0.7) + matern52(z, length = 1)",
               scattered(60, 59)));
  made.push_back(table_of("y ~ matern52(x, z, w, length = 2)", scattered(60, 60)));
  return made;
}

TEST(gp_grid, products_and_the_diagonal_are_those_of_its_rows) {
  Rng rng({.seed = testing::test_seed(61)});
  for (const GpTable& t : grid_tables()) {
    const auto k = make_grid_operator(t.problem, 12);
    k->set(theta_of(t));
    const RowMatrix dense = whole(*k);
    RowMatrix v(60, 3), found(60, 3);
    for (double& x : v.values) x = rng.normal();
    k->multiply(v, found);
    for (Index i = 0; i < 60; ++i)
      for (Index c = 0; c < 3; ++c) {
        double expected = 0.0;
        for (Index j = 0; j < 60; ++j) expected += dense(i, j) * v(j, c);
        EXPECT_NEAR(found(i, c), expected, 1e-11);
      }
    const std::vector<double> diagonal = k->diagonal();
    for (Index i = 0; i < 60; ++i) {
      EXPECT_NEAR(diagonal[static_cast<std::size_t>(i)], dense(i, i), 1e-12);
      for (Index j = 0; j < i; ++j) EXPECT_NEAR(dense(i, j), dense(j, i), 1e-12);
    }
  }
}

TEST(gp_grid, derivatives_are_those_of_its_products) {
  Rng rng({.seed = testing::test_seed(62)});
  for (const GpTable& t : grid_tables()) {
    const std::vector<double> theta = theta_of(t);
    const auto k = make_grid_operator(t.problem, 12);
    RowMatrix left(60, 2), right(60, 2), product(60, 2);
    for (double& x : left.values) x = rng.normal();
    for (double& x : right.values) x = rng.normal();
    const auto form = [&](const std::vector<double>& at) {
      k->set(at);
      k->multiply(right, product);
      return std::inner_product(left.values.begin(), left.values.end(), product.values.begin(),
                                0.0);
    };
    std::vector<double> slopes(theta.size(), 0.0);
    k->set(theta);
    k->add_slopes(left, right, slopes);
    for (std::size_t p = 0; p + 1 < theta.size(); ++p) {
      std::vector<double> up = theta, down = theta;
      up[p] *= 1.0 + 1e-5, down[p] *= 1.0 - 1e-5;
      const double expected = (form(up) - form(down)) / (2e-5 * theta[p]);
      EXPECT_NEAR(slopes[p], expected, 1e-6 * (1.0 + std::abs(expected))) << p;
    }
  }
}

// Cubic interpolation of smooth functions has an error of the third power of the step [keys1981]: 8 for each doubling, which kernels that
// are much wider than a step reach.
TEST(gp_grid, error_falls_with_the_third_power_of_the_step) {
  const GpTable t = table_of("y ~ se(x, length = 0.8)", scattered(80, 63));
  const std::vector<double> theta = theta_of(t);
  const auto dense = make_dense_operator(t.problem);
  dense->set(theta);
  const RowMatrix expected = whole(*dense);
  const CovariancePoints at =
      t.problem.covariance.points(std::vector<std::vector<double>>{{0.7, 2.2, 3.9, 7.0}});
  const auto exact = make_exact_solver(t.problem);
  const std::vector<double> mean = solved_mean(*exact, t, theta, at);
  std::vector<double> errors, mean_errors;
  for (const Index points : {32, 64, 128, 256}) {
    const auto grid = make_grid_operator(t.problem, points);
    grid->set(theta);
    errors.push_back(largest_difference(whole(*grid).values, expected.values));
    const auto solver = make_iterative_solver(t.problem, make_grid_operator(t.problem, points),
                                              {.tolerance = 1e-12});
    mean_errors.push_back(largest_difference(solved_mean(*solver, t, theta, at), mean));
  }
  for (std::size_t k = 1; k < errors.size(); ++k) {
    EXPECT_GT(errors[k - 1] / errors[k], 6.0) << k;
    EXPECT_LT(errors[k - 1] / errors[k], 20.0) << k;
  }
  // errors of the mean are mixtures of those of covariances with both signs, so single steps vary
  EXPECT_NEAR(std::log2(mean_errors.front() / mean_errors.back()) / 3.0, 3.0, 0.8);
}

TEST(gp_grid, refuses_covariances_that_are_no_functions_of_differences) {
  const NamedColumns columns = scattered(20, 64);
  EXPECT_NE(why_no_grid(table_of("y ~ linear(x)", columns).problem), "");
  EXPECT_NE(why_no_grid(table_of("y ~ se(x) + white(x)", columns).problem), "");
  EXPECT_EQ(why_no_grid(table_of("y ~ se(x) * matern32(z) + constant", columns).problem), "");
}

}  // namespace
}  // namespace credo::models::gp_products_test
