// Four methods on eight targets whose evidence is known: the distribution of their standard scores, (estimate - truth)
// / error, is the standard normal one. CREDO_EVIDENCE_SEEDS=100 makes the table of docs/evidence.md.
#include <gtest/gtest.h>

#include "infer/core/table.hpp"
#include "infer/evidence/bridge.hpp"
#include "infer/evidence/ladder.hpp"
#include "infer/evidence/points.hpp"
#include "infer/evidence_targets.hpp"
#include "infer/mcmc/walk/exact.hpp"
#include "infer/standard_scores.hpp"
#include "infer/stated_targets.hpp"

namespace credo::infer::evidence_study_test {
namespace {
using namespace credo::testing;
using density::LogDensity;

struct StudyTarget {
  std::string name;
  std::unique_ptr<LogDensity> density;
  double log_evidence;
  bool in_cube = false;  // of nested sampling
};

StudyTarget study_target(BoxProblem problem, bool in_cube = false) {
  return {std::move(problem.name), std::move(problem.density), problem.log_evidence, in_cube};
}
StudyTarget study_target(StatedProblem problem) {
  return {std::move(problem.name), std::move(problem.density), problem.log_evidence};
}

std::vector<StudyTarget> study_targets() {
  std::vector<StudyTarget> all;
  all.push_back(study_target(gaussian_shells(), true));
  all.push_back(study_target(eggbox(), true));
  all.push_back(study_target(gauss_in_a_ball()));
  all.push_back(study_target(plateaus(), true));
  all.push_back(study_target(gauss_in_20_dimensions()));
  all.push_back(study_target(regression(false)));
  all.push_back(study_target(regression(true)));
  all.push_back(study_target(stated_mixture()));
  all.push_back(study_target(stated_eight_schools()));
  return all;
}

LogEvidence by_population(const StudyTarget& target, const char* sampler, std::uint64_t seed,
                          const char* move = "slice") {
  SampleOptions options{.sampler = sampler,
                        .num_chains = 1,
                        .num_warmup = 0,
                        .num_draws = 500,
                        .seed = seed,
                        .num_threads = 1};
  options.kernel = find_sampler(sampler).options();
  if (options.sampler == "nested") {
    set_option(options, "live_points", "100");
    set_option(options, "move", move);
    if (target.in_cube) set_option(options, "in_cube", "true");
  }
  StoredDraws store;
  return log_evidence_of(run_chains(*target.density, options, store).chains[0]);
}
LogEvidence by_nested_sampling(const StudyTarget& target, std::uint64_t seed) {
  return by_population(target, "nested", seed);
}
// Where there is a gradient: else its error is told to be unknown.
LogEvidence by_hamiltonian_moves(const StudyTarget& target, std::uint64_t seed) {
  if (!target.density->has_gradient()) return {.value = kNaN, .error = kInfinity};
  return by_population(target, "nested", seed, "hamiltonian");
}
LogEvidence by_tempered_smc(const StudyTarget& target, std::uint64_t seed) {
  return by_population(target, "smc", seed);
}
LogEvidence by_thermodynamic(const StudyTarget& target, std::uint64_t seed) {
  const auto prior = target.density->prior();
  return ladder_evidence(
             *prior, *target.density,
             {.num_chains = 4, .num_warmup = 100, .num_draws = 200, .num_threads = 1, .seed = seed})
      .thermodynamic;
}
// Chains begin at draws from the prior, as those of programs do.
std::vector<std::vector<double>> starts_of(const StudyTarget& target, std::uint64_t seed) {
  const auto prior = target.density->prior();
  const auto exact = prior->make_exact_draws();
  Rng rng({.seed = seed, .purpose = purpose::kInitialPoint, .chain = 0, .iteration = 0});
  std::vector<std::vector<double>> starts;
  PointValues values(*target.density);
  while (starts.size() < 4) {
    const density::Start start = draw_exactly(*exact, rng);
    if (std::isfinite(values.at(start.position)[0]))
      starts.emplace_back(start.position.begin(), start.position.end());
  }
  return starts;
}
LogEvidence by_bridge_sampling(const StudyTarget& target, std::uint64_t seed) {
  StoredDraws store;
  run_chains(*target.density,
             {.sampler = target.density->has_gradient() ? "nuts" : "slice",
              .num_chains = 4,
              .num_warmup = 300,
              .num_draws = 500,
              .seed = seed,
              .num_threads = 1,
              .init = starts_of(target, seed)},
             store);
  return bridge_evidence(*target.density, store.draws, {.seed = seed}).evidence;
}

struct StudyMethod {
  const char* name;
  LogEvidence (*run)(const StudyTarget&, std::uint64_t seed);
};
constexpr StudyMethod kStudyMethods[] = {{"nested", by_nested_sampling},
                                         {"hamiltonian", by_hamiltonian_moves},
                                         {"smc", by_tempered_smc},
                                         {"thermodynamic", by_thermodynamic},
                                         {"bridge", by_bridge_sampling}};

// CREDO_EVIDENCE_METHODS=bridge asks one of them alone.
bool is_asked(const StudyMethod& method) {
  const char* asked = std::getenv("CREDO_EVIDENCE_METHODS");
  return asked == nullptr || std::string_view(asked).find(method.name) != std::string_view::npos;
}

TEST(standard_scores, of_which_none_is_known_are_no_figures) {
  StandardScores scores;
  EXPECT_EQ(scores.text(), "no score, 0 unknown");
  EXPECT_FALSE(scores.pass());  // nothing was asked
  scores.add({.value = 1.0, .error = kInfinity}, 0.0);
  EXPECT_EQ(scores.text(), "no score, 1 unknown");
  scores.add({.value = 1.0, .error = 0.5}, 0.0);  // a score of 2
  EXPECT_NE(scores.text().find("1 seeds, mean 2.00, mean square 4.00"), std::string::npos)
      << scores.text();
}

class EvidenceStudy : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EvidenceStudy, has_standard_scores) {
  if (std::getenv("CREDO_EVIDENCE_SEEDS") == nullptr)
    GTEST_SKIP() << "a study of many minutes: CREDO_EVIDENCE_SEEDS=100";
  const StudyTarget target = std::move(study_targets()[GetParam()]);
  for (const StudyMethod& method : kStudyMethods) {
    if (!is_asked(method)) continue;
    StandardScores scores;
    for (Index k = 0; k < num_evidence_seeds(100); ++k)
      scores.add(method.run(target, test_seed(7000 + static_cast<std::uint64_t>(k))),
                 target.log_evidence);
    scores.print(target.name + ", " + method.name);
    EXPECT_TRUE(scores.pass()) << target.name << ", " << method.name;
  }
}
INSTANTIATE_TEST_SUITE_P(targets, EvidenceStudy, ::testing::Range(std::size_t{0}, std::size_t{9}));

}  // namespace
}  // namespace credo::infer::evidence_study_test
