#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

#include <gtest/gtest.h>

#include "infer/adapt/welford.hpp"
#include "infer/mcmc/hamiltonian/trajectory.hpp"
#include "support/kernel_checks.hpp"

namespace credo::infer::hamiltonian_test {
namespace {
using namespace credo::testing;

Rng test_rng(std::uint32_t iteration = 0) {
  return Rng({.seed = 8, .purpose = purpose::kTest, .iteration = iteration});
}

// Two points of a target, the first begun with a fresh momentum.
struct Bench {
  explicit Bench(const Target& target)
      : evaluator(target.density->make_evaluator()),
        points(2, target.density->dimension()),
        metric(MetricKind::diagonal, target.density->dimension()) {
    std::vector<double> inverse;
    for (Index d = 0; d < metric.dimension(); ++d) inverse.push_back(0.7 + 0.2 * double(d));
    EXPECT_TRUE(metric.set_inverse(inverse));
    std::vector<double> start(inverse.size(), 0.4);
    Rng rng = test_rng();
    begin_at(points[0], state_at(*evaluator, start), metric, rng);
  }
  // `count` leapfrog steps; points[0] is where they end.
  void leap(double step_size, int count) {
    for (int i = 0; i < count; ++i) {
      first_half(points[0], points[1], step_size, metric);
      Evaluate question = evaluate(points[1].position, points[1].gradient);
      answer(*evaluator, question);
      points[1].log_density = question.request.log_density;
      second_half(points[1], step_size, metric);
      std::swap(points[0], points[1]);
    }
  }
  std::unique_ptr<density::Evaluator> evaluator;
  PhasePoints points;
  Metric metric;
};

double energy_error_after(const Target& target, double step_size, int count) {
  Bench bench(target);
  const double start = bench.points[0].energy;
  bench.leap(step_size, count);
  return std::fabs(bench.points[0].energy - start);
}

// The factor by rank-one changes, up and down, against that of the matrix itself: a hundred changes
// of matrices with eigenvalues in about (0.1, 10) err by less than 1e-12.
TEST(metric, rank_one_changes_are_those_of_a_new_factor) {
  Metric changed(MetricKind::dense, 4), anew(MetricKind::dense, 4);
  Rng rng = test_rng();
  std::vector<double> direction(4), found(4), expected(4);
  for (int change = 0; change < 100; ++change) {
    for (double& d : direction) d = rng.normal();
    const double weight = change % 2 == 0 ? 0.2 : -0.02;
    std::vector<double> covariance(changed.inverse().begin(), changed.inverse().end());
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t i = 0; i < 4; ++i)
        covariance[4 * j + i] += weight * direction[i] * direction[j];
    const bool definite = anew.set_inverse(covariance);
    EXPECT_EQ(changed.add_rank_one(weight, direction), definite);
    if (!definite) continue;
    changed.shape_move(direction, found);
    anew.shape_move(direction, expected);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(found[i], expected[i], 1e-12) << change;
      EXPECT_NEAR(changed.inverse()[5 * i], covariance[5 * i], 1e-12) << change;
    }
  }
}

TEST(metric, is_not_changed_by_what_would_not_be_positive_definite) {
  Metric metric(MetricKind::dense, 2);
  const std::vector<double> before(metric.inverse().begin(), metric.inverse().end());
  EXPECT_FALSE(metric.add_rank_one(-1.0, std::array{0.8, 0.8}));
  EXPECT_TRUE(std::equal(before.begin(), before.end(), metric.inverse().begin()));
  std::vector<double> move(2);
  metric.shape_move(std::array{1.0, 2.0}, move);
  EXPECT_EQ(move, (std::vector<double>{1.0, 2.0}));
}

// Rounding errors of 2 × 50 steps, amplified by a chaotic orbit of Lyapunov time above 1: 1e-12.
TEST(leapfrog, is_reversible) {
  for (const Target& target : targets_with_exact_moments()) {
    Bench bench(target);
    const std::vector<double> start(bench.points[0].position.begin(),
                                    bench.points[0].position.end());
    bench.leap(0.1, 50);
    bench.leap(-0.1, 50);
    for (std::size_t d = 0; d < start.size(); ++d)
      EXPECT_NEAR(bench.points[0].position[d], start[d], 1e-12) << target.name;
  }
}

// At a fixed time the error is c h² + O(h⁴): halving h divides it by 4 within a few per cent.
TEST(leapfrog, has_an_energy_error_of_second_order) {
  for (const Target& target : {correlated_normal(0.5), banana(), funnel(1.0)}) {
    const double coarse = energy_error_after(target, 0.02, 50);
    const double fine = energy_error_after(target, 0.01, 100);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1) << target.name;
  }
}

// A normal's shadow energy is conserved exactly: the error oscillates, below h²/4 of the energy.
TEST(leapfrog, does_not_drift_in_energy) {
  for (const int count : {10, 1000, 100'000})
    EXPECT_LT(energy_error_after(standard_normal(3), 0.1, count), 0.05) << count;
}

TEST(second_half, makes_the_energy_infinite_where_the_density_vanishes) {
  Bench bench(standard_normal(2));
  bench.points[0].log_density = -kInfinity;
  bench.points[0].gradient[0] = kNaN;
  second_half(bench.points[0], 0.1, bench.metric);
  EXPECT_EQ(bench.points[0].energy, kInfinity);
}

TEST(metropolis_prob, rejects_what_is_not_a_number) {
  EXPECT_EQ(metropolis_prob(kNaN), 0.0);
  EXPECT_EQ(metropolis_prob(kInfinity), 1.0);
  EXPECT_EQ(metropolis_prob(-kInfinity), 0.0);
  EXPECT_EQ(metropolis_prob(0.0), 1.0);
  EXPECT_EQ(metropolis_prob(-1.0), std::exp(-1.0));
}

TEST(divergence, is_an_energy_error_above_the_limit_or_no_number) {
  EXPECT_TRUE(is_divergent(energy_error(kNaN, 1.0)));
  EXPECT_TRUE(is_divergent(kNaN));
  EXPECT_TRUE(is_divergent(energy_error(kInfinity, 1.0)));
  EXPECT_TRUE(is_divergent(1000.1));
  EXPECT_FALSE(is_divergent(1000.0));
  EXPECT_FALSE(is_divergent(-1e300));
}

TEST(join_weights, keeps_its_digits_and_minus_infinity) {
  using enum Choice;
  EXPECT_EQ(join_weights(-kInfinity, -kInfinity, multinomial).log_total, -kInfinity);
  EXPECT_EQ(join_weights(-kInfinity, -kInfinity, biased).later_share, 0.0);
  EXPECT_EQ(join_weights(-kInfinity, 3.0, multinomial).log_total, 3.0);
  EXPECT_EQ(join_weights(-kInfinity, 3.0, multinomial).later_share, 1.0);
  EXPECT_EQ(join_weights(3.0, -kInfinity, biased).later_share, 0.0);
  EXPECT_DOUBLE_EQ(join_weights(-1000.0, -1000.0, biased).log_total, -1000.0 + std::log(2.0));
  EXPECT_DOUBLE_EQ(join_weights(0.0, std::log(3.0), multinomial).later_share, 0.75);
  EXPECT_DOUBLE_EQ(join_weights(std::log(3.0), 0.0, multinomial).later_share, 0.25);
  EXPECT_DOUBLE_EQ(join_weights(std::log(4.0), 0.0, biased).later_share, 0.25);
  EXPECT_EQ(join_weights(0.0, 1.0, biased).later_share, 1.0);
}

// ---- metrics ----

const std::vector<double> kCovariance = {2.0, 0.6, -0.3, 0.6, 1.0, 0.2, -0.3, 0.2, 0.5};

Metric dense_metric() {
  Metric metric(MetricKind::dense, 3);
  EXPECT_TRUE(metric.set_inverse(kCovariance));
  return metric;
}

// cov(p) M⁻¹ = I entry by entry; each entry's standard error is below sqrt(2 · 30 / n).
TEST(metric, momenta_have_the_covariance_whose_inverse_it_stores) {
  const Metric metric = dense_metric();
  Rng rng = test_rng();
  constexpr int kDraws = 100'000;
  std::array<double, 9> moments{};
  std::vector<double> p(3), v(3);
  for (int i = 0; i < kDraws; ++i) {
    for (double& x : p) x = rng.normal();
    metric.shape_momentum(p);
    metric.velocity(p, v);
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) moments[3 * r + c] += p[r] * v[c] / kDraws;
  }
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(moments[3 * r + c], r == c ? 1.0 : 0.0, 4.0 * std::sqrt(60.0 / kDraws));
}

TEST(metric, velocity_is_the_inverse_times_the_momentum) {
  const Metric metric = dense_metric();
  std::vector<double> v(3);
  metric.velocity(std::vector<double>{1.0, -2.0, 4.0}, v);
  EXPECT_NEAR(v[0], 2.0 - 1.2 - 1.2, 1e-15);
  EXPECT_NEAR(v[1], 0.6 - 2.0 + 0.8, 1e-15);
  EXPECT_NEAR(v[2], -0.3 - 0.4 + 2.0, 1e-15);
}

TEST(metric, refuses_what_is_not_positive_definite_and_keeps_what_it_had) {
  Metric dense = dense_metric();
  std::vector<double> indefinite = kCovariance;
  indefinite[0] = 0.1;
  EXPECT_FALSE(dense.set_inverse(indefinite));
  std::vector<double> lopsided = kCovariance;
  lopsided[1] += 1e-3;
  EXPECT_FALSE(dense.set_inverse(lopsided));
  EXPECT_TRUE(std::equal(kCovariance.begin(), kCovariance.end(), dense.inverse().begin()));
  Metric diagonal(MetricKind::diagonal, 2);
  for (const double bad : {0.0, -1.0, kNaN, kInfinity})
    EXPECT_FALSE(diagonal.set_inverse(std::vector<double>{1.0, bad}));
  EXPECT_FALSE(diagonal.set_inverse(std::vector<double>{1.0}));
  EXPECT_FALSE(Metric(MetricKind::unit, 2).set_inverse(std::vector<double>{1.0, 1.0}));
}

TEST(welford, is_the_shrunk_covariance_of_two_passes) {
  constexpr double n = 40;
  Welford dense(MetricKind::dense, 2), diagonal(MetricKind::diagonal, 2);
  std::array<double, 2> mean{};
  std::vector<std::array<double, 2>> draws;
  Rng rng = test_rng();
  for (int i = 0; i < 40; ++i) {
    const double u = rng.normal();
    draws.push_back({100.0 + u, -3.0 + 0.5 * u + rng.normal()});
    dense.add(draws.back());
    diagonal.add(draws.back());
    for (std::size_t d = 0; d < 2; ++d) mean[d] += draws.back()[d] / n;
  }
  const auto expected = [&](std::size_t i, std::size_t j) {
    double sum = 0.0;
    for (const auto& x : draws) sum += (x[i] - mean[i]) * (x[j] - mean[j]);
    return n / (n + 5.0) * sum / (n - 1.0) + (i == j ? 1e-3 * 5.0 / (n + 5.0) : 0.0);
  };
  const auto shrunk = dense.regularised();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(shrunk[i], expected(i % 2, i / 2), 1e-12);
  EXPECT_NEAR(diagonal.regularised()[1], expected(1, 1), 1e-12);
}

}  // namespace
}  // namespace credo::infer::hamiltonian_test
