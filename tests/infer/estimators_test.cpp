// Objectives and estimators of their gradients: suites over both tables.
#include "infer/variational/estimators.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/variational/climb_stochastic.hpp"

namespace credo::infer::estimators_test {
namespace {
using namespace credo::testing;
using Adds = std::function<void(const Objective&, NormalFamily&, const EstimatorDraws&,
                                std::vector<double>&, std::span<double>)>;

// log p of two correlated values with a cubic term, away from any member.
double log_p(Values x, std::span<double> gradient) {
  const double a = x[0] - 0.4, b = x[1] + 0.3;
  if (!gradient.empty()) {
    gradient[0] = -1.3 * a + 0.5 * b - 0.2 * a * a * a;
    gradient[1] = -0.9 * b + 0.5 * a;
  }
  return -0.65 * a * a - 0.45 * b * b + 0.5 * a * b - 0.05 * a * a * a * a;
}

std::unique_ptr<NormalFamily> family_of_two() {
  auto family =
      make_low_rank_normal({.mean = {0.1, 0.2}, .covariance = {0.8, 0.1, 0.1, 0.6}, .rank = 1});
  family->move_to(family->start());
  return family;
}

EstimatorDraws draws_of(NormalFamily& family, Index count, Rng& rng) {
  EstimatorDraws draws{.num_base = static_cast<std::size_t>(family.num_base()), .dimension = 2};
  for (Index s = 0; s < count; ++s) {
    std::vector<double> z(draws.num_base), x(2), gradient(2);
    for (double& v : z) v = rng.normal();
    family.place(z, x);
    const double value = log_p(x, gradient);
    draws.z.insert(draws.z.end(), z.begin(), z.end());
    draws.x.insert(draws.x.end(), x.begin(), x.end());
    draws.gradients.insert(draws.gradients.end(), gradient.begin(), gradient.end());
    draws.log_ratios.push_back(value - family.log_density(x));
  }
  return draws;
}

struct MeanGradient {
  std::vector<double> means, errors;
};

// Over many sets of draws.
MeanGradient mean_gradient(const Objective& objective, const Adds& adds, Index num_draws,
                           std::uint32_t number) {
  constexpr int kSets = 15'000;
  const auto family = family_of_two();
  const auto size = static_cast<std::size_t>(family->num_parameters());
  Rng rng({.seed = test_seed(3), .purpose = purpose::kTest, .chain = number, .iteration = 0});
  std::vector<double> sums(size, 0.0), squares(size, 0.0), gradient(size), memory;
  int num_sets = 0;
  for (int set = 0; set < kSets; ++set) {
    const EstimatorDraws draws = draws_of(*family, num_draws, rng);
    const bool is_first = set == 0;  // some only learn from it
    std::fill(gradient.begin(), gradient.end(), 0.0);
    adds(objective, *family, draws, memory, gradient);
    if (is_first) continue;
    ++num_sets;
    for (std::size_t k = 0; k < size; ++k) {
      sums[k] += gradient[k];
      squares[k] += gradient[k] * gradient[k];
    }
  }
  MeanGradient found;
  for (std::size_t k = 0; k < size; ++k) {
    const double mean = sums[k] / num_sets;
    found.means.push_back(mean);
    found.errors.push_back(
        std::sqrt(std::max(0.0, squares[k] / num_sets - mean * mean) / num_sets));
  }
  return found;
}

// Largest standard score of the differences.
double distance(const MeanGradient& a, const MeanGradient& b) {
  double worst = 0.0;
  for (std::size_t k = 0; k < a.means.size(); ++k)
    worst = std::max(
        worst, std::abs(a.means[k] - b.means[k]) / (std::hypot(a.errors[k], b.errors[k]) + 1e-12));
  return worst;
}
constexpr double kFar = 4.8;  // 12 components of 12 comparisons: one in 10,000 suites

TEST(objectives, have_the_shares_of_draws_as_derivatives) {
  const std::vector<double> ratios{-1.0, 0.3, 0.7, -2.5, 0.1};
  for (const char* text : {"elbo", "iwae:5", "renyi:0.5", "renyi:-1", "renyi:2", "chi2"}) {
    const Objective objective = parse_objective(text);
    std::vector<double> shares(ratios.size());
    objective.shares(ratios, shares);
    for (std::size_t s = 0; s < ratios.size(); ++s) {
      constexpr double kStep = 1e-5;
      std::vector<double> up = ratios, down = ratios;
      up[s] += kStep, down[s] -= kStep;
      EXPECT_NEAR(shares[s], (objective.value(up) - objective.value(down)) / (2.0 * kStep), 1e-9)
          << text;
    }
  }
}

// L_c rises with c, and chi2 is the Rényi bound of order -1.
TEST(objectives, are_in_the_order_of_their_powers) {
  const std::vector<double> ratios{-1.0, 0.3, 0.7, -2.5, 0.1};
  double before = -kInfinity;
  for (const char* text : {"renyi:3", "renyi:1.5", "elbo", "renyi:0.5", "iwae:5", "chi2"}) {
    const double value = parse_objective(text).value(ratios);
    EXPECT_GT(value, before) << text;
    before = value;
  }
  EXPECT_EQ(parse_objective("renyi:-1").value(ratios), parse_objective("chi2").value(ratios));
  EXPECT_TRUE(parse_objective("chi2").is_upper());
  EXPECT_FALSE(parse_objective("iwae:5").is_upper());
  for (const char* text : {"", "evidence", "iwae", "iwae:1", "iwae:2.5", "renyi:1", "chi2:2"})
    EXPECT_THROW(parse_objective(text), Error) << text;
}

// All estimators of one objective have one expectation. Planted: sticking the landing whose gradient isn't stopped (the score
// is left out of the path), and shares that aren't squared.
TEST(estimators, of_the_evidence_bound_have_one_expectation) {
  const Objective elbo = parse_objective("elbo");
  const auto of = [&](const Adds& adds, std::uint32_t number) {
    return mean_gradient(elbo, adds, 10, number);
  };
  const MeanGradient exact = of(find_estimator("reparam", elbo).add, 1);
  std::uint32_t number = 2;
  for (const EstimatorSpec& row : estimators())
    EXPECT_LT(distance(of(row.add, number++), exact), kFar) << row.name;
  const Adds not_stopped = [](const Objective&, NormalFamily& family, const EstimatorDraws& draws,
                              std::vector<double>&, std::span<double> into) {
    for (std::size_t s = 0; s < draws.count(); ++s) {
      std::vector<double> v(2);
      for (std::size_t d = 0; d < 2; ++d) v[d] = draws.gradient(s)[d] / 10.0;
      family.pull_back(draws.base(s), v, into);
    }
  };
  EXPECT_GT(distance(of(not_stopped, 20), exact), kFar);
}

TEST(estimators, of_other_objectives_have_one_expectation) {
  std::uint32_t number = 30;
  for (const char* text : {"iwae:5", "renyi:0.5", "chi2"}) {
    const Objective objective = parse_objective(text);
    const auto of = [&](const Adds& adds) { return mean_gradient(objective, adds, 5, number++); };
    const MeanGradient exact = of(find_estimator("reparam", objective).add);
    const MeanGradient along_paths = of(find_estimator("dreg", objective).add);  // varies less
    EXPECT_LT(distance(along_paths, exact), kFar) << text;
    const Adds not_squared = [](const Objective& of_shares, NormalFamily& family,
                                const EstimatorDraws& draws, std::vector<double>& memory,
                                std::span<double> into) {
      EstimatorDraws weighted = draws;
      std::vector<double> shares(draws.count());
      of_shares.shares(draws.log_ratios, shares);
      for (std::size_t s = 0; s < draws.count(); ++s) weighted.log_ratios[s] = 0.0;
      for (std::size_t s = 0; s < draws.count(); ++s) {
        std::vector<double> score(2);
        family.score(draws.point(s), score);
        for (std::size_t d = 0; d < 2; ++d)
          score[d] = shares[s] * (draws.gradient(s)[d] - score[d]);
        family.pull_back(draws.base(s), score, into);
      }
      memory.clear();
    };
    EXPECT_GT(distance(of(not_squared), along_paths), kFar) << text;
  }
}

// If q is the posterior, the path gradient is 0 for every draw, and that of reparam is not.
TEST(estimators, that_stick_the_landing_vary_by_nothing_at_the_posterior) {
  const auto family = make_full_normal({.mean = {0.0, 0.0}, .covariance = {1.0, 0.0, 0.0, 1.0}});
  Rng rng({.seed = test_seed(4), .purpose = purpose::kTest, .chain = 1, .iteration = 0});
  EstimatorDraws draws{.num_base = 2, .dimension = 2};
  for (int s = 0; s < 10; ++s)
    for (int d = 0; d < 2; ++d) {
      draws.z.push_back(rng.normal());
      draws.x.push_back(draws.z.back());
      draws.gradients.push_back(-draws.x.back());
    }
  draws.log_ratios.assign(10, 0.0);
  const auto largest_by = [&](const char* name) {
    std::vector<double> memory, gradient(static_cast<std::size_t>(family->num_parameters()), 0.0);
    find_estimator(name, {}).add({}, *family, draws, memory, gradient);
    return std::abs(*std::ranges::max_element(gradient, {}, [](double g) { return std::abs(g); }));
  };
  EXPECT_LT(largest_by("stl"), 1e-14);
  EXPECT_GT(largest_by("reparam"), 0.01);
}

TEST(estimators, that_are_of_the_evidence_bound_alone_are_refused_with_others) {
  const Objective iwae = parse_objective("iwae:5");
  for (const EstimatorSpec& row : estimators()) {
    if (row.is_for_elbo_only)
      EXPECT_THROW(find_estimator(row.name, iwae), Error) << row.name;
    else
      EXPECT_EQ(&find_estimator(row.name, iwae), &row);
  }
  EXPECT_THROW(find_estimator("path", iwae), Error);
}

TEST(batch_rows, are_each_used_once_before_any_is_used_again) {
  constexpr Index kRows = 7, kSize = 3;
  BatchRows rows(kRows, kSize, test_seed(5));
  EXPECT_EQ(rows.weight(), 7.0 / 3.0);
  std::vector<double> used;
  for (int t = 0; t < 7; ++t) {
    const auto batch = rows.next();
    used.insert(used.end(), batch.begin(), batch.end());
  }
  std::vector<std::vector<double>> epochs;
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<double> own(used.begin() + static_cast<std::ptrdiff_t>(kRows * epoch),
                            used.begin() + static_cast<std::ptrdiff_t>(kRows * (epoch + 1)));
    epochs.push_back(own);
    std::sort(own.begin(), own.end());
    for (std::size_t k = 0; k < own.size(); ++k) EXPECT_EQ(own[k], static_cast<double>(k));
  }
  EXPECT_NE(epochs[0], epochs[1]);
}

// KL both ways between N(0, 1) and N(m, s²): ½ (s² + 1 / s² - 2 + m² (1 + 1 / s²)).
TEST(symmetric_divergence, of_two_normal_distributions_is_in_closed_form) {
  const auto p = make_full_normal({.mean = {0.0}, .covariance = {1.0}}),
             q = make_full_normal({.mean = {0.5}, .covariance = {4.0}});
  EXPECT_NEAR(symmetric_divergence(*p, *q), 0.5 * (4.0 + 0.25 - 2.0 + 0.25 * 1.25), 1e-12);
  EXPECT_NEAR(symmetric_divergence(*p, *p), 0.0, 1e-12);
}

}  // namespace
}  // namespace credo::infer::estimators_test
