// Modes that the chains of bridge sampling haven't seen.
#include <gtest/gtest.h>

#include "infer/core/table.hpp"
#include "infer/evidence/bridge.hpp"
#include "infer/known_posteriors.hpp"

namespace credo::infer::unseen_modes_test {
namespace {
using namespace credo::testing;

density::Draws chains_from(const density::LogDensity& density,
                           std::vector<std::vector<double>> starts, std::uint64_t seed) {
  StoredDraws store;
  run_chains(density,
             {.num_chains = 4,
              .num_warmup = 300,
              .num_draws = 500,
              .seed = test_seed(seed),
              .num_threads = 1,
              .init = std::move(starts)},
             store);
  return store.draws;
}

TEST(bridge, does_not_tell_an_error_where_all_chains_are_in_one_of_two_modes) {
  const KnownPosterior model = bimodal();
  for (const double mode : {-4.0, 4.0}) {
    const BridgeEvidence found =
        bridge_evidence(*model.density, chains_from(*model.density, {4, {mode}}, 71), {.seed = 71});
    EXPECT_LT(found.r_hat, kMostBridgeRHat) << "chains agree";
    EXPECT_EQ(found.modes.num_modes, 2);
    ASSERT_TRUE(found.modes.unseen.has_value());
    EXPECT_NEAR(found.modes.unseen->position[0], -mode, 0.1);
    EXPECT_EQ(found.modes.unseen->share, 0.0);
    // Of the seen mode's evidence, within one standard deviation: 0.683 (0.7 / 0.3), or the inverse.
    const double odds = mode < 0.0 ? (1.0 - kShare) / kShare : kShare / (1.0 - kShare);
    EXPECT_NEAR(found.modes.unseen->expected_share, 0.6827 * odds, 0.1 * odds);
    // Shares of the whole mass, whichever mode the chains are in.
    EXPECT_NEAR(found.modes.lacking_share, mode < 0.0 ? 1.0 - kShare : kShare, 0.05);
    EXPECT_EQ(found.evidence.error, kInfinity);
  }
}

// No mode is missing: one that is reached, one that isn't a peak, and a small one beside its error.
TEST(bridge, tells_its_error_where_no_mode_is_missing) {
  for (const KnownPosterior& model : {conjugate_posterior(), sheet()}) {
    const BridgeEvidence found =
        bridge_evidence(*model.density, chains_from(*model.density, {}, 72), {.seed = 72});
    EXPECT_TRUE(found.modes.was_made);
    EXPECT_FALSE(found.modes.unseen.has_value()) << model.name;
    EXPECT_LT(found.evidence.error, 0.2) << model.name;
  }
}

}  // namespace
}  // namespace credo::infer::unseen_modes_test
