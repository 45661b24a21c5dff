// Numbers of components from the prior alone (fact 44), and mutants of the acceptance ratio.
#include "infer/jumps/components.hpp"

#include <gtest/gtest.h>

#include "density/function_density.hpp"
#include "diagnose/convergence.hpp"
#include "infer/jumps/reversible_jump.hpp"
#include "infer/mcmc/walk/metropolis.hpp"
#include "support/kernel_checks.hpp"

namespace credo::infer::rj::rj_components_test {
namespace {

// Components are pairs of standard normals, the first of which is a position.
constexpr ComponentLayout kPairs{.num_shared = 0, .size = 2, .num_positions = 1};
const std::vector<double> kPrior = {0.35, 0.3, 0.2, 0.15};

Family prior_family(const KernelMaker& update) {
  std::vector<Model> models;
  for (Index k = 0; k < ssize(kPrior); ++k) {
    auto density = density::make_density(kPairs.begin(k),
                                         [](std::span<const double> x, std::span<double> gradient) {
                                           double sum = 0.0;
                                           for (std::size_t d = 0; d < x.size(); ++d) {
                                             sum -= 0.5 * x[d] * x[d] + 0.91893853320467274;
                                             gradient[d] = -x[d];
                                           }
                                           return sum;
                                         });
    models.push_back({.name = "k",
                      .density = std::move(density),
                      .log_prior = std::log(kPrior[static_cast<std::size_t>(k)]),
                      .update = update});
  }
  return Family(std::move(models));
}

std::vector<Jump> moves() {
  const std::vector<MoveProbabilities> by_number = {
      {.birth = 0.5},
      {.birth = 0.2, .death = 0.2, .split = 0.2},
      {.birth = 0.1, .death = 0.3, .split = 0.1, .merge = 0.2},
      {.death = 0.2, .merge = 0.4}};
  const double alpha = 0.8;
  const MapFormulas split{.size = 4,
                          .forward =
                              [=](Scalars x) {
                                return std::vector<Expr>{x[0] - alpha * x[2], x[1] - sinh(x[3]),
                                                         x[0] + alpha * x[2], x[1] + sinh(x[3])};
                              },
                          .inverse =
                              [=](Scalars y) {
                                return std::vector<Expr>{(y[0] + y[2]) / 2.0, (y[1] + y[3]) / 2.0,
                                                         (y[2] - y[0]) / (2.0 * alpha),
                                                         asinh((y[3] - y[1]) / 2.0)};
                              }};
  return component_jumps({.layout = kPairs,
                          .birth = normal_auxiliary(2, 0.3, 1.2),
                          .split = std::make_shared<const SmoothMap>(split),
                          .split_auxiliary = normal_auxiliary(2, 0.0, 0.8)},
                         by_number);
}

// What a wrong sampler makes of the terms of a proposal.
using Mutation = std::function<double(const JumpTerms&, const Move&, Index target)>;

// Standard errors by which the worst share of a number, or the mean square of the components, is
// off. Within a model components are drawn afresh.
double worst_z(const Mutation& log_ratio) {
  const Family family = prior_family({});
  const Jumps jumps(family, moves());
  Proposer proposer(jumps);
  const auto evaluator = family.make_evaluator();
  constexpr Index kDraws = 60'000;
  density::Draws draws(kDraws, 1, 2);
  PointState state = testing::state_at(*evaluator, std::vector<double>(7, 0.0));
  std::vector<double> candidate(7);
  for (Index i = 0; i < kDraws; ++i) {
    Rng rng({.seed = testing::test_seed(11),
             .purpose = purpose::kTest,
             .iteration = static_cast<std::uint32_t>(i)});
    const auto model = static_cast<Index>(state.position[0]);
    candidate = state.position;
    double ratio = 0.0;
    if (const auto move = proposer.choose(model, rng)) {
      const JumpTerms terms = proposer.propose(*move, state.position, candidate, rng);
      const Jump& jump = jumps.jump(move->jump);
      ratio = log_ratio(terms, *move, std::max(jump.from, jump.to));
    } else {
      for (Index d = 1; d <= family.dimension_of(model); ++d)
        candidate[static_cast<std::size_t>(d)] = rng.normal();
      ratio = kInfinity;
    }
    const PointState at = testing::state_at(*evaluator, candidate);
    const double log_density = at.log_density;
    decide(state, candidate, log_density, log_density - state.log_density + ratio, rng);
    draws(i, 0, 0) = state.position[0];
    draws(i, 0, 1) = 0.0;
    for (std::size_t d = 1; d < 7; ++d) draws(i, 0, 1) += state.position[d] * state.position[d];
    draws(i, 0, 1) -= 2.0 * state.position[0];  // two squares of mean 1 for each component
  }
  const Visits visits = visits_of(draws, family.num_models());
  double worst = 0.0;
  for (std::size_t k = 0; k < kPrior.size(); ++k) {
    EXPECT_GT(visits.mcse[k], 0.0) << k << " components were never there";
    worst = std::max(worst, std::fabs(visits.probability[k] - kPrior[k]) / visits.mcse[k]);
  }
  const std::span<const double> squares = draws.quantity(1);
  return std::max(worst,
                  std::fabs(diagnose::mean(squares)) / diagnose::mcse_mean({squares, kDraws, 1}));
}

double right(const JumpTerms& terms, const Move&, Index) { return terms.sum(); }

TEST(rj_components, of_a_run_without_data_follow_their_prior) { EXPECT_LT(worst_z(right), 4.0); }

TEST(rj_components, with_any_kernel_within_models_follow_their_prior) {
  for (const std::string_view update : {"nuts", "rwm"}) {
    const Family family = prior_family(kernel(update));
    const Jumps jumps(family, moves());
    StoredDraws store;
    run(jumps,
        {.num_chains = 4, .num_warmup = 500, .num_draws = 10'000, .seed = testing::test_seed(7)},
        store);
    const Visits visits = visits_of(store.draws, family.num_models());
    for (std::size_t k = 0; k < kPrior.size(); ++k)
      EXPECT_NEAR(visits.probability[k], kPrior[k], 4.0 * visits.mcse[k])
          << update << ", k = " << k;
  }
}

TEST(rj_components, without_their_jacobian_are_rejected) {
  EXPECT_GT(worst_z([](const JumpTerms& t, const Move&, Index) { return t.sum() - t.jacobian; }),
            4.0);
}
TEST(rj_components, with_the_jacobian_upside_down_are_rejected) {
  EXPECT_GT(
      worst_z([](const JumpTerms& t, const Move&, Index) { return t.sum() - 2.0 * t.jacobian; }),
      4.0);
}
TEST(rj_components, without_the_probabilities_of_moves_are_rejected) {
  EXPECT_GT(worst_z([](const JumpTerms& t, const Move&, Index) { return t.sum() - t.move; }), 4.0);
}
TEST(rj_components, without_the_density_of_auxiliaries_are_rejected) {
  EXPECT_GT(worst_z([](const JumpTerms& t, const Move&, Index) { return t.sum() - t.auxiliary; }),
            4.0);
}
TEST(rj_components, without_the_probability_of_labels_are_rejected) {
  EXPECT_GT(worst_z([](const JumpTerms& t, const Move&, Index) {
              return std::isfinite(t.label) ? t.sum() - t.label : t.sum();
            }),
            4.0);
}
TEST(rj_components, with_a_factor_of_one_over_their_number_too_much_are_rejected) {
  EXPECT_GT(worst_z([](const JumpTerms& t, const Move& move, Index target) {
              const double factor = std::log(static_cast<double>(target));
              return t.sum() + (move.there ? -factor : factor);
            }),
            4.0);
}
TEST(rj_components, that_merge_any_pair_are_rejected) {
  EXPECT_GT(worst_z([](const JumpTerms& t, const Move&, Index) {  // without the rule of the nearest
              return std::isfinite(t.label) ? t.sum() : t.move + t.auxiliary + t.jacobian;
            }),
            4.0);
}

TEST(rj_components, that_part_into_a_ball_have_its_volume) {
  const auto distribution = uniform_in_ball(3);
  double mean_square = 0.0;
  constexpr int kDraws = 20'000;
  std::vector<double> u(3);
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    Rng rng({.seed = testing::test_seed(2), .purpose = purpose::kTest, .iteration = i});
    distribution->draw({}, {}, u, rng);
    mean_square += (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / kDraws;
  }
  EXPECT_NEAR(distribution->log_density({}, {}, u), -std::log(4.0 / 3.0 * 3.14159265358979324),
              1e-14);
  // E r^2 = 3/5, var r^2 = 3/7 - 9/25 = 0.0686
  EXPECT_NEAR(mean_square, 0.6, 4.0 * std::sqrt(0.0686 / kDraws));
}

}  // namespace
}  // namespace credo::infer::rj::rj_components_test
