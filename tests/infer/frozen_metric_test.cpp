#include "infer/mcmc/hamiltonian/frozen_metric.hpp"

#include "infer/curved_targets.hpp"
#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"

namespace credo::infer::frozen_metric_test {
namespace {
using namespace credo::testing;

InvarianceOptions short_run() { return {.num_starts = 4000, .num_steps = 3}; }

// Anchors that have nothing to do with the start of a transition.
std::function<void(FrozenMetric&)> with_anchors(std::size_t dimension) {
  return [dimension](FrozenMetric& kernel) {
    for (std::size_t k = 0; k < 3 * dimension; ++k)
      kernel.settings.anchors.push_back(0.7 * double(k % 5) - 1.2);
  };
}

TEST(frozen_metric, leaves_the_targets_invariant_with_anchors_of_another_time) {
  for (const Target& target : curved_targets()) {
    const auto dimension = static_cast<std::size_t>(target.density->dimension());
    expect_invariant(maker_of<FrozenMetric>({.step_size = 0.4, .integration_time = 1.3},
                                            with_anchors(dimension)),
                     short_run(), {target});
  }
}

TEST(frozen_metric, leaves_the_targets_invariant_with_the_present_point_and_its_ratio) {
  for (const LocalMetricKind kind : {LocalMetricKind::softabs, LocalMetricKind::fisher})
    expect_invariant(
        maker_of<FrozenMetric>({.step_size = 0.9, .anchor = Anchor::current, .local_metric = kind}),
        short_run(), curved_targets());
}

// The metric of the present point as if it were constant, for `num_steps` leapfrog steps: what the
// caution is about.
TransitionMaker uncorrected(int num_steps) {
  return [num_steps](Index dimension) {
    return Transition([=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      LocalMetric metric({.softabs_alpha = 1.0}, dimension);
      std::vector<double> matrix(static_cast<std::size_t>(dimension * dimension));
      Evaluate question = evaluate_matrix(density::Want::hessian, state.position, matrix);
      answer(evaluator, question);
      ASSERT_TRUE(metric.set(matrix));
      std::vector<double> noise(state.position.size()), p(noise), v(noise);
      for (double& z : noise) z = rng.normal();
      metric.shape_momentum(noise, p);
      const double start = 0.5 * metric.momentum_norm2(p) - state.log_density;
      PointState end = state;
      for (int i = 0; i < num_steps && end.log_density > -kInfinity; ++i) {
        for (std::size_t d = 0; d < p.size(); ++d) p[d] += 0.45 * end.gradient[d];
        metric.velocity(p, v);
        for (std::size_t d = 0; d < p.size(); ++d) end.position[d] += 0.9 * v[d];
        end = state_at(evaluator, end.position);
        for (std::size_t d = 0; d < p.size(); ++d) p[d] += 0.45 * end.gradient[d];
      }
      if (std::log(rng.uniform()) < start - 0.5 * metric.momentum_norm2(p) + end.log_density)
        state = end;
    });
  };
}

TEST(invariance_suite, rejects_a_frozen_metric_of_the_present_point_without_its_ratio) {
  for (const int num_steps : {1, 3})
    EXPECT_TRUE(is_rejected(uncorrected(num_steps), short_run(), curved_targets()));
}

// With a metric that is the same everywhere the present point's is a Langevin step: the ratio of
// proposals is that of energies.
TEST(frozen_metric, accepts_as_the_leapfrog_does_where_the_metric_is_constant) {
  const Target target = curved_targets()[1];
  const auto evaluator = target.density->make_evaluator();
  const PointState start = state_at(*evaluator, std::vector<double>{0.5, -1.0});
  FrozenMetric here({.step_size = 0.8, .anchor = Anchor::current}, 2);
  PointState end = start;
  Rng rng({.seed = 4, .purpose = purpose::kTest}), same = rng;
  const double accept = run_alone(here.step(end, rng), *evaluator).accept_stat;
  LocalMetric metric({.softabs_alpha = 1.0}, 2);
  ASSERT_TRUE(metric.set(correlated_hessian(0.8)));
  std::vector<double> noise = {same.normal(), same.normal()}, p(2), v(2);
  metric.shape_momentum(noise, p);
  double energy = 0.5 * metric.momentum_norm2(p) - start.log_density;
  end = start;
  for (std::size_t d = 0; d < 2; ++d) p[d] += 0.4 * end.gradient[d];
  metric.velocity(p, v);
  for (std::size_t d = 0; d < 2; ++d) end.position[d] += 0.8 * v[d];
  end = state_at(*evaluator, end.position);
  for (std::size_t d = 0; d < 2; ++d) p[d] += 0.4 * end.gradient[d];
  energy -= 0.5 * metric.momentum_norm2(p) - end.log_density;
  EXPECT_NEAR(accept, metropolis_prob(energy), 1e-12);
}

TEST(frozen_metric, keeps_draws_of_warm_up_and_samples_through_the_table) {
  const Target target = curved_targets()[1];
  for (const Anchor anchor : {Anchor::history, Anchor::current}) {
    StoredDraws store;
    run_chains(*target.density,
               {.sampler = "frozen_metric",
                .num_warmup = 300,
                .num_draws = 1000,
                .kernel = FrozenMetricOptions{.anchor = anchor}},
               store);
    diagnose::ChainsCopy square{{}, 1000, 4};
    for (const double x : store.draws.quantity(1)) square.values.push_back(x * x);
    EXPECT_NEAR(diagnose::mean(square.values), 9.0, 4.0 * diagnose::mcse_mean(square));
  }
}

}  // namespace
}  // namespace credo::infer::frozen_metric_test
