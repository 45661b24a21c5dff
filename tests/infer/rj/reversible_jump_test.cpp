// Chains over two models with known evidence.
#include "infer/rj/reversible_jump.hpp"

#include <gtest/gtest.h>

#include "density/function_density.hpp"
#include "infer/rj/two_means.hpp"
#include "infer/table.hpp"

namespace credo::infer::rj {
namespace {
using testing::two_means_jumps;
using testing::TwoMeans;

TEST(reversible_jump, visits_two_models_as_their_bayes_factor_says) {
  for (const std::string_view update : {"nuts", "rwm", "slice"}) {
    const TwoMeans problem{.half_width = 10.0};
    const Family family = problem.family(kernel(update));
    const Jumps jumps(family, two_means_jumps());
    StoredDraws store;
    run(jumps, {.num_chains = 4, .num_warmup = 300, .num_draws = 10'000, .seed = 3}, store);
    const LogOdds odds = log_odds(store.draws, 0, 1);
    // 1 / (0.0973043 Lambda) but for the mass of B's posterior outside of its prior, 1e-100
    EXPECT_NEAR(odds.value, problem.log_bayes_factor(), 4.0 * odds.mcse) << update;
    EXPECT_NEAR(problem.log_bayes_factor(), -std::log(0.0973043 * 10.0), 1e-6);
    EXPECT_LT(odds.mcse, 0.05) << update;
  }
}

}  // namespace
}  // namespace credo::infer::rj
