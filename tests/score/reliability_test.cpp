// Reliability against scikit-learn and definitions, and how often calibrated predictions are refused.
#include "score/reliability.hpp"

#include "score/distribution_calibration.hpp"
#include "score/poisson_binomial.hpp"
#include "score/scores.hpp"
#include "score_data.hpp"
#include "support/share.hpp"

namespace credo::score::reliability_test {
namespace {
constexpr double kRounding = 1e-12;

Reliability of_second(const Predictions& all, const ReliabilityOptions& options) {
  std::vector<double> p;
  std::vector<char> events;
  for (Index i = 0; i < all.num_rows(); ++i) {
    p.push_back(all.values[i][1]);
    events.push_back(all.label(i) == 1 ? 1 : 0);
  }
  return reliability_of(p, events, options);
}

TEST(reliability, has_the_bins_of_scikit_learn) {
  const Predictions all = stored("binary.csv");
  for (const Binning binning : {Binning::equal_width, Binning::equal_count}) {
    const std::string name = binning == Binning::equal_width ? "uniform" : "quantile";
    const std::vector<double> observed = expected("binary_observed_" + name),
                              predicted = expected("binary_predicted_" + name);
    const Reliability found = of_second(all, {.binning = binning});
    ASSERT_EQ(found.bins.size(), observed.size());
    for (std::size_t b = 0; b < observed.size(); ++b) {
      EXPECT_NEAR(found.bins[b].observed, observed[b], kRounding) << name;
      EXPECT_NEAR(found.bins[b].predicted, predicted[b], kRounding) << name;
    }
  }
}

TEST(calibration_errors, are_their_definitions) {
  const ClassCalibration calibration = class_calibration(stored("three.csv"));
  EXPECT_NEAR(calibration.ece, expected("three_ece")[0], kRounding);
  EXPECT_NEAR(calibration.marginal, expected("three_marginal")[0], kRounding);
  ASSERT_EQ(calibration.parts.size(), 4u);  // the likeliest class, and three
}

// Four rows by hand: (0.2, 0.3] holds 0.25 and 0.3, whose second one is an event; (0.9, 1] holds 1 and 0.95, one is.
TEST(calibration_errors, of_four_rows_are_those_by_hand) {
  const std::vector<double> p{0.25, 0.3, 1.0, 0.95};
  const std::vector<char> events{0, 1, 1, 0};
  const Reliability found = reliability_of(p, events);
  ASSERT_EQ(found.bins.size(), 2u);
  EXPECT_NEAR(found.bins[0].predicted, 0.275, kRounding);
  EXPECT_NEAR(found.ece, 0.5 * 0.225 + 0.5 * 0.475, kRounding);
  EXPECT_NEAR(found.square, 0.5 * 0.225 * 0.225 + 0.5 * 0.475 * 0.475, kRounding);
  EXPECT_NEAR(found.largest, 0.475, kRounding);
  EXPECT_NEAR(found.gap, -0.5 * 0.225 + 0.5 * 0.475, kRounding);
}

TEST(bins, take_their_upper_edge) {
  const std::vector<double> edges = bin_edges({}, 10, Binning::equal_width);
  EXPECT_EQ(bin_of(edges, 0.0), 0u);
  EXPECT_EQ(bin_of(edges, 0.1), 0u);
  EXPECT_EQ(bin_of(edges, std::nextafter(0.1, 1.0)), 1u);
  EXPECT_EQ(bin_of(edges, 1.0), 9u);
  const std::vector<double> same(50, 0.4);  // one value can't be parted
  EXPECT_EQ(bin_edges(same, 5, Binning::equal_count).size(), 2u);
}

TEST(poisson_binomial, is_the_sum_over_all_outcomes) {
  const std::vector<double> p{0.1, 0.5, 0.77, 0.3, 0.99, 0.02};
  std::vector<double> exact(p.size() + 1, 0.0);
  for (unsigned set = 0; set < 64; ++set) {
    double mass = 1.0;
    std::size_t count = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const bool happens = (set >> k & 1U) != 0;
      mass *= happens ? p[k] : 1.0 - p[k];
      count += happens ? 1 : 0;
    }
    exact[count] += mass;
  }
  const PoissonBinomial distribution(p);
  double below = 0.0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    EXPECT_NEAR(distribution.mass(static_cast<Index>(k)), exact[k], 1e-15);
    EXPECT_NEAR(distribution.at_least(static_cast<Index>(k)), 1.0 - below, 1e-14);
    below += exact[k];
    EXPECT_NEAR(distribution.at_most(static_cast<Index>(k)), below, 1e-14);
  }
}

TEST(poisson_binomial, of_equal_probabilities_is_binomial_in_both_tails) {
  const std::vector<double> p(3000, 0.2);
  const PoissonBinomial distribution(p);
  for (const Index count : {480, 560, 600, 680, 750}) {
    EXPECT_NEAR(distribution.at_most(count), binomial_at_most(count, 3000, 0.2), 1e-11);
    EXPECT_NEAR(distribution.at_least(count), 1.0 - binomial_at_most(count - 1, 3000, 0.2), 1e-11);
  }
}

// P(X >= 8 | lower) = P(X <= 8 | upper) = 0.025 [clopper1934].
TEST(share_interval, has_its_tails) {
  const ShareInterval interval = share_interval(8, 20, 0.95);
  EXPECT_NEAR(1.0 - binomial_at_most(7, 20, interval.lower), 0.025, 1e-10);
  EXPECT_NEAR(binomial_at_most(8, 20, interval.upper), 0.025, 1e-10);
  EXPECT_EQ(share_interval(0, 5, 0.95).lower, 0.0);
  EXPECT_EQ(share_interval(5, 5, 0.95).upper, 1.0);
}

// Rows with one probability: the trend is that of the mean, (Σ (y - p))² / Σ p (1 - p). For logits ±1 in equal
// numbers with event shares 0.7 and 0.3, the maximum likelihood slope is logit(0.7).
TEST(trend, is_the_score_test_of_intercept_and_slope) {
  std::vector<double> p(4000, 0.25);
  std::vector<char> events(4000, 0);
  std::fill_n(events.begin(), 1050, char{1});
  const Reliability flat = reliability_of(p, events);
  EXPECT_NEAR(flat.trend_p, std::erfc(std::sqrt(0.5 * 50.0 * 50.0 / 750.0)), 1e-10);
  EXPECT_TRUE(std::isnan(flat.slope));
  const double high = 1.0 / (1.0 + std::exp(-1.0));
  std::fill_n(p.begin(), 2000, high), std::fill_n(p.begin() + 2000, 2000, 1.0 - high);
  std::fill(events.begin(), events.end(), char{0});
  std::fill_n(events.begin(), 1400, char{1}), std::fill_n(events.begin() + 2000, 600, char{1});
  const Reliability tilted = reliability_of(p, events);
  const double rest = 2.0 * (1400.0 - 2000.0 * high), information = 4000.0 * high * (1.0 - high);
  EXPECT_NEAR(tilted.slope, std::log(0.7 / 0.3), 1e-8);  // Newton's steps end at 1e-9
  EXPECT_NEAR(tilted.trend_p, std::exp(-0.5 * rest * rest / information), 1e-10);
}

// The most likely class is right as often as probabilities with half their logits predict: 0.507 by maximum
// likelihood (scipy). One step of Newton's method from 1 ends at -0.41.
TEST(trend, has_the_factor_of_the_largest_likelihood) {
  const std::string path = std::string(CREDO_SOURCE_DIR) + "/tests/inputs/score_three.csv";
  const ClassCalibration calibration =
      class_calibration(read_predictions(CsvColumns(io::read_file(path), path)));
  EXPECT_EQ(calibration.parts[0].of, "top");
  EXPECT_NEAR(calibration.parts[0].slope, 0.507, 5e-4);
  EXPECT_NE(sentence_of(calibration).find("too sure: logits should be 0.5"), std::string::npos)
      << sentence_of(calibration);
}

TEST(trend, has_no_finite_factor_where_events_are_told_apart) {
  std::vector<double> p;
  std::vector<char> events;
  for (int i = 0; i < 100; ++i) {
    p.push_back(i < 50 ? 0.3 + 0.002 * i : 0.6 + 0.002 * i);
    events.push_back(i < 50 ? 0 : 1);
  }
  EXPECT_EQ(reliability_of(p, events).slope, kInfinity);
}

// Rare events of little information, where chi-square isn't near: one event of a hundred whose probability is 0.001 has
// probability 0.095.
TEST(trend, is_exact_for_rare_events) {
  const std::vector<double> p(100, 0.001);
  std::vector<char> events(100, 0);
  events[0] = 1;
  const double exact = 1.0 - std::pow(0.999, 100);
  EXPECT_NEAR(reliability_of(p, events).trend_p, exact,
              4.5 * std::sqrt(exact * exact / 20.0));  // ended by the 20th event
}

// --- How often predictions are refused -------------------------------------------------------------------
constexpr int kRepetitions = 400;

double share_refused(std::size_t num_classes, Index num_rows, double shrink, std::uint64_t seed) {
  Rng rng({.seed = testing::test_seed(seed), .purpose = purpose::kTest});
  int refused = 0;
  for (int k = 0; k < kRepetitions; ++k) {
    Predictions all = of_classes(num_classes);
    for (Index i = 0; i < num_rows; ++i) add_drawn_row(all, shrink, rng);
    refused += class_calibration(all).is_refused() ? 1 : 0;
  }
  return static_cast<double>(refused) / kRepetitions;
}

TEST(class_calibration, refuses_calibrated_predictions_no_more_often_than_it_says) {
  // 0.05 and 4 standard errors of the repetitions.
  EXPECT_LE(share_refused(2, 100, 1.0, 3), 0.05 + 4.0 * std::sqrt(0.05 * 0.95 / kRepetitions));
  EXPECT_LE(share_refused(3, 100, 1.0, 4), 0.05 + 4.0 * std::sqrt(0.05 * 0.95 / kRepetitions));
}

// Logits twice as large as they should be.
LONG_TEST(class_calibration, refuses_predictions_that_are_too_sure) {
  EXPECT_GE(share_refused(2, 100, 0.5, 5), 0.8);
  EXPECT_GE(share_refused(3, 100, 0.5, 6), 0.8);
}

TEST(class_calibration, says_what_is_wrong) {
  Rng rng({.seed = testing::test_seed(7), .purpose = purpose::kTest});
  Predictions sure = of_classes(3);
  for (int i = 0; i < 2000; ++i) add_drawn_row(sure, 0.4, rng);
  EXPECT_NE(sentence_of(class_calibration(sure)).find("too sure"), std::string::npos);
}

Predictions normal_rows(Index count, double mean, double sd, Rng& rng) {
  Predictions all{.form = Form::normal};
  all.values.num_columns = 2;
  for (Index i = 0; i < count; ++i) {
    const double centre = rng.normal();
    all.values.add(std::array{centre, 1.0});
    all.outcomes.push_back(centre + mean + sd * rng.normal());
  }
  return all;
}

double share_of_distributions_refused(double mean, double sd, std::uint64_t seed) {
  Rng rng({.seed = testing::test_seed(seed), .purpose = purpose::kTest});
  int refused = 0;
  for (int k = 0; k < kRepetitions; ++k)
    refused +=
        distribution_calibration(normal_rows(60, mean, sd, rng), 0.05, 1).is_refused() ? 1 : 0;
  return static_cast<double>(refused) / kRepetitions;
}

TEST(distribution_calibration, refuses_calibrated_distributions_no_more_often_than_it_says) {
  EXPECT_LE(share_of_distributions_refused(0.0, 1.0, 8),
            0.05 + 4.0 * std::sqrt(0.05 * 0.95 / kRepetitions));
}

TEST(distribution_calibration, refuses_distributions_that_are_too_narrow_or_shifted) {
  EXPECT_GE(share_of_distributions_refused(0.0, 2.0, 9), 0.8);
  EXPECT_GE(share_of_distributions_refused(0.7, 1.0, 10), 0.8);
  Rng rng({.seed = testing::test_seed(11), .purpose = purpose::kTest});
  const auto words = [&](double mean, double sd) {
    return sentence_of(distribution_calibration(normal_rows(500, mean, sd, rng), 0.05, 1));
  };
  EXPECT_NE(words(0.0, 2.0).find("too narrow"), std::string::npos);
  EXPECT_NE(words(0.0, 0.4).find("too wide"), std::string::npos);
  EXPECT_NE(words(1.0, 1.0).find("above"), std::string::npos);
}

TEST(distribution_calibration, counts_coverage_and_width) {
  Rng rng({.seed = testing::test_seed(12), .purpose = purpose::kTest});
  const DistributionCalibration found =
      distribution_calibration(normal_rows(4000, 0.0, 1.0, rng), 0.05, 1);
  for (const CoverageFigure& figure : found.coverage) {
    EXPECT_NEAR(figure.share(), figure.mass,
                4.5 * std::sqrt(figure.mass * (1 - figure.mass) / 4000));
    EXPECT_LE(figure.lower, figure.share());
    EXPECT_GE(figure.upper, figure.share());
  }
  EXPECT_NEAR(found.coverage[3].mean_width, 2.0 * 1.959963984540054, 1e-9);
}

// One more draw among S has every place with the same probability; equal ones share theirs.
TEST(place_among, is_uniform_for_one_more_draw) {
  EXPECT_DOUBLE_EQ(place_among(std::array{1.0, 2.0, 3.0}, 2.5, 0.5), 2.5 / 4.0);
  EXPECT_DOUBLE_EQ(place_among(std::array{1.0, 2.0, 2.0}, 2.0, 0.0), 1.0 / 4.0);
  EXPECT_DOUBLE_EQ(place_among(std::array{1.0, 2.0, 2.0}, 2.0, 1.0), 1.0);
}

TEST(level_figures, of_quantiles_are_exact_binomial_tails) {
  Predictions all{.form = Form::quantiles};
  all.levels = {0.1, 0.9}, all.values.num_columns = 2;
  for (int i = 0; i < 50; ++i) {
    all.values.add(std::array{0.0, 1.0});
    all.outcomes.push_back(i < 10 ? -1.0 : i < 48 ? 0.5 : 2.0);
  }
  const DistributionCalibration found = distribution_calibration(all, 0.05, 1);
  EXPECT_NEAR(found.levels[0].share, 0.2, kRounding);
  EXPECT_NEAR(found.levels[0].p_value, 2.0 * (1.0 - binomial_at_most(9, 50, 0.1)), kRounding);
  EXPECT_NEAR(found.levels[1].share, 0.96, kRounding);
  EXPECT_EQ(found.coverage.size(), 1u);  // 80 %
  EXPECT_EQ(found.coverage[0].covered, 38);
}

}  // namespace
}  // namespace credo::score::reliability_test
