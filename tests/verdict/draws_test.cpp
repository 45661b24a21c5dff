// Made-up draws with a planted illness, without program or data.
#include <gtest/gtest.h>

#include "diagnose/convergence.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "support/judged_runs.hpp"
#include "verdict/case.hpp"
#include "verdict/located.hpp"

namespace credo::verdict::draws_test {
namespace {
using credo::testing::ids_of;
using credo::testing::MadeDraws;
using credo::testing::scalars;

struct Series {
  std::vector<std::string> names{"a", "b", "c"};
  double phi = 0.0;  // x' = φ x + sqrt(1 - φ²) z
  Index num_draws = 1000, num_chains = 4;
  std::uint64_t seed = 1;
};

std::unique_ptr<MadeDraws> make(const Series& series) {
  const Index count = ssize(series.names);
  density::Draws values(series.num_draws, series.num_chains, count);
  for (Index c = 0; c < series.num_chains; ++c) {
    Rng rng({.seed = series.seed,
             .purpose = purpose::kTest,
             .chain = static_cast<std::uint32_t>(c),
             .iteration = 0});
    for (Index k = 0; k < count; ++k) {
      double x = rng.normal();
      for (Index s = 0; s < series.num_draws; ++s) {
        values(s, c, k) = x;
        x = series.phi * x + std::sqrt(1.0 - series.phi * series.phi) * rng.normal();
      }
    }
  }
  return std::make_unique<MadeDraws>(series.names, std::move(values));
}

Evidence evidence_of(const MadeDraws& draws) {
  return {.draws = &draws, .variables = scalars(draws.outputs())};
}
std::string found(const MadeDraws& draws) {
  return credo::testing::alarms_of(judge(evidence_of(draws)));
}

TEST(verdict_of_draws, is_good_for_independent_ones) {
  const auto draws = make({});
  const Verdict verdict = judge(evidence_of(*draws));
  EXPECT_EQ(verdict.word, Verdict::Word::good);
  EXPECT_EQ(verdict.sentence.substr(0, 10), "No fault f");
  EXPECT_TRUE(verdict.findings.empty());
}

// Hundreds of outputs of slow chains, worth 400 draws each: R-hat is above 1.01 for many of them.
TEST(verdict_of_draws, alarms_for_no_healthy_chain_however_slow_and_many) {
  std::vector<std::string> names;
  for (int k = 0; k < 300; ++k) names.push_back("x" + std::to_string(k));
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto draws = make({.names = names, .phi = 0.82, .seed = seed});
    EXPECT_EQ(found(*draws), "") << seed;
  }
}

TEST(verdict_of_draws, sees_a_chain_that_is_shifted) {
  const auto draws = make({});
  for (Index s = 0; s < 1000; ++s) draws->at(s, 2, 1) += 1.0;
  const Verdict verdict = judge(evidence_of(*draws));
  EXPECT_EQ(ids_of(verdict), "not_mixed");
  EXPECT_EQ(verdict.findings[0].parameters, std::vector<std::string>{"b"});
}

TEST(verdict_of_draws, sees_too_few_effective_ones) {
  EXPECT_EQ(found(*make({.phi = 0.97})), "few_draws");
  EXPECT_EQ(found(*make({.num_draws = 20})), "few_draws");
}

TEST(verdict_of_draws, sees_missing_values) {
  const auto draws = make({});
  draws->at(5, 1, 2) = kNaN;
  EXPECT_EQ(found(*draws), "missing_values");
}

TEST(verdict_of_draws, sees_a_chain_that_stands_still) {
  const auto draws = make({});
  for (Index k = 0; k < 3; ++k)
    for (Index s = 0; s < 1000; ++s) draws->at(s, 1, k) = 0.3 + 1e-3 * draws->at(s, 1, k);
  EXPECT_EQ(found(*draws), "stuck_chain");
}

TEST(verdict_of_draws, sees_chains_in_two_places) {
  const auto draws = make({});
  for (Index c = 2; c < 4; ++c)
    for (Index s = 0; s < 1000; ++s) draws->at(s, c, 0) += 12.0;
  const Verdict verdict = judge(evidence_of(*draws));
  EXPECT_EQ(ids_of(verdict), "multimodal");
  EXPECT_NE(verdict.findings[0].text.find("chains 1 and 2 stayed near"), std::string::npos);
}

// What is said of populations, and what to do about them, is nothing about chains; and the other way round.
TEST(verdict_of_draws, advises_populations_of_particles_as_such) {
  const auto still = make({}), apart = make({}), few = make({.num_draws = 12}),
             correlated = make({.phi = 0.97}), shifted = make({});
  for (Index k = 0; k < 3; ++k)
    for (Index s = 0; s < 1000; ++s) still->at(s, 1, k) = 0.3 + 1e-3 * still->at(s, 1, k);
  for (Index c = 2; c < 4; ++c)
    for (Index s = 0; s < 1000; ++s) apart->at(s, c, 0) += 12.0;
  for (Index s = 0; s < 1000; ++s) shifted->at(s, 3, 1) += 0.8;
  const std::vector<std::pair<const MadeDraws*, std::string>> cases{{still.get(), "stuck_chain"},
                                                                    {apart.get(), "multimodal"},
                                                                    {few.get(), "few_draws"},
                                                                    {correlated.get(), "few_draws"},
                                                                    {shifted.get(), "not_mixed"}};
  for (const auto& [draws, id] : cases) {
    for (const char* sampler : {"smc", "nuts"}) {
      SCOPED_TRACE(id + " of " + sampler);
      infer::RunResult run;
      run.sampler = sampler;
      run.chains.resize(4);
      Evidence evidence = evidence_of(*draws);
      evidence.run = &run;
      const Verdict verdict = judge(evidence);
      const auto it = std::find_if(verdict.findings.begin(), verdict.findings.end(),
                                   [&](const Finding& f) { return f.id == id; });
      ASSERT_NE(it, verdict.findings.end()) << ids_of(verdict);
      const std::string said = it->text + " " + it->remedy;
      const auto says = [&](const char* word) { return said.find(word) != std::string::npos; };
      const bool is_of_chains = std::string_view(sampler) == "nuts";
      EXPECT_EQ(says("opulation"), !is_of_chains) << said;
      EXPECT_TRUE(is_of_chains || says("--draws")) << said;
      for (const char* word : {"hain", "--warmup", "--init", "tempering", "other coordinates"})
        EXPECT_FALSE(says(word) && !is_of_chains) << word << ": " << said;
      for (const char* word : {"--num-moves", "article", "--conditional-ess"})
        EXPECT_FALSE(says(word) && is_of_chains) << word << ": " << said;
    }
  }
}

TEST(verdict_of_draws, sees_chains_that_rarely_jump) {
  const auto draws = make({});
  for (Index c = 0; c < 4; ++c)
    for (Index s = 0; s < 1000; ++s)
      draws->at(s, c, 0) += (s / (200 + 30 * c)) % 2 == 0 ? 0.0 : 9.0;
  EXPECT_EQ(found(*draws), "multimodal");
}

// Two clusters between which every chain moves all the time are no illness.
TEST(verdict_of_draws, lets_modes_that_mix_pass) {
  const auto draws = make({});
  Rng rng({.seed = 9, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  for (Index c = 0; c < 4; ++c)
    for (Index s = 0; s < 1000; ++s) draws->at(s, c, 0) += rng.uniform(0.0, 1.0) < 0.4 ? 0.0 : 9.0;
  EXPECT_EQ(found(*draws), "");
}

TEST(verdict_of_draws, sees_exchanged_labels) {
  const auto draws = make({.names = {"m.1", "m.2", "m.3"}});
  for (Index c = 0; c < 4; ++c)
    for (Index k = 0; k < 3; ++k)
      for (Index s = 0; s < 1000; ++s)
        draws->at(s, c, k) += 10.0 * static_cast<double>((k + c) % 3);
  Evidence evidence{.draws = draws.get(),
                    .variables = {{.name = "m", .first = 0, .count = 3, .dims = {3}}}};
  EXPECT_EQ(ids_of(judge(evidence)), "label_switching");
}

TEST(verdict_of_draws, sees_a_ridge_that_is_hard_to_walk_along) {
  const auto draws = make({});
  for (Index c = 0; c < 4; ++c)
    for (Index s = 0; s < 1000; ++s)
      draws->at(s, c, 1) = -draws->at(s, c, 0) + 0.005 * draws->at(s, c, 1);
  EXPECT_EQ(found(*draws), "");  // harmless where the sampler has no trouble
  draws->statistics["num_leapfrog"] = std::vector<double>(4000, 255.0);
  const Verdict verdict = judge(evidence_of(*draws));
  EXPECT_EQ(ids_of(verdict), "flat_direction");
  EXPECT_EQ(verdict.findings[0].parameters.size(), 2u);
}

TEST(verdict_of_draws, sees_draws_that_run_away) {
  const auto draws = make({});
  for (Index c = 0; c < 4; ++c)
    for (Index s = 0; s < 1000; ++s) draws->at(s, c, 0) = 1e12 * static_cast<double>(c * s);
  EXPECT_EQ(found(*draws), "improper");
}

TEST(verdict_of_draws, sees_cut_trajectories_and_energies_that_stand) {
  const auto draws = make({});
  draws->statistics["tree_depth"].assign(4000, 3.0);
  EXPECT_EQ(found(*draws), "");
  std::fill_n(draws->statistics["tree_depth"].begin(), 200, 10.0);
  EXPECT_EQ(ids_of(judge(evidence_of(*draws))), "tree_depth");
  draws->statistics.clear();
  const auto energies = make({.names = {"e"}, .phi = 0.95, .seed = 7});
  const density::Draws all = energies->read(0, 1);
  draws->statistics["energy"] = {all.quantity(0).begin(), all.quantity(0).end()};
  EXPECT_EQ(found(*draws), "low_energy_exchange");
}

TEST(verdict_of_draws, takes_cut_trajectories_lightly_only_where_chains_have_mixed) {
  const auto level = [](const Series& series) {
    const auto draws = make(series);
    draws->statistics["tree_depth"].assign(4000, 10.0);
    const Verdict verdict = judge(evidence_of(*draws));
    return verdict.findings.front().id + " " + std::string(to_string(verdict.findings[0].level));
  };
  EXPECT_EQ(level({}), "tree_depth note");
  EXPECT_EQ(level({.phi = 0.95}), "tree_depth bad");  // 4000 draws worth about 100
}

// 64 chains of ten draws near where each began: groups of them agree in their means all the same.
TEST(verdict_of_draws, believes_no_chains_that_are_too_short_to_judge) {
  const auto stuck = make({.phi = 0.999, .num_draws = 10, .num_chains = 64});
  const density::Draws all = stuck->read(0, 1);
  const diagnose::Chains chains{all.quantity(0), 10, 64};
  EXPECT_GT(diagnose::r_hat(chains), 2.0);
  EXPECT_LT(diagnose::nested_r_hat(chains, 4), 1.1);
  EXPECT_NE(judge(evidence_of(*stuck)).word, Verdict::Word::good);
  EXPECT_EQ(found(*make({.num_draws = 4, .num_chains = 512})), "few_draws");
  EXPECT_EQ(found(*make({.num_draws = 19, .num_chains = 64})), "few_draws");
  EXPECT_EQ(found(*make({.num_draws = 20, .num_chains = 64})), "");
}

TEST(verdict_of_draws, says_where_divergences_sit) {
  const auto draws = make({});
  std::vector<double> marks(4000, 0.0);
  const density::Draws b = draws->read(1, 1);
  for (std::size_t s = 0; s < 4000; ++s) marks[s] = b.quantity(0)[s] > 1.8 ? 1.0 : 0.0;
  draws->statistics["divergent"] = marks;
  const Verdict verdict = judge(evidence_of(*draws));
  EXPECT_EQ(ids_of(verdict), "divergences");
  EXPECT_EQ(verdict.findings[0].parameters, std::vector<std::string>{"b"});
  EXPECT_NE(verdict.findings[0].text.find("where b is large"), std::string::npos);
}

TEST(verdict_of_draws, lets_a_few_scattered_divergences_pass) {
  const auto draws = make({});
  draws->statistics["divergent"].assign(4000, 0.0);
  for (const std::size_t s : {17u, 1100u, 2500u, 3999u}) draws->statistics["divergent"][s] = 1.0;
  const Verdict verdict = judge(evidence_of(*draws));
  EXPECT_EQ(verdict.word, Verdict::Word::good);
  EXPECT_EQ(ids_of(verdict), "divergences");  // a note: any divergence is told
}

// Of draws that were thinned, the run knows of divergences that no draw shows.
TEST(verdict_of_draws, counts_divergences_that_thinning_left_out) {
  const auto draws = make({});
  draws->statistics["divergent"].assign(4000, 0.0);
  infer::RunResult run;
  run.chains.resize(4);
  Evidence evidence = evidence_of(*draws);
  evidence.run = &run, evidence.thin = 10;
  EXPECT_EQ(ids_of(judge(evidence)), "");
  for (infer::ChainResult& chain : run.chains) chain.num_divergent = 300;
  const Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.word, Verdict::Word::bad);
  EXPECT_EQ(ids_of(verdict), "divergences");
  EXPECT_NE(
      verdict.findings[0].text.find("1200 transitions of 40000 diverged (none of them was kept)"),
      std::string::npos)
      << verdict.findings[0].text;
}

// p-values of independent and of slow chains: at most as many below a level as it says, to 4
// standard errors of the count; fewer are fine (sizes are capped at the number of draws).
TEST(mixing_p_value, is_as_rare_as_it_says_under_one_distribution) {
  for (const double phi : {0.0, 0.6}) {
    int below = 0;
    constexpr int kRuns = 400;
    for (int run = 0; run < kRuns; ++run) {
      const auto draws = make({.names = {"x"},
                               .phi = phi,
                               .num_draws = 400,
                               .seed = 100u + static_cast<unsigned>(run)});
      const density::Draws x = draws->read(0, 1);
      below += mixing_p_value({x.quantity(0), 400, 4}) < 0.05;
    }
    EXPECT_LE(below, 0.05 * kRuns + 4.0 * std::sqrt(0.05 * kRuns)) << phi;
  }
}

TEST(symmetric_eigen, of_two_by_two_is_the_closed_form) {
  const double r = 0.999999;
  const numerics::SymmetricEigen eigen({2, 2, {1.0, r, r, 1.0}});
  EXPECT_NEAR(eigen.values[0], 1.0 - r, 1e-15);
  EXPECT_NEAR(eigen.values[1], 1.0 + r, 1e-15);
  EXPECT_NEAR(eigen.vector(1)[0], eigen.vector(1)[1], 1e-9);
}

}  // namespace
}  // namespace credo::verdict::draws_test
