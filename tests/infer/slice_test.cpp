#include "infer/mcmc/slice/slice.hpp"

#include "infer/invariance.hpp"
#include "infer/mcmc/slice/slice_directions.hpp"

namespace credo::infer::slice_test {
namespace {
using namespace credo::testing;

TEST(slice, leaves_the_targets_invariant_whatever_the_width) {
  for (const double width : {0.3, 2.0, 20.0})
    expect_invariant(maker_of<Slice>({.width = width}), {.num_steps = 2});
}

TEST(slice, leaves_the_targets_invariant_where_the_interval_may_not_grow_as_it_wants) {
  expect_invariant(maker_of<Slice>({.width = 0.5, .max_growth = 2}));
}

TEST(slice, leaves_the_targets_invariant_when_it_doubles) {
  for (const double width : {0.2, 2.0})
    expect_invariant(maker_of<Slice>({.width = width, .growth = SliceGrowth::doubling}));
  expect_invariant(
      maker_of<Slice>({.width = 0.5, .growth = SliceGrowth::doubling, .max_growth = 4}));
}

TEST(slice, finds_the_moments_of_long_runs) {
  expect_long_run(maker_of<Slice>({.width = 1.5}), {.num_draws = 5000});
}

// The interval of all mutants is found by stepping out without limit.
enum class SliceMutation { none, centred_interval, keeps_old_log_density, no_test };

struct Line {
  density::Evaluator& evaluator;
  std::vector<double> x;
  double at(double value) {
    x[0] = value;
    Evaluate question = evaluate(x);
    answer(evaluator, question);
    return question.request.log_density;
  }
};

// One coordinate, of a target in one dimension, or the first of several.
void mutant_slice(density::Evaluator& evaluator, PointState& state, Rng& rng,
                  SliceMutation mutation) {
  Line line{evaluator, state.position};
  const double x = state.position[0], width = 1.5;
  const double height = state.log_density - rng.exponential();
  const double u = mutation == SliceMutation::centred_interval ? 0.5 : rng.uniform();
  double lo = x - u * width, hi = lo + width;
  if (mutation == SliceMutation::no_test) {
    while (line.at(lo) > height || line.at(hi) > height)
      rng.uniform() < 0.5 ? lo -= hi - lo : hi += hi - lo;
  } else if (mutation != SliceMutation::centred_interval) {
    while (line.at(lo) > height) lo -= width;
    while (line.at(hi) > height) hi += width;
  }
  for (;;) {
    const double candidate = rng.uniform(lo, hi), at = line.at(candidate);
    if (at > height) {
      state.position[0] = candidate;
      if (mutation != SliceMutation::keeps_old_log_density) state.log_density = at;
      return;
    }
    (candidate < x ? lo : hi) = candidate;
    if (hi - lo < 1e-9) return;  // a height that no point has
  }
}

TransitionMaker mutant(SliceMutation mutation) {
  return [mutation](Index) {
    return [mutation](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      mutant_slice(evaluator, state, rng, mutation);
    };
  };
}

TEST(invariance_suite, accepts_a_plain_slice_sampler) {
  EXPECT_FALSE(is_rejected(mutant(SliceMutation::none)));
}
TEST(invariance_suite, rejects_a_slice_whose_interval_is_centred) {
  EXPECT_TRUE(is_rejected(mutant(SliceMutation::centred_interval)));
}
TEST(invariance_suite, rejects_a_slice_that_keeps_the_old_log_density) {
  EXPECT_TRUE(is_rejected(mutant(SliceMutation::keeps_old_log_density)));
}
TEST(invariance_suite, rejects_doubling_without_its_test) {
  EXPECT_TRUE(is_rejected(mutant(SliceMutation::no_test), {.num_starts = 40'000, .num_steps = 5}));
}

// The width for which intervals grow as often as they shrink is of the order of the standard
// deviations, which lie 10,000 apart.
TEST(slice, learns_widths_of_the_order_of_the_scales) {
  StoredDraws store;
  const RunResult run =
      run_chains(*scaled_normal().density, {.sampler = "slice", .num_draws = 10}, store);
  for (const ChainResult& chain : run.chains) {
    double scale = 0.01;
    for (const double width : chain.tuned[0].values) {
      EXPECT_GT(width / scale, 0.3);
      EXPECT_LT(width / scale, 8.0);
      scale *= 10.0;
    }
  }
}

TEST(slice, counts_its_evaluations) {
  StoredDraws store;
  const RunResult run =
      run_chains(*banana().density,
                 {.sampler = "slice", .num_chains = 1, .num_warmup = 0, .num_draws = 100}, store);
  double sum = 1.0;  // the initial point
  for (const double n : store.info.quantity(1)) sum += n;
  EXPECT_EQ(sum, static_cast<double>(run.chains[0].num_evaluations));
}

// A log density that came from elsewhere may lie above all that the slice finds: it stays, and
// ends.
TEST(slice, stays_where_no_point_reaches_its_height) {
  for (const SliceGrowth growth : {SliceGrowth::stepping_out, SliceGrowth::doubling}) {
    const Target target = standard_normal(2);
    const auto evaluator = target.density->make_evaluator();
    Slice kernel({.growth = growth}, 2);
    PointState state = state_at(*evaluator, std::vector<double>{0.0, 0.3});
    const std::vector<double> start = state.position;
    state.log_density += 1e9;
    Rng rng({.seed = 5, .purpose = purpose::kTest});
    run_alone(kernel.step(state, rng), *evaluator);
    EXPECT_EQ(state.position, start);
  }
}

// ---- several dimensions ----

std::vector<double> some_covariance(Index dimension) {
  const auto n = static_cast<std::size_t>(dimension);
  std::vector<double> covariance(n * n, 0.4);
  for (std::size_t d = 0; d < n; ++d) covariance[d * (n + 1)] = 1.0 + double(d);
  return covariance;
}

TEST(hit_and_run, leaves_the_targets_invariant) {
  for (const SliceGrowth growth : {SliceGrowth::stepping_out, SliceGrowth::doubling})
    expect_invariant(maker_of<HitAndRun>(
        {.width = 1.0, .growth = growth, .metric = MetricKind::dense}, [](HitAndRun& kernel) {
          EXPECT_TRUE(kernel.settings.metric.set_inverse(
              some_covariance(kernel.settings.metric.dimension())));
        }));
}
TEST(hit_and_run, finds_the_moments_of_long_runs) {
  expect_long_run(maker_of<HitAndRun>({.width = 2.0}));
}

TEST(factor_slice, leaves_the_targets_invariant) {
  expect_invariant(maker_of<FactorSlice>({.width = 1.0}, [](FactorSlice& kernel) {
    kernel.settings.axes = some_covariance(ssize(kernel.settings.widths));
  }));
}

// Along the axes of a strongly correlated normal the sweeps are independent draws, along the
// coordinates they are not: the lag-one autocorrelation is 0 against r² at least.
TEST(factor_slice, is_not_slowed_down_by_correlation) {
  const auto ess = [](const std::string& sampler) {
    StoredDraws store;
    run_chains(*correlated_normal(0.99).density,
               {.sampler = sampler, .num_warmup = 2000, .num_draws = 4000, .seed = test_seed(4)},
               store);
    return diagnose::ess_mean(
        diagnose::Chains(store.draws.quantity(0), store.draws.num_draws(), 4));
  };
  EXPECT_GT(ess("factor_slice"), 10.0 * ess("slice"));
}

TEST(elliptical_slice, leaves_the_targets_invariant) {
  expect_invariant(maker_of<EllipticalSlice>({.inflate = 2.0}, [](EllipticalSlice& kernel) {
    std::fill(kernel.settings.mean.begin(), kernel.settings.mean.end(), 0.5);
    EXPECT_TRUE(
        kernel.settings.metric.set_inverse(some_covariance(kernel.settings.metric.dimension())));
  }));
}
TEST(elliptical_slice, finds_the_moments_of_long_runs) {
  expect_long_run(maker_of<EllipticalSlice>({.inflate = 2.0}));
}

// Where the normal part is the target, every angle lies on the slice: one evaluation a draw, and
// the draws are those of an autoregression on an ellipse, uncorrelated on average.
TEST(elliptical_slice, accepts_every_angle_on_its_own_normal) {
  const Target target = standard_normal(4);
  const auto evaluator = target.density->make_evaluator();
  EllipticalSlice kernel({.inflate = 1.0}, 4);
  PointState state = state_at(*evaluator, std::vector<double>(4, 0.2));
  Rng rng({.seed = 5, .purpose = purpose::kTest});
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(run_alone(kernel.step(state, rng), *evaluator).num_evaluations, 1);
}

// Slices π instead of π / N: the normal part counts twice.
TEST(invariance_suite, rejects_an_ellipse_whose_slice_keeps_the_normal_part) {
  EXPECT_TRUE(is_rejected([](Index) {
    return [](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      std::vector<double> other = state.position, x = state.position;
      for (double& z : other) z = 2.0 * rng.normal();
      const double height = state.log_density - rng.exponential();
      double angle = rng.uniform(0.0, 6.283185307179586), lo = angle - 6.283185307179586,
             hi = angle;
      for (;;) {
        for (std::size_t d = 0; d < x.size(); ++d)
          x[d] = std::cos(angle) * state.position[d] + std::sin(angle) * other[d];
        Evaluate question = evaluate(x);
        answer(evaluator, question);
        if (question.request.log_density >= height) {
          state.position = x;
          state.log_density = question.request.log_density;
          return;
        }
        (angle < 0.0 ? lo : hi) = angle;
        angle = rng.uniform(lo, hi);
      }
    };
  }));
}

}  // namespace
}  // namespace credo::infer::slice_test
