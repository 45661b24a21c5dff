// All exact kernels, one line each: what the suite asks of every one of them with the same
// settings, and that it finds the same fault in every one. What is particular to a kernel is in its
// own test; faults of its own are in the mutants' tests.
#include "infer/core/table.hpp"
#include "infer/curved_targets.hpp"
#include "infer/ensemble/ensemble.hpp"
#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/frozen_metric.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "infer/mcmc/hamiltonian/riemann.hpp"
#include "infer/mcmc/hamiltonian/split_hmc.hpp"
#include "infer/mcmc/langevin/barker.hpp"
#include "infer/mcmc/langevin/langevin.hpp"
#include "infer/mcmc/rejection/adaptive_rejection.hpp"
#include "infer/mcmc/slice/slice.hpp"
#include "infer/mcmc/slice/slice_directions.hpp"
#include "infer/mcmc/walk/delayed_rejection.hpp"
#include "infer/mcmc/walk/independence.hpp"
#include "infer/mcmc/walk/proposals.hpp"
#include "infer/mcmc/walk/rwm.hpp"
#include "infer/parts.hpp"
#include "infer/quick_options.hpp"

namespace credo::infer::exact_kernels_test {
namespace {
using namespace credo::testing;

std::vector<double> tilted(Index dimension) {
  const auto n = static_cast<std::size_t>(dimension);
  std::vector<double> covariance(n * n, 0.3);
  for (std::size_t d = 0; d < n; ++d) covariance[d * (n + 1)] = 1.0 + 0.5 * double(d);
  return covariance;
}
template <class Kernel>
void with_tilted_metric(Kernel& kernel) {
  EXPECT_TRUE(kernel.settings.metric.set_inverse(tilted(kernel.settings.metric.dimension())));
}
void with_tilted_axes(FactorSlice& kernel) {
  kernel.settings.axes = tilted(ssize(kernel.settings.widths));
}

KernelMaker driven() {
  const auto predicted = predicted_block({0}, {{.mean = {0.5}, .sd = {2.0}}});
  return mixture({{0.5, walk()}, {0.5, metropolis(predicted)}});
}

// The quadratic part is that of Normal(0.2, tilted(dimension)), which is none of the targets.
void with_tilted_part(SplitHmc& kernel) {
  with_tilted_metric(kernel);
  kernel.settings.centre.assign(static_cast<std::size_t>(kernel.settings.metric.dimension()), 0.2);
  kernel.settings.fitted = true;
}

// A metric at one of three places, whatever the present point.
TransitionMaker frozen() {
  return [](Index dimension) {
    const auto anchored = [dimension](FrozenMetric& kernel) {
      for (Index k = 0; k < 3 * dimension; ++k)
        kernel.settings.anchors.push_back(0.7 * double(k % 5) - 1.2);
    };
    return maker_of<FrozenMetric>({.step_size = 0.4, .integration_time = 1.3}, anchored)(dimension);
  };
}

// Targets with their second derivatives, which some kernels ask for.
struct Row {
  std::string name;
  TransitionMaker make;
};

// Forest and Ruth's is unstable from 1.57 standard deviations on, leapfrog from 2: where a tail is
// as light as exp(-exp(2x) / 2) a larger step stands still far out, which is exact, but a short
// run's error doesn't know of it.
Row hmc_row(IntegratorKind kind) {
  const double step_size = kind == IntegratorKind::forest_ruth ? 0.3 : 0.5;
  return {
      "hmc_static, " + std::string(integrator(kind).name),
      maker_of<HmcStatic>({.step_size = step_size, .integration_time = 1.3, .integrator = kind})};
}

std::vector<Row> exact_kernels() {
  return {
      {"rwm", maker_of<Rwm>({.scale = 1.2, .metric = MetricKind::unit})},
      {"adaptive_metropolis",
       maker_of<AdaptiveMetropolis>({.scale = 1.0}, with_tilted_metric<AdaptiveMetropolis>)},
      {"ram", maker_of<RobustMetropolis>({.scale = 1.0}, with_tilted_metric<RobustMetropolis>)},
      {"dram", maker_of<DelayedRejection>({.scale = 2.0, .shrink = 0.4})},
      {"independence", maker_of<Independence>({.inflate = 2.5})},
      {"barker", maker_of<Barker>({.scale = 1.2})},
      {"adaptive_rejection, metropolis",
       maker_of<AdaptiveRejection>({.width = 1.5, .metropolis = true})},
      {"slice", maker_of<Slice>({.width = 1.5})},
      {"slice, doubling", maker_of<Slice>({.width = 0.8, .growth = SliceGrowth::doubling})},
      {"hit_and_run", maker_of<HitAndRun>({.width = 2.0})},
      {"factor_slice", maker_of<FactorSlice>({.width = 1.0}, with_tilted_axes)},
      {"elliptical_slice",
       maker_of<EllipticalSlice>({.inflate = 2.0}, with_tilted_metric<EllipticalSlice>)},
      {"nuts", maker_of<Nuts>({.step_size = 0.5})},
      hmc_row(IntegratorKind::leapfrog),
      hmc_row(IntegratorKind::two_stage),
      hmc_row(IntegratorKind::three_stage),
      hmc_row(IntegratorKind::forest_ruth),
      {"split_hmc",
       maker_of<SplitHmc>({.step_size = 0.5, .metric = MetricKind::dense}, with_tilted_part)},
      {"riemann", maker_of<Riemann>({.step_size = 0.7, .integration_time = 1.4})},
      {"frozen_metric, history", frozen()},
      {"frozen_metric, current",
       maker_of<FrozenMetric>({.step_size = 0.9, .anchor = Anchor::current})},
      {"mala", maker_of<Mala>({.step_size = 0.8})},
      {"mixture", maker_of_parts(mixture({{0.7, walk()}, {0.3, nuts()}}))},
      {"cycle", maker_of_parts(cycle({walk(), nuts(), slice()}))},
      {"shuffled_cycle", maker_of_parts(shuffled_cycle({nuts(), walk()}))},
      {"palindrome", maker_of_parts(palindrome({walk(), slice()}))},
      {"on_coordinates", maker_of_parts(first_and_rest(nuts(), slice()))},
      {"predicted_block", maker_of_parts(driven())},
  };
}

InvarianceOptions settings() { return {.num_starts = 4000, .num_steps = 3}; }

TEST(exact_kernels, leave_the_targets_invariant) {
  for (const Row& row : exact_kernels()) {
    SCOPED_TRACE(row.name);
    expect_invariant(row.make, settings(), curved_targets());
  }
}

// exp(0.75 log π) for π: the variance of a normal would be 4/3 in the end.
TEST(exact_kernels, are_rejected_when_they_decide_by_a_power_of_the_density) {
  for (const Row& row : exact_kernels())
    EXPECT_TRUE(is_rejected(deciding_by_power(row.make, 0.75), settings(), curved_targets()))
        << row.name;
}

// Normal, correlated and both bounded ones.
std::vector<Target> cheap_targets() {
  const std::vector<Target> all = curved_targets();
  return {all[0], all[1], all[4], all[5]};
}

TEST(exact_kernels, find_the_moments_of_long_runs) {
  for (const Row& row : exact_kernels()) {
    SCOPED_TRACE(row.name);
    expect_long_run(row.make, {.num_draws = 2500}, cheap_targets());
  }
}

TEST(invariance_suite, rejects_long_runs_that_decide_by_a_power_of_the_density) {
  const auto wrong = deciding_by_power(maker_of<Slice>({.width = 1.5}), 0.8);
  for (const Target& target : {standard_normal(3), correlated_normal(0.8)})
    EXPECT_GT(long_run_z(target, wrong, {.num_draws = 2500}), kInvarianceLimit) << target.name;
}

// What is no number is no small statistic.
TEST(invariance_suite, rejects_positions_that_are_no_numbers_and_chains_that_stand_still) {
  const TransitionMaker lost = [](Index) {
    return [](density::Evaluator&, PointState& state, Rng&) { state.position[0] = kNaN; };
  };
  EXPECT_TRUE(is_rejected(lost, settings(), {standard_normal(3)}));
  EXPECT_GT(long_run_z(standard_normal(3), lost, {.num_draws = 100}), kInvarianceLimit);
  const TransitionMaker still = [](Index) { return [](density::Evaluator&, PointState&, Rng&) {}; };
  EXPECT_GT(long_run_z(standard_normal(3), still, {.num_draws = 100}), kInvarianceLimit);
}

// Defaults, but for a trajectory that is a period of the normal targets.
KernelOptions options_of(const SamplerSpec& row) {
  if (row.name == "hmc_static") return HmcStaticOptions{.integration_time = 2.0};
  return quick_options(row);
}

// With their own warm-up. The two that are biased by their step size say so in their rows.
TEST(samplers, find_the_moments_of_whole_runs) {
  for (const SamplerSpec* row : samplers()) {
    if (row->name == "ula" || row->name == "underdamped" || !row->has_warmup || row->needs_states ||
        row->needs_program)
      continue;
    const bool is_population = row->make == nullptr;
    for (const Target& target : cheap_targets())
      expect_whole_run(target, {.sampler = std::string(row->name),
                                .num_chains = is_population ? 2 : 4,
                                .num_warmup = 1000,
                                .num_draws = is_population ? 1000 : 2500,
                                .seed = test_seed(31),
                                .kernel = options_of(*row)});
  }
}

TEST(ensemble, finds_the_moments_of_whole_runs_with_every_move) {
  for (const EnsembleMove move :
       {EnsembleMove::walk, EnsembleMove::differential_evolution, EnsembleMove::snooker})
    for (const Target& target : cheap_targets())
      expect_whole_run(target, {.sampler = "ensemble",
                                .num_chains = 2,
                                .num_warmup = 500,
                                .num_draws = 1500,
                                .seed = test_seed(32),
                                .kernel = EnsembleOptions{.move = move}});
}

}  // namespace
}  // namespace credo::infer::exact_kernels_test
