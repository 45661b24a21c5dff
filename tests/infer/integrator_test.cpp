#include "infer/mcmc/hamiltonian/integrator.hpp"

#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"

namespace credo::infer::integrator_test {
namespace {
using namespace credo::testing;

struct Bench {
  explicit Bench(const Target& target)
      : density(target.density),
        evaluator(density->make_evaluator()),
        points(2, target.density->dimension()),
        metric(MetricKind::unit, target.density->dimension()) {
    Rng rng({.seed = 8, .purpose = purpose::kTest});
    begin_at(points[0], state_at(*evaluator, std::vector<double>(points[0].position.size(), 0.4)),
             metric, rng);
  }
  void go(const Integrator& by, double step_size, int count) {
    for (int i = 0; i < count; ++i)
      run_alone(integrate(points[0], points[1], by, step_size, metric), *evaluator);
  }
  std::shared_ptr<const density::LogDensity> density;
  std::unique_ptr<density::Evaluator> evaluator;
  PhasePoints points;
  Metric metric;
};

double energy_error_after(const Target& target, const Integrator& by, double step_size, int count) {
  Bench bench(target);
  const double start = bench.points[0].energy;
  bench.go(by, step_size, count);
  return std::fabs(bench.points[0].energy - start);
}

constexpr std::array kKinds = {IntegratorKind::leapfrog, IntegratorKind::two_stage,
                               IntegratorKind::three_stage, IntegratorKind::forest_ruth};

TEST(integrators, spend_all_their_time) {
  for (const IntegratorKind kind : kKinds) {
    const Integrator& by = integrator(kind);
    EXPECT_NEAR(std::accumulate(by.kicks.begin(), by.kicks.end(), 0.0), 1.0, 1e-15) << by.name;
    EXPECT_NEAR(std::accumulate(by.drifts.begin(), by.drifts.end(), 0.0), 1.0, 1e-15) << by.name;
    EXPECT_EQ(by.name, kIntegratorNames[static_cast<std::size_t>(kind)]);
  }
}

// At a fixed time the error is c h^p + …: halving h divides it by 2^p.
TEST(integrators, have_the_order_they_state) {
  for (const IntegratorKind kind : kKinds) {
    const Integrator& by = integrator(kind);
    const double coarse = energy_error_after(banana(), by, 0.04, 25);
    const double fine = energy_error_after(banana(), by, 0.02, 50);
    EXPECT_NEAR(std::log2(coarse / fine), double(by.order), 0.3) << by.name;
  }
  const double coarse = energy_error_after(banana(), symplectic_euler(), 0.004, 250);
  const double fine = energy_error_after(banana(), symplectic_euler(), 0.002, 500);
  EXPECT_NEAR(std::log2(coarse / fine), 1.0, 0.3);
}

// Back and forth: rounding only, as long as the string is a palindrome.
double return_error(const Integrator& by) {
  Bench bench(banana());
  bench.go(by, 0.1, 20);
  bench.go(by, -0.1, 20);
  double worst = 0.0;
  for (const double x : bench.points[0].position) worst = std::max(worst, std::fabs(x - 0.4));
  return worst;
}
TEST(integrators, are_reversible_when_they_say_so) {
  for (const IntegratorKind kind : kKinds) {
    EXPECT_TRUE(integrator(kind).reversible);
    EXPECT_LT(return_error(integrator(kind)), 1e-12) << integrator(kind).name;
  }
  EXPECT_FALSE(symplectic_euler().reversible);
  EXPECT_GT(return_error(symplectic_euler()), 1e-3);
}

// The Jacobian of one step on E = x²/2 from the images of two points: the map is linear there.
template <class Map>
double determinant_of(const Map& map) {
  const auto [a, c] = map(1.0, 0.0);
  const auto [b, d] = map(0.0, 1.0);
  return a * d - b * c;
}
std::pair<double, double> image_by(const Integrator& by, double x, double p) {
  Bench bench(standard_normal(1));
  PhasePoint& point = bench.points[0];
  point.position[0] = x, point.momentum[0] = p, point.gradient[0] = -x;
  bench.go(by, 0.3, 1);
  return {bench.points[0].position[0], bench.points[0].momentum[0]};
}

TEST(integrators, preserve_volume) {
  for (const IntegratorKind kind : kKinds)
    EXPECT_NEAR(
        determinant_of([&](double x, double p) { return image_by(integrator(kind), x, p); }), 1.0,
        1e-15);
  EXPECT_NEAR(
      determinant_of([&](double x, double p) { return image_by(symplectic_euler(), x, p); }), 1.0,
      1e-15);
}

// 1 + h²: the energy grows by this factor in every step.
TEST(euler, has_determinant_one_plus_the_square_of_its_step) {
  const auto image = [](double x, double p) {
    Bench bench(standard_normal(1));
    PhasePoint& from = bench.points[0];
    from.position[0] = x, from.momentum[0] = p, from.gradient[0] = -x;
    euler_step(from, bench.points[1], 0.3, bench.metric);
    return std::pair{bench.points[1].position[0], bench.points[1].momentum[0]};
  };
  EXPECT_NEAR(determinant_of(image), 1.09, 1e-15);
}

// The harmonic oscillator's leapfrog is stable below h = 2 and explodes above.
TEST(leapfrog, is_stable_for_steps_below_two) {
  const Integrator& by = integrator(IntegratorKind::leapfrog);
  EXPECT_LT(energy_error_after(standard_normal(1), by, 1.99, 10'000), 1e3);
  EXPECT_GT(energy_error_after(standard_normal(1), by, 2.01, 1'000), 1e6);
}

TEST(hmc_static, leaves_the_targets_invariant_with_every_integrator) {
  for (const IntegratorKind kind : kKinds)
    expect_invariant(
        maker_of<HmcStatic>({.step_size = 0.6, .integration_time = 1.8, .integrator = kind}),
        {.num_starts = 5'000});
}

// A proposal by symplectic Euler preserves volume but can't return: the decision is wrong.
TEST(invariance_suite, rejects_hmc_with_an_integrator_that_is_not_reversible) {
  EXPECT_TRUE(is_rejected([](Index dimension) {
    auto points = std::make_shared<PhasePoints>(2, dimension);
    return [points, dimension](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      const Metric metric(MetricKind::unit, dimension);
      PhasePoint& point = (*points)[0];
      begin_at(point, state, metric, rng);
      const double start = point.energy;
      for (int i = 0; i < 2; ++i)
        run_alone(integrate(point, (*points)[1], symplectic_euler(), 0.7, metric), evaluator);
      if (rng.uniform() < metropolis_prob(start - point.energy)) copy_to(state, point);
    };
  }));
}

// v scaled by the root of the metric gives the same positions as momenta do.
TEST(sqrt_metric_leapfrog, follows_the_positions_of_the_metric_form) {
  const Target target = banana();
  Bench by_momentum(target), by_velocity(target);
  Metric metric(MetricKind::dense, 2);
  ASSERT_TRUE(metric.set_inverse(std::vector<double>{1.5, 0.4, 0.4, 0.8}));
  PhasePoint &p = by_momentum.points[0], &v = by_velocity.points[0];
  const std::vector<double> noise(p.momentum.begin(), p.momentum.end());
  metric.shape_momentum(p.momentum);  // L⁻ᵀ z, where the velocity form has z
  std::copy(noise.begin(), noise.end(), v.momentum.begin());
  for (int i = 0; i < 30; ++i) {
    run_alone(
        integrate(p, by_momentum.points[1], integrator(IntegratorKind::leapfrog), 0.1, metric),
        *by_momentum.evaluator);
    sqrt_metric_first_half(v, 0.1, metric);
    Evaluate question = evaluate(v.position, v.gradient);
    answer(*by_velocity.evaluator, question);
    sqrt_metric_second_half(v, 0.1, metric);
  }
  for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(v.position[d], p.position[d], 1e-12);
}

}  // namespace
}  // namespace credo::infer::integrator_test
