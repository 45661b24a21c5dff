// Resampling: on average n W_i copies of each particle, and how much they vary.
#include "infer/smc/resampling_schemes.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace credo::infer {
namespace {

const std::vector<double> kWeights{0.02, 0.0, 0.3, 0.11, 0.07, 0.25, 0.01, 0.24};  // of sum 1

struct Copies {
  std::vector<double> mean, variance;
};
Copies copies_of(const ResamplingScheme& scheme, const std::vector<double>& weights, std::size_t n,
                 int rounds) {
  Copies c{std::vector<double>(weights.size()), std::vector<double>(weights.size())};
  double total = 0.0;
  for (const double w : weights) total += w;
  std::vector<std::int32_t> parents(n);
  for (int r = 0; r < rounds; ++r) {
    Rng rng({.seed = 9,
             .purpose = purpose::kTest,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(r)});
    scheme.draw({weights, total}, rng, parents);
    EXPECT_TRUE(std::is_sorted(parents.begin(), parents.end()));
    std::vector<double> count(weights.size());
    for (const std::int32_t p : parents) count[static_cast<std::size_t>(p)] += 1.0;
    for (std::size_t i = 0; i < count.size(); ++i) {
      c.mean[i] += count[i] / rounds;
      c.variance[i] += count[i] * count[i] / rounds;
    }
  }
  for (std::size_t i = 0; i < weights.size(); ++i) c.variance[i] -= c.mean[i] * c.mean[i];
  return c;
}

// 5 standard errors of the mean of 20,000 rounds, of the variance that was seen.
TEST(resampling, gives_the_expected_number_of_copies_by_every_scheme) {
  constexpr int kRounds = 20000;
  for (const double factor : {1.0, 37.0})
    for (const ResamplingScheme& scheme : resampling_schemes()) {
      std::vector<double> weights = kWeights;
      for (double& w : weights) w *= factor;
      const Copies c = copies_of(scheme, weights, 11, kRounds);
      for (std::size_t i = 0; i < kWeights.size(); ++i)
        EXPECT_NEAR(c.mean[i], 11.0 * kWeights[i], 5.0 * std::sqrt(c.variance[i] / kRounds) + 1e-9)
            << scheme.name << " " << i;
    }
}

TEST(resampling, varies_less_by_better_schemes) {
  const auto spread = [](std::string_view name) {
    double sum = 0.0;
    for (const double v : copies_of(resampling_scheme(name), kWeights, 11, 20000).variance)
      sum += v;
    return sum;
  };
  const double multinomial = spread("multinomial");
  double exact = 0.0;  // n W (1 - W) each
  for (const double w : kWeights) exact += 11.0 * w * (1.0 - w);
  EXPECT_NEAR(multinomial, exact, 0.03 * exact);
  EXPECT_LT(spread("residual"), 0.6 * multinomial);
  EXPECT_LT(spread("stratified"), 0.6 * multinomial);
  EXPECT_LT(spread("systematic"), 0.6 * multinomial);
}

// Of n equal weights a particle has no copy with probability (1 - 1/n)^n where parents are independent, and exactly one copy where
// strata are. 4 standard errors of 20,000 rounds.
TEST(resampling, of_equal_weights_kills_a_third_or_none) {
  const std::array<std::pair<std::size_t, double>, 3> known{
      {{5, 0.32768}, {10, 0.34868}, {100, 0.36603}}};
  for (const auto& [n, none] : known) {
    const std::vector<double> equal(n, 1.0);
    std::vector<std::int32_t> parents(n);
    int without = 0;
    constexpr int kRounds = 20000;
    for (int r = 0; r < kRounds; ++r) {
      Rng rng({.seed = 10,
               .purpose = purpose::kTest,
               .chain = 0,
               .iteration = static_cast<std::uint32_t>(r)});
      resampling_scheme("multinomial").draw({equal, static_cast<double>(n)}, rng, parents);
      without += std::find(parents.begin(), parents.end(), 0) == parents.end() ? 1 : 0;
      if (r > 100) continue;
      for (const char* name : {"stratified", "systematic", "residual"}) {
        resampling_scheme(name).draw({equal, static_cast<double>(n)}, rng, parents);
        for (std::size_t i = 0; i < n; ++i)
          EXPECT_EQ(parents[i], static_cast<std::int32_t>(i)) << name;
      }
    }
    EXPECT_NEAR(without / double(kRounds), none, 4.0 * std::sqrt(none * (1.0 - none) / kRounds))
        << n;
  }
}

TEST(resampling, says_which_schemes_there_are) {
  try {
    resampling_scheme("systemtic");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "did you mean systematic?");
  }
}

// Weights that are kept have the expectation of those that were there; as many as may be are kept, and heavy ones always.
TEST(optimal_resampling, keeps_weights_on_average_and_heavy_candidates) {
  constexpr int kRounds = 20000;
  std::vector<double> mean(kWeights.size()), squares(kWeights.size());
  for (int r = 0; r < kRounds; ++r) {
    Rng rng({.seed = 11,
             .purpose = purpose::kTest,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(r)});
    const auto kept = optimal_resampling({kWeights, 1.0}, 4, rng);
    ASSERT_EQ(kept.size(), 4u);
    std::set<std::int32_t> once;
    for (const KeptCandidate& k : kept) {
      once.insert(k.candidate);
      mean[static_cast<std::size_t>(k.candidate)] += k.weight / kRounds;
      squares[static_cast<std::size_t>(k.candidate)] += k.weight * k.weight / kRounds;
    }
    EXPECT_EQ(once.size(), 4u);
    EXPECT_TRUE(once.contains(2));  // 0.3 is heavier than c: 0.3 and 0.25, 0.24 above, c = 0.21
  }
  for (std::size_t i = 0; i < kWeights.size(); ++i)
    EXPECT_NEAR(mean[i], kWeights[i],
                5.0 * std::sqrt(std::max(squares[i] - mean[i] * mean[i], 0.0) / kRounds) + 1e-12)
        << i;
  Rng rng({.seed = 12, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  EXPECT_EQ(optimal_resampling({kWeights, 1.0}, 7, rng).size(), 7u);  // all that have a weight
}

}  // namespace
}  // namespace credo::infer
