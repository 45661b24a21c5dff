#include "infer/mcmc/hamiltonian/nuts.hpp"

#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "support/recursive_nuts.hpp"

namespace credo::infer::nuts_test {
namespace {
using namespace credo::testing;

Metric metric_for_test(MetricKind kind, Index dimension) {
  Metric metric(kind, dimension);
  const auto n = static_cast<std::size_t>(dimension);
  std::vector<double> inverse(metric.inverse().begin(), metric.inverse().end());
  const std::size_t stride = kind == MetricKind::dense ? n + 1 : 1;
  for (std::size_t d = 0; d < n; ++d) inverse[d * stride] = 0.5 + 0.25 * static_cast<double>(d);
  if (kind == MetricKind::dense && n > 1) inverse[1] = inverse[n] = 0.2;
  if (kind == MetricKind::unit) return metric;
  EXPECT_TRUE(metric.set_inverse(inverse));
  return metric;
}

Nuts nuts_with(MetricKind kind, Index dimension, double step_size, Index max_depth = 10) {
  Nuts kernel({.metric = kind, .max_tree_depth = max_depth}, dimension);
  kernel.settings = {.step_size = step_size, .metric = metric_for_test(kind, dimension)};
  return kernel;
}

// ---- the fast form is the recursive one ----

void expect_equal_draws(const Target& target, MetricKind kind, double step_size, Index max_depth) {
  const Index dimension = target.density->dimension();
  const auto evaluator = target.density->make_evaluator();
  Nuts fast = nuts_with(kind, dimension, step_size, max_depth);
  RecursiveNuts plain(fast.settings, max_depth);
  const std::vector<double> start(static_cast<std::size_t>(dimension), 0.3);
  HmcState a = state_at(*evaluator, start), b = a;
  for (std::uint32_t i = 0; i < 300; ++i) {
    Rng for_fast({.seed = 3, .purpose = purpose::kTest, .iteration = i}), for_plain = for_fast;
    run_alone(fast.step(a, for_fast), *evaluator);
    plain.step(*evaluator, b, for_plain);
    ASSERT_EQ(a.position, b.position) << target.name << " transition " << i;
    ASSERT_EQ(for_fast.position(), for_plain.position());
  }
}

TEST(nuts, gives_the_draws_of_the_recursive_form) {
  for (const Target& target : targets_with_exact_moments())
    for (const MetricKind kind : {MetricKind::unit, MetricKind::diagonal, MetricKind::dense})
      for (const double step_size : {0.05, 0.4, 1.2})
        expect_equal_draws(target, kind, step_size, 8);
}

TEST(nuts, gives_the_draws_of_the_recursive_form_where_it_diverges_or_runs_out_of_depth) {
  expect_equal_draws(funnel(3.0), MetricKind::unit, 1.5, 10);
  expect_equal_draws(standard_normal(3), MetricKind::unit, 0.01, 3);
}

// ---- invariance ----

TransitionMaker maker_of_nuts(MetricKind kind, double step_size, double jitter = 0.0) {
  return maker_of<Nuts>({.metric = kind}, [=](Nuts& kernel) {
    const Index dimension = kernel.settings.metric.dimension();
    kernel.settings = {.step_size = step_size, .metric = metric_for_test(kind, dimension)};
    kernel.options.step_size_jitter = jitter;
  });
}

TEST(nuts, leaves_the_targets_invariant) {
  std::vector<Target> targets = invariance_targets();
  targets.push_back(standard_normal(10));
  for (const double step_size : {0.3, 0.9})
    expect_invariant(maker_of_nuts(MetricKind::diagonal, step_size), {.num_steps = 2}, targets);
}

TEST(nuts, leaves_the_targets_invariant_with_a_dense_metric_and_jitter) {
  expect_invariant(maker_of_nuts(MetricKind::dense, 0.6, 0.5), {.num_steps = 2},
                   {correlated_normal(0.8), banana()});
}

TEST(hmc_static, leaves_the_targets_invariant) {
  expect_invariant(maker_of<HmcStatic>({.step_size = 0.5, .integration_time = 2.0}),
                   {.num_steps = 2});
  expect_invariant(maker_of<HmcStatic>({.step_size = 0.5, .num_steps = 3}), {.num_steps = 2});
}

double worst_of(Mutation mutation, int num_starts = 10'000) {
  double worst = 0.0;
  for (const Target& target : {standard_normal(10), banana(), half_normal_on_log_scale()}) {
    const Index dimension = target.density->dimension();
    RecursiveNuts mutant({.step_size = 0.9, .metric = Metric(MetricKind::unit, dimension)}, 10,
                         mutation);
    const Transition transition = [&](density::Evaluator& evaluator, HmcState& state, Rng& rng) {
      mutant.step(evaluator, state, rng);
    };
    worst = worse(worst, invariance_z(target, transition, num_starts, 2));
  }
  return worst;
}

TEST(invariance_check, accepts_the_recursive_form) {
  EXPECT_LT(worst_of(Mutation::none), kInvarianceLimit);
}
TEST(invariance_check, rejects_inverted_weights) {
  EXPECT_GT(worst_of(Mutation::inverted_weights), kInvarianceLimit);
}
TEST(invariance_check, rejects_a_turn_criterion_that_asks_one_end) {
  EXPECT_GT(worst_of(Mutation::one_sided_turn, 60'000), kInvarianceLimit);
}
TEST(invariance_check, rejects_a_choice_without_weights) {
  EXPECT_GT(worst_of(Mutation::always_later), kInvarianceLimit);
}

// ---- moments of whole runs, in Monte Carlo standard errors of their own ----

TEST(sampling, finds_the_moments_of_every_target_with_every_metric) {
  std::vector<Target> targets = targets_with_exact_moments();
  targets.push_back(scaled_normal());
  for (const Target& target : targets)
    for (const MetricKind kind : {MetricKind::unit, MetricKind::diagonal, MetricKind::dense}) {
      if (kind == MetricKind::unit && target.name == "scaled_normal") continue;  // 10⁴ steps a draw
      expect_whole_run(
          target,
          {.num_draws = 2500, .seed = test_seed(12), .kernel = NutsOptions{.metric = kind}});
    }
}

TEST(sampling, finds_the_moments_with_static_hmc) {
  for (const Target& target : {correlated_normal(0.8), banana()})
    expect_whole_run(target, {.sampler = "hmc_static",
                              .num_draws = 2500,
                              .seed = test_seed(12),
                              .kernel = HmcStaticOptions{.integration_time = 2.0}});
}

}  // namespace
}  // namespace credo::infer::nuts_test
