#include "infer/mcmc/nuts.hpp"

#include <gtest/gtest.h>

#include "diagnose/convergence.hpp"
#include "infer/mcmc/hmc_static.hpp"
#include "infer/sample.hpp"
#include "support/kernel_checks.hpp"
#include "support/recursive_nuts.hpp"

namespace credo::infer {
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

TEST(nuts, leaves_the_targets_invariant) {
  for (const Target& target : targets_with_exact_moments())
    for (const double step_size : {0.3, 0.9}) {
      Nuts kernel = nuts_with(MetricKind::diagonal, target.density->dimension(), step_size);
      EXPECT_LT(invariance_z(target, transition_of(kernel), 20'000, 2), kInvarianceLimit)
          << target.name << ' ' << step_size;
    }
}

TEST(nuts, leaves_the_targets_invariant_with_a_dense_metric_and_jitter) {
  for (const Target& target : {correlated_normal(0.8), banana()}) {
    Nuts kernel = nuts_with(MetricKind::dense, target.density->dimension(), 0.6);
    kernel.options.step_size_jitter = 0.5;
    EXPECT_LT(invariance_z(target, transition_of(kernel), 20'000, 2), kInvarianceLimit);
  }
}

TEST(hmc_static, leaves_the_targets_invariant) {
  for (const Target& target : targets_with_exact_moments()) {
    HmcStatic kernel({.step_size = 0.5, .integration_time = 2.0}, target.density->dimension());
    EXPECT_LT(invariance_z(target, transition_of(kernel), 20'000, 2), kInvarianceLimit)
        << target.name;
  }
}

double worst_of(Mutation mutation) {
  double worst = 0.0;
  for (const Target& target : {standard_normal(10), banana(), half_normal_on_log_scale()}) {
    const Index dimension = target.density->dimension();
    RecursiveNuts mutant({.step_size = 0.9, .metric = Metric(MetricKind::unit, dimension)}, 10,
                         mutation);
    const Transition transition = [&](density::Evaluator& evaluator, HmcState& state, Rng& rng) {
      mutant.step(evaluator, state, rng);
    };
    worst = std::max(worst, invariance_z(target, transition, 10'000, 2));
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
  EXPECT_GT(worst_of(Mutation::one_sided_turn), kInvarianceLimit);
}
TEST(invariance_check, rejects_a_choice_without_weights) {
  EXPECT_GT(worst_of(Mutation::always_later), kInvarianceLimit);
}

// ---- moments of whole runs, in Monte Carlo standard errors of their own ----

void expect_moments(const Target& target, const SampleOptions& options) {
  StoredDraws store;
  const RunResult run = run_chains(*target.density, options, store);
  const density::Draws& draws = store.draws;
  std::vector<double> row(static_cast<std::size_t>(draws.num_quantities()));
  for (const Moment& moment : target.moments) {
    diagnose::ChainsCopy values{{}, draws.num_draws(), draws.num_chains()};
    for (Index c = 0; c < draws.num_chains(); ++c)
      for (Index s = 0; s < draws.num_draws(); ++s) {
        draws.get(s, c, row);
        values.values.push_back(moment.function(row));
      }
    const double z = (diagnose::mean(values.values) - moment.expectation) / mcse_mean(values);
    EXPECT_LT(std::fabs(z), 4.0) << target.name << ": " << moment.name << ' ' << options.sampler;
    EXPECT_LT(diagnose::r_hat(values), 1.02) << target.name << ": " << moment.name;
  }
}

TEST(sampling, finds_the_moments_of_every_target_with_every_metric) {
  std::vector<Target> targets = targets_with_exact_moments();
  targets.push_back(scaled_normal());
  for (const Target& target : targets)
    for (const MetricKind kind : {MetricKind::unit, MetricKind::diagonal, MetricKind::dense}) {
      if (kind == MetricKind::unit && target.name == "scaled_normal") continue;  // 10⁴ steps a draw
      expect_moments(target,
                     {.num_draws = 2500, .seed = 12, .kernel = NutsOptions{.metric = kind}});
    }
}

TEST(sampling, finds_the_moments_with_static_hmc) {
  for (const Target& target : {correlated_normal(0.8), banana()})
    expect_moments(target, {.sampler = "hmc_static",
                            .num_draws = 2500,
                            .seed = 12,
                            .kernel = HmcStaticOptions{.integration_time = 2.0}});
}

}  // namespace
}  // namespace credo::infer
