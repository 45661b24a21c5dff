// The variational bound of normal distributions against evidences and gaps that are known.
#include "infer/variational/climbs/bound.hpp"

#include <gtest/gtest.h>

#include "infer/evidence_targets.hpp"
#include "infer/standard_scores.hpp"
#include "infer/variational/climbs/climb_stochastic.hpp"
#include "infer/variational/climbs/fixed_draw_bound.hpp"

namespace credo::infer::variational_test {
namespace {
using namespace credo::testing;

BestNormal best_of(const density::LogDensity& density, std::uint64_t seed,
                   CovarianceShape covariance = CovarianceShape::full) {
  return maximise_bound(density, {.covariance = covariance, .seed = test_seed(seed)});
}

// 7 N(x; mean, sd, correlation ρ)
constexpr double kCorrelation = 0.9, kFactor = 7.0;
std::unique_ptr<density::LogDensity> correlated_normal() {
  return density::make_density(2, [](Values x, std::span<double> gradient) {
    constexpr double kRest = 1.0 - kCorrelation * kCorrelation;
    const double a = (x[0] - 3.0) / 2.0, b = (x[1] + 1.0) / 0.02;
    if (!gradient.empty()) {
      gradient[0] = -(a - kCorrelation * b) / kRest / 2.0;
      gradient[1] = -(b - kCorrelation * a) / kRest / 0.02;
    }
    return std::log(kFactor) - 0.5 * (a * a - 2.0 * kCorrelation * a * b + b * b) / kRest -
           std::log(2.0 * 0.02 * std::sqrt(kRest)) - 2.0 * kLogRootTwoPi;
  });
}

TEST(balanced_draws, have_the_moments_of_the_standard_normal_distribution) {
  constexpr Index kDraws = 40, kDimension = 5;
  for (const auto shape : {CovarianceShape::full, CovarianceShape::diagonal}) {
    const std::vector<double> z = balanced_draws(kDraws, kDimension, shape, test_seed(1));
    for (std::size_t i = 0; i < kDimension; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double mean = 0.0, product = 0.0;
        for (std::size_t s = 0; s < kDraws; ++s) {
          mean += z[s * kDimension + i] / kDraws;
          product += z[s * kDimension + i] * z[s * kDimension + j] / kDraws;
        }
        EXPECT_NEAR(mean, 0.0, 1e-14);
        if (i == j || shape == CovarianceShape::full) {
          EXPECT_NEAR(product, i == j ? 1.0 : 0.0, 1e-13) << i << ' ' << j;
        }
      }
  }
}

// Of two correlated values and a quartic, away from λ = 0.
TEST(fixed_draw_bound, has_the_gradient_of_its_differences) {
  const auto density = density::make_density(3, [](Values x, std::span<double> gradient) {
    const double off = x[1] - x[0] * x[0];
    if (!gradient.empty()) {
      gradient[0] = -x[0] + 4.0 * off * x[0];
      gradient[1] = -2.0 * off - x[2];
      gradient[2] = -x[1] - std::pow(x[2], 3);
    }
    return -0.5 * x[0] * x[0] - off * off - x[1] * x[2] - 0.25 * std::pow(x[2], 4);
  });
  for (const auto shape : {CovarianceShape::full, CovarianceShape::diagonal}) {
    const auto family = family_of(shape).make(
        {.mean = {0.3, -0.2, 0.5}, .covariance = {0.25, 0.1, 0.0, 0.1, 4.0, -0.5, 0.0, -0.5, 1.0}});
    const FixedDrawBound bound(*density, *family, balanced_draws(20, 3, shape, test_seed(2)));
    std::vector<double> at(static_cast<std::size_t>(bound.dimension())), gradient(at.size());
    for (std::size_t k = 0; k < at.size(); ++k) at[k] = 0.1 * static_cast<double>(k) - 0.3;
    density::Request request{.position = at, .gradient = gradient, .status = {}};
    density::Request* batch[] = {&request};
    bound.make_evaluator()->evaluate(density::Want::gradient, batch);
    ASSERT_EQ(at.size(), shape == CovarianceShape::full ? 9u : 6u);
    constexpr double kStep = 1e-5;  // central differences: an error of its square
    for (std::size_t k = 0; k < at.size(); ++k) {
      std::vector<double> up = at, down = at;
      up[k] += kStep, down[k] -= kStep;
      EXPECT_NEAR(gradient[k], (value_of(bound, up) - value_of(bound, down)) / (2.0 * kStep),
                  1e-7 * (1.0 + std::abs(gradient[k])))
          << k;
    }
    EXPECT_EQ(request.log_density, value_of(bound, at));
  }
}

// A normal posterior is the distribution itself: log p - log q is one number, so that the bound has no error but that
// of the climb. Of the thin sheet the covariance has variances 4000 times apart.
TEST(variational_bound, of_a_normal_posterior_is_its_evidence) {
  for (auto make : {conjugate_posterior, sheet}) {
    const KnownPosterior model = make();
    const BestNormal best = best_of(*model.density, 3);
    EXPECT_TRUE(best.converged) << model.name;
    EXPECT_NEAR(best.bound.value, model.log_evidence, 1e-5 + 4.0 * best.bound.error) << model.name;
    EXPECT_LT(best.bound.error, 1e-5) << model.name;
  }
  const BestNormal best = best_of(*correlated_normal(), 4);
  EXPECT_NEAR(best.bound.value, std::log(kFactor), 1e-5);
  EXPECT_NEAR(best.family->mean()[0], 3.0, 1e-3);
  EXPECT_NEAR(std::sqrt(best.family->variances()[1]), 0.02, 1e-5);
}

// The best diagonal distribution has the variances 1 / P_dd, P the precision, and KL(q ‖ p) = ½ (Σ log P_dd - log |P|)
// = -½ log(1 - ρ²).
TEST(variational_bound, of_a_diagonal_distribution_is_below_by_what_correlation_costs) {
  const double truth = std::log(kFactor) + 0.5 * std::log(1.0 - kCorrelation * kCorrelation);
  StandardScores right, without_gap;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const BestNormal best = best_of(*correlated_normal(), 100 + seed, CovarianceShape::diagonal);
    right.add(best.bound, truth);
    without_gap.add(best.bound, std::log(kFactor));
    EXPECT_LT(best.bound.error, 0.02);
    EXPECT_NEAR(best.family->variances()[1], 4e-4 * (1.0 - kCorrelation * kCorrelation), 1e-8);
  }
  EXPECT_TRUE(right.pass()) << right.text();
  EXPECT_FALSE(without_gap.pass());
}

// A lognormal value has a normal logarithm: of log p(exp x) + x the bound is 0. Planted: without the Jacobian x, where log Z is
// -μ + σ²/2.
TEST(variational_bound, without_the_jacobian_is_rejected) {
  constexpr double kMean = 0.7, kSd = 0.4;
  const auto of = [](double jacobian) {
    return density::make_density(1, [jacobian](Values x, std::span<double> gradient) {
      if (!gradient.empty()) gradient[0] = -(x[0] - kMean) / (kSd * kSd) - 1.0 + jacobian;
      return normal_log_density(x[0], kMean, kSd) - x[0] + jacobian * x[0];
    });
  };
  const BestNormal right = best_of(*of(1.0), 5), mutant = best_of(*of(0.0), 5);
  const auto is_right = [](const BestNormal& best) {
    return std::abs(best.bound.value) < 1e-5 + 4.0 * best.bound.error;
  };
  EXPECT_TRUE(is_right(right));
  EXPECT_FALSE(is_right(mutant));
  EXPECT_NEAR(mutant.bound.value, -kMean + 0.5 * kSd * kSd, 1e-5);
}

// A posterior of two normal modes that are far apart: the bound is that of one, log Z + log of its share, here that with more.
TEST(variational_bound, of_two_modes_is_that_of_one) {
  const KnownPosterior model = bimodal();
  const BestNormal best = best_of(*model.density, 6);
  EXPECT_NEAR(best.bound.value, model.log_evidence + std::log(1.0 - kShare), 1e-4);
}

// x = m + D ε + B η of 12 values with two directions of standard deviation 3: full and low rank know its covariance, diagonal
// doesn't.
TEST(variational_bound, of_a_posterior_of_low_rank_is_its_evidence) {
  constexpr std::size_t kDimension = 12;
  const auto density = density::make_density(kDimension, [](Values x, std::span<double> gradient) {
    // Σ = I + 9 (u u' + v v'), u and v orthogonal and of length 1: Σ⁻¹ = I - 0.9 (u u' + v v').
    const double share = 1.0 / std::sqrt(static_cast<double>(kDimension));
    double along_u = 0.0, along_v = 0.0, square = 0.0;
    const auto v = [&](std::size_t d) { return d % 2 == 0 ? share : -share; };
    for (std::size_t d = 0; d < kDimension; ++d) {
      const double off = x[d] - 1.0;
      along_u += share * off, along_v += v(d) * off, square += off * off;
    }
    if (!gradient.empty())
      for (std::size_t d = 0; d < kDimension; ++d)
        gradient[d] = -(x[d] - 1.0) + 0.9 * (share * along_u + v(d) * along_v);
    return -0.5 * (square - 0.9 * (along_u * along_u + along_v * along_v)) - std::log(10.0) -
           static_cast<double>(kDimension) * kLogRootTwoPi;
  });
  const auto bound_of = [&](CovarianceShape shape, Index rank) {
    BoundOptions own{.covariance = shape, .seed = test_seed(9)};
    if (shape == CovarianceShape::low_rank) own.rank = rank;
    return maximise_bound(*density, own).bound.value;
  };
  EXPECT_NEAR(bound_of(CovarianceShape::full, 1), 0.0, 1e-4);
  EXPECT_NEAR(bound_of(CovarianceShape::low_rank, 2), 0.0, 1e-3);
  EXPECT_LT(bound_of(CovarianceShape::low_rank, 1), -0.3);
  EXPECT_LT(bound_of(CovarianceShape::diagonal, 1), -0.6);
}

// Every estimator, and optimisers and rules to stop, of posteriors that members of the family are. The scale of the tolerance is
// a standard deviation: a distance of 0.02 in each of five parameters loses 0.001 nats.
TEST(stochastic_climbs, of_a_normal_posterior_end_at_its_evidence) {
  const KnownPosterior model = conjugate_posterior();
  const auto options = [](const char* objective, const char* gradient, const char* optimizer,
                          const char* stop) {
    BoundOptions own{.objective = objective,
                     .gradient = gradient,
                     .optimizer = optimizer,
                     .stop = stop,
                     .seed = test_seed(10)};
    if (std::string_view(gradient).starts_with("score")) own.step_draws = 64;
    return own;
  };
  for (const auto& own : {options("elbo", "stl", "adam", "stationary"),
                          options("elbo", "reparam", "adam", "stationary"),
                          options("elbo", "score_cv", "adam", "stationary"),
                          options("elbo", "stl", "momentum", "patience"),
                          options("iwae:10", "dreg", "adam", "patience"),
                          options("renyi:0.5", "dreg", "adam", "patience"),
                          options("renyi:0.5", "reparam", "adam", "patience"),
                          options("chi2", "dreg", "adam", "patience")}) {
    const BestNormal best = maximise_bound(*model.density, own);
    EXPECT_TRUE(best.converged) << own.objective << ' ' << own.gradient << ' ' << own.stop;
    // Other objectives are flat about the posterior: with ten draws a variance that is off by a half costs 0.05 nats.
    const double tolerance = own.objective == "elbo" ? 0.02 : 0.1;
    EXPECT_NEAR(best.bound.value, model.log_evidence, tolerance + 4.0 * best.bound.error)
        << own.objective << ' ' << own.gradient << ' ' << own.optimizer;
    EXPECT_FALSE(best.course.empty());
  }
}

// From a start that is far, so that the climb itself does the work; a climb without the entropy's slope shrinks.
TEST(stochastic_climbs, find_a_posterior_that_they_begin_far_from) {
  const KnownPosterior model = conjugate_posterior();
  const Objective elbo = parse_objective("elbo");
  const auto bound_by = [&](const EstimatorSpec& estimator) {
    const BoundOptions own{.optimizer = "adam", .max_steps = 3000, .seed = test_seed(11)};
    const auto n = static_cast<std::size_t>(model.density->dimension());
    const auto family = make_full_normal(
        {.mean = std::vector<double>(n, 3.0), .covariance = std::vector<double>(n, 0.04)});
    climb_stochastic({*model.density, 0, elbo, estimator, own}, *family);
    return bounds_by_new_draws(*model.density, *family, own).elbo.value;
  };
  EXPECT_NEAR(bound_by(find_estimator("stl", elbo)), model.log_evidence, 0.02);
  EstimatorSpec without_entropy = find_estimator("reparam", elbo);
  without_entropy.add = [](const Objective&, DistributionFamily& family,
                           const EstimatorDraws& draws, std::vector<double>&,
                           std::span<double> into) {
    for (std::size_t s = 0; s < draws.count(); ++s) {
      std::vector<double> v(draws.gradient(s).begin(), draws.gradient(s).end());
      for (double& g : v) g /= static_cast<double>(draws.count());
      family.as_normal()->pull_back(draws.base(s), v, into);
    }
  };
  EXPECT_LT(bound_by(without_entropy), model.log_evidence - 0.5);
}

// Three forms of the objective, of the best diagonal distribution, which isn't the posterior: minus the free energy E[-log p] - H(q); E[log likelihood] less KL from
// the prior, a restricted Gibbs posterior; and log Z less KL to the posterior. The prior is N(0, 1), the posterior normal. Planted: KL the other way round.
TEST(variational_bound, is_minus_a_free_energy_and_a_restricted_gibbs_posterior) {
  const auto likelihood = [](Values x,
                             std::span<double> gradient) {  // of one outcome, 1.5 = x0 + x1 + noise
    const double off = (1.5 - x[0] - x[1]) / 0.25;
    if (!gradient.empty()) gradient[0] = gradient[1] = off;
    return normal_log_density(1.5, x[0] + x[1], 0.5);
  };
  const auto joint = density::make_density(2, [&](Values x, std::span<double> gradient) {
    const double value = likelihood(x, gradient);
    for (std::size_t d = 0; d < 2 && !gradient.empty(); ++d) gradient[d] -= x[d];
    return value + normal_log_density(x[0], 0.0, 1.0) + normal_log_density(x[1], 0.0, 1.0);
  });
  const BestNormal best = maximise_bound(
      *joint,
      {.covariance = CovarianceShape::diagonal, .num_fresh = 100'000, .seed = test_seed(13)});
  const std::vector<double> mean = best.family->mean(), variances = best.family->variances();
  double entropy = 0.0, to_prior = 0.0, from_prior = 0.0;
  for (std::size_t d = 0; d < 2; ++d) {
    const double v = variances[d], m = mean[d];
    entropy += 0.5 * std::log(v) + kLogRootTwoPi + 0.5;
    to_prior += 0.5 * (v + m * m - 1.0 - std::log(v));
    from_prior += 0.5 * ((1.0 + m * m) / v - 1.0 + std::log(v));
  }
  const double spread = variances[0] + variances[1], off = 1.5 - mean[0] - mean[1];
  const double mean_log_likelihood =
      -kLogRootTwoPi - std::log(0.5) - 0.5 * (off * off + spread) / 0.25;
  double energy = -mean_log_likelihood;
  for (std::size_t d = 0; d < 2; ++d)
    energy += kLogRootTwoPi + 0.5 * (variances[d] + mean[d] * mean[d]);
  // The posterior: precision I + 4 (1 1; 1 1), with determinant 9.
  const double log_evidence = normal_log_density(1.5, 0.0, std::sqrt(2.25));
  const double at = 6.0 / 9.0, a = mean[0] - at, b = mean[1] - at;
  const double to_posterior = 0.5 * (5.0 * spread + 5.0 * (a * a + b * b) + 8.0 * a * b - 2.0 -
                                     std::log(variances[0] * variances[1]) - std::log(9.0));
  const double tolerance = 4.5 * best.bounds.elbo.error;
  EXPECT_NEAR(best.bounds.elbo.value, -(energy - entropy), tolerance);
  EXPECT_NEAR(energy - entropy, to_prior - mean_log_likelihood, 1e-12);
  EXPECT_NEAR(energy - entropy, to_posterior - log_evidence, 1e-10);
  EXPECT_GT(std::abs(from_prior - mean_log_likelihood - (energy - entropy)), 0.1);
}

// The bounds of a posterior that isn't normal are in their order, the evidence among them.
TEST(variational_bound, of_other_objectives_brackets_the_evidence) {
  const auto logistic = density::make_density(1, [](Values x, std::span<double> gradient) {
    const double e = std::exp(-x[0]), p = 1.0 / (1.0 + e);
    if (!gradient.empty()) gradient[0] = 1.0 - 2.0 * p;
    return -x[0] - 2.0 * std::log1p(e);  // its evidence is 1
  });
  const auto fit_of = [&](const char* objective) {
    return maximise_bound(*logistic, {.objective = objective, .seed = test_seed(12)});
  };
  const BestNormal by_elbo = fit_of("elbo"), by_chi2 = fit_of("chi2");
  const FreshBounds elbo = by_elbo.bounds, iwae = fit_of("iwae:10").bounds, chi2 = by_chi2.bounds;
  EXPECT_LT(elbo.elbo.value + 4.0 * elbo.elbo.error, 0.0);
  EXPECT_GT(iwae.objective.value, elbo.elbo.value + 4.0 * elbo.elbo.error);
  EXPECT_LT(iwae.objective.value, 4.0 * iwae.objective.error);
  EXPECT_GT(chi2.upper.value, -4.0 * chi2.upper.error);
  EXPECT_GT(by_chi2.family->variances()[0], 1.05 * by_elbo.family->variances()[0]);  // wider
}

TEST(variational_bound, refuses_options_that_have_no_effect) {
  const KnownPosterior model = conjugate_posterior();
  const auto refused = [&](const BoundOptions& own) {
    EXPECT_THROW(maximise_bound(*model.density, own), Error);
  };
  refused({.rank = 3});
  refused({.objective = "iwae:10", .optimizer = "lbfgs"});
  refused({.objective = "iwae:10", .gradient = "stl"});
  refused({.step = 0.2});
  refused({.optimizer = "newton"});
  refused({.objective = "chi2", .optimizer = "foovb"});
  refused({.batch = 10});  // the density has no rows
  refused({.optimizer = "adam", .window = 10});
}

TEST(variational_bound, is_refused_where_there_is_none) {
  const auto refusal = [](const density::LogDensity& density, CovarianceShape shape) {
    try {
      best_of(density, 7, shape);
    } catch (const Error& error) {
      return error.message() + "; " + error.hint();
    }
    return std::string();
  };
  EXPECT_NE(refusal(*gaussian_shells().density, CovarianceShape::full).find("needs a gradient"),
            std::string::npos);
  // An edge that draws of a normal distribution cross.
  EXPECT_NE(refusal(*half().density, CovarianceShape::full).find("have no density"),
            std::string::npos);
  const auto wide = density::make_density(201, [](Values x, std::span<double> gradient) {
    double sum = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) {
      sum += normal_log_density(x[d], 0.0, 1.0);
      if (!gradient.empty()) gradient[d] = -x[d];
    }
    return sum;
  });
  EXPECT_NE(refusal(*wide, CovarianceShape::full).find("--covariance diagonal"), std::string::npos);
  EXPECT_NEAR(best_of(*wide, 8, CovarianceShape::diagonal).bound.value, 0.0, 1e-4);
}

}  // namespace
}  // namespace credo::infer::variational_test
