#include "infer/mcmc/hamiltonian/split_hmc.hpp"

#include "infer/compose/compose.hpp"
#include "infer/core/table.hpp"
#include "infer/invariance.hpp"

namespace credo::infer::split_hmc_test {
namespace {
using namespace credo::testing;

// ---- the flow ----

TEST(harmonic_flow, is_the_exact_motion_of_oscillators_and_of_free_points) {
  const std::vector<double> frequency = {0.0, 1.0, 1.0, 7.5, 300.0}, centre = {0, 1, -2, 0.5, 0.1};
  const double time = 0.7;
  HarmonicFlow flow(5);
  flow.set(frequency, time);
  std::vector<double> x = {0.3, 2.0, -1.0, 0.4, 0.2}, v = {1.5, -0.5, 0.1, 2.0, -3.0};
  const std::vector<double> x0 = x, v0 = v;
  flow.apply(centre, x, v);
  for (std::size_t d = 0; d < 5; ++d) {
    const double w = frequency[d], off = x0[d] - centre[d];
    const double sine = w > 0.0 ? std::sin(w * time) / w : time;
    EXPECT_NEAR(x[d], centre[d] + off * std::cos(w * time) + v0[d] * sine, 1e-14 * (1 + w)) << d;
    EXPECT_NEAR(v[d], v0[d] * std::cos(w * time) - off * w * std::sin(w * time), 1e-14 * (1 + w));
  }
  for (double& value : v) value = -value;  // there and back
  flow.apply(centre, x, v);
  for (std::size_t d = 0; d < 5; ++d) EXPECT_NEAR(x[d], x0[d], 1e-13) << d;
}

// ---- invariance ----

// The quadratic part is that of a normal with this centre and the variances 0.5, 0.75, ….
TransitionMaker fitted(const SplitHmcOptions& options, double centre) {
  return maker_of<SplitHmc>(options, [centre](SplitHmc& kernel) {
    Metric& metric = kernel.settings.metric;
    const auto n = static_cast<std::size_t>(metric.dimension());
    std::vector<double> inverse(metric.inverse().begin(), metric.inverse().end());
    const std::size_t stride = metric.kind() == MetricKind::dense ? n + 1 : 1;
    for (std::size_t d = 0; d < n; ++d) inverse[d * stride] = 0.5 + 0.25 * static_cast<double>(d);
    if (metric.kind() == MetricKind::dense && n > 1) inverse[1] = inverse[n] = 0.3;
    EXPECT_TRUE(metric.set_inverse(inverse));
    kernel.settings.centre.assign(n, centre);
    kernel.settings.fitted = true;
  });
}

// Precisions 0, 0.6, 1.2, …, so that some coordinates have no quadratic part.
TransitionMaker given(SplitHmcOptions options) {
  return [options](Index dimension) {
    SplitHmcOptions use = options;
    for (Index d = 0; d < dimension; ++d) use.precision.push_back(0.6 * static_cast<double>(d));
    return maker_of<SplitHmc>(use)(dimension);
  };
}

TEST(split_hmc, leaves_the_targets_invariant) {
  for (const double step_size : {0.3, 1.0}) {
    expect_invariant(given({.step_size = step_size, .time_jitter = 0.3}));
    expect_invariant(fitted({.step_size = step_size}, 0.2));
  }
}
TEST(split_hmc, leaves_the_targets_invariant_with_a_dense_metric_and_without_a_quadratic_part) {
  expect_invariant(fitted({.step_size = 0.6, .metric = MetricKind::dense}, -0.3));
  expect_invariant(maker_of<SplitHmc>({.step_size = 0.6}));
}
TEST(split_hmc, finds_the_moments_of_long_runs) {
  expect_long_run(fitted({.step_size = 0.5}, 0.1), {.num_draws = 10'000});
}

// Two steps on a quadratic part of precision 1 with a unit metric.
struct Mutant {
  double flow_frequency = 1.0;
  bool palindrome = true;
  bool trusts_flow = false;  // counts the energy of the kicks and of the rest only
};

Transition transition_of_mutant(const Mutant& mutant, double step_size) {
  return [=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
    const std::size_t n = state.position.size();
    const std::vector<double> frequency(n, mutant.flow_frequency), centre(n, 0.0);
    HarmonicFlow flow(static_cast<Index>(n));
    flow.set(frequency, step_size);
    PointState there = state;
    std::vector<double> v(n);
    for (double& z : v) z = rng.normal();
    const auto half_square = [](const std::vector<double>& values) {
      double sum = 0.0;
      for (const double value : values) sum += 0.5 * value * value;
      return sum;
    };
    double kicked = 0.0;  // change of the kinetic energy by kicks
    const auto kick = [&](double time) {
      kicked -= half_square(v);
      for (std::size_t d = 0; d < n; ++d) v[d] += time * (there.gradient[d] + there.position[d]);
      kicked += half_square(v);
    };
    const double start = half_square(v) - state.log_density;
    const double start_rest = -state.log_density - half_square(state.position);
    for (int i = 0; i < 2; ++i) {
      kick(mutant.palindrome ? 0.5 * step_size : step_size);
      flow.apply(centre, there.position, v);
      Evaluate question = evaluate(there.position, there.gradient);
      answer(evaluator, question);
      there.log_density = question.request.log_density;
      if (mutant.palindrome) kick(0.5 * step_size);
    }
    const double rest = -there.log_density - half_square(there.position);
    const double error = mutant.trusts_flow ? kicked + rest - start_rest
                                            : half_square(v) - there.log_density - start;
    if (rng.uniform() < metropolis_prob(-error)) state = there;
  };
}

TransitionMaker maker_of_mutant(const Mutant& mutant) {
  return [=](Index) { return transition_of_mutant(mutant, 0.7); };
}

TEST(invariance_suite, accepts_the_split_step_that_the_mutants_are_made_from) {
  expect_invariant(maker_of_mutant({}));
  expect_invariant(maker_of_mutant({.trusts_flow = true}));
  expect_invariant(maker_of_mutant({.flow_frequency = 1.3}));  // corrected by its energy
}
TEST(invariance_suite, rejects_a_wrong_frequency_that_is_not_corrected) {
  EXPECT_TRUE(is_rejected(maker_of_mutant({.flow_frequency = 1.3, .trusts_flow = true})));
}
TEST(invariance_suite, rejects_a_splitting_that_is_no_palindrome) {
  EXPECT_TRUE(is_rejected(maker_of_mutant({.palindrome = false})));
}

// ---- what it is good for ----

// Oscillators with the precisions 1 … 1e6, and two coordinates beside them whose distribution is a banana.
Target stiff(Index num_oscillators) {
  Target target{.name = "stiff", .density = nullptr, .moments = {}, .draw = nullptr};
  const auto precision = [num_oscillators](Index k) {
    return std::pow(1e6, double(k) / double(num_oscillators - 1));
  };
  target.density = density_of(num_oscillators + 2, [=](Point x, Slope gradient) {
    const double off = x[1] - 0.5 * x[0] * x[0];
    gradient[0] = -x[0] + 4.0 * off * x[0];
    gradient[1] = -4.0 * off;
    double sum = -0.5 * x[0] * x[0] - 2.0 * off * off;
    for (Index k = 0; k < num_oscillators; ++k) {
      const auto d = static_cast<std::size_t>(k + 2);
      gradient[d] = -precision(k) * x[d];
      sum += 0.5 * x[d] * gradient[d];
    }
    return sum;
  });
  target.draw = [=](Rng& rng, Slope x) {
    x[0] = rng.normal();
    x[1] = 0.5 * x[0] * x[0] + 0.5 * rng.normal();
    for (Index k = 0; k < num_oscillators; ++k)
      x[static_cast<std::size_t>(k + 2)] = rng.normal() / std::sqrt(precision(k));
  };
  return target;
}

template <class Kernel>
double mean_acceptance(const Target& target, Kernel& kernel) {
  const auto evaluator = target.density->make_evaluator();
  std::vector<double> start(static_cast<std::size_t>(target.density->dimension()));
  double sum = 0.0;
  constexpr int kStarts = 400;
  for (std::uint32_t i = 0; i < kStarts; ++i) {
    Rng rng({.seed = 5, .purpose = purpose::kTest, .iteration = i});
    target.draw(rng, start);
    PointState state = state_at(*evaluator, start);
    sum += run_alone(kernel.step(state, rng), *evaluator).accept_stat;
  }
  return sum / kStarts;
}

TEST(split_hmc, has_an_acceptance_that_number_and_stiffness_of_the_oscillators_do_not_change) {
  std::vector<double> found;
  for (const Index count : {2, 30, 1000}) {
    const Target target = stiff(count);
    SplitHmcOptions options{.step_size = 0.3, .metric = MetricKind::unit};
    options.precision = {0.0, 0.0};
    for (Index k = 0; k < count; ++k)
      options.precision.push_back(std::pow(1e6, double(k) / double(count - 1)));
    SplitHmc split(options, target.density->dimension());
    found.push_back(mean_acceptance(target, split));
    EXPECT_GT(found.back(), 0.85) << count;
    HmcStatic plain({.step_size = 0.3, .metric = MetricKind::unit, .integration_time = 1.5},
                    target.density->dimension());
    EXPECT_LT(mean_acceptance(target, plain), 0.01) << count;
  }
  // Standard errors of 400 acceptances with an sd of some 0.15, twice.
  EXPECT_NEAR(found[1], found[0], 4.0 * std::sqrt(2.0) * 0.15 / 20.0);
  EXPECT_NEAR(found[2], found[0], 4.0 * std::sqrt(2.0) * 0.15 / 20.0);
}

// The energy of the quadratic part is kept to rounding; a trajectory of a quarter of an oscillation
// ends at the velocity it started with, an independent draw.
TEST(split_hmc, draws_independently_where_the_target_is_its_quadratic_part) {
  const Target target = normal_with("normal", {0.01, 1.0, 50.0});
  const auto evaluator = target.density->make_evaluator();
  SplitHmc kernel({.step_size = 5.0, .precision = {1e4, 1.0, 1.0 / 2500.0}}, 3);
  ASSERT_TRUE(kernel.settings.metric.set_inverse(std::vector<double>{1e-4, 1.0, 2500.0}));
  PointState state = state_at(*evaluator, std::vector<double>{0.02, 0.3, -80.0});
  for (std::uint32_t i = 0; i < 100; ++i) {
    Rng rng({.seed = 8, .purpose = purpose::kTest, .iteration = i}), same = rng;
    const HmcStaticInfo info = run_alone(kernel.step(state, rng), *evaluator);
    EXPECT_NEAR(info.accept_stat, 1.0, 1e-12);
    EXPECT_EQ(info.num_leapfrog, 1);
    EXPECT_NEAR(state.position[2], 50.0 * (same.normal(), same.normal(), same.normal()), 1e-12);
  }
}

// ---- warm-up, through the table ----

TEST(split_hmc, fits_the_normal_part_in_warm_up) {
  StoredDraws store;
  const Target target = correlated_normal(0.9);
  const RunResult run = run_chains(*target.density,
                                   {.sampler = "split_hmc",
                                    .num_chains = 2,
                                    .num_warmup = 2000,
                                    .num_draws = 4000,
                                    .kernel = SplitHmcOptions{.metric = MetricKind::dense}},
                                   store);
  EXPECT_NEAR(run.chains[0].inv_metric[3], 9.0, 9.0 * 4.0 * std::sqrt(2.0 / 400.0));
  for (Index d = 0; d < 2; ++d) {
    const diagnose::Chains chains = diagnose::quantity(store.draws, d);
    EXPECT_LE(std::fabs(diagnose::mean(chains.values)), 4.0 * diagnose::mcse_mean(chains));
    EXPECT_GT(diagnose::ess_bulk(chains), 4000.0);  // of 8000 that are nearly independent
  }
}

TEST(split_hmc, finds_the_moments_through_the_table) {
  expect_whole_run(banana(), {.sampler = "split_hmc", .num_draws = 5000, .seed = test_seed(3)});
}

TEST(split_hmc, finds_the_moments_in_a_composition) {
  expect_whole_run_of(cycle({on_coordinates({0}, kernel("split_hmc")), kernel("split_hmc")}),
                      banana(), {.num_draws = 5000, .seed = test_seed(3)});
}

TEST(split_hmc, gives_the_same_draws_for_any_number_of_threads) {
  std::vector<double> first;
  for (const Index threads : {1, 2, 3}) {
    StoredDraws store;
    run_chains(*funnel(1.0).density,
               {.sampler = "split_hmc", .num_chains = 3, .num_draws = 50, .num_threads = threads},
               store);
    std::vector<double> all(store.draws.quantity(0).begin(), store.draws.quantity(0).end());
    if (first.empty()) first = all;
    EXPECT_EQ(all, first);
  }
}

TEST(split_hmc, refuses_a_quadratic_part_that_does_not_fit) {
  EXPECT_THROW(SplitHmc({.precision = {1.0}}, 2), Error);
  EXPECT_THROW(SplitHmc({.precision = {1.0, -1.0}}, 2), Error);
  EXPECT_THROW(SplitHmc({.precision = {1.0, kNaN}}, 2), Error);
  EXPECT_THROW(SplitHmc({.precision = {1.0, 1.0}, .centre = {0.0}}, 2), Error);
  EXPECT_THROW(SplitHmc({.metric = MetricKind::dense, .precision = {1.0, 1.0}}, 2), Error);
}

TEST(split_hmc, treats_a_refused_point_as_the_end_of_its_trajectory) {
  StoredDraws store;
  const RunResult run = run_chains(
      *nan_beyond(1.0),
      {.sampler = "split_hmc", .num_warmup = 200, .num_draws = 200, .init_radius = 0.5}, store);
  EXPECT_FALSE(run.refusals.empty());
  for (const double x : store.draws.quantity(0)) EXPECT_LE(std::fabs(x), 1.0);
}

}  // namespace
}  // namespace credo::infer::split_hmc_test
