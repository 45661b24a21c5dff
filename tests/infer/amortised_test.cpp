// Amortised normal distributions: gradients, normalisation, and a linear model whose local posteriors are known.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "infer/family_checks.hpp"
#include "infer/variational/climbs/bound.hpp"
#include "infer/variational/climbs/fixed_draw_bound.hpp"
#include "infer/variational/climbs/inner_steps.hpp"
#include "infer/variational/climbs/local_rows.hpp"
#include "infer/variational/families/amortised_normal.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer::amortised_test {
namespace {
using namespace credo::testing;

// Eight values: two rows of two local ones (3, 1 and 5, 2), a point (4), and three others.
constexpr Index kDimension = 8;
FamilySetup setup_of_eight() {
  return {.mean = {0.5, -1.0, 2.0, 0.3, 1.5, -0.7, 0.2, 0.9},
          .covariance = {1.2, 0.5, 0.8, 2.0, 0.3, 0.9, 1.1, 0.6}};
}
AmortisedSetup amortised_of_eight(Index num_hidden, Index num_auxiliary = 0,
                                  bool has_offsets = false) {
  NetworkBlock block{
      .coordinates = {3, 1, 5, 2},
      .features = {.num_rows = 2, .num_features = 3, .values = {0.3, -1.0, 0.7, 1.4, 0.2, -0.5}}};
  return {.blocks = {block},
          .points = {4},
          .num_hidden = num_hidden,
          .has_offsets = has_offsets,
          .num_auxiliary = num_auxiliary,
          .rest = CovarianceShape::full,
          .seed = test_seed(1)};
}

std::vector<double> variates(std::size_t count, std::uint32_t number) {
  return family_normals(2, count, number);
}

std::vector<double> away_from_start(const NormalFamily& family) {
  const std::vector<double> start = family.start();
  return moved_by(start, 0.3, variates(start.size(), 1));
}

constexpr double kDifference = 1e-7;  // of central differences with steps of 1e-5

// Planted: a pull-back without the entropy's slope, which is that of the networks' standard deviations.
TEST(amortised_families, have_the_gradients_of_their_differences) {
  const std::vector<double> v = variates(kDimension, 2);
  const std::array<AmortisedSetup, 4> setups{amortised_of_eight(0), amortised_of_eight(4),
                                             amortised_of_eight(4, 2),
                                             amortised_of_eight(3, 1, true)};
  for (const AmortisedSetup& setup : setups) {
    const auto family = make_amortised_normal(setup_of_eight(), setup);
    EXPECT_EQ(family->num_base(), kDimension - 1 + setup.num_auxiliary);
    EXPECT_EQ(family->num_offsets(), setup.has_offsets ? 8 : 0);
    const std::vector<double> at = away_from_start(*family),
                              z = variates(static_cast<std::size_t>(family->num_base()), 3);
    const auto value = [&](std::span<const double> parameters) {
      family->move_to(parameters);
      std::vector<double> x(kDimension);
      family->place(z, x);
      return std::inner_product(v.begin(), v.end(), x.begin(), family->entropy());
    };
    const auto error = [&](bool has_entropy) {
      family->move_to(at);
      std::vector<double> gradient(at.size(), 0.0);
      family->pull_back(z, v, gradient);
      if (has_entropy) family->add_entropy_slope(gradient);
      return error_against_differences(at, gradient, value);
    };
    EXPECT_LT(error(true), kDifference) << setup.num_auxiliary;
    EXPECT_GT(error(false), 0.01) << setup.num_auxiliary;
  }
}

TEST(amortised_families, have_scores_that_are_derivatives_of_their_log_density) {
  const std::vector<double> x = variates(kDimension, 4);
  const auto family = make_amortised_normal(setup_of_eight(), amortised_of_eight(4, 2));
  const std::vector<double> at = away_from_start(*family);
  family->move_to(at);
  std::vector<double> score(kDimension), of_parameters(at.size(), 0.0);
  family->score(x, score);
  EXPECT_LT(error_against_differences(x, score, [&](Values y) { return family->log_density(y); }),
            kDifference);
  EXPECT_EQ(score[4], 0.0);
  family->add_parameter_score(x, of_parameters);
  EXPECT_LT(error_against_differences(at, of_parameters,
                                      [&](std::span<const double> parameters) {
                                        family->move_to(parameters);
                                        return family->log_density(x);
                                      }),
            kDifference);
}

// log q at a draw is that of its variates less the log of the volume: Σ log sd is entropy less that of N(0, I).
TEST(amortised_families, are_normalised_over_the_values_that_are_no_points) {
  const auto family = make_amortised_normal(setup_of_eight(), amortised_of_eight(4));
  family->move_to(away_from_start(*family));
  const std::vector<double> z = variates(kDimension - 1, 5);
  std::vector<double> x(kDimension);
  family->place(z, x);
  double expected = -(family->entropy() - 7.0 * (kLogRootTwoPi + 0.5));
  for (const double v : z) expected -= 0.5 * v * v + kLogRootTwoPi;
  EXPECT_NEAR(family->log_density(x), expected, 1e-12);
}

// With shared auxiliary variables log q is that of the covariance, factored anew without the point. Planted: independent values.
TEST(amortised_families, with_auxiliary_variables_agree_with_their_covariance) {
  const auto family = make_amortised_normal(setup_of_eight(), amortised_of_eight(4, 2));
  family->move_to(away_from_start(*family));
  const std::vector<double> x = variates(kDimension, 6), mean = family->mean(),
                            covariance = family->covariance();
  const auto log_density_of = [&](bool is_joint) {
    numerics::RowMatrix part(kDimension - 1, kDimension - 1);
    std::vector<double> off;
    std::vector<Index> kept{0, 1, 2, 3, 5, 6, 7};
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto d = static_cast<std::size_t>(kept[i]);
      off.push_back(x[d] - mean[d]);
      for (std::size_t j = 0; j < kept.size(); ++j)
        if (is_joint || i == j)
          part(static_cast<Index>(i), static_cast<Index>(j)) =
              covariance[d * kDimension + static_cast<std::size_t>(kept[j])];
    }
    const numerics::RowMatrix factor = numerics::lower_factor(part);
    numerics::solve_factor(factor, off);
    return -7.0 * kLogRootTwoPi - 0.5 * numerics::log_determinant_of_factor(factor) -
           0.5 * std::inner_product(off.begin(), off.end(), off.begin(), 0.0);
  };
  EXPECT_NEAR(family->log_density(x), log_density_of(true), 1e-11);
  EXPECT_GT(std::abs(family->log_density(x) - log_density_of(false)), 1e-3);
}

// z ~ N(0, I + 4 · 1 1ᵀ), six values with a part in common: one auxiliary variable holds their dependence, and independent values lose
// ½ log (|Σ| Π Λ_ii) with Λ = Σ⁻¹ = I - 4/25 · 1 1ᵀ.
TEST(amortised_fits, with_an_auxiliary_variable_hold_a_dependence_of_all_rows) {
  constexpr Index kRows = 6;
  constexpr double kShared = 4.0 / 25.0;
  const auto density = density::make_density(kRows, [](Values z, std::span<double> gradient) {
    const double sum = std::accumulate(z.begin(), z.end(), 0.0);
    double square = -kShared * sum * sum;
    for (std::size_t n = 0; n < z.size(); ++n) {
      square += z[n] * z[n];
      if (!gradient.empty()) gradient[n] = -z[n] + kShared * sum;
    }
    return -0.5 * square - 6.0 * kLogRootTwoPi - 0.5 * std::log(25.0);
  });
  std::vector<Index> all(kRows);
  std::iota(all.begin(), all.end(), 0);
  const FeatureTable features{
      .num_rows = kRows, .num_features = 1, .values = {-1.5, -0.9, -0.3, 0.3, 0.9, 1.5}};
  const auto bound_with = [&](Index num_auxiliary) {
    const AmortisedSetup setup{.blocks = {{all, features}},
                               .num_hidden = 0,
                               .num_auxiliary = num_auxiliary,
                               .seed = test_seed(7)};
    const auto make = [&](const FamilySetup& start) { return make_amortised_normal(start, setup); };
    return climb_family(*density, {.covariance = CovarianceShape::diagonal, .seed = test_seed(7)},
                        make)
        .bound;
  };
  const double loss = 0.5 * (6.0 * std::log(1.0 - kShared) + std::log(25.0));
  const LogEvidence without = bound_with(0), with = bound_with(1);
  EXPECT_NEAR(without.value, -loss, 1e-3 + 4.5 * without.error);
  EXPECT_NEAR(with.value, 0.0, 1e-3 + 4.5 * with.error);
}

TEST(amortised_families, read_other_features_after_they_were_set) {
  const auto family = make_amortised_normal(setup_of_eight(), amortised_of_eight(4));
  const std::vector<double> at = away_from_start(*family);
  family->move_to(at);
  const std::vector<double> before = family->mean();
  family->set_features(0, {.num_rows = 2,
                           .num_features = 3,
                           .values = {1.4, 0.2, -0.5, 0.3, -1.0, 0.7}});  // rows exchanged
  family->move_to(at);
  const std::vector<double> after = family->mean();
  // The rows have one network and one unit of each value: (3, 1) and (5, 2) change places.
  EXPECT_NEAR(after[3], before[5], 1e-14);
  EXPECT_NEAR(after[2], before[1], 1e-14);
  EXPECT_EQ(after[0], before[0]);
}

// z_n ~ N(0, 1), y_n ~ N(2 z_n, 0.5²): z_n | y_n ~ N(2 y_n / 4.25, 0.25 / 4.25), a linear function of y_n with one standard deviation.
struct LinearRows {
  static constexpr double kSlope = 2.0, kNoise = 0.5, kTotal = 4.25;
  std::vector<double> y = variates(40, 6);
  LinearRows() {
    for (double& v : y) v *= std::sqrt(kTotal);
  }
  std::shared_ptr<const density::LogDensity> density() const {
    return density::make_density(ssize(y), [data = y](Values z, std::span<double> gradient) {
      double sum = 0.0;
      for (std::size_t n = 0; n < z.size(); ++n) {
        sum +=
            normal_log_density(z[n], 0.0, 1.0) + normal_log_density(data[n], kSlope * z[n], kNoise);
        if (!gradient.empty())
          gradient[n] = -z[n] + kSlope * (data[n] - kSlope * z[n]) / (kNoise * kNoise);
      }
      return sum;
    });
  }
  double log_evidence() const {
    double sum = 0.0;
    for (const double v : y) sum += normal_log_density(v, 0.0, std::sqrt(kTotal));
    return sum;
  }
  AmortisedSetup setup(Index num_hidden, bool has_offsets) const {
    std::vector<Index> all(y.size());
    std::iota(all.begin(), all.end(), 0);
    return {.blocks = {{all, features()}},
            .num_hidden = num_hidden,
            .has_offsets = has_offsets,
            .seed = test_seed(3)};
  }
  FeatureTable features() const {
    FeatureTable table{.num_rows = ssize(y), .num_features = 1, .values = y};
    standardise(table, scale_of(table));
    return table;
  }
};

// Largest distance of a local mean or standard deviation from the posterior's, in its standard deviations.
double distance_of(const NormalFamily& family, const LinearRows& rows) {
  const double sd = LinearRows::kNoise / std::sqrt(LinearRows::kTotal);
  double worst = 0.0;
  const std::vector<double> mean = family.mean(), variances = family.variances();
  for (std::size_t n = 0; n < rows.y.size(); ++n) {
    const double exact = LinearRows::kSlope * rows.y[n] / LinearRows::kTotal;
    worst = std::max(
        {worst, std::abs(mean[n] - exact) / sd, std::abs(std::sqrt(variances[n]) / sd - 1.0)});
  }
  return worst;
}

BestNormal fit_rows(const LinearRows& rows, const BoundOptions& options,
                    const FeatureTable& features) {
  AmortisedSetup setup = rows.setup(8, false);
  setup.blocks[0].features = features;
  return climb_family(*rows.density(), options, [&](const FamilySetup& start) {
    return make_amortised_normal(start, setup);
  });
}

// A network with 8 hidden units has fewer parameters than the 80 figures: the bound is the evidence. Planted: the features of other rows.
TEST(amortised_fits, reach_the_local_posteriors_of_a_linear_model) {
  const LinearRows rows;
  const BoundOptions options{.covariance = CovarianceShape::diagonal, .seed = test_seed(3)};
  const BestNormal best = fit_rows(rows, options, rows.features());
  EXPECT_LT(distance_of(*best.family, rows), 1e-3);
  EXPECT_NEAR(best.bound.value, rows.log_evidence(), 1e-3 + 4.5 * best.bound.error);
  FeatureTable shifted = rows.features();
  std::rotate(shifted.values.begin(), shifted.values.begin() + 1, shifted.values.end());
  const BestNormal wrong = fit_rows(rows, options, shifted);
  EXPECT_GT(distance_of(*wrong.family, rows), 1.0);
  EXPECT_LT(wrong.bound.value, rows.log_evidence() - 10.0);
}

// F(λ) = L(λ, δ_K) against its differences. Planted: a derivative that stops at δ_K.
TEST(inner_steps, have_the_gradient_of_their_differences) {
  const LinearRows rows;
  const AmortisedSetup setup = rows.setup(3, true);
  const std::shared_ptr<const density::LogDensity> density = rows.density();
  const std::vector<double> mean(rows.y.size(), 0.2), variances(rows.y.size(), 0.3);
  const auto family = make_amortised_normal({.mean = mean, .covariance = variances}, setup);
  const FixedDrawBound bound(*density, *family,
                             balanced_draws(100, family->num_base(), CovarianceShape::diagonal, 5));
  const auto gradient_of = [](const density::LogDensity& of, Values at,
                              std::span<double> gradient) {
    density::Request request{.position = at, .gradient = gradient, .status = {}};
    density::Request* batch[] = {&request};
    of.make_evaluator()->evaluate(density::Want::gradient, batch);
    EXPECT_TRUE(request.status.ok());
    return request.log_density;
  };
  const InnerSteps inner(bound, family->num_offsets(), 3);
  std::vector<double> at = away_from_start(*family), gradient(at.size());
  at.resize(static_cast<std::size_t>(inner.dimension()));
  gradient.resize(at.size());
  const auto value = [&](std::span<const double> x) {
    std::vector<double> unused(x.size());
    return gradient_of(inner, x, unused);
  };
  gradient_of(inner, at, gradient);
  EXPECT_LT(error_against_differences(at, gradient, value), 1e-5);
  std::vector<double> whole = inner.completed(at), stopped(whole.size());
  gradient_of(bound, whole, stopped);
  stopped.resize(at.size());
  EXPECT_GT(error_against_differences(at, stopped, value), 0.01);
}

// A network that reads the features of other rows has a bound far below the evidence; steps for each row close the gap. Factors of 1/2 a
// step leave 2⁻¹⁰ of the distance.
TEST(inner_steps, close_the_gap_that_a_network_leaves) {
  const LinearRows rows;
  FeatureTable shifted = rows.features();
  std::rotate(shifted.values.begin(), shifted.values.begin() + 1, shifted.values.end());
  const BoundOptions options{.covariance = CovarianceShape::diagonal, .seed = test_seed(3)};
  AmortisedSetup setup = rows.setup(0, true);
  setup.blocks[0].features = shifted;
  const BestNormal best = climb_family(
      *rows.density(), options,
      [&](const FamilySetup& start) { return make_amortised_normal(start, setup); }, 10);
  EXPECT_LT(distance_of(*best.family, rows), 0.05);
  EXPECT_NEAR(best.bound.value, rows.log_evidence(), 0.02 + 4.5 * best.bound.error);
}

// The upper bound made small by draws weighted to the posterior ends at the posterior, too, with 0 between the bounds.
TEST(amortised_fits, by_the_upper_bound_end_at_the_local_posteriors) {
  LinearRows rows;
  rows.y.resize(6);
  const BoundOptions options{
      .covariance = CovarianceShape::diagonal, .objective = "eubo", .seed = test_seed(4)};
  const BestNormal best = fit_rows(rows, options, rows.features());
  EXPECT_LT(distance_of(*best.family, rows), 0.1);
  EXPECT_NEAR(best.bounds.eubo.value, rows.log_evidence(), 0.06);
  EXPECT_NEAR(best.bounds.elbo.value, rows.log_evidence(), 0.06);
}

}  // namespace
}  // namespace credo::infer::amortised_test
