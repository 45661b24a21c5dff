#include "infer/mcmc/langevin/langevin.hpp"

#include "infer/core/chain.hpp"
#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "infer/mcmc/langevin/barker.hpp"

namespace credo::infer::langevin_test {
namespace {
using namespace credo::testing;

// ---- invariance ----

TEST(mala, leaves_the_targets_invariant) {
  for (const double step_size : {0.3, 1.0})
    expect_invariant(maker_of<Mala>({.step_size = step_size}));
}
TEST(mala, finds_the_moments_of_long_runs) { expect_long_run(maker_of<Mala>({.step_size = 0.8})); }
TEST(barker, leaves_the_targets_invariant) {
  for (const double scale : {0.5, 2.0}) expect_invariant(maker_of<Barker>({.scale = scale}));
  expect_invariant(
      maker_of<Barker>({.scale = 1.0, .metric = MetricKind::dense}, [](Barker& kernel) {
        const auto n = static_cast<std::size_t>(kernel.settings.metric.dimension());
        std::vector<double> covariance(n * n, 0.4);
        for (std::size_t d = 0; d < n; ++d) covariance[d * (n + 1)] = 1.0 + double(d);
        EXPECT_TRUE(kernel.settings.metric.set_inverse(covariance));
      }));
}
TEST(barker, finds_the_moments_of_long_runs) { expect_long_run(maker_of<Barker>({.scale = 1.2})); }

TEST(invariance_suite, rejects_langevin_steps_without_a_decision) {
  EXPECT_TRUE(is_rejected(maker_of<Ula>({.step_size = 0.8})));
}

// Signs chosen by the gradient, decided by the ratio of the densities alone.
TEST(invariance_suite, rejects_a_barker_proposal_without_its_ratio) {
  EXPECT_TRUE(is_rejected([](Index) {
    return [](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      PointState there = state;
      for (std::size_t d = 0; d < there.position.size(); ++d) {
        const double z = rng.normal();
        const bool keep = rng.uniform() < 1.0 / (1.0 + std::exp(-z * state.gradient[d]));
        there.position[d] += keep ? z : -z;
      }
      Evaluate question = evaluate(there.position, there.gradient);
      answer(evaluator, question);
      there.log_density = question.request.log_density;
      if (std::log(rng.uniform()) < there.log_density - state.log_density) state = there;
    };
  }));
}

// ---- MALA is HMC with one step ----

TEST(mala, is_static_hmc_with_one_leapfrog_step) {
  for (const Target& target : invariance_targets()) {
    const Index dimension = target.density->dimension();
    const auto evaluator = target.density->make_evaluator();
    Mala mala({.step_size = 0.6}, dimension);
    HmcStatic hmc({.step_size = 0.6, .integration_time = 0.6}, dimension);
    PointState a = state_at(*evaluator, std::vector<double>(std::size_t(dimension), 0.3)), b = a;
    for (std::uint32_t i = 0; i < 200; ++i) {
      Rng one({.seed = 3, .purpose = purpose::kTest, .iteration = i}), two = one;
      run_alone(mala.step(a, one), *evaluator);
      run_alone(hmc.step(b, two), *evaluator);
      ASSERT_EQ(a.position, b.position) << target.name;
    }
  }
}

// ---- the bias of unadjusted steps, exactly known on a normal ----

struct Variances {
  double position, velocity;
};

// Variance of position and velocity of long runs, averaged over independent chains; `errors`
// receives their standard errors.
template <class Kernel>
Variances variances_of(Kernel& kernel, Variances& errors) {
  constexpr int kChains = 40, kSteps = 20'000;
  const Target target = standard_normal(1);
  const auto evaluator = target.density->make_evaluator();
  std::vector<double> x2, v2;
  for (std::uint32_t c = 0; c < kChains; ++c) {
    Rng rng({.seed = test_seed(21), .purpose = purpose::kTest, .chain = c});
    typename Kernel::State state;
    static_cast<PointState&>(state) = state_at(*evaluator, std::vector<double>{rng.normal()});
    if constexpr (requires { kernel.init(state, rng); }) kernel.init(state, rng);
    double x = 0.0, v = 0.0;
    for (int s = 0; s < 500; ++s) run_alone(kernel.step(state, rng), *evaluator);
    for (int s = 0; s < kSteps; ++s) {
      run_alone(kernel.step(state, rng), *evaluator);
      x += state.position[0] * state.position[0];
      if constexpr (requires { state.momentum; }) v += state.momentum[0] * state.momentum[0];
    }
    x2.push_back(x / kSteps), v2.push_back(v / kSteps);
  }
  const auto mean = [](const std::vector<double>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / kChains;
  };
  const auto error = [&](const std::vector<double>& all) {
    double sum = 0.0;
    for (const double value : all) sum += (value - mean(all)) * (value - mean(all));
    return std::sqrt(sum / (kChains - 1) / kChains);
  };
  errors = {error(x2), error(v2)};
  return {mean(x2), mean(v2)};
}

// 12.146's step η is h²/2: variance 1 / (1 - η/2); 1.0526 for 0.1, 1.3333 for 0.5. MALA has none.
TEST(ula, has_the_variance_that_its_step_size_says) {
  for (const double eta : {0.1, 0.5}) {
    Variances errors{};
    Ula ula({.step_size = std::sqrt(2.0 * eta)}, 1);
    Variances found = variances_of(ula, errors);
    EXPECT_NEAR(found.position, 1.0 / (1.0 - 0.5 * eta), 4.0 * errors.position);
    Mala mala({.step_size = std::sqrt(2.0 * eta)}, 1);
    found = variances_of(mala, errors);
    EXPECT_NEAR(found.position, 1.0, 4.0 * errors.position);
  }
}

// On E = x²/2 with γ = 1: positions have variance 1 for both, velocities 1 - h²/4 and 1/(1 - h²/4).
TEST(underdamped, has_the_variances_of_its_splitting) {
  for (const double h : {0.5, 1.0, 1.5}) {
    Variances errors{};
    Underdamped baoab({.step_size = h, .splitting = "BAOAB"}, 1);
    Variances found = variances_of(baoab, errors);
    EXPECT_NEAR(found.position, 1.0, 4.0 * errors.position) << h;
    EXPECT_NEAR(found.velocity, 1.0 - 0.25 * h * h, 4.0 * errors.velocity) << h;
    Underdamped aboba({.step_size = h, .splitting = "ABOBA"}, 1);
    found = variances_of(aboba, errors);
    EXPECT_NEAR(found.position, 1.0, 4.0 * errors.position) << h;
    EXPECT_NEAR(found.velocity, 1.0 / (1.0 - 0.25 * h * h), 4.0 * errors.velocity) << h;
  }
}

// A string that isn't a palindrome is of first order: its bias shows at a step size where BAOAB's
// doesn't.
TEST(underdamped, is_biased_where_the_splitting_is_no_palindrome) {
  Variances errors{};
  Underdamped kernel({.step_size = 1.0, .splitting = "ABO"}, 1);
  const Variances found = variances_of(kernel, errors);
  EXPECT_GT(std::fabs(found.position - 1.0), 6.0 * errors.position);
}

TEST(underdamped, refuses_a_string_without_one_of_its_parts) {
  for (const std::string splitting : {"BAB", "BAXAB", ""})
    EXPECT_THROW(Underdamped({.splitting = splitting}, 1), Error) << splitting;
}

TEST(underdamped, samples_through_the_table) {
  StoredDraws store;
  run_chains(
      *standard_normal(3).density,
      {.sampler = "underdamped", .num_draws = 4000, .kernel = UnderdampedOptions{.step_size = 0.5}},
      store);
  double square = 0.0;
  for (Index d = 0; d < 3; ++d)
    for (const double x : store.draws.quantity(d)) square += x * x;
  EXPECT_NEAR(square / (3 * 16'000), 1.0,
              0.1);  // some 5 steps a draw: 4 sqrt(2 · 5 / 48000) = 0.06
}

}  // namespace
}  // namespace credo::infer::langevin_test
