// Objectives and estimators of their gradients: suites over both tables.
#include "infer/variational/climbs/estimators.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/variational/climbs/climb_stochastic.hpp"

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
  for (const EstimatorSpec& row : estimators()) {
    if (!row.takes(elbo)) continue;
    EXPECT_LT(distance(of(row.add, number++), exact), kFar) << row.name;
  }
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

// The wake phase of the approximation: Σ w_s h_s of S draws, and what it is along the paths. Planted: weights that aren't normalised by
// the draws of their own step (one factor for all steps), and paths with the factor w in the place of w - w².
TEST(estimators, of_the_upper_bound_have_one_expectation) {
  const Objective eubo = parse_objective("eubo");
  std::uint32_t number = 60;
  const auto of = [&](const Adds& adds) { return mean_gradient(eubo, adds, 5, number++); };
  const MeanGradient by_scores = of(find_estimator("daydream", eubo).add);
  const MeanGradient along_paths = of(find_estimator("dreg", eubo).add);
  EXPECT_LT(distance(along_paths, by_scores), kFar);
  const Adds not_normalised = [](const Objective&, NormalFamily& family,
                                 const EstimatorDraws& draws, std::vector<double>&,
                                 std::span<double> into) {
    for (std::size_t s = 0; s < draws.count(); ++s) {
      std::vector<double> slope(into.size(), 0.0);
      family.add_parameter_score(draws.point(s), slope);
      for (std::size_t k = 0; k < into.size(); ++k)
        into[k] -= std::exp(draws.log_ratios[s] - 1.0) * slope[k];
    }
  };
  EXPECT_GT(distance(of(not_normalised), along_paths), kFar);
  const Adds not_along = [](const Objective& objective, NormalFamily& family,
                            const EstimatorDraws& draws, std::vector<double>&,
                            std::span<double> into) {
    std::vector<double> shares(draws.count());
    objective.shares(draws.log_ratios, shares);
    for (std::size_t s = 0; s < draws.count(); ++s) {
      std::vector<double> v(2);
      family.score(draws.point(s), v);
      for (std::size_t d = 0; d < 2; ++d) v[d] = -shares[s] * (draws.gradient(s)[d] - v[d]);
      family.pull_back(draws.base(s), v, into);
    }
  };
  EXPECT_GT(distance(of(not_along), along_paths), kFar);
}

// Signal-to-noise ratio of the gradient of S draws, at a member that isn't the best one, and wider than p: weights with moments of all
// orders.
double signal_to_noise(const Objective& objective, const char* estimator, Index num_draws) {
  constexpr int kSets = 8000;
  const auto family = make_full_normal({.mean = {0.1, 0.2}, .covariance = {1.8, 0.4, 0.4, 2.2}});
  std::vector<double> gradient(static_cast<std::size_t>(family->num_parameters())), memory;
  Rng rng({.seed = test_seed(9),
           .purpose = purpose::kTest,
           .chain = static_cast<std::uint32_t>(num_draws),
           .iteration = 0});
  GradientNoise noise;
  for (int set = 0; set < kSets; ++set) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    find_estimator(estimator, objective)
        .add(objective, *family, draws_of(*family, num_draws, rng), memory, gradient);
    noise.take(gradient);
  }
  return noise.ratio();
}

// A tighter bound has a worse gradient for the approximation: its signal falls as 1 / S, its noise as 1 / √S. Doubly reparametrised the
// noise falls as S^(-3/2), and the ratio rises [tucker2019, rainforth2018]. Slopes of the log ratio by the log of S; ratios are
// 0.1 to 2 here, those of 8000 gradients have standard errors of 0.011, and the smallest one, 0.025, moves the slope by 0.15.
TEST(signal_to_noise, falls_as_the_root_of_the_number_of_draws_and_rises_with_dreg) {
  const auto slope_of = [](const char* estimator) {
    const auto at = [&](Index s) {
      return signal_to_noise({.power = 1.0, .num_draws = s}, estimator, s);
    };
    return std::log(at(64) / at(4)) / std::log(16.0);
  };
  const double plain = slope_of("reparam"), doubly = slope_of("dreg");
  EXPECT_LT(plain, -0.25);
  EXPECT_GT(plain, -0.75);
  EXPECT_GT(doubly, 0.25);
  EXPECT_LT(doubly, 0.75);
}

// y ~ N(x, 0.5²) of one value with the prior N(0, 1): w E_q[log likelihood] - D_a(N(m, s²) ‖ N(0, 1)), where with v = a + (1 - a) s²
//
//   D_a = -log s - log v / (2 (a - 1)) + a m² / (2 v),   v > 0
//
// is best on a grid of widths 1e-3. Planted: Kullback's divergence, a = 1, whose best one is the posterior of the power w.
TEST(generalised_inference, is_best_by_the_divergence_of_its_order) {
  constexpr double kObserved = 1.2, kNoise = 0.5;
  const Known target(1, 1.0,
                     [](Values x, std::span<double> gradient) {
                       if (!gradient.empty()) gradient[0] += (kObserved - x[0]) / (kNoise * kNoise);
                       return normal_log_density(kObserved, x[0], kNoise);
                     },
                     {});
  constexpr double kOrder = 0.5, kPower = 0.7, kWidth = 1e-3;
  double best = -kInfinity, mean = 0.0, sd = 0.0;
  for (double m = 0.4; m < 1.4; m += kWidth)
    for (double s = 0.3; s < 1.1; s += kWidth) {
      const double v = kOrder + (1.0 - kOrder) * s * s;
      const double divergence =
          -std::log(s) - std::log(v) / (2.0 * (kOrder - 1.0)) + kOrder * m * m / (2.0 * v);
      const double loss = 0.5 * ((kObserved - m) * (kObserved - m) + s * s) / (kNoise * kNoise);
      const double value = -kPower * loss - divergence;
      if (value > best) best = value, mean = m, sd = s;
    }
  const BestNormal found = maximise_bound(target, {.covariance = CovarianceShape::full,
                                                   .objective = "gvi:0.5",
                                                   .power = kPower,
                                                   .seed = test_seed(11)});
  EXPECT_NEAR(found.family->mean()[0], mean, 0.03 * sd);
  EXPECT_NEAR(std::sqrt(found.family->variances()[0]) / sd, 1.0, 0.03);
  const double precision = 1.0 + kPower / (kNoise * kNoise);
  EXPECT_GT(std::abs(kPower * kObserved / (kNoise * kNoise) / precision - mean), 0.06 * sd);
  EXPECT_THROW(parse_objective("gvi:-1"), Error);
  EXPECT_THROW(parse_objective("gvi"), Error);
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

TEST(estimators, are_refused_with_objectives_that_they_do_not_take) {
  const std::map<std::string_view, std::string_view> takers{
      {"elbo", "reparam stl dreg score score_cv"},
      {"iwae:5", "reparam dreg"},
      {"eubo", "dreg daydream"}};
  for (const auto& [text, names] : takers) {
    const Objective objective = parse_objective(text);
    for (const EstimatorSpec& row : estimators()) {
      const bool takes = (" " + std::string(names) + " ").find(" " + std::string(row.name) + " ") !=
                         std::string::npos;
      if (!takes)
        EXPECT_THROW(find_estimator(row.name, objective), Error) << text << row.name;
      else
        EXPECT_EQ(&find_estimator(row.name, objective), &row);
    }
    EXPECT_THROW(find_estimator("path", objective), Error);
  }
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
