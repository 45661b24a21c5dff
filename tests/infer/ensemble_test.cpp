#include "infer/ensemble/ensemble.hpp"

#include "infer/core/chain.hpp"
#include "infer/ensemble/de_mcz.hpp"
#include "infer/ensemble/ensemble_slice.hpp"
#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "support/alloc_count.hpp"

namespace credo::infer::ensemble_test {
namespace {
using namespace credo::testing;

EnsembleOptions with_move(EnsembleMove move) { return {.num_walkers = 16, .move = move}; }

TEST(ensemble, leaves_the_targets_invariant_with_every_move) {
  for (const EnsembleMove move : {EnsembleMove::stretch, EnsembleMove::walk,
                                  EnsembleMove::differential_evolution, EnsembleMove::snooker})
    expect_population_invariant(population_of<Ensemble>(with_move(move), 16));
}
TEST(ensemble_slice, leaves_the_targets_invariant) {
  for (const SliceGrowth growth : {SliceGrowth::stepping_out, SliceGrowth::doubling})
    expect_population_invariant(
        population_of<EnsembleSlice>({.num_walkers = 16, .growth = growth}, 16));
}
TEST(de_mcz, leaves_the_targets_invariant_whatever_is_in_its_archive) {
  for (const double snooker_share : {0.0, 1.0})
    expect_population_invariant(population_of<DeMcz>(
        {.num_walkers = 4, .snooker_share = snooker_share}, 4, [](DeMcz& kernel) {
          Rng rng({.seed = 4, .purpose = purpose::kTest});
          kernel.settings.archive.resize(20 * kernel.settings.dimension);
          for (double& x : kernel.settings.archive) x = 0.5 + rng.normal();
        }));
}

// ---- mutants ----

enum class EnsembleMutation { none, power_d };

// The stretch move, plain. The mutant has exponent D for D - 1.
PopulationMaker plain_stretch(EnsembleMutation mutation) {
  const auto transition = [mutation](density::Evaluator& evaluator, PopulationState& state,
                                     Rng& rng) {
    const Index count = state.num_points();
    const auto n = static_cast<double>(state.dimension);
    for (Index w = 0; w < count; ++w) {
      Index partner = rng.index_below(count - 1);
      if (partner >= w) ++partner;
      const std::span<const double> y = state.position(partner);
      const double root = rng.uniform() + 1.0, z = root * root / 2.0;
      std::vector<double> x(y.begin(), y.end());
      for (std::size_t d = 0; d < x.size(); ++d) x[d] += z * (state.position(w)[d] - y[d]);
      const double at = state_at(evaluator, x).log_density;
      const double power = mutation == EnsembleMutation::power_d ? n : n - 1.0;
      if (std::log(rng.uniform()) < at - state.log_density(w) + power * std::log(z))
        state.set(w, {.position = x, .gradient = {}, .log_density = at});
    }
  };
  return {.make = [transition](Index) { return transition; }, .num_walkers = 6};
}

TEST(invariance_suite, accepts_a_plain_stretch_move) {
  EXPECT_FALSE(is_population_rejected(plain_stretch(EnsembleMutation::none)));
}
TEST(invariance_suite, rejects_a_stretch_move_with_the_wrong_power) {
  EXPECT_TRUE(is_population_rejected(plain_stretch(EnsembleMutation::power_d)));
}
// ---- facts ----

// The same numbers on a target under an affine map give the mapped walkers, up to rounding.
TEST(stretch, is_affine_equivariant) {
  const Target plain = standard_normal(2);
  const std::array<double, 4> a = {2.0, -1.0, 0.5, 1.5};  // columns
  const auto map = [&](std::span<const double> x, std::span<double> to) {
    to[0] = a[0] * x[0] + a[2] * x[1] + 3.0;
    to[1] = a[1] * x[0] + a[3] * x[1] - 1.0;
  };
  const auto mapped = density_of(2, [a](Point y, Slope) {
    const double u = y[0] - 3.0, v = y[1] + 1.0, det = a[0] * a[3] - a[1] * a[2];
    const double x0 = (a[3] * u - a[2] * v) / det, x1 = (a[0] * v - a[1] * u) / det;
    return -0.5 * (x0 * x0 + x1 * x1);
  });
  const auto one = plain.density->make_evaluator(), two = mapped->make_evaluator();
  Ensemble kernel({.num_walkers = 8}, 2), other({.num_walkers = 8}, 2);
  PopulationState x = kernel.make_state(), y = kernel.make_state();
  Rng start({.seed = 3, .purpose = purpose::kTest});
  for (Index w = 0; w < 8; ++w) {
    plain.draw(start, x.position(w));
    map(x.position(w), y.position(w));
    x.log_density(w) = state_at(*one, x.position(w)).log_density;
    y.log_density(w) = state_at(*two, y.position(w)).log_density;
  }
  for (std::uint32_t i = 0; i < 50; ++i) {
    Rng rng({.seed = 3, .purpose = purpose::kTest + 1, .iteration = i}), again = rng;
    run_alone(kernel.step(x, rng), *one);
    run_alone(other.step(y, again), *two);
  }
  std::vector<double> image(2);
  for (Index w = 0; w < 8; ++w) {
    map(x.position(w), image);
    for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(y.position(w)[d], image[d], 1e-9);
  }
}

// f(1/z) = z f(z) for f ∝ 1/sqrt(z) on [1/2, 2]: E z^(-1/2) f-weighted by inversion. The mean of z
// is (a² + a + 1) / (3 a) = 7/6.
TEST(stretch, draws_its_factor_from_its_density) {
  double sum = 0.0, low = 0.0;
  constexpr int kDraws = 40'000;
  Rng rng({.seed = 9, .purpose = purpose::kTest});
  for (int i = 0; i < kDraws; ++i) {
    const double root = rng.uniform() + 1.0, z = root * root / 2.0;
    sum += z, low += z < 1.0;
  }
  EXPECT_NEAR(sum / kDraws, 7.0 / 6.0, 4.0 * 0.44 / 200.0);
  EXPECT_NEAR(low / kDraws, std::sqrt(2.0) - 1.0, 4.0 * 0.5 / 200.0);
}

TEST(ensembles, find_the_moments_of_whole_runs) {
  for (const std::string sampler : {"ensemble", "ensemble_slice", "de_mcz"})
    for (const Target& target : {standard_normal(3), correlated_normal(0.8), banana(),
                                 half_normal_on_log_scale(), two_modes()})
      expect_whole_run(target, {.sampler = sampler,
                                .num_chains = 3,
                                .num_warmup = 2000,
                                .num_draws = 2000,
                                .seed = test_seed(12)});
}

TEST(ensembles, give_the_same_draws_for_any_number_of_threads) {
  for (const std::string sampler : {"ensemble", "ensemble_slice", "de_mcz", "tempering"}) {
    std::vector<double> one;
    for (const Index num_threads : {1, 3}) {
      StoredDraws store;
      run_chains(
          *eight_schools(),
          {.sampler = sampler, .num_warmup = 40, .num_draws = 20, .num_threads = num_threads},
          store);
      const auto all = store.draws.quantity(3);
      if (one.empty()) one.assign(all.begin(), all.end());
      EXPECT_TRUE(std::equal(all.begin(), all.end(), one.begin())) << sampler;
    }
  }
}

TEST(ensemble, hands_over_its_walkers_as_chains_of_draws) {
  StoredDraws store;
  const RunResult run = run_chains(*standard_normal(2).density,
                                   {.sampler = "ensemble",
                                    .num_chains = 2,
                                    .num_warmup = 10,
                                    .num_draws = 5,
                                    .kernel = EnsembleOptions{.num_walkers = 8}},
                                   store);
  EXPECT_EQ(run.num_walkers, 8);
  EXPECT_EQ(store.draws.num_chains(), 16);
  EXPECT_EQ(run.chains[1].num_kept, 40);
  EXPECT_EQ(run.chains[0].num_evaluations, 8 + 15 * 8);
  const Target target = standard_normal(2);
  const auto evaluator = target.density->make_evaluator();
  std::vector<double> row(2);
  store.draws.get(3, 11, row);
  EXPECT_EQ(state_at(*evaluator, row).log_density, store.info(3, 11, 0));
}

TEST(ensemble, starts_its_walkers_apart_around_a_given_point) {
  StoredDraws store;
  run_chains(*standard_normal(2).density,
             {.sampler = "ensemble",
              .num_chains = 1,
              .num_warmup = 0,
              .num_draws = 1,
              .init = {{0.5, -0.5}}},
             store);
  for (Index w = 0; w < store.draws.num_chains(); ++w)
    EXPECT_LT(std::fabs(store.draws(0, w, 0) - 0.5), 0.5);
}

// `init_radius` 0 puts a chain at 0; walkers must not all be there, or none would ever move.
TEST(ensembles, start_their_walkers_apart_around_zero_or_say_that_they_can_not_move) {
  for (const std::string sampler : {"ensemble", "ensemble_slice", "de_mcz"}) {
    StoredDraws store;
    SampleOptions options{
        .sampler = sampler, .num_chains = 1, .num_warmup = 200, .num_draws = 200, .init_radius = 0};
    run_chains(*standard_normal(2).density, options, store);
    const auto all = store.draws.quantity(0);
    double square = 0.0;
    for (const double x : all) square += x * x;
    EXPECT_GT(square / static_cast<double>(all.size()), 0.2) << sampler;  // 1 but for its error
    options.init_spread = 0.0;
    EXPECT_THROW(run_chains(*standard_normal(2).density, options, store), Error) << sampler;
  }
}

TEST(snooker_move, stays_where_the_walker_is_its_own_partner) {
  const std::array<double, 2> x = {0.3, -0.2}, a = {1.0, 0.0}, b = {0.0, 2.0};
  std::array<double, 2> to{};
  EXPECT_EQ(snooker_move(x, {.z = x, .a = a, .b = b}, 1.7, to), 1.0);
  EXPECT_EQ(to, x);
}

TEST(ensemble, refuses_too_few_walkers_and_warns_of_many_dimensions) {
  StoredDraws store;
  for (const Index wrong : {7, 8, 4})
    EXPECT_THROW(
        run_chains(*standard_normal(10).density,
                   {.sampler = "ensemble", .kernel = EnsembleOptions{.num_walkers = wrong}}, store),
        Error);
  const SampleOptions options{.sampler = "ensemble", .num_warmup = 0, .num_draws = 1};
  EXPECT_TRUE(run_chains(*standard_normal(5).density, options, store).warnings.empty());
  EXPECT_EQ(run_chains(*standard_normal(30).density, options, store).warnings.size(), 1u);
}

TEST(ensemble, allocates_nothing_once_warm) {
  const auto density = standard_normal(3).density;
  const auto evaluator = density->make_evaluator();
  Ensemble kernel({}, 3);
  PopulationState state = kernel.make_state();
  Rng start({.seed = 3, .purpose = purpose::kTest});
  for (double& x : state.positions) x = start.normal();
  const auto run = [&](std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Rng rng({.seed = 1, .purpose = purpose::kTest, .iteration = i});
      run_alone(kernel.step(state, rng), *evaluator);
    }
  };
  run(2);
  const AllocationCount count;
  run(200);
  EXPECT_EQ(count.value(), 0);
}

}  // namespace
}  // namespace credo::infer::ensemble_test
