// Chains over two models with known evidence.
#include "infer/jumps/reversible_jump.hpp"

#include <gtest/gtest.h>

#include "density/function_density.hpp"
#include "infer/core/table.hpp"
#include "infer/rj/two_means.hpp"
#include "support/test_seed.hpp"

namespace credo::infer::rj::rj_reversible_jump_test {
namespace {
using testing::two_means_jumps;
using testing::TwoMeans;

TEST(reversible_jump, visits_two_models_as_their_bayes_factor_says) {
  for (const std::string_view update : {"nuts", "rwm", "slice"}) {
    const TwoMeans problem{.half_width = 10.0};
    const Family family = problem.family(kernel(update));
    const Jumps jumps(family, two_means_jumps());
    StoredDraws store;
    run(jumps,
        {.num_chains = 4, .num_warmup = 300, .num_draws = 10'000, .seed = testing::test_seed(3)},
        store);
    const LogOdds odds = log_odds(store.draws, 0, 1);
    // 1 / (0.0973043 Lambda) but for the mass of B's posterior outside of its prior, 1e-100
    EXPECT_NEAR(odds.value, problem.log_bayes_factor(), 4.0 * odds.mcse) << update;
    EXPECT_NEAR(problem.log_bayes_factor(), -std::log(0.0973043 * 10.0), 1e-6);
    EXPECT_LT(odds.mcse, 0.05) << update;
  }
}

TEST(reversible_jump, has_a_bayes_factor_of_bounded_parameters) {
  for (const double half_width : {1.0, 2.0}) {  // B's interval cuts its posterior
    const TwoMeans problem{.half_width = half_width};
    const Family family = problem.family(kernel("slice"));
    const Jumps jumps(family, two_means_jumps());
    StoredDraws store;
    run(jumps,
        {.num_chains = 4, .num_warmup = 300, .num_draws = 10'000, .seed = testing::test_seed(4)},
        store);
    const LogOdds odds = log_odds(store.draws, 0, 1);
    EXPECT_NEAR(odds.value, problem.log_bayes_factor(), 4.0 * odds.mcse) << half_width;
  }
}

TEST(reversible_jump, gives_the_same_draws_on_any_number_of_threads) {
  const Family family = TwoMeans{}.family(kernel("nuts"));
  const Jumps jumps(family, two_means_jumps());
  std::vector<StoredDraws> stores(3);
  for (std::size_t t = 0; t < stores.size(); ++t) {
    SampleOptions options{.num_chains = 3, .num_warmup = 50, .num_draws = 200, .seed = 5};
    options.num_threads = static_cast<Index>(t + 1);
    run(jumps, options, stores[t]);
  }
  for (Index d = 0; d < 2; ++d)
    for (std::size_t i = 0; i < 600; ++i) {
      EXPECT_EQ(stores[0].draws.quantity(d)[i], stores[1].draws.quantity(d)[i]);
      EXPECT_EQ(stores[0].draws.quantity(d)[i], stores[2].draws.quantity(d)[i]);
    }
}

TEST(reversible_jump, tells_how_often_each_move_is_accepted) {
  const TwoMeans problem{.half_width = 10.0};
  const Family family = problem.family(kernel("slice"));
  const Jumps jumps(family, two_means_jumps(0.5, 0.5));
  StoredDraws store;
  run(jumps, {.num_chains = 2, .num_warmup = 100, .num_draws = 20'000, .seed = 6}, store);
  const std::vector<double> accept = acceptance_of(store.info, jumps.size());
  const Visits visits = visits_of(store.draws, 2);
  // the flow there is the flow back
  const double flow = accept[0] * visits.probability[0], back = accept[1] * visits.probability[1];
  EXPECT_NEAR(flow / back, 1.0, 4.0 * log_odds(store.draws, 0, 1).mcse);
}

TEST(reversible_jump, refuses_a_start_outside_of_all_models) {
  const Family family = TwoMeans{}.family({});
  const Jumps jumps(family, two_means_jumps());
  StoredDraws store;
  EXPECT_THROW(run(jumps, {.num_chains = 1, .init = {{2.0, 0.0}}}, store), Error);
}

TEST(reversible_jump, says_which_model_lacks_the_gradient_that_its_update_wants) {
  auto values =
      density::make_value_density(1, [](std::span<const double> x) { return -0.5 * x[0] * x[0]; });
  const Family family(
      {{.name = "empty", .density = density::make_value_density(0, [](auto) { return 0.0; })},
       {.name = "values only", .density = std::move(values), .update = kernel("nuts")}});
  const Jumps jumps(family, two_means_jumps());
  StoredDraws store;
  try {
    run(jumps, {.num_chains = 1}, store);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'values only' has no gradient"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace credo::infer::rj::rj_reversible_jump_test
