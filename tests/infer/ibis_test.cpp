// Iterated batch importance sampling against the posteriors after each row, which are known.
#include <gtest/gtest.h>

#include "infer/core/table.hpp"
#include "infer/normal_rows.hpp"
#include "infer/smc/core_set.hpp"
#include "infer/smc/move_crew.hpp"
#include "infer/standard_scores.hpp"
#include "infer/tape.hpp"
#include "support/test_seed.hpp"

namespace credo::infer::ibis_test {
namespace {
using namespace credo::testing;

SampleOptions options_of(std::uint64_t seed, Index num_chains) {
  return {.sampler = "ibis",
          .num_chains = num_chains,
          .num_warmup = 0,
          .num_draws = 400,
          .seed = seed,
          .kernel = find_sampler("ibis").options()};
}

// The stages as they come.
class Stages final : public DrawSink {
 public:
  void begin(const Sizes&) override {}
  void draw(const DrawRecord& record) override { draws.push_back(record.position[0]); }
  void row(const RowRecord& record) override {
    rows.emplace_back(record.values.begin(), record.values.end());
  }
  bool wants_state(Index, Index, bool) override { return false; }
  void state(const StateRecord&) override {}
  std::vector<std::vector<double>> rows;
  std::vector<double> draws;
};
constexpr std::size_t kNumRows = 0, kIncrement = 1, kResampled = 4;

double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

// Standard scores of the mean increment of each row over many populations, and of the mean of the populations' draws: the
// largest. A population's increments are unbiased as ratios only; with 400 particles their bias, 1 / 400 of a relative
// variance near 1, is below the standard error of 60 of them, which is 1 / (20 sqrt 60).
double largest_score(NormalRows::Fault fault, std::uint64_t seed) {
  const NormalRows model(some_rows(), fault);
  std::map<std::size_t, std::vector<double>> increments;
  std::vector<double> means;
  constexpr Index kPopulations = 60;
  for (Index c = 0; c < kPopulations; ++c) {
    Stages stages;
    run_chains(model, options_of(seed + static_cast<std::uint64_t>(c), 1), stages);
    for (const std::vector<double>& row : stages.rows)
      increments[static_cast<std::size_t>(row[kNumRows])].push_back(row[kIncrement]);
    means.push_back(mean_of(stages.draws));
  }
  const auto score = [](const std::vector<double>& x, double truth) {
    double square = 0.0;
    for (const double value : x) square += (value - mean_of(x)) * (value - mean_of(x));
    const double n = static_cast<double>(x.size());
    return std::abs(mean_of(x) - truth) / std::sqrt(square / (n - 1.0) / n);
  };
  EXPECT_EQ(increments.size(), some_rows().size());
  double largest = 0.0;
  for (const auto& [n, found] : increments)
    largest = std::max(largest, score(found, model.log_predictive(n - 1)));
  const std::vector<double> y = some_rows();
  const double sum = std::accumulate(y.begin(), y.end(), 0.0);
  return std::max(largest, score(means, sum / (static_cast<double>(y.size()) + 1.0)));
}

// 13 scores: one in 13 * 6.3e-5 runs of right ones is beyond 4; 4.5 leaves room for the bias.
TEST(ibis, has_the_evidence_of_each_row_given_those_before) {
  EXPECT_LT(largest_score(NormalRows::Fault::none, test_seed(100)), 4.5);
}

TEST(ibis, is_rejected_where_moves_know_a_row_too_many) {
  EXPECT_GT(largest_score(NormalRows::Fault::row_too_many, test_seed(200)), 4.5);
}

TEST(ibis, is_rejected_where_moves_know_no_prior) {
  EXPECT_GT(largest_score(NormalRows::Fault::no_prior, test_seed(300)), 4.5);
}

// Twelve seeds, and the power of the same test with a truth of half a unit more.
TEST(ibis, reports_errors_of_the_evidence_that_are_standard_errors) {
  const NormalRows model(some_rows());
  StandardScores scores, of_other;
  for (Index seed = 0; seed < num_evidence_seeds(24); ++seed) {
    Stages stages;
    const auto run =
        run_chains(model, options_of(test_seed(400) + static_cast<std::uint64_t>(seed), 1), stages);
    scores.add(*log_evidence(run), model.log_evidence());
    of_other.add(*log_evidence(run), model.log_evidence() + 0.5);
  }
  scores.print("ibis");
  EXPECT_TRUE(scores.pass());
  EXPECT_FALSE(of_other.pass());
}

TEST(ibis, adds_blocks_of_rows_and_moves_only_where_few_particles_are_effective) {
  const NormalRows model(some_rows());
  SampleOptions options = options_of(test_seed(500), 1);
  set_option(options, "block_rows", "5");
  Stages stages;
  run_chains(model, options, stages);
  ASSERT_EQ(stages.rows.size(), 3u);
  EXPECT_EQ(stages.rows[0][kNumRows], 5.0);
  EXPECT_EQ(stages.rows[1][kNumRows], 10.0);
  EXPECT_EQ(stages.rows[2][kNumRows], 12.0);
  set_option(options, "block_rows", "1");
  set_option(options, "resample_below", "0");
  Stages never;
  run_chains(model, options, never);
  ASSERT_EQ(never.rows.size(), 12u);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_EQ(never.rows[k][kResampled], k == 11 ? 1.0 : 0.0);
}

TEST(ibis, says_what_it_needs_of_a_density) {
  StoredDraws store;
  const KnownPosterior model = conjugate_posterior();
  try {
    run_chains(*model.density, options_of(1, 1), store);
    ADD_FAILURE() << "a density without rows was taken";
  } catch (const Error& refused) {
    EXPECT_EQ(refused.message(),
              "the rows of the likelihood aren't known: the log density doesn't report them");
    EXPECT_EQ(refused.where(), "sampler ibis");
  }
}

TEST(ibis, refuses_rows_that_do_not_add_up_to_the_likelihood) {
  StoredDraws store;
  const NormalRows model(some_rows(), NormalRows::Fault::other_rows);
  try {
    run_chains(model, options_of(1, 1), store);
    ADD_FAILURE() << "rows that aren't those of the likelihood were taken";
  } catch (const Error& refused) {
    EXPECT_NE(refused.message().find("don't add up to it"), std::string::npos) << refused.what();
  }
}

// ---- core sets

std::vector<double> many_rows() {
  std::vector<double> y;
  for (int i = 0; i < 60; ++i) y.push_back(2.0 + 1.5 * std::sin(2.4 * i));
  return y;
}

// Standard scores, between 40 populations, of the mean and of the mean square of the draws.
std::array<double, 2> core_set_scores(NormalRows::Fault fault, std::uint64_t seed) {
  const std::vector<double> y = many_rows();
  const NormalRows model(y, fault);
  SampleOptions options = options_of(seed, 40);
  set_option(options, "core_set", "6");
  StoredDraws store;
  const RunResult run = run_chains(model, options, store);
  EXPECT_EQ(run.warnings.size(), 1u);
  const double n = static_cast<double>(y.size()), precision = n + 1.0;
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / precision;
  std::array<double, 2> sum{}, squares{};
  for (Index c = 0; c < 40; ++c) {
    std::array<double, 2> own{-mean, -mean * mean - 1.0 / precision};
    for (const double x : store.draws.chain(c, 0)) own[0] += x / 400.0, own[1] += x * x / 400.0;
    for (std::size_t k = 0; k < 2; ++k) sum[k] += own[k], squares[k] += own[k] * own[k];
  }
  for (std::size_t k = 0; k < 2; ++k)
    sum[k] =
        std::abs(sum[k]) / 40.0 / std::sqrt((squares[k] - sum[k] * sum[k] / 40.0) / 39.0 / 40.0);
  return sum;
}

// Log likelihoods of these rows are combinations of two functions, so that few rows with weights can be all of them.
TEST(core_sets, of_few_rows_have_the_posterior_of_all) {
  const auto z = core_set_scores(NormalRows::Fault::none, test_seed(600));
  EXPECT_LT(z[0], 4.5);
  EXPECT_LT(z[1], 4.5);
}

TEST(core_sets, without_their_weights_are_rejected) {
  EXPECT_GT(core_set_scores(NormalRows::Fault::unweighted, test_seed(601))[1], 4.5);
}

TEST(core_sets, of_as_many_rows_as_there_are_change_nothing) {
  const NormalRows model(some_rows());
  SampleOptions options = options_of(test_seed(602), 2);
  Tape plain(-1, 2), with_set(-1, 2);
  run_chains(model, options, plain);
  set_option(options, "core_set", "12");
  EXPECT_TRUE(run_chains(model, options, with_set).warnings.empty());
  EXPECT_EQ(plain.told, with_set.told);
}

// Rows of a logistic regression, whose log likelihoods are not of few functions: nearer with more rows, and nearer than as many rows
// by chance, each of which stands for as many as there are to it.
TEST(core_sets, come_nearer_with_more_rows_and_nearer_than_rows_by_chance) {
  constexpr Index kRows = 300, kPoints = 100;
  std::vector<double> by_row;
  Rng rng({.seed = test_seed(603), .purpose = purpose::kTest});
  std::vector<double> points;
  for (Index s = 0; s < 2 * kPoints; ++s) points.push_back(0.3 * rng.normal());
  for (Index i = 0; i < kRows; ++i) {
    const double x = rng.normal(), sign = rng.uniform() < 0.5 ? -1.0 : 1.0;
    for (std::size_t s = 0; s < static_cast<std::size_t>(kPoints); ++s)
      by_row.push_back(-std::log1p(std::exp(-sign * (points[2 * s] + points[2 * s + 1] * x))));
  }
  std::vector<double> centred = by_row, whole(kPoints, 0.0);
  for (std::size_t i = 0; i < kRows; ++i) {
    double mean = 0.0;
    for (std::size_t s = 0; s < kPoints; ++s) mean += by_row[i * kPoints + s] / kPoints;
    for (std::size_t s = 0; s < kPoints; ++s) whole[s] += centred[i * kPoints + s] -= mean;
  }
  const auto distance = [&](const CoreSet& set) {
    std::vector<double> rest = whole;
    for (std::size_t j = 0; j < set.rows.size(); ++j)
      for (std::size_t s = 0; s < kPoints; ++s)
        rest[s] -= set.weights[j] * centred[static_cast<std::size_t>(set.rows[j]) * kPoints + s];
    return std::sqrt(std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0) /
                     std::inner_product(whole.begin(), whole.end(), whole.begin(), 0.0));
  };
  double before = 1.0;
  for (const Index most : {5, 20, 60}) {
    const CoreSet set = core_set_of(by_row, kRows, most);
    EXPECT_LE(ssize(set.rows), most);
    CoreSet chance;
    for (Index j = 0; j < most; ++j) {
      chance.rows.push_back(static_cast<double>(rng.index_below(kRows)));
      chance.weights.push_back(static_cast<double>(kRows) / static_cast<double>(most));
    }
    EXPECT_LT(distance(set), 0.8 * before);
    EXPECT_LT(distance(set), 0.5 * distance(chance)) << most;
    before = distance(set);
    std::printf("core set of %td: distance %.3g, by chance %.3g\n", ssize(set.rows), before,
                distance(chance));
  }
}

// ---- how far moves go

TEST(largest_correlation, is_that_of_the_coordinate_that_moved_least) {
  const std::vector<double> before = {1.0, 1.0, 2.0, -1.0, 3.0, 1.0, 4.0, -1.0};
  const std::vector<double> after = {1.0, -1.0, 2.0, 1.0, 4.0, -1.0, 3.0, 1.0};
  EXPECT_NEAR(largest_correlation(before, after, 2), 0.8, 1e-14);  // 4 / 5; the other: -1
  EXPECT_NEAR(largest_correlation(before, before, 2), 1.0, 1e-14);
  EXPECT_EQ(largest_correlation(std::vector(4, 2.0), std::vector(4, 2.0), 2), 0.0);
}

// The mover is the walk, whose three moves leave most of where a particle was.
TEST(move_until, moves_on_until_particles_are_far_from_where_they_were) {
  const KnownPosterior model = conjugate_posterior();
  for (const char* until : {"1", "0.2"}) {
    SampleOptions options = options_of(test_seed(600), 1);
    options.sampler = "smc";
    options.kernel = find_sampler("smc").options();
    set_option(options, "mover", "rwm");
    set_option(options, "move_until", until);
    Stages stages;
    const LogEvidence found = *log_evidence(run_chains(*model.density, options, stages));
    EXPECT_NEAR(found.value, model.log_evidence, 5.0 * found.error);
    const auto few = std::count_if(stages.rows.begin(), stages.rows.end(),
                                   [](const auto& row) { return row.back() == 3.0; });
    if (std::string_view(until) == "1")
      EXPECT_EQ(few, ssize(stages.rows));
    else
      EXPECT_EQ(few, 0);
    for (const auto& row : stages.rows) EXPECT_LT(row.back(), 300.0);
  }
}

}  // namespace
}  // namespace credo::infer::ibis_test
