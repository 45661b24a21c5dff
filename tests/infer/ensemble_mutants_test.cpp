// Planted faults of ensembles, each of which the invariance suite rejects.
#include "infer/ensemble/de_mcz.hpp"
#include "infer/ensemble/ensemble.hpp"
#include "infer/ensemble/ensemble_slice.hpp"
#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "support/share.hpp"

namespace credo::infer::ensemble_mutants_test {
namespace {
using namespace credo::testing;

constexpr Index kWalkers = 16;

// ---- the halves ----

void swap_halves(PopulationState& walkers) {
  const auto middle = static_cast<std::ptrdiff_t>(walkers.positions.size() / 2);
  std::rotate(walkers.positions.begin(), walkers.positions.begin() + middle,
              walkers.positions.end());
  const auto half = static_cast<std::ptrdiff_t>(walkers.log_densities.size() / 2);
  std::rotate(walkers.log_densities.begin(), walkers.log_densities.begin() + half,
              walkers.log_densities.end());
}
void copy_first_half(const PopulationState& from, PopulationState& to) {
  std::copy_n(from.positions.begin(), from.positions.size() / 2, to.positions.begin());
  std::copy_n(from.log_densities.begin(), from.log_densities.size() / 2, to.log_densities.begin());
}

// The kernel itself, but both halves move given where the other was: what a sampler does that moves
// all walkers at once. Each walker alone keeps its distribution for a transition; the population doesn't.
PopulationMaker moving_all_at_once(const PopulationMaker& maker) {
  return {.make =
              [maker](Index dimension) {
                return [step = maker.make(dimension)](density::Evaluator& evaluator,
                                                      PopulationState& state, Rng& rng) {
                  PopulationState first = state, second = state;
                  swap_halves(second);
                  step(evaluator, first, rng);
                  StreamKey key = rng.key();
                  key.iteration += 1000;  // another stream, also for its walkers
                  Rng other(key);
                  step(evaluator, second, other);
                  copy_first_half(first, state);
                  swap_halves(state);
                  copy_first_half(second, state);
                  swap_halves(state);
                };
              },
          .num_walkers = maker.num_walkers};
}

// The fault builds up over transitions, most where the walkers are few for the dimension and the
// target is curved.
void expect_told_apart(const PopulationMaker& real, const InvarianceOptions& options) {
  expect_population_invariant(real, options, {funnel(1.0)});
  EXPECT_TRUE(is_population_rejected(moving_all_at_once(real), options, {funnel(1.0)}));
}
LONG_TEST(invariance_suite, rejects_ensembles_whose_halves_move_at_once) {
  constexpr auto differences = EnsembleMove::differential_evolution;
  expect_told_apart(population_of<Ensemble>({.num_walkers = 8, .move = differences}, 8),
                    {.num_starts = 10'000, .num_steps = 150});
  expect_told_apart(population_of<EnsembleSlice>({.num_walkers = 8}, 8),
                    {.num_starts = 10'000, .num_steps = 30});
}

// ---- single moves, made of their pieces ----

// A move of walker w, whose partners are all others; returns the log of its ratio of proposals.
using PlainMove =
    std::function<double(const PopulationState&, Index w, std::span<double> to, Rng&)>;

PopulationMaker plain_moves(const PlainMove& move) {
  const auto transition = [move](density::Evaluator& evaluator, PopulationState& state, Rng& rng) {
    for (Index w = 0; w < state.num_points(); ++w) {
      std::vector<double> to(state.dimension);
      const double log_ratio = move(state, w, to, rng);
      const PointState there = state_at(evaluator, to);
      const double gain = there.log_density - state.log_density(w) + log_ratio;
      if (rng.uniform() < metropolis_prob(gain)) state.set(w, there);
    }
  };
  return {.make = [transition](Index) { return transition; }, .num_walkers = 6};
}

std::array<Index, 3> three_others(Index w, Index count, Rng& rng) {
  std::array<Index, 3> chosen{};
  for (std::size_t k = 0; k < 3;) {
    chosen[k] = rng.index_below(count);
    const auto taken = std::find(chosen.begin(), chosen.begin() + std::ptrdiff_t(k), chosen[k]);
    if (chosen[k] != w && taken == chosen.begin() + std::ptrdiff_t(k)) ++k;
  }
  return chosen;
}

// x' = x + Σ z_j (x_j - mean); the mutant steps from the mean of its partners.
PlainMove walk_move(bool from_the_mean) {
  return [=](const PopulationState& state, Index w, std::span<double> to, Rng& rng) {
    const auto partners = three_others(w, state.num_points(), rng);
    std::vector<double> mean(to.size(), 0.0);
    for (const Index j : partners)
      for (std::size_t d = 0; d < to.size(); ++d) mean[d] += state.position(j)[d] / 3.0;
    for (std::size_t d = 0; d < to.size(); ++d)
      to[d] = from_the_mean ? mean[d] : state.position(w)[d];
    for (const Index j : partners) {
      const double z = rng.normal();
      for (std::size_t d = 0; d < to.size(); ++d) to[d] += z * (state.position(j)[d] - mean[d]);
    }
    return 0.0;
  };
}
TEST(invariance_suite, rejects_a_walk_move_from_the_mean_of_its_partners) {
  EXPECT_FALSE(is_population_rejected(plain_moves(walk_move(false))));
  EXPECT_TRUE(is_population_rejected(plain_moves(walk_move(true))));
}

// x' = x + γ (a - b); the mutant may take the walker itself for a.
PlainMove difference_move(bool with_itself) {
  return [=](const PopulationState& state, Index w, std::span<double> to, Rng& rng) {
    const auto [a, b, spare] = three_others(w, state.num_points(), rng);
    const Index first = with_itself ? w : a;
    for (std::size_t d = 0; d < to.size(); ++d)
      to[d] = state.position(w)[d] + 0.8 * (state.position(first)[d] - state.position(b)[d]) +
              1e-3 * rng.normal();
    return 0.0;
  };
}
TEST(invariance_suite, rejects_differences_that_take_the_walker_itself) {
  EXPECT_FALSE(is_population_rejected(plain_moves(difference_move(false))));
  EXPECT_TRUE(is_population_rejected(plain_moves(difference_move(true))));
}

// The kernel's own piece; the mutant forgets the ratio of the two distances.
PlainMove snooker(bool with_ratio) {
  return [=](const PopulationState& state, Index w, std::span<double> to, Rng& rng) {
    const auto [z, a, b] = three_others(w, state.num_points(), rng);
    const SnookerPartners partners{
        .z = state.position(z), .a = state.position(a), .b = state.position(b)};
    const double factor = snooker_move(state.position(w), partners, 1.7, to);
    return with_ratio ? (double(to.size()) - 1.0) * std::log(factor) : 0.0;
  };
}
TEST(invariance_suite, rejects_a_snooker_move_without_its_ratio) {
  EXPECT_FALSE(is_population_rejected(plain_moves(snooker(true))));
  EXPECT_TRUE(is_population_rejected(plain_moves(snooker(false))));
}

// ---- the archive ----

PopulationMaker archived(bool of_the_present) {
  return {.make =
              [=](Index dimension) {
                auto kernel = std::make_shared<DeMcz>(
                    DeMczOptions{.num_walkers = 4, .snooker_share = 0.3}, dimension);
                Rng rng({.seed = 4, .purpose = purpose::kTest});
                kernel->settings.archive.resize(std::size_t(4 * dimension));
                for (double& x : kernel->settings.archive) x = rng.normal();
                return [=](density::Evaluator& evaluator, PopulationState& state, Rng& of_step) {
                  if (of_the_present) kernel->settings.archive = state.positions;
                  run_alone(kernel->step(state, of_step), evaluator);
                };
              },
          .num_walkers = 4};
}
TEST(invariance_suite, rejects_an_archive_that_is_the_walkers_themselves) {
  EXPECT_FALSE(is_population_rejected(archived(false)));
  EXPECT_TRUE(is_population_rejected(archived(true)));
}

// ---- slices ----

// Along the line to another walker; the mutant measures its interval in distances to that walker,
// which depend on where on the line the point is.
PopulationMaker plain_slices(bool in_distances) {
  return {.make =
              [=](Index dimension) {
                auto line = std::make_shared<LineSlicer>(dimension);
                line->max_growth = 2;
                return [=](density::Evaluator& evaluator, PopulationState& state, Rng& rng) {
                  for (Index w = 0; w < state.num_points(); ++w) {
                    const auto [a, b, spare] = three_others(w, state.num_points(), rng);
                    const auto x = state.position(w), to = state.position(a);
                    for (std::size_t d = 0; d < x.size(); ++d)
                      line->direction[d] = to[d] - (in_distances ? x[d] : state.position(b)[d]);
                    PointState point = state_at(evaluator, x);
                    run_alone(line->move(point, rng), evaluator);
                    state.set(w, point);
                  }
                };
              },
          .num_walkers = 6};
}
TEST(invariance_suite, rejects_an_ensemble_slice_towards_a_walker) {
  EXPECT_FALSE(is_population_rejected(plain_slices(false)));
  EXPECT_TRUE(is_population_rejected(plain_slices(true)));
}

}  // namespace
}  // namespace credo::infer::ensemble_mutants_test
