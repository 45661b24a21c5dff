// Rao-Blackwellised filters against all paths of regimes, of which each has a Kalman filter, and faults that are planted.
#include "infer/smc/switching_filter.hpp"

#include <gtest/gtest.h>

#include "infer/smc/filter_checkpoints.hpp"
#include "support/test_seed.hpp"

namespace credo::infer::switching_filter_test {
namespace {
using numerics::LinearGaussianStep;
using numerics::SwitchingModel;
constexpr Index kTimes = 7;

// Two elements, of which one is observed; the third outcome is missing, and the chain depends on the time.
SwitchingModel model_of(Index num_regimes) {
  const std::vector<double> y = {0.4, -1.3, kNaN, 2.2, 0.3, -0.8, 1.9};
  SwitchingModel model;
  for (Index k = 0; k < num_regimes; ++k) {
    const double own = static_cast<double>(k);
    std::vector<LinearGaussianStep>& steps = model.steps.emplace_back();
    for (Index t = 0; t < kTimes; ++t) {
      LinearGaussianStep step{.matrix = {0.9 - 0.7 * own, 0.1, 0.3, 0.5 + 0.2 * own},
                              .offset = {0.8 * own - 0.4, 0.1},
                              .noise = {0.3 + 0.5 * own, 0.1, 0.1, 0.4},
                              .observation = {1.0, 0.5 - own},
                              .observation_offset = {0.2 * own},
                              .observation_noise = {0.2 + 0.3 * own},
                              .outcome = {y[static_cast<std::size_t>(t)]}};
      if (t == 0) step.matrix.clear();
      steps.push_back(std::move(step));
    }
  }
  const double rest = 1.0 / static_cast<double>(num_regimes);
  for (Index k = 0; k < num_regimes; ++k)
    model.initial.push_back(num_regimes == 2 ? (k == 0 ? 0.7 : 0.3) : rest);
  for (Index t = 0; t < kTimes; ++t) {
    std::vector<double>& all = model.transition.emplace_back();
    const double stays = num_regimes == 1 ? 1.0 : 0.8 - 0.05 * static_cast<double>(t);
    for (Index j = 0; j < num_regimes && t > 0; ++j)
      for (Index k = 0; k < num_regimes; ++k)
        all.push_back(j == k ? stays : (1.0 - stays) / static_cast<double>(num_regimes - 1));
  }
  return model;
}

struct Exact {
  double likelihood = 0.0;
  std::vector<double> regimes, mean, square;  // at the last time
};
// Every path, with its Kalman filter.
Exact enumerated(const SwitchingModel& model) {
  Exact exact;
  const Index K = model.num_regimes();
  exact.regimes.assign(static_cast<std::size_t>(K), 0.0);
  exact.mean = exact.square = {0.0, 0.0};
  Index paths = 1;
  for (Index t = 0; t < kTimes; ++t) paths *= K;
  for (Index path = 0; path < paths; ++path) {
    std::vector<LinearGaussianStep> steps;
    double p = 1.0;
    Index before = 0, rest = path;
    for (Index t = 0; t < kTimes; ++t, rest /= K) {
      const Index k = rest % K;
      p *= t == 0 ? model.initial[static_cast<std::size_t>(k)]
                  : model.transition[static_cast<std::size_t>(t)]
                                    [static_cast<std::size_t>(before * K + k)];
      steps.push_back(model.steps[static_cast<std::size_t>(k)][static_cast<std::size_t>(t)]);
      before = k;
    }
    const numerics::KalmanResult run = numerics::kalman_filter(steps);
    p *= std::exp(run.log_likelihood);
    exact.likelihood += p;
    exact.regimes[static_cast<std::size_t>(before)] += p;
    const numerics::GaussianState& last = run.filtered.back();
    const std::vector<double> covariance = last.covariance();
    for (std::size_t e = 0; e < 2; ++e) {
      exact.mean[e] += p * last.mean[e];
      exact.square[e] += p * (last.mean[e] * last.mean[e] + covariance[3 * e]);
    }
  }
  for (double& x : exact.regimes) x /= exact.likelihood;
  for (std::size_t e = 0; e < 2; ++e)
    exact.mean[e] /= exact.likelihood, exact.square[e] /= exact.likelihood;
  return exact;
}

TEST(switching_filter, is_exact_while_there_are_no_more_paths_than_particles) {
  const SwitchingModel model = model_of(2);
  const Exact exact = enumerated(model);
  const SwitchingResult found =
      run_switching_filter(model, {.num_particles = 128}, RegimeMoves::optimal);
  EXPECT_NEAR(found.filtered.log_likelihood, std::log(exact.likelihood), 1e-11);
  const FilteredTime& last = found.filtered.times.back();
  for (std::size_t e = 0; e < 2; ++e) {
    EXPECT_NEAR(last.mean[e], exact.mean[e], 1e-11);
    EXPECT_NEAR(last.sd[e], std::sqrt(exact.square[e] - exact.mean[e] * exact.mean[e]), 1e-11);
    EXPECT_NEAR(found.regimes.back()[e], exact.regimes[e], 1e-11);
  }
}

// One regime: the Kalman filter, whatever the particles.
TEST(switching_filter, is_the_kalman_filter_of_one_regime) {
  const SwitchingModel model = model_of(1);
  const numerics::KalmanResult exact = numerics::kalman_filter(model.steps[0]);
  for (const RegimeMoves moves : {RegimeMoves::prior, RegimeMoves::optimal}) {
    const SwitchingResult found = run_switching_filter(model, {.num_particles = 5}, moves);
    EXPECT_NEAR(found.filtered.log_likelihood, exact.log_likelihood, 1e-12);
    for (std::size_t t = 0; t < static_cast<std::size_t>(kTimes); ++t) {
      const FilteredTime& at = found.filtered.times[t];
      EXPECT_NEAR(at.mean[1], exact.filtered[t].mean[1], 1e-12);
      EXPECT_NEAR(at.sd[1], std::sqrt(exact.filtered[t].covariance()[3]), 1e-12);
      EXPECT_NEAR(at.quantiles[5], at.mean[1] + 1.6448536269514722 * at.sd[1], 1e-9);
    }
  }
}

Index num_seeds() {
  const char* asked = std::getenv("CREDO_FILTER_SEEDS");
  return asked == nullptr ? 400 : std::atoll(asked);
}

// Standard score of the mean likelihood over seeds.
double score(const SwitchingModel& model, FilterOptions options, RegimeMoves moves,
             Index num_runs = num_seeds()) {
  const double truth = enumerated(model_of(model.num_regimes())).likelihood;
  options.seed = testing::test_seed(11), options.quantiles = false;
  double mean = 0.0, square = 0.0;
  const double n = static_cast<double>(num_runs);
  for (Index r = 0; r < num_runs; ++r) {
    const double ratio =
        std::exp(run_switching_filter(model, options, moves, r).filtered.log_likelihood) / truth;
    mean += ratio / n, square += ratio * ratio / n;
  }
  return (mean - 1.0) / std::sqrt((square - mean * mean) / (n - 1.0));
}

// |z| < 3 fails for a right filter once in 370 sets of seeds; the seeds are fixed.
TEST(switching_filter, estimates_the_likelihood_without_bias) {
  for (const Index regimes : {2, 3}) {
    const SwitchingModel model = model_of(regimes);
    for (const double below : {0.0, 0.5, 1.0}) {
      const double z =
          score(model, {.num_particles = 12, .resample_below = below}, RegimeMoves::prior);
      std::printf("prior, %td regimes, below %.1f: z = %.2f\n",
                  static_cast<std::ptrdiff_t>(regimes), below, z);
      EXPECT_LT(std::fabs(z), 3.0);
    }
    const double z = score(model, {.num_particles = 12}, RegimeMoves::optimal);
    std::printf("optimal, %td regimes: z = %.2f\n", static_cast<std::ptrdiff_t>(regimes), z);
    EXPECT_LT(std::fabs(z), 3.0);
  }
}

void shifted(const WeightedParents& of, Rng& rng, std::span<std::int32_t> parents) {
  resampling_scheme("systematic").draw(of, rng, parents);
  for (std::int32_t& p : parents) p = (p + 1) % static_cast<std::int32_t>(parents.size());
}
void flattened(const WeightedParents& of, Rng& rng, std::span<std::int32_t> parents) {
  std::vector<double> flat;
  double total = 0.0;
  for (const double w : of.weights) total += flat.emplace_back(std::sqrt(w));
  resampling_scheme("multinomial").draw({flat, total}, rng, parents);
}

TEST(switching_filter, with_faults_that_are_planted_is_found) {
  constexpr Index kManyRuns = 2000;
  for (const auto& draw : {shifted, flattened}) {
    const ResamplingScheme scheme{"planted", "", "", draw};
    EXPECT_GT(std::fabs(score(model_of(2),
                              {.num_particles = 12, .resample_below = 1.0, .scheme = &scheme},
                              RegimeMoves::prior, kManyRuns)),
              4.0);
  }
  // A regime's chance that is missing from the weights.
  SwitchingModel even = model_of(2);
  for (auto& all : even.transition)
    for (double& p : all) p = 0.5;
  for (const RegimeMoves moves : {RegimeMoves::prior, RegimeMoves::optimal})
    EXPECT_GT(std::fabs(score(even, {.num_particles = 12}, moves, kManyRuns)), 4.0);
}

TEST(switching_filter, gives_the_same_bits_for_any_number_of_threads) {
  const SwitchingModel model = model_of(3);
  for (const RegimeMoves moves : {RegimeMoves::prior, RegimeMoves::optimal}) {
    const auto one = run_switching_filter(model, {.num_particles = 300}, moves),
               three = run_switching_filter(model, {.num_particles = 300, .num_threads = 3}, moves);
    EXPECT_EQ(one.filtered.log_likelihood, three.filtered.log_likelihood);
    EXPECT_EQ(one.filtered.times.back().quantiles, three.filtered.times.back().quantiles);
    EXPECT_EQ(one.regimes, three.regimes);
  }
}

// Keeps every state.
class KeptAlways final : public FilterCheckpoints {
 public:
  std::string kept(Index) override { return from; }
  bool is_due(Index) override { return true; }
  void keep(Index, const std::string& of) override { states.push_back(of); }
  std::string from;
  std::vector<std::string> states;
};

TEST(switching_filter, goes_on_from_any_time_to_the_same_bits_for_any_number_of_threads) {
  const SwitchingModel model = model_of(2);
  for (const RegimeMoves moves : {RegimeMoves::prior, RegimeMoves::optimal}) {
    KeptAlways all;
    const std::string expected =
        archived(run_switching_filter(model, {.num_particles = 100, .checkpoints = &all}, moves));
    ASSERT_EQ(ssize(all.states), kTimes - 1);
    for (std::size_t k = 0; k < all.states.size(); ++k) {
      KeptAlways one;
      one.from = all.states[k];
      const FilterOptions options{
          .num_particles = 100, .num_threads = static_cast<Index>(1 + k % 4), .checkpoints = &one};
      EXPECT_EQ(archived(run_switching_filter(model, options, moves)), expected) << k;
    }
  }
}

}  // namespace
}  // namespace credo::infer::switching_filter_test
