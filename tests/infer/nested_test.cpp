// Nested sampling against evidences and posteriors that are known.
#include <gtest/gtest.h>

#include "infer/core/table.hpp"
#include "infer/evidence/live_plan.hpp"
#include "infer/evidence/shrinkage.hpp"
#include "infer/evidence_targets.hpp"
#include "infer/standard_scores.hpp"
#include "infer/tape.hpp"
#include "support/share.hpp"

namespace credo::infer::nested_test {
namespace {
using namespace credo::testing;

// ---- shrinkage: nested sampling of what is known, in the mass ξ itself

// L(ξ) = exp(-ξ^{2/5} / 2 s²) of a ball in 5 dimensions of radius 1, s = 0.05: Z = ∫ L dξ by quadrature in log ξ.
constexpr double kWidth = 0.05;
double log_likelihood_at(double mass) { return -0.5 * std::pow(mass, 0.4) / (kWidth * kWidth); }
double log_evidence_of_the_ball() {
  constexpr int kPoints = 40'000;
  constexpr double kDepth = 60.0;
  double sum = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double t = kDepth * (i + 0.5) / kPoints;
    sum += std::exp(log_likelihood_at(std::exp(-t)) - t) * kDepth / kPoints;
  }
  return std::log(sum);
}

struct Planted {
  double wrong_live = 0.0;    // added to the number of live points
  bool flat_batches = false;  // the lowest of a batch all die as the lowest of N
  bool without_rest = false;  // the last live points are forgotten
};

// A run with exact draws above each threshold: `replaced` of `num_live` at a time.
DeadPoints ideal_run(Index num_live, Index replaced, std::uint32_t seed,
                     const Planted& planted = {}) {
  Rng rng({.seed = test_seed(seed), .purpose = purpose::kTest});
  std::vector<double> masses;
  for (Index i = 0; i < num_live; ++i) masses.push_back(rng.uniform());
  DeadPoints dead;
  const auto die = [&](Index n) {
    dead.add(log_likelihood_at(masses.front()), n);
    dead.num_live.back() += planted.wrong_live;
    masses.erase(masses.begin());
  };
  for (Index step = 0; step * replaced < 30 * num_live; ++step) {
    std::sort(masses.begin(), masses.end(), std::greater<>());
    const double top = masses[static_cast<std::size_t>(replaced - 1)];
    for (Index j = 0; j < replaced; ++j) die(planted.flat_batches ? num_live : num_live - j);
    for (Index j = 0; j < replaced; ++j) masses.push_back(top * rng.uniform());
  }
  std::sort(masses.begin(), masses.end(), std::greater<>());
  for (Index n = num_live; n > 0 && !planted.without_rest; --n) die(n);
  return dead;
}

struct MeanAndSquare {
  double mean = 0.0, square = 0.0;
};
MeanAndSquare scores_of_ideal_runs(const Planted& planted) {
  constexpr Index kRuns = 150;
  const double truth = log_evidence_of_the_ball();
  MeanAndSquare scores;
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const DeadPoints dead = ideal_run(50, 10, 1 + run, planted);
    Rng rng({.seed = test_seed(run), .purpose = purpose::kTest + 1});
    const double z = (nested_evidence(dead).log_evidence - truth) / simulated_error(dead, 50, rng);
    scores.mean += z / kRuns, scores.square += z * z / kRuns;
  }
  return scores;
}
// 150 scores: the mean has the error 1/√150, the mean square √(2/150); four of each, and what 50 simulations
// of an error are off (2 %), and the asymmetry of 50 live points.
bool are_standard(const MeanAndSquare& scores) {
  return std::abs(scores.mean) < 4.0 / std::sqrt(150.0) &&
         std::abs(scores.square - 1.0) < 4.0 * std::sqrt(2.0 / 150.0) + 0.05;
}

TEST(shrinkage, gives_the_evidence_and_its_error_where_draws_are_exact) {
  EXPECT_TRUE(are_standard(scores_of_ideal_runs({})));
}

LONG_TEST(shrinkage, is_rejected_where_it_is_that_of_another_number_of_points) {
  EXPECT_FALSE(are_standard(scores_of_ideal_runs({.wrong_live = -1.0})));
  EXPECT_FALSE(are_standard(scores_of_ideal_runs({.wrong_live = 1.0})));
  EXPECT_FALSE(are_standard(scores_of_ideal_runs({.flat_batches = true})));
}

TEST(shrinkage, sums_up_as_the_trapezium_rule_is_written) {
  const std::vector<double> logs = {-3.0, -2.5, -1.0, -0.5}, live = {4.0, 3.0, 2.0, 1.0};
  DeadPoints dead;
  NestedSum sum;
  double mass = 1.0, evidence = 0.0, before = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    dead.add(logs[i], static_cast<Index>(live[i]));
    sum.add(logs[i], live[i]);
    const double next = mass * std::exp(-1.0 / live[i]);
    evidence += 0.5 * (before + std::exp(logs[i])) * (mass - next);
    mass = next, before = std::exp(logs[i]);
  }
  EXPECT_NEAR(sum.log_evidence(), std::log(evidence), 1e-14);
  EXPECT_NEAR(sum.log_mass(), std::log(mass), 1e-14);
  const NestedEvidence found = nested_evidence(dead);
  EXPECT_NEAR(found.log_evidence, std::log(evidence + before * mass), 1e-14);  // with the rest
  double information = 0.0, total = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double p = std::exp(found.log_weights[i]);
    total += p, information += p * (logs[i] - found.log_evidence);
  }
  EXPECT_NEAR(total, 1.0, 1e-14);
  EXPECT_NEAR(found.information, information, 1e-14);
}

TEST(shrinkage, has_the_error_of_the_first_order_and_of_the_information) {
  const DeadPoints dead = ideal_run(200, 10, 5);
  Rng rng({.seed = test_seed(6), .purpose = purpose::kTest});
  const double simulated = simulated_error(dead, 500, rng);
  // 500 simulations: 1/√1000 of it, four times; terms of the second order are 1/√N of it.
  EXPECT_NEAR(simulated, first_order_error(dead), simulated * (4.0 / std::sqrt(1000.0) + 0.07));
  EXPECT_NEAR(simulated, std::sqrt(nested_evidence(dead).information / 200.0), 0.2 * simulated);
}

// The logarithm of a share by draws until n are in it: without bias, and with its variance.
TEST(shrinkage, begins_with_the_share_that_has_a_likelihood) {
  constexpr double kShareIn = 0.2;
  constexpr Index kPoints = 30, kRuns = 4000;
  double mean = 0.0, square = 0.0, variance = 0.0;
  for (Index run = 0; run < kRuns; ++run) {
    Rng rng({.seed = test_seed(11),
             .purpose = purpose::kTest,
             .iteration = static_cast<std::uint32_t>(run)});
    Index drawn = 0;
    for (Index in = 0; in < kPoints; ++drawn) in += rng.uniform() < kShareIn ? 1 : 0;
    DeadPoints dead;
    dead.begin_with(kPoints, drawn);
    const double off = dead.log_start - std::log(kShareIn);
    mean += off / kRuns, square += off * off / kRuns, variance += dead.start_variance / kRuns;
  }
  const double sd = std::sqrt(square - mean * mean);
  EXPECT_NEAR(mean, 0.0, 4.0 * sd / std::sqrt(static_cast<double>(kRuns)));
  EXPECT_NEAR(variance, sd * sd, 4.0 * sd * sd * std::sqrt(2.0 / kRuns) + 0.02 * variance);
}

// ---- numbers of live points that vary

MeanAndSquare scores_of_merged_runs(bool forgets_the_first) {
  constexpr Index kRuns = 150;
  const double truth = log_evidence_of_the_ball();
  MeanAndSquare scores;
  std::vector<Index> order;
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const DeadPoints first = ideal_run(20, 4, 401 + run), second = ideal_run(50, 10, 801 + run);
    DeadPoints both = merged(first, second, order);
    if (forgets_the_first)
      for (double& n : both.num_live) n = std::max(1.0, n - 20.0);
    Rng rng({.seed = test_seed(run), .purpose = purpose::kTest + 1});
    const double z = (nested_evidence(both).log_evidence - truth) / simulated_error(both, 50, rng);
    scores.mean += z / kRuns, scores.square += z * z / kRuns;
  }
  return scores;
}

LONG_TEST(live_plan, makes_one_run_of_two) {
  EXPECT_TRUE(are_standard(scores_of_merged_runs(false)));
  EXPECT_FALSE(are_standard(scores_of_merged_runs(true)));
}

// Over the first run's way; at its likelihoods R falls, and p rises and falls.
TEST(live_plan, spends_what_it_is_given_where_it_helps_most) {
  const DeadPoints first = ideal_run(100, 10, 7);
  for (const LiveAim aim : {LiveAim::evidence, LiveAim::posterior}) {
    const LivePlan plan(first, aim,
                        {.mean = 200.0, .least = 20.0, .most = 6400.0, .num_last = 100});
    double spent = 0.0, way = 0.0;
    Index most = 0, last = plan.at(-kInfinity);
    for (std::size_t i = 0; i < first.num_live.size(); ++i) {
      const Index n = plan.at(first.log_likelihoods[i]);
      EXPECT_GE(n, 20);
      EXPECT_TRUE(aim == LiveAim::posterior || n <= last);
      last = n, most = std::max(most, n);
      if (i + 100 >= first.num_live.size()) continue;  // the last ones
      spent += static_cast<double>(n) / first.num_live[i], way += 1.0 / first.num_live[i];
    }
    EXPECT_NEAR(spent / way, 200.0, 4.0);  // numbers are whole; each is that above the point
    EXPECT_EQ(last, 20);
    EXPECT_GT(most, 200);
    EXPECT_TRUE(aim == LiveAim::evidence || plan.at(-kInfinity) < most / 4);
  }
}

// ---- ranks

TEST(insertion_ranks, are_judged_by_their_distribution) {
  Index num_low = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Rng rng({.seed = test_seed(21), .purpose = purpose::kTest, .iteration = seed});
    InsertionRanks ranks;
    for (int k = 0; k < 500; ++k) ranks.add(rng.index_below(37), 0, 36, rng);
    if (ranks.p_value() < 0.05) ++num_low;
  }
  EXPECT_NEAR(static_cast<double>(num_low), 10.0, 4.0 * std::sqrt(200.0 * 0.05 * 0.95));
  Rng rng({.seed = test_seed(22), .purpose = purpose::kTest});
  InsertionRanks near, tied, few;
  for (int k = 0; k < 500; ++k) near.add(rng.index_below(30), 0, 36, rng);
  EXPECT_LT(near.p_value(), 1e-3);
  for (int k = 0; k < 500; ++k) tied.add(0, 36, 36, rng);  // a plateau says nothing
  EXPECT_GT(tied.p_value(), 1e-3);
  few.add(0, 0, 5, rng);
  EXPECT_TRUE(std::isnan(few.p_value()));
}

TEST(choose_weighted, keeps_large_weights_and_expects_each_weight) {
  std::vector<double> weights = {0.4, 0.02, 0.03, 0.25, 0.05, 0.05, 0.1, 0.1}, logs;
  for (const double w : weights) logs.push_back(std::log(w));
  std::vector<double> mean(8, 0.0);
  constexpr int kPlaces = 1000;
  for (int k = 0; k < kPlaces; ++k) {
    const ChosenPoints chosen = choose_weighted(logs, 5, (k + 0.5) / kPlaces);
    ASSERT_EQ(chosen.points.size(), 5u);
    double total = 0.0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double w = std::exp(chosen.log_weights[i]);
      total += w;
      mean[static_cast<std::size_t>(chosen.points[i])] += w / kPlaces;
    }
    EXPECT_NEAR(total, 1.0, 1e-12);
    EXPECT_EQ(chosen.points[0], 0);
    EXPECT_EQ(chosen.log_weights[0], logs[0]);
  }
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(mean[i], weights[i], 2.0 / kPlaces);
  EXPECT_EQ(choose_weighted(logs, 20, 0.5).points.size(), 20u);  // more than there are
}

// ---- the whole

SampleOptions options_of(std::uint64_t seed, Index live_points = 100) {
  SampleOptions options{
      .sampler = "nested", .num_chains = 1, .num_warmup = 0, .num_draws = 500, .seed = seed};
  options.kernel = find_sampler("nested").options();
  set_option(options, "live_points", std::to_string(live_points));
  return options;
}

struct Target {
  BoxProblem problem;
  Index seeds;
  std::vector<std::pair<const char*, const char*>> settings = {};
};

BoxProblem problem_of(KnownPosterior known) {
  return {known.name, std::move(known.density), known.log_evidence};
}

std::vector<Target> targets() {
  std::vector<Target> all;
  all.push_back({gaussian_shells(), 24, {{"in_cube", "true"}}});
  all.push_back({gaussian_shells(false), 24, {{"move", "walk"}}});
  all.push_back({eggbox(), 24, {{"in_cube", "true"}}});
  all.push_back({gauss_in_a_ball(), 24});
  all.push_back({plateaus(), 24, {{"in_cube", "true"}}});
  all.push_back({plateaus(), 24, {{"move", "rejection"}}});
  all.push_back({peak_on_a_plateau(), 24});
  all.push_back({gauss_in_20_dimensions(), 8});
  for (auto make : {conjugate_posterior, bimodal, sheet}) all.push_back({problem_of(make()), 12});
  for (auto make : {conjugate_posterior, sheet})
    for (const char* move : {"galilean", "hamiltonian"})
      all.push_back({problem_of(make()), 12, {{"move", move}}});
  for (auto make : {+[] { return gaussian_shells(); }, +[] { return gauss_in_a_ball(true); }})
    all.push_back({make(), 12, {{"move", "ellipsoids"}, {"in_cube", "true"}}});
  all.push_back({gauss_in_a_ball(), 12, {{"aim", "evidence"}}});
  all.push_back({gauss_in_a_ball(), 12, {{"aim", "posterior"}}});
  all.push_back({plateaus(), 12, {{"in_cube", "true"}, {"aim", "posterior"}}});
  return all;
}

StandardScores scores_of(const Target& target, double planted_error = 0.0) {
  StandardScores scores;
  for (Index k = 0; k < num_evidence_seeds(target.seeds); ++k) {
    SampleOptions options = options_of(test_seed(1000 + static_cast<std::uint64_t>(k)));
    for (const auto& [name, value] : target.settings) set_option(options, name, value);
    StoredDraws store;
    LogEvidence found =
        log_evidence_of(run_chains(*target.problem.density, options, store).chains[0]);
    found.value += planted_error;
    scores.add(found, target.problem.log_evidence);
  }
  return scores;
}

LONG_TEST(nested, finds_the_evidence_within_its_errors) {
  for (const Target& target : targets()) {
    const StandardScores scores = scores_of(target);
    std::string name = target.problem.name;
    for (const auto& [option, value] : target.settings)
      name += fmt::format(", {} {}", option, value);
    EXPECT_TRUE(scores.pass()) << name;
    scores.print(name);
  }
}

// Of targets whose errors are 0.2 to 0.4.
LONG_TEST(nested, would_be_rejected_with_an_evidence_of_one_unit_more) {
  const Target shells{gaussian_shells(), 12}, ball{gauss_in_a_ball(), 12};
  EXPECT_FALSE(scores_of(shells, 1.0).pass());
  EXPECT_FALSE(scores_of(ball, 1.0).pass());
  const Target by_trajectories{problem_of(conjugate_posterior()), 12, {{"move", "hamiltonian"}}};
  EXPECT_FALSE(scores_of(by_trajectories, 1.0).pass());
}

// The mass above each threshold that died, which is ξ(L) = (√(-2 log L) / R)¹⁰ of the ball: standard scores by the
// variance Σ 1/n², at a few steps of a run.
TEST(nested, shrinks_the_prior_by_what_it_says) {
  const BoxProblem ball = gauss_in_a_ball();
  SampleOptions options = options_of(test_seed(61), 400);
  Tape tape(-1, 1);
  run_chains(*ball.density, options, tape);
  const std::size_t width = find_sampler("nested").groups()[0].columns.size() + 1;
  const Tape::Bits& rows = tape.told[1];  // of a chain's only group
  ASSERT_GT(rows.size(), 100 * width);
  double square = 0.0, mutant_square = 0.0, count = 0.0, variance = 0.0;
  for (std::size_t at = 0; at + width <= rows.size(); at += width) {
    for (int j = 0; j < 40; ++j) variance += std::pow(1.0 / (400.0 - j), 2);
    const double log_likelihood = std::bit_cast<double>(rows[at + 1]),
                 log_mass = std::bit_cast<double>(rows[at + 2]);
    const double log_radius = 0.5 * std::log(-2.0 * log_likelihood) - std::log(kBallRadius);
    square += std::pow(log_mass - 10.0 * log_radius, 2) / variance, ++count;
    mutant_square += std::pow(log_mass - 9.0 * log_radius, 2) / variance;
  }
  // Scores of successive steps hang together; their mean square is that of W(t)² / t of a Brownian path W, 1 with the
  // standard deviation 1.
  EXPECT_LT(square / count, 5.0);
  EXPECT_GT(mutant_square / count, 5.0);  // one dimension less
}

// ---- draws

TEST(nested, has_weighted_draws_of_the_posterior) {
  const BoxProblem ball = gauss_in_a_ball();
  SampleOptions options = options_of(test_seed(71), 1000);
  options.num_draws = 4000;
  StoredDraws store;
  run_chains(*ball.density, options, store);
  const auto weights = store.info.quantity(1);
  double total = 0.0, square = 0.0, squares_of_weights = 0.0, mean = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double w = std::exp(weights[i]);
    total += w, squares_of_weights += w * w;
    mean += w * store.draws.quantity(0)[i];
    double r2 = 0.0;
    for (Index d = 0; d < 10; ++d) r2 += std::pow(store.draws.quantity(d)[i], 2);
    square += w * r2;
    EXPECT_NEAR(store.info.quantity(2)[i], -0.5 * r2, 1e-9);  // the log likelihood
  }
  EXPECT_NEAR(total, 1.0, 1e-9);
  // r² is that of a standard normal in 10 dimensions within r < 6, which leaves 1e-4 out: mean 10, variance 20.
  const double ess = total * total / squares_of_weights;
  EXPECT_GT(ess, 1000.0);
  EXPECT_NEAR(mean, 0.0, 5.0 / std::sqrt(ess));
  EXPECT_NEAR(square, 10.0, 5.0 * std::sqrt(20.0 / ess) + 0.02);
}

// A normal of standard deviation 0.01 around 1 in five coordinates of a box (-5, 5): 30 nats of way, of which the posterior takes 3.
BoxProblem narrow_gauss() {
  const auto likelihood = [](Values x) {
    double sum = 0.0;
    for (const double value : x) sum += normal_log_density(value, 1.0, 0.01);
    return sum;
  };
  return {"narrow Gaussian",
          std::make_unique<BoxPosterior>(Box{.dimension = 5, .low = -5.0, .high = 5.0}, likelihood),
          -5.0 * std::log(10.0)};
}

// Squares of the error of each coordinate's mean, in standard deviations, over seeds; and how many points the runs took.
struct SquaredErrors {
  double sum = 0.0, count = 0.0, num_new = 0.0;
};
SquaredErrors errors_of_means(const char* aim) {
  constexpr std::uint64_t kSeeds = 20;
  const BoxProblem narrow = narrow_gauss();
  SquaredErrors all;
  for (std::uint64_t k = 0; k < kSeeds; ++k) {
    SampleOptions options = options_of(test_seed(300 + k));
    options.num_draws = 5000;
    set_option(options, "aim", aim);
    StoredDraws store;
    const RunResult result = run_chains(*narrow.density, options, store);
    for (const TunedSetting& setting : result.chains[0].tuned)
      if (setting.name == "num_new") all.num_new += setting.values[0];
    const auto weights = store.info.quantity(1);
    for (Index d = 0; d < 5; ++d, ++all.count) {
      double mean = 0.0;
      for (std::size_t i = 0; i < weights.size(); ++i)
        mean += std::exp(weights[i]) * store.draws.quantity(d)[i];
      all.sum += std::pow((mean - 1.0) / 0.01, 2);
    }
  }
  return all;
}

// 100 squares each, whose sum's logarithm has the error √(2 / 100). With p(t) normal of standard deviation 1.7, three quarters of
// the points on 30 nats and the others as before, the gain is about 4.
LONG_TEST(nested, has_better_means_for_as_many_points_where_it_aims_at_the_posterior) {
  const SquaredErrors constant = errors_of_means("constant"),
                      varying = errors_of_means("posterior");
  std::printf("squared errors of means: %.2f to 1, points: %.2f to 1\n", constant.sum / varying.sum,
              constant.num_new / varying.num_new);
  EXPECT_NEAR(varying.num_new / constant.num_new, 1.0, 0.2);
  EXPECT_GT(std::log(constant.sum / varying.sum), 4.0 * std::sqrt(4.0 / constant.count));
}

TEST(nested, resumes_after_each_step_to_the_same_bits_with_any_number_of_threads) {
  for (const auto& [move, aim] :
       {std::pair{"slice", "constant"}, std::pair{"walk", "constant"},
        std::pair{"ellipsoids", "constant"}, std::pair{"slice", "posterior"}}) {
    const BoxProblem shells = gaussian_shells();
    SampleOptions options = options_of(test_seed(81), 20);
    set_option(options, "move", move);
    set_option(options, "aim", aim);
    set_option(options, "in_cube", std::string_view(move) == "ellipsoids" ? "true" : "false");
    set_option(options, "replaced", "0.25");
    options.num_chains = 2;
    options.num_draws = 30;
    Tape whole(-1, 2);
    options.num_threads = 1;
    run_chains(*shells.density, options, whole);
    for (Index after = 1; after <= 12; after += 3) {
      options.states.clear();
      Tape first(after, 2), rest(-1, 2);
      options.num_threads = 3;
      run_chains(*shells.density, options, first);
      EXPECT_EQ(first.told, whole.told);
      options.states = first.states;
      run_chains(*shells.density, options, rest);
      EXPECT_EQ(first.told_later(), rest.told) << after;
      options.states.clear();
    }
  }
}

// One step of a walk keeps half of the copies where they were, which insertion ranks don't see; slices always move.
TEST(nested, tells_copies_that_did_not_move) {
  const BoxProblem problem = gaussian_shells(false);
  const auto warnings_with = [&](const char* move, const char* num_moves) {
    SampleOptions options = options_of(1);
    set_option(options, "move", move);
    set_option(options, "num_moves", num_moves);
    StoredDraws store;
    std::string text;
    for (const std::string& warning : run_chains(*problem.density, options, store).warnings)
      text += warning + "\n";
    return text;
  };
  EXPECT_NE(warnings_with("walk", "1").find("copies of others that didn't move"),
            std::string::npos);
  EXPECT_EQ(warnings_with("walk", "0"), "");
  EXPECT_EQ(warnings_with("slice", "0"), "");
}

// A normal start within a wide posterior loses its tails in every run; one that contains it reports its assumption.
TEST(nested, says_what_a_start_at_a_normal_cannot_see) {
  const auto warnings_of = [](double sd) {
    const auto target = density::make_density(
        1, [sd](Values x, std::span<double>) { return -0.5 * x[0] * x[0] / (sd * sd); });
    SampleOptions options = options_of(1);
    set_option(options, "from", "normal");
    StoredDraws store;
    std::string text;
    for (const std::string& warning : run_chains(*target, options, store).warnings)
      text += warning + "\n";
    return text;
  };
  EXPECT_NE(warnings_of(1.0).find("all runs may miss the same tails"), std::string::npos);
  EXPECT_EQ(warnings_of(1.0).find("the draws reach"), std::string::npos);
  EXPECT_NE(warnings_of(20.0).find("the draws reach"), std::string::npos) << warnings_of(20.0);
}

// A thin sheet that is bent to and fro: ellipsoids hold all that is between its bends.
TEST(nested, ends_where_ellipsoids_hold_too_much) {
  const BoxPosterior bent(Box{.dimension = 4}, [](Values x) {
    return normal_log_density(x[0], 0.5 + 0.4 * std::sin(30.0 * x[1]), 1e-5);
  });
  for (const char* aim : {"constant", "posterior"}) {
    SampleOptions options = options_of(test_seed(91), 200);
    set_option(options, "move", "ellipsoids");
    set_option(options, "in_cube", "true");
    set_option(options, "aim", aim);
    StoredDraws store;
    try {
      run_chains(bent, options, store);
      ADD_FAILURE() << aim << ": it ended";
    } catch (const Error& error) {
      EXPECT_NE(error.message().find("draws from ellipsoids"), std::string::npos);
      EXPECT_NE(error.hint().find("--move slice"), std::string::npos);
    }
  }
}

TEST(nested, refuses_what_it_cannot_do) {
  StoredDraws store;
  const auto no_prior = density::make_density(1, [](Values, std::span<double>) { return 0.0; });
  EXPECT_THROW(run_chains(*no_prior, options_of(1), store), Error);
  SampleOptions options = options_of(1);
  EXPECT_THROW(set_option(options, "live_points", "9"), Error);
  const BoxProblem ball = gauss_in_a_ball(true), free = gauss_in_a_ball(false);
  const auto refuses = [&](const BoxProblem& problem, const char* move, const char* in_cube,
                           Index live_points) {
    SampleOptions asked = options_of(1, live_points);
    set_option(asked, "move", move);
    set_option(asked, "in_cube", in_cube);
    EXPECT_THROW(run_chains(*problem.density, asked, store), Error) << move;
  };
  for (const char* move : {"galilean", "hamiltonian"}) {
    refuses(ball, move, "false", 100);  // no gradient
    refuses(ball, move, "true", 100);   // nor one in the cube
  }
  refuses(ball, "ellipsoids", "false", 100);
  refuses(free, "ellipsoids", "true", 100);  // no map from the cube
  refuses(ball, "ellipsoids", "true", 43);   // too few for ten dimensions
  const BoxPosterior nowhere(Box{.dimension = 1}, [](Values) { return -kInfinity; });
  EXPECT_THROW(run_chains(nowhere, options, store), Error);
}

}  // namespace
}  // namespace credo::infer::nested_test
