#include "infer/mcmc/slice.hpp"

#include "infer/invariance.hpp"

namespace credo::infer {
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

}  // namespace
}  // namespace credo::infer
