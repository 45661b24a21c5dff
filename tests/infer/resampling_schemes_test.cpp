// Resampling: on average n W_i copies of each particle, and how much they vary.
#include "infer/smc/resampling_schemes.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "infer/evidence/shrinkage.hpp"
#include "support/test_seed.hpp"

namespace credo::infer::resampling_schemes_test {
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

// Weight of each candidate after resampling by a scheme, from weights that sum to 1.
struct NamedScheme {
  std::string name;
  std::function<std::vector<double>(std::span<const double> weights, Rng& rng)> weights_after;
};
constexpr std::size_t kParents = 11;
constexpr Index kKept = 4;

NamedScheme by_parents(const ResamplingScheme& scheme, double factor) {
  return {std::string(scheme.name), [&scheme, factor](std::span<const double> weights, Rng& rng) {
            std::vector<double> scaled(weights.begin(), weights.end()), after(weights.size());
            for (double& w : scaled) w *= factor;
            std::vector<std::int32_t> parents(kParents);
            scheme.draw({scaled, factor}, rng, parents);
            EXPECT_TRUE(std::is_sorted(parents.begin(), parents.end())) << scheme.name;
            for (const std::int32_t p : parents)
              after[static_cast<std::size_t>(p)] += 1.0 / kParents;
            return after;
          }};
}
std::vector<double> logs_of(std::span<const double> weights) {
  std::vector<double> logs;
  for (const double w : weights) logs.push_back(std::log(w));
  return logs;
}

// Every row of the table, and those that know logarithms or keep weights.
std::vector<NamedScheme> all_schemes() {
  std::vector<NamedScheme> all;
  for (const ResamplingScheme& scheme : resampling_schemes())
    for (const double factor : {1.0, 37.0}) all.push_back(by_parents(scheme, factor));
  all.push_back({"systematic, logarithms", [](std::span<const double> weights, Rng& rng) {
                   std::vector<double> after(weights.size());
                   for (const Index p :
                        systematic_parents(logs_of(weights), rng.uniform(), kParents))
                     after[static_cast<std::size_t>(p)] += 1.0 / kParents;
                   return after;
                 }});
  all.push_back({"optimal", [](std::span<const double> weights, Rng& rng) {
                   std::vector<double> after(weights.size());
                   for (const KeptCandidate& k : optimal_resampling(weights, kKept, rng.uniform()))
                     after[static_cast<std::size_t>(k.candidate)] += k.weight;
                   return after;
                 }});
  for (const Index count : {kKept, Index{kParents}})  // below and above the number of weights
    all.push_back({"chosen points", [count](std::span<const double> weights, Rng& rng) {
                     std::vector<double> after(weights.size());
                     const ChosenPoints chosen =
                         choose_weighted(logs_of(weights), count, rng.uniform());
                     EXPECT_EQ(ssize(chosen.points), count);
                     for (std::size_t k = 0; k < chosen.points.size(); ++k)
                       after[static_cast<std::size_t>(chosen.points[k])] +=
                           std::exp(chosen.log_weights[k]);
                     return after;
                   }});
  return all;
}

// The largest departure of a mean weight from the weight, in standard errors of 20,000 rounds.
double largest_bias(const NamedScheme& scheme) {
  constexpr int kRounds = 20000;
  std::vector<double> mean(kWeights.size()), square(kWeights.size());
  for (int r = 0; r < kRounds; ++r) {
    Rng rng({.seed = testing::test_seed(9),
             .purpose = purpose::kTest,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(r)});
    const std::vector<double> after = scheme.weights_after(kWeights, rng);
    for (std::size_t i = 0; i < after.size(); ++i) {
      mean[i] += after[i] / kRounds;
      square[i] += after[i] * after[i] / kRounds;
    }
  }
  double most = 0.0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double error = std::sqrt(std::max(square[i] - mean[i] * mean[i], 0.0) / kRounds) + 1e-10;
    most = std::max(most, std::fabs(mean[i] - kWeights[i]) / error);
  }
  return most;
}

TEST(resampling, keeps_each_weight_on_average_by_every_scheme) {
  for (const NamedScheme& scheme : all_schemes())
    EXPECT_LT(largest_bias(scheme), 5.0) << scheme.name;
}

// Residual copies whose rest goes to the first particle, a systematic grid that isn't moved, and light candidates that keep their weights.
TEST(resampling, schemes_that_lose_weights_are_rejected) {
  constexpr ResamplingScheme kNoRest{
      "no rest", "", "", [](const WeightedParents& of, Rng&, std::span<std::int32_t> parents) {
        std::size_t k = 0;
        for (std::size_t i = 0; i < of.weights.size(); ++i)
          for (int c = 0; c < static_cast<int>(11.0 * of.weights[i] / of.total); ++c)
            parents[k++] = static_cast<std::int32_t>(i);
        std::fill(parents.begin() + static_cast<std::ptrdiff_t>(k), parents.end(), 0);
        std::sort(parents.begin(), parents.end());
      }};
  constexpr ResamplingScheme kStill{
      "still", "", "", [](const WeightedParents& of, Rng&, std::span<std::int32_t> parents) {
        invert_cumulated(
            of, [](std::size_t k) { return (static_cast<double>(k) + 0.5) / 11.0; }, parents);
      }};
  const NamedScheme light{
      "light", [](std::span<const double> weights, Rng& rng) {
        std::vector<double> after(weights.size());
        for (const KeptCandidate& k : optimal_resampling(weights, kKept, rng.uniform()))
          after[static_cast<std::size_t>(k.candidate)] =
              weights[static_cast<std::size_t>(k.candidate)];
        return after;
      }};
  for (const NamedScheme& mutant : {by_parents(kNoRest, 1.0), by_parents(kStill, 1.0), light})
    EXPECT_GT(largest_bias(mutant), 50.0) << mutant.name;
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

// As many as may be are kept, heavy ones always, and each once.
TEST(optimal_resampling, keeps_heavy_candidates_and_none_twice) {
  for (int k = 0; k < 1000; ++k) {
    const auto kept = optimal_resampling(kWeights, 4, (k + 0.5) / 1000.0);
    ASSERT_EQ(kept.size(), 4u);
    std::set<std::int32_t> once;
    for (const KeptCandidate& one : kept) {
      once.insert(one.candidate);
      // 0.3, 0.25 and 0.24 are heavier than c = 0.02 + 0.11 + 0.07 + 0.01
      EXPECT_EQ(one.is_heavy, one.weight > 0.22);
      EXPECT_NEAR(one.weight,
                  one.is_heavy ? kWeights[static_cast<std::size_t>(one.candidate)] : 0.21, 1e-15);
    }
    EXPECT_EQ(once.size(), 4u);
    for (const int heavy : {2, 5, 7}) EXPECT_TRUE(once.contains(heavy));
  }
  EXPECT_EQ(optimal_resampling(kWeights, 7, 0.5).size(), 7u);  // all that have a weight
}

}  // namespace
}  // namespace credo::infer::resampling_schemes_test
