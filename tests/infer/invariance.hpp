// The invariance suite: what every transition kernel must pass, and every mutant fail.
//
//   TEST(rwm, leaves_the_targets_invariant) { expect_invariant(maker_of<Rwm>({.scale = 0.8})); }
//   EXPECT_TRUE(is_rejected(a_mutant));
//
// Two claims for each of the targets (normal, correlated, funnel, banana, two bounded ones through
// their transforms, two modes):
//   exact start: the ends of a few transitions from independent exact draws are exact draws.
//     Moments: z is standard normal, |z| > 4 has probability 6e-5. Ranks: the ends against as many
//     fresh draws, by the two-sample statistic of Kolmogorov and Smirnov, scaled so that 4 has the
//     same probability;
//   long run: moments of chains that start from exact draws, in standard errors from their own
//     autocorrelation.
// Of populations the joint law of the walkers is asked, too. A failure counts when it repeats with
// four times the draws on another seed. CREDO_TEST_SEED moves all seeds.
#pragma once
#include <gtest/gtest.h>

#include "diagnose/convergence.hpp"
#include "infer/compose.hpp"
#include "infer/population.hpp"
#include "infer/sample.hpp"
#include "support/kernel_checks.hpp"
#include "support/test_seed.hpp"

namespace credo::testing {

// Makes a kernel for a dimension. Kernels with a state of their own start it from the point.
using TransitionMaker = std::function<Transition(Index dimension)>;

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

// Of a composition, without warm-up.
inline TransitionMaker maker_of_parts(const infer::KernelMaker& make) {
  return [make](Index dimension) {
    infer::SampleOptions run{.num_warmup = 0};
    run.adapt.engaged = false;
    std::shared_ptr<infer::TransitionKernel> kernel = make({.run = run, .dimension = dimension});
    return Transition([kernel](density::Evaluator& evaluator, infer::PointState& state, Rng& rng) {
      run_alone(kernel->step(state, rng), evaluator);
    });
  };
}

inline std::vector<Target> invariance_targets() {
  return {standard_normal(3),         correlated_normal(0.8), funnel(1.0), banana(),
          half_normal_on_log_scale(), beta_on_logit_scale(),  two_modes()};
}

struct InvarianceOptions {
  int num_starts = 10'000;
  int num_steps = 3;
  std::uint64_t seed = test_seed(99);
};

// Ends of `num_steps` transitions from exact draws: num_starts × D.
inline std::vector<double> ends_of(const Target& target, const TransitionMaker& make,
                                   const InvarianceOptions& options) {
  const auto evaluator = target.density->make_evaluator();
  const Transition transition = make(target.density->dimension());
  std::vector<double> start(static_cast<std::size_t>(target.density->dimension())), ends;
  for (int i = 0; i < options.num_starts; ++i) {
    Rng rng({.seed = options.seed,
             .purpose = purpose::kTest,
             .iteration = static_cast<std::uint32_t>(i)});
    target.draw(rng, start);
    infer::PointState state = state_at(*evaluator, start);
    for (int s = 0; s < options.num_steps; ++s) transition(*evaluator, state, rng);
    ends.insert(ends.end(), state.position.begin(), state.position.end());
  }
  return ends;
}

inline double worst_moment_z(const Target& target, std::span<const double> ends) {
  const auto width = static_cast<std::size_t>(target.density->dimension());
  double worst = 0.0;
  for (const Moment& moment : target.moments) {
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < ends.size(); i += width) {
      const double off = moment.function(ends.subspan(i, width)) - moment.expectation;
      sum += off, squares += off * off;
    }
    worst = worse(worst, std::fabs(sum) / std::sqrt(squares));
  }
  return worst;
}

// sup |F - G| sqrt(n / 2) of two samples of n exceeds 2.29 with probability 2 exp(-2 · 2.29²) =
// 6e-5; scaled to 4.
inline double rank_statistic(std::vector<double> a, std::vector<double> b) {
  if (std::any_of(a.begin(), a.end(), [](double x) { return std::isnan(x); })) return kInfinity;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double sup = 0.0;
  for (std::size_t i = 0, j = 0; i < a.size(); ++i) {
    while (j < b.size() && b[j] <= a[i]) ++j;
    sup = std::max(sup, std::fabs(double(i + 1) - double(j)));
  }
  const double n = static_cast<double>(a.size());
  return sup / n * std::sqrt(0.5 * n) * (4.0 / 2.29);
}

inline double worst_rank_statistic(const Target& target, std::span<const double> ends,
                                   std::uint64_t seed) {
  const auto width = static_cast<std::size_t>(target.density->dimension());
  std::vector<double> fresh(ends.size());
  Rng rng({.seed = seed, .purpose = purpose::kTest + 1});
  for (std::size_t i = 0; i < fresh.size(); i += width)
    target.draw(rng, std::span(fresh).subspan(i, width));
  double worst = 0.0;
  for (std::size_t d = 0; d < width; ++d) {
    std::vector<double> a, b;
    for (std::size_t i = d; i < ends.size(); i += width)
      a.push_back(ends[i]), b.push_back(fresh[i]);
    worst = worse(worst, rank_statistic(a, b));
  }
  return worst;
}

inline double exact_start_z(const Target& target, const TransitionMaker& make,
                            const InvarianceOptions& options) {
  const std::vector<double> ends = ends_of(target, make, options);
  return worse(worst_moment_z(target, ends), worst_rank_statistic(target, ends, options.seed));
}

// The statistic, and where it is too large that of four times the draws on another seed.
template <class Statistic>
double repeated(const Statistic& statistic, InvarianceOptions options) {
  const double z = statistic(options);
  if (z <= kInvarianceLimit) return z;
  options.num_starts *= 4;
  options.seed += 1000;
  return statistic(options);
}

inline void expect_invariant(const TransitionMaker& make, const InvarianceOptions& options = {},
                             const std::vector<Target>& targets = invariance_targets()) {
  for (const Target& target : targets) {
    const auto z = [&](const InvarianceOptions& use) { return exact_start_z(target, make, use); };
    EXPECT_LE(repeated(z, options), kInvarianceLimit) << target.name;
  }
}

inline bool is_rejected(const TransitionMaker& make, const InvarianceOptions& options = {},
                        const std::vector<Target>& targets = invariance_targets()) {
  return std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
    const auto z = [&](const InvarianceOptions& use) { return exact_start_z(target, make, use); };
    return repeated(z, options) > kInvarianceLimit;
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
// The law of a population at rest is a product, so that walkers that start as independent exact
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
                                           const InvarianceOptions& options) {
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

inline double population_z(const Target& target, const PopulationMaker& maker,
                           const InvarianceOptions& options) {
  const std::vector<double> ends = population_ends(target, maker, options);
  const double each =
      worse(worst_moment_z(target, ends), worst_rank_statistic(target, ends, options.seed));
  const double joint =
      worse(worst_pair_z(target, ends, maker.num_walkers),
            distance_rank_statistic(target, ends, maker.num_walkers, options.seed));
  return worse(each, joint);
}

inline void expect_population_invariant(const PopulationMaker& maker,
                                        const InvarianceOptions& options = {},
                                        const std::vector<Target>& targets = invariance_targets()) {
  for (const Target& target : targets) {
    const auto z = [&](const InvarianceOptions& use) { return population_z(target, maker, use); };
    EXPECT_LE(repeated(z, options), kInvarianceLimit) << target.name;
  }
}

inline bool is_population_rejected(const PopulationMaker& maker,
                                   const InvarianceOptions& options = {},
                                   const std::vector<Target>& targets = invariance_targets()) {
  return std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
    const auto z = [&](const InvarianceOptions& use) { return population_z(target, maker, use); };
    return repeated(z, options) > kInvarianceLimit;
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
