// Planted faults of single kernels, each of which the invariance suite rejects. A mutant is the
// kernel itself with one thing wrong, or is made of its public pieces. Mutants that belong to one
// kernel's story are in its own test; the table is in docs/design/kernels.md.
#include "infer/adapt/hmc_adaptation.hpp"
#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "infer/mcmc/langevin/barker.hpp"
#include "infer/mcmc/langevin/langevin.hpp"
#include "infer/mcmc/slice/slice.hpp"
#include "infer/mcmc/slice/slice_directions.hpp"
#include "infer/mcmc/walk/delayed_rejection.hpp"
#include "infer/mcmc/walk/rwm.hpp"
#include "support/share.hpp"

namespace credo::infer::mutants_test {
namespace {
using namespace credo::testing;

// ---- adaptation that goes on ----

// The kernel with its own adaptation, which never ends and remembers the last `memory` transitions
// only: what it proposes depends on how it came to where it is. With `times` it learns as often
// from each of them.
struct Forever {
  Index memory = 1, times = 1;
};
template <class Adaptation, class Kernel>
TransitionMaker adapting_for_ever(const typename Kernel::Options& options, Forever forever = {}) {
  return [=](Index dimension) {
    struct Chain {
      explicit Chain(const typename Kernel::Options& kernel_options, Index d)
          : kernel(kernel_options, d) {}
      Kernel kernel;
      std::optional<Adaptation> adaptation;
      Index count = 0;
    };
    auto chain = std::make_shared<Chain>(options, dimension);
    return [=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      const SampleOptions run{.num_warmup = 1000};
      if (chain->count % forever.memory == 0) chain->adaptation.emplace(run, chain->kernel);
      const auto info = run_alone(chain->kernel.step(state, rng), evaluator);
      for (Index k = 0; k < forever.times; ++k) {
        if (k > 0) chain->adaptation.emplace(run, chain->kernel);
        chain->adaptation->learn(chain->count % forever.memory, info, state, chain->kernel);
      }
      ++chain->count;
    };
  };
}

InvarianceOptions many() { return {.num_starts = 20'000, .num_steps = 6}; }

// Steps that depend on where they are show most where the density changes fast on one side only.
bool is_rejected_far_out(const TransitionMaker& mutant) {
  return is_rejected(mutant, {.num_starts = 50'000, .num_steps = 12}, {half_normal_on_log_scale()});
}

TEST(adaptation_that_goes_on, of_walks_is_rejected) {
  EXPECT_TRUE(is_rejected(
      adapting_for_ever<ScaleAdaptation, Rwm>({.scale = 1.2, .target_accept = 0.8}), many()));
  EXPECT_TRUE(is_rejected_far_out(
      adapting_for_ever<RobustAdaptation, RobustMetropolis>({.scale = 1.0}, {.times = 3})));
  // Near the acceptance of 0.4 that it aims at usually, scales differ too little from point to
  // point.
  EXPECT_TRUE(is_rejected(adapting_for_ever<ScaleAdaptation, Barker>(
                              {.scale = 1.2, .target_accept = 0.8}, {.times = 3}),
                          many()));
}
TEST(adaptation_that_goes_on, by_the_last_points_is_rejected) {
  const Forever last{.memory = 4};
  EXPECT_TRUE(is_rejected(
      adapting_for_ever<HaarioAdaptation, AdaptiveMetropolis>({.num_before = 2}, last), many()));
  EXPECT_TRUE(is_rejected(
      adapting_for_ever<HaarioAdaptation, DelayedRejection>({.num_before = 2}, last), many()));
  EXPECT_TRUE(is_rejected(
      adapting_for_ever<EllipticalAdaptation, EllipticalSlice>({.num_before = 2}, last), many()));
}
TEST(adaptation_that_goes_on, of_slices_is_rejected) {
  const SliceOptions slice{.width = 1.0, .max_growth = 2};
  EXPECT_TRUE(is_rejected(adapting_for_ever<WidthAdaptation, Slice>(slice), many()));
  const HitAndRunOptions directions{.width = 1.0, .max_growth = 2, .metric = MetricKind::unit};
  EXPECT_TRUE(is_rejected(adapting_for_ever<HitAndRunAdaptation, HitAndRun>(directions), many()));
  const FactorSliceOptions axes{.width = 1.0, .max_growth = 2};
  EXPECT_TRUE(is_rejected(adapting_for_ever<FactorSliceAdaptation, FactorSlice>(axes), many()));
}
LONG_TEST(adaptation_that_goes_on, of_step_sizes_is_rejected) {
  const NutsOptions nuts{.metric = MetricKind::unit};
  EXPECT_TRUE(is_rejected_far_out(adapting_for_ever<HmcAdaptation, Nuts>(nuts)));
  const HmcStaticOptions hmc{.metric = MetricKind::unit, .integration_time = 1.0};
  EXPECT_TRUE(is_rejected_far_out(adapting_for_ever<HmcAdaptation, HmcStatic>(hmc)));
  const MalaOptions mala{.metric = MetricKind::unit};
  EXPECT_TRUE(is_rejected_far_out(adapting_for_ever<HmcAdaptation, Mala>(mala)));
}

// ---- Hamiltonian ----

// A trajectory whose end is judged by its density alone, without the kinetic energies. With one
// step it is Langevin without the ratio of its proposals.
TransitionMaker without_kinetic_energy(int num_steps, double step_size) {
  return [=](Index dimension) {
    auto points = std::make_shared<PhasePoints>(2, dimension);
    return [=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      const Metric metric(MetricKind::unit, dimension);
      PhasePoint& point = (*points)[0];
      begin_at(point, state, metric, rng);
      for (int i = 0; i < num_steps; ++i)
        run_alone(
            integrate(point, (*points)[1], integrator(IntegratorKind::leapfrog), step_size, metric),
            evaluator);
      const double ratio = point.log_density - state.log_density;
      if (rng.uniform() < metropolis_prob(ratio)) copy_to(state, point);
    };
  };
}
TEST(invariance_suite, rejects_hmc_that_decides_without_its_kinetic_energy) {
  EXPECT_TRUE(is_rejected(without_kinetic_energy(3, 0.6)));
}
TEST(invariance_suite, rejects_langevin_steps_without_the_ratio_of_their_proposals) {
  EXPECT_TRUE(is_rejected(without_kinetic_energy(1, 0.8)));
}

// A momentum that is kept for the next transition, which must be turned round where the trajectory
// is rejected.
TransitionMaker keeping_momentum(bool flips) {
  return [=](Index dimension) {
    auto points = std::make_shared<PhasePoints>(3, dimension);
    return [=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      const Metric metric(MetricKind::unit, dimension);
      PhasePoint &point = (*points)[0], &start = (*points)[2];
      begin_at(point, state, metric, rng);
      for (int s = 0; s < 8; ++s) {
        std::copy(point.position.begin(), point.position.end(), start.position.begin());
        std::copy(point.momentum.begin(), point.momentum.end(), start.momentum.begin());
        std::copy(point.gradient.begin(), point.gradient.end(), start.gradient.begin());
        start.log_density = point.log_density, start.energy = point.energy;
        run_alone(integrate(point, (*points)[1], integrator(IntegratorKind::leapfrog), 1.2, metric),
                  evaluator);
        if (rng.uniform() < metropolis_prob(start.energy - point.energy)) continue;
        std::swap(point, start);
        if (flips)
          for (double& p : point.momentum) p = -p;
      }
      copy_to(state, point);
    };
  };
}
TEST(invariance_suite, accepts_a_momentum_that_is_kept_and_flipped) {
  EXPECT_FALSE(is_rejected(keeping_momentum(true)));
}
TEST(invariance_suite, rejects_a_momentum_that_is_kept_without_its_flip) {
  EXPECT_TRUE(is_rejected(keeping_momentum(false)));
}

// ---- slices in several dimensions ----

// Intervals that are wider the further out the point is.
TEST(invariance_suite, rejects_random_directions_whose_width_depends_on_the_point) {
  EXPECT_TRUE(is_rejected([](Index dimension) {
    auto kernel = std::make_shared<HitAndRun>(HitAndRunOptions{.max_growth = 2}, dimension);
    return [kernel](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      kernel->settings.width = 0.2 + std::fabs(state.position[0]);
      run_alone(kernel->step(state, rng), evaluator);
    };
  }));
}
TEST(hit_and_run, leaves_the_targets_invariant_where_the_interval_hardly_grows) {
  expect_invariant(maker_of<HitAndRun>({.width = 1.0, .max_growth = 2}));
}

// Axes that point away from the origin.
TEST(invariance_suite, rejects_axes_that_depend_on_the_point) {
  EXPECT_TRUE(is_rejected([](Index dimension) {
    auto kernel = std::make_shared<FactorSlice>(FactorSliceOptions{}, dimension);
    return [kernel](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      std::copy(state.position.begin(), state.position.end(), kernel->settings.axes.begin());
      run_alone(kernel->step(state, rng), evaluator);
    };
  }));
}

// ---- compositions ----

KernelMaker small_walk() {
  return kernel("rwm", RwmOptions{.scale = 0.5, .metric = MetricKind::unit});
}
KernelMaker large_walk() {
  return kernel("rwm", RwmOptions{.scale = 3.0, .metric = MetricKind::unit});
}

// `choose(position, rng)` says which of the parts are run, in which order.
TransitionMaker choosing(const std::vector<KernelMaker>& makers,
                         const std::function<std::vector<std::size_t>(Point, Rng&)>& choose) {
  return [=](Index dimension) {
    std::vector<Transition> parts;
    for (const KernelMaker& make : makers) parts.push_back(maker_of_parts(make)(dimension));
    return [=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      for (const std::size_t k : choose(state.position, rng)) parts[k](evaluator, state, rng);
    };
  };
}

TEST(invariance_suite, accepts_parts_that_are_chosen_by_a_coin) {
  EXPECT_FALSE(is_rejected(choosing({small_walk(), large_walk()}, [](Point, Rng& rng) {
    return std::vector<std::size_t>{rng.uniform() < 0.5 ? 0u : 1u};
  })));
}
TEST(invariance_suite, rejects_a_mixture_whose_weights_depend_on_the_point) {
  EXPECT_TRUE(is_rejected(choosing({small_walk(), large_walk()}, [](Point x, Rng&) {
    return std::vector<std::size_t>{x[0] * x[0] < 1.0 ? 0u : 1u};
  })));
}

KernelMaker coordinate(Index d) {
  return on_coordinates({d}, kernel("slice", SliceOptions{.width = 2.0}));
}

// Coordinates in turn, in an order that depends on the point.
TEST(invariance_suite, rejects_a_cycle_whose_order_depends_on_the_point) {
  EXPECT_TRUE(is_rejected([](Index dimension) {
    std::vector<Transition> parts;
    for (Index d = 0; d < dimension; ++d) parts.push_back(maker_of_parts(coordinate(d))(dimension));
    return [=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      const bool upwards = std::fabs(state.position[0]) < 1.0;
      for (std::size_t k = 0; k < parts.size(); ++k)
        parts[upwards ? k : parts.size() - 1 - k](evaluator, state, rng);
    };
  }));
}
// There, and back only where the way there led outwards.
TEST(invariance_suite, rejects_a_palindrome_that_turns_back_by_where_it_is) {
  EXPECT_TRUE(is_rejected([](Index dimension) {
    const auto there = maker_of_parts(cycle({small_walk(), large_walk()}))(dimension);
    const auto back = maker_of_parts(cycle({large_walk(), small_walk()}))(dimension);
    return [=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      const double before = state.log_density;
      there(evaluator, state, rng);
      if (state.log_density < before) back(evaluator, state, rng);
    };
  }));
}

// Two blocks that both move given the old other one.
TEST(invariance_suite, rejects_blocks_that_move_at_once) {
  EXPECT_TRUE(is_rejected([](Index dimension) {
    std::vector<Transition> blocks;
    for (Index d = 0; d < dimension; ++d)
      blocks.push_back(maker_of_parts(
          on_coordinates({d}, kernel("slice", SliceOptions{.width = 2.0})))(dimension));
    return [=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      const PointState old = state;
      for (std::size_t d = 0; d < blocks.size(); ++d) {
        PointState moved = old;
        blocks[d](evaluator, moved, rng);
        state.position[d] = moved.position[d];
      }
      static_cast<PointState&>(state) = state_at(evaluator, std::vector<double>(state.position));
    };
  }));
}

}  // namespace
}  // namespace credo::infer::mutants_test
