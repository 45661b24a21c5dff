// Features of covariances: the covariance that they approach, with its rate, and the solver against the dense formulas of the same features.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "models/gp/gp_solver_table.hpp"
#include "models/gp/solvers/features.hpp"
#include "support/test_seed.hpp"
#include "table_problem.hpp"

namespace credo::models::gp_features_test {
namespace {
using gp_tables::NamedColumns;
using gp_tables::table_of;
using gp_tables::theta_of;

NamedColumns scattered(Index n, std::uint64_t seed) {
  NamedColumns made;
  Rng rng({.seed = testing::test_seed(seed)});
  for (Index i = 0; i < n; ++i) {
    made["x"].push_back(rng.uniform(0.0, 6.0)), made["z"].push_back(rng.uniform(-1.0, 1.0));
    made["y"].push_back(std::sin(made["x"].back()) + made["z"].back() + 0.3 * rng.normal());
  }
  return made;
}
numerics::DenseMatrix gram_of(const FeatureMap& map, const CovariancePoints& x) {
  numerics::DenseMatrix phi(map.size(), x.count);
  for (Index i = 0; i < x.count; ++i) map.fill(x, i, -1, &phi(0, i));
  return numerics::transposed(phi) * phi;
}
numerics::DenseMatrix exact_gram(const GpTable& t, std::span<const double> theta) {
  const Index n = t.num_rows();
  numerics::DenseMatrix made(n);
  Covariance::Work work;
  for (Index i = 0; i < n; ++i)
    t.problem.covariance.values(t.problem.covariance.root(), theta, t.problem.x, i, t.problem.x, 0,
                                n, &made(0, i), work);
  return made;
}
double root_mean_square(const numerics::DenseMatrix& a, const numerics::DenseMatrix& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.values.size(); ++k) sum += std::pow(a.values[k] - b.values[k], 2);
  return std::sqrt(sum / static_cast<double>(a.values.size()));
}
constexpr const char* kTerms =
    "y ~ 1 + x | se(x, length = 0.8) + matern32(x, length = 1.5) * matern52(z, length = 0.7)";

// The variance of an element is that of a mean over pairs: its root falls as 1 / sqrt(count). Over 20 seeds and 800 pairs of rows the relative
// error of a root mean square is below 10 %.
TEST(gp_random_features, have_an_error_of_one_over_the_root_of_their_number) {
  const GpTable t = table_of(kTerms, scattered(40, 71));
  const std::vector<double> theta = theta_of(t);
  const numerics::DenseMatrix exact = exact_gram(t, theta);
  std::vector<double> errors;
  for (const Index count : {100, 400, 1600}) {
    double sum = 0.0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto map = make_random_features(t.problem, count, seed);
      map->set(theta);
      sum += std::pow(root_mean_square(gram_of(*map, t.problem.x), exact), 2);
    }
    errors.push_back(std::sqrt(sum / 20.0));
  }
  EXPECT_NEAR(errors[0] / errors[1], 2.0, 0.4);
  EXPECT_NEAR(errors[1] / errors[2], 2.0, 0.4);
  // the variance of a pair's product is at most that of the covariance: 2 sd^4 / count for each of two terms
  EXPECT_LT(errors[2], 2.0 * 1.21 / std::sqrt(400.0));
}

TEST(gp_hilbert_features, converge_to_the_covariance) {
  const GpTable t =
      table_of("y ~ se(x, length = 0.8) + matern52(x, length = 1.5) * se(z, length = 0.7)",
               scattered(40, 72));
  const std::vector<double> theta = theta_of(t);
  const numerics::DenseMatrix exact = exact_gram(t, theta);
  double before = kInfinity;
  for (const Index count : {50, 200, 800}) {
    const auto map = make_hilbert_features(t.problem, count);
    map->set(theta);
    const double error = root_mean_square(gram_of(*map, t.problem.x), exact);
    EXPECT_LT(error, 0.7 * before) << count;
    before = error;
  }
  // products of 20 x 20 sines: the spectrum of matern52 has left 1e-3 beyond them
  EXPECT_LT(before, 3e-3);
}

std::vector<std::unique_ptr<FeatureMap>> both_maps(const GpTable& t, Index count) {
  std::vector<std::unique_ptr<FeatureMap>> made;
  made.push_back(make_random_features(t.problem, count, 5));
  made.push_back(make_hilbert_features(t.problem, count));
  return made;
}

// N(H beta, Phi Phi' + sigma²) with a flat beta: the dense formulas.
TEST(gp_features, have_the_evidence_and_moments_of_their_covariance) {
  const GpTable t = table_of(kTerms, scattered(50, 73));
  const std::vector<double> theta = theta_of(t);
  const Index n = 50, q = 2;
  for (auto& map : both_maps(t, 60)) {
    map->set(theta);
    numerics::DenseMatrix s = gram_of(*map, t.problem.x);
    for (Index i = 0; i < n; ++i) s(i, i) += 0.09;
    const numerics::SymmetricEigen eigen(s);
    const numerics::DenseMatrix inverse = eigen.inverse();
    const numerics::DenseMatrix h = t.problem.mean_columns, y(n, 1, t.problem.y);
    const numerics::DenseMatrix cross = numerics::transposed(h) * inverse * h;
    const numerics::DenseMatrix cross_inverse = numerics::SymmetricEigen(cross).inverse();
    const numerics::DenseMatrix p =
        inverse - inverse * h * cross_inverse * numerics::transposed(h) * inverse;
    double evidence = -0.5 * (numerics::transposed(y) * p * y)(0, 0) -
                      0.5 * static_cast<double>(n - q) * std::log(2.0 * std::numbers::pi);
    for (const double value : eigen.values) evidence -= 0.5 * std::log(value);
    for (const double value : numerics::SymmetricEigen(cross).values)
      evidence -= 0.5 * std::log(value);
    const CovariancePoints at = t.problem.covariance.points(
        std::vector<std::vector<double>>{{0.4, 3.0, 6.5}, {0.1, -0.5, 0.9}});
    numerics::DenseMatrix phi_at(map->size(), 3), phi(map->size(), n), h_at(3, 2);
    for (Index j = 0; j < 3; ++j) {
      map->fill(at, j, -1, &phi_at(0, j));
      h_at(j, 0) = 1.0, h_at(j, 1) = at.by_atom[0][static_cast<std::size_t>(j)];
    }
    for (Index i = 0; i < n; ++i) map->fill(t.problem.x, i, -1, &phi(0, i));
    const numerics::DenseMatrix k_at = numerics::transposed(phi) * phi_at;  // N x 3
    const numerics::DenseMatrix beta = cross_inverse * numerics::transposed(h) * inverse * y;
    const numerics::DenseMatrix mean =
        h_at * beta + numerics::transposed(k_at) * (inverse * (y - h * beta));
    const numerics::DenseMatrix rest = h_at - numerics::transposed(k_at) * (inverse * h);  // 3 x q
    const numerics::DenseMatrix covariance = numerics::transposed(phi_at) * phi_at -
                                             numerics::transposed(k_at) * (inverse * k_at) +
                                             rest * cross_inverse * numerics::transposed(rest);
    const auto solver = make_feature_solver(t.problem, std::move(map));
    EXPECT_NEAR(solver->evidence(theta, false).value, evidence, 1e-8 * std::abs(evidence));
    const auto posterior = solver->posterior(theta);
    const GpMoments found = posterior->moments(t.problem.covariance.root(), at, &h_at);
    const numerics::DenseMatrix joint = posterior->covariance(at, &h_at);
    for (Index j = 0; j < 3; ++j) {
      EXPECT_NEAR(found.mean[static_cast<std::size_t>(j)], mean(j, 0), 1e-8);
      EXPECT_NEAR(found.variance[static_cast<std::size_t>(j)], covariance(j, j), 1e-8);
      for (Index i = 0; i < 3; ++i) EXPECT_NEAR(joint(i, j), covariance(i, j), 1e-8);
    }
  }
}

TEST(gp_features, have_the_derivatives_of_their_evidence) {
  const GpTable t = table_of(kTerms, scattered(60, 74));
  const std::vector<double> theta = theta_of(t);
  for (auto& map : both_maps(t, 40)) {
    const auto solver = make_feature_solver(t.problem, std::move(map));
    const std::vector<double> slopes = solver->evidence(theta, true).slopes;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      std::vector<double> up = theta, down = theta;
      up[k] *= 1.0 + 1e-5, down[k] *= 1.0 - 1e-5;
      const double expected =
          (solver->evidence(up, false).value - solver->evidence(down, false).value) /
          (2e-5 * theta[k]);
      EXPECT_NEAR(slopes[k], expected, 1e-5 * (1.0 + std::abs(expected))) << k;
    }
  }
}

TEST(gp_features, derivatives_by_an_input_are_limits_of_differences) {
  const GpTable t = table_of(kTerms, scattered(60, 75));
  const std::vector<double> theta = theta_of(t);
  for (auto& map : both_maps(t, 40)) {
    map->set(theta);
    constexpr double kStep = 1e-5;
    const auto points = [&](double x) {
      return t.problem.covariance.points(std::vector<std::vector<double>>{{x}, {0.3}});
    };
    const auto m = static_cast<std::size_t>(map->size());
    std::vector<double> slope(m), up(m), down(m);
    map->fill(points(2.0), 0, 0, slope.data());
    map->fill(points(2.0 + kStep), 0, -1, up.data());
    map->fill(points(2.0 - kStep), 0, -1, down.data());
    for (std::size_t k = 0; k < m; ++k)
      EXPECT_NEAR(slope[k], (up[k] - down[k]) / (2.0 * kStep), 1e-7) << k;
  }
}

TEST(gp_hilbert_features, refuse_points_outside_of_their_box) {
  const GpTable t = table_of("y ~ se(x, length = 0.8)", scattered(40, 76));
  const auto map = make_hilbert_features(t.problem, 30);
  map->set(theta_of(t));
  std::vector<double> out(30);
  const CovariancePoints far = t.problem.covariance.points(std::vector<std::vector<double>>{{9.0}});
  EXPECT_THROW(map->fill(far, 0, -1, out.data()), Error);
}

TEST(gp_features, refuse_kernels_without_a_spectrum) {
  const NamedColumns columns = scattered(20, 77);
  EXPECT_NE(why_no_random_features(table_of("y ~ linear(x)", columns).problem), "");
  EXPECT_NE(why_no_random_features(table_of("y ~ sm(x, 2)", columns).problem), "");
  EXPECT_NE(why_no_hilbert_features(table_of("y ~ se(x) * se(x)", columns).problem), "");
  EXPECT_EQ(why_no_hilbert_features(table_of("y ~ se(x) * se(z) + constant", columns).problem), "");
}

}  // namespace
}  // namespace credo::models::gp_features_test
