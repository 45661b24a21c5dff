// The invariance suite: what every transition kernel must pass, and every mutant fail.
//
//   TEST(rwm, leaves_the_targets_invariant) { expect_invariant(maker_of<Rwm>({.scale = 0.8})); }
//   EXPECT_TRUE(is_rejected(a_mutant));
//
// Two claims for each of the targets (normal, correlated, funnel, banana, two bounded ones through
// their transforms, two modes):
//   exact start: the ends of a few transitions from independent exact draws are exact draws
//     (infer/invariance/suite.hpp);
//   long run: moments of chains that start from exact draws, in standard errors from their own
//     autocorrelation.
// For populations the joint distribution of the walkers is tested, too. A failure counts when it repeats with
// four times the draws on another seed. CREDO_TEST_SEED moves all seeds.
#pragma once
#include <gtest/gtest.h>

#include "diagnose/convergence.hpp"
#include "infer/compose/compose.hpp"
#include "infer/core/population.hpp"
#include "infer/core/sample.hpp"
#include "support/kernel_checks.hpp"
#include "support/test_seed.hpp"

namespace credo::testing {

using infer::invariance::maker_of_parts;
using infer::invariance::rank_statistic;
using infer::invariance::Statistic;
using infer::invariance::TransitionMaker;

template <class Kernel>
TransitionMaker maker_of(const typename Kernel::Options& options,
                         std::function<void(Kernel&)> configure = nullptr) {
  return [options, configure](Index dimension) {
    auto kernel = std::make_shared<Kernel>(options, dimension);
    if (configure) configure(*kernel);
    return Transition([kernel](density::Evaluator& evaluator, infer::PointState& state, Rng& rng) {
      run_alone(kernel->step(state, rng), evaluator);
    });
  };
}

inline std::vector<Target> invariance_targets() { return infer::invariance::all_targets(); }

struct InvarianceOptions {
  int num_starts = 10'000;
  int num_steps = 3;
  std::uint64_t seed = test_seed(99);

  operator infer::invariance::StartOptions() const {  // NOLINT: implicit
    return {.num_starts = num_starts, .num_steps = num_steps, .seed = seed};
  }
};

inline void expect_invariant(const TransitionMaker& make, const InvarianceOptions& options = {},
                             const std::vector<Target>& targets = invariance_targets()) {
  for (const Target& target : targets) {
    const Statistic worst = infer::invariance::worst_statistic(target, make, options);
    EXPECT_LE(worst.value, kInvarianceLimit) << target.name << ": " << worst.what;
  }
}

inline bool is_rejected(const TransitionMaker& make, const InvarianceOptions& options = {},
                        const std::vector<Target>& targets = invariance_targets()) {
  return std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
    return infer::invariance::worst_statistic(target, make, options).value > kInvarianceLimit;
  });
}

// ---- a mutant of any kernel ----

// Answers with a power of the density and the gradient of the density itself.
class WrongDecisions final : public density::Evaluator {
 public:
  WrongDecisions(density::Evaluator& inner, double power) : inner_(inner), power_(power) {}
  void evaluate(density::Want want, std::span<density::Request* const> batch) override {
    inner_.evaluate(want, batch);
    for (density::Request* request : batch) request->log_density *= power_;
  }

 private:
  density::Evaluator& inner_;
  double power_;
};

// The kernel itself, whose decisions (acceptance ratios, heights of slices, weights of a
// trajectory) see the density to a power.
inline TransitionMaker deciding_by_power(const TransitionMaker& make, double power) {
  return [make, power](Index dimension) {
    return Transition([transition = make(dimension), power](density::Evaluator& evaluator,
                                                            infer::PointState& state, Rng& rng) {
      WrongDecisions wrong(evaluator, power);
      state.log_density *= power;
      transition(wrong, state, rng);
      state.log_density /= power;
    });
  };
}

// ---- populations ----
//
// The distribution of a population at rest is a product, so that walkers that start as independent exact
// draws end as such; all of them count.

using PopulationTransition =
    std::function<void(density::Evaluator&, infer::PopulationState&, Rng&)>;
struct PopulationMaker {
  std::function<PopulationTransition(Index dimension)> make;
  Index num_walkers;
};

template <class Kernel>
PopulationMaker population_of(const typename Kernel::Options& options, Index num_walkers,
                              std::function<void(Kernel&)> configure = nullptr) {
  return {.make =
              [options, configure](Index dimension) {
                auto kernel = std::make_shared<Kernel>(options, dimension);
                if (configure) configure(*kernel);
                return PopulationTransition(
                    [kernel](density::Evaluator& evaluator, infer::PopulationState& state,
                             Rng& rng) { run_alone(kernel->step(state, rng), evaluator); });
              },
          .num_walkers = num_walkers};
}

inline std::vector<double> population_ends(const Target& target, const PopulationMaker& maker,
                                           const infer::invariance::StartOptions& options) {
  const auto evaluator = target.density->make_evaluator();
  const PopulationTransition transition = maker.make(target.density->dimension());
  std::vector<double> ends;
  for (int i = 0; i * maker.num_walkers < options.num_starts; ++i) {
    Rng rng({.seed = options.seed,
             .purpose = purpose::kTest,
             .iteration = static_cast<std::uint32_t>(i)});
    infer::PopulationState state(maker.num_walkers, target.density->dimension());
    for (Index w = 0; w < maker.num_walkers; ++w) {
      target.draw(rng, state.position(w));
      state.log_density(w) = state_at(*evaluator, state.position(w)).log_density;
    }
    for (int s = 0; s < options.num_steps; ++s) {  // a stream each, as in a run
      Rng of_step({.seed = options.seed,
                   .purpose = purpose::kTest + 3,
                   .chain = static_cast<std::uint32_t>(i),
                   .iteration = static_cast<std::uint32_t>(s)});
      transition(*evaluator, state, of_step);
    }
    ends.insert(ends.end(), state.positions.begin(), state.positions.end());
  }
  return ends;
}

// Walkers are independent: with d_i the deviations of a moment from its expectation, Σ_{i≠j} d_i
// d_j = (Σ d_i)² - Σ d_i² has mean 0 in every replicate; so has each square of a mean over walkers,
// and E |x_i - x_j|² is twice the variance.
inline double worst_pair_z(const Target& target, std::span<const double> ends, Index num_walkers) {
  const auto width = static_cast<std::size_t>(target.density->dimension());
  const std::size_t block = width * static_cast<std::size_t>(num_walkers);
  double worst = 0.0;
  for (const Moment& moment : target.moments) {
    double total = 0.0, squares = 0.0;
    for (std::size_t r = 0; r < ends.size(); r += block) {
      double sum = 0.0, own = 0.0;
      for (std::size_t i = r; i < r + block; i += width) {
        const double off = moment.function(ends.subspan(i, width)) - moment.expectation;
        sum += off, own += off * off;
      }
      const double pairs = sum * sum - own;
      total += pairs, squares += pairs * pairs;
    }
    worst = worse(worst, std::fabs(total) / std::sqrt(squares));
  }
  return worst;
}

// Distances of walkers i and i + W/2, which propose from each other, by ranks against those of
// fresh draws.
inline double distance_rank_statistic(const Target& target, std::span<const double> ends,
                                      Index num_walkers, std::uint64_t seed) {
  const auto width = static_cast<std::size_t>(target.density->dimension());
  const std::size_t half = width * static_cast<std::size_t>(num_walkers / 2);
  const auto distance = [width](std::span<const double> a, std::span<const double> b) {
    double square = 0.0;
    for (std::size_t d = 0; d < width; ++d) square += (a[d] - b[d]) * (a[d] - b[d]);
    return square;
  };
  std::vector<double> found, fresh, x(width), y(width);
  Rng rng({.seed = seed, .purpose = purpose::kTest + 4});
  for (std::size_t r = 0; r + 2 * half <= ends.size(); r += 2 * half)
    for (std::size_t i = r; i < r + half; i += width) {
      found.push_back(distance(ends.subspan(i, width), ends.subspan(i + half, width)));
      target.draw(rng, x), target.draw(rng, y);
      fresh.push_back(distance(x, y));
    }
  return rank_statistic(std::move(found), std::move(fresh));
}

inline Statistic population_statistic(const Target& target, const PopulationMaker& maker,
                                      const infer::invariance::StartOptions& options) {
  const std::vector<double> ends = population_ends(target, maker, options);
  const Statistic each = worse(infer::invariance::worst_moment(target, ends),
                               infer::invariance::worst_rank(target, ends, options.seed));
  const Statistic pairs{worst_pair_z(target, ends, maker.num_walkers), "pairs"};
  const Statistic distances{distance_rank_statistic(target, ends, maker.num_walkers, options.seed),
                            "ranks of distances"};
  return worse(each, worse(pairs, distances));
}

inline Statistic repeated_of(const Target& target, const PopulationMaker& maker,
                             const InvarianceOptions& options) {
  const auto once = [&](const infer::invariance::StartOptions& use) {
    return population_statistic(target, maker, use);
  };
  return infer::invariance::repeated(once, options);
}

inline void expect_population_invariant(const PopulationMaker& maker,
                                        const InvarianceOptions& options = {},
                                        const std::vector<Target>& targets = invariance_targets()) {
  for (const Target& target : targets) {
    const Statistic worst = repeated_of(target, maker, options);
    EXPECT_LE(worst.value, kInvarianceLimit) << target.name << ": " << worst.what;
  }
}

inline bool is_population_rejected(const PopulationMaker& maker,
                                   const InvarianceOptions& options = {},
                                   const std::vector<Target>& targets = invariance_targets()) {
  return std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
    return repeated_of(target, maker, options).value > kInvarianceLimit;
  });
}

// ---- long runs ----

struct LongRun {
  Index num_chains = 4, num_draws = 20'000;
  std::uint64_t seed = test_seed(7);
};

inline LongRun four_times(LongRun run) {
  run.num_draws *= 4;
  run.seed += 1000;
  return run;
}

inline double long_run_z(const Target& target, const TransitionMaker& make, const LongRun& run) {
  const auto evaluator = target.density->make_evaluator();
  std::vector<diagnose::ChainsCopy> values(target.moments.size(),
                                           {{}, run.num_draws, run.num_chains});
  std::vector<double> start(static_cast<std::size_t>(target.density->dimension()));
  for (Index c = 0; c < run.num_chains; ++c) {
    const Transition transition = make(target.density->dimension());
    Rng rng(
        {.seed = run.seed, .purpose = purpose::kTest + 2, .chain = static_cast<std::uint32_t>(c)});
    target.draw(rng, start);
    infer::PointState state = state_at(*evaluator, start);
    bool has_moved = false;
    for (Index s = 0; s < run.num_draws; ++s) {
      transition(*evaluator, state, rng);
      has_moved = has_moved || state.position != start;
      for (std::size_t m = 0; m < values.size(); ++m)
        values[m].values.push_back(target.moments[m].function(state.position));
    }
    if (!has_moved) return kInfinity;  // chains that stand still where they should are no evidence
  }
  double worst = 0.0;
  for (std::size_t m = 0; m < values.size(); ++m)
    worst =
        worse(worst, std::fabs(diagnose::mean(values[m].values) - target.moments[m].expectation) /
                         diagnose::mcse_mean(values[m]));
  return worst;
}

inline void expect_long_run(const TransitionMaker& make, const LongRun& run = {},
                            const std::vector<Target>& targets = invariance_targets()) {
  for (const Target& target : targets) {
    double z = long_run_z(target, make, run);
    if (z > kInvarianceLimit) z = long_run_z(target, make, four_times(run));
    EXPECT_LE(z, kInvarianceLimit) << target.name;
  }
}

// ---- whole runs, warm-up included ----

inline double moments_z(const Target& target, const density::Draws& draws) {
  std::vector<double> row(static_cast<std::size_t>(draws.num_quantities()));
  double worst = 0.0;
  for (const Moment& moment : target.moments) {
    diagnose::ChainsCopy values{{}, draws.num_draws(), draws.num_chains()};
    for (Index c = 0; c < draws.num_chains(); ++c)
      for (Index s = 0; s < draws.num_draws(); ++s) {
        draws.get(s, c, row);
        values.values.push_back(moment.function(row));
      }
    const double off = diagnose::mean(values.values) - moment.expectation;
    worst = worse(worst, std::fabs(off) / mcse_mean(values));
  }
  return worst;
}

// run(options, store) makes the draws.
template <class Run>
void expect_moments(const Target& target, infer::SampleOptions options, const Run& run) {
  const auto z = [&] {
    infer::StoredDraws store;
    run(options, store);
    return moments_z(target, store.draws);
  };
  double found = z();
  if (found > kInvarianceLimit) {
    options.num_draws *= 4;
    options.seed += 1000;
    found = z();
  }
  EXPECT_LE(found, kInvarianceLimit) << target.name << ' ' << options.sampler;
}

inline void expect_whole_run(const Target& target, const infer::SampleOptions& options) {
  expect_moments(target, options, [&](const infer::SampleOptions& use, infer::DrawSink& sink) {
    run_chains(*target.density, use, sink);
  });
}
inline void expect_whole_run_of(const infer::KernelMaker& make, const Target& target,
                                const infer::SampleOptions& options) {
  expect_moments(target, options, [&](const infer::SampleOptions& use, infer::DrawSink& sink) {
    run_kernel(*target.density, use, make, sink);
  });
}

}  // namespace credo::testing
